// SPDX-License-Identifier: BSD-3-Clause
/* pipe_copy.h - rendezvous messages of local peers through libshm's pipe (pipe_copy.c). */
#ifndef HAFT_P2P_PIPE_COPY_H
#define HAFT_P2P_PIPE_COPY_H

#include "libmpi/p2p/p2p_state.h"

/* Fills the pipe to a peer from its queue pipe_sends; returns how many chunks went. */
int p2p_pipe_push(int peer);

/* Empties the pipe from a peer into its queue pipe_recvs; returns how many chunks came. */
int p2p_pipe_pull(int peer);

#endif
