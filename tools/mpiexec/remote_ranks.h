// SPDX-License-Identifier: BSD-3-Clause
/* remote_ranks.h - the root's view of ranks that run under agents: starts the tree, turns the job's wishes
 * into frames, and agents' frames into what the job judges. */
#ifndef HAFT_TOOLS_MPIEXEC_REMOTE_RANKS_H
#define HAFT_TOOLS_MPIEXEC_REMOTE_RANKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include "tools/mpiexec/link.h"

struct job;
struct far;

/* Starts the agents; sets j->far.  The ranks follow when all agents are ready. */
void remote_start(struct job *j);

/* All agents are ready, so that the ranks start or have started. */
bool remote_begun(const struct far *f);

/* Sends FRAME_SIGNAL or FRAME_END with a signal to all hosts. */
void remote_signal(struct far *f, enum frame_kind kind, int sig);

/* Asks all hosts what their ranks do; job_answer follows, at the latest after LOOK_MS. */
void remote_look(struct far *f);

/* This process is about to be stopped, with all it knows of time. */
void remote_pause(struct far *f);

/* Bytes of stdin that are wanted; here they are (0: the end). */
size_t remote_stdin_room(const struct far *f);
void remote_stdin(struct far *f, const void *v, size_t len);

/* To be polled for POLLIN; remote_work at least every remote_patience ms. */
int remote_fd(const struct far *f);
int remote_patience(const struct far *f);
void remote_work(struct far *f, uint64_t now);
void remote_reap(struct far *f, pid_t pid, int status);

/* Every host has said that it has no more to say, or is lost. */
bool remote_over(const struct far *f);

/* Ends the agents, waiting for them for a while. */
void remote_fini(struct far *f);

#endif
