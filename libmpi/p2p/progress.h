// SPDX-License-Identifier: BSD-3-Clause
/* progress.h - waiting for requests (progress.c). */
#ifndef HAFT_P2P_PROGRESS_H
#define HAFT_P2P_PROGRESS_H

#include "libmpi/p2p/wait_report.h"

/* Makes progress until ready(arg); `about' is for the wait report. */
void p2p_wait_until(bool (*ready)(void *arg), void *arg, struct p2p_about about);

/* Waits for r, one of the n requests of a call.  False: r is not done, and a process has failed or
 * a communicator was revoked. */
bool p2p_wait_one_of(struct req *r, struct req *const reqs[], int n);

#endif
