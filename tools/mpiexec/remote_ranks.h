// SPDX-License-Identifier: BSD-3-Clause
/* remote_ranks.h - the root's side of ranks under proxies: sends the job's requests as frames,
 * and passes the proxies' frames to the job. */
#ifndef HAFT_TOOLS_MPIEXEC_REMOTE_RANKS_H
#define HAFT_TOOLS_MPIEXEC_REMOTE_RANKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include "tools/mpiexec/link.h"

struct job;
struct remote_ranks;
struct world;

/* Starts the proxies and sets j->remote.  The ranks start when all proxies are ready. */
void remote_start(struct job *j);

/* Sets j->remote for a service, whose plan has no host with ranks: remote_add brings them. */
void remote_open(struct job *j);

/* Adds a host to the job, or starts the proxy of a lost one again; spawn_resume follows. */
void remote_add(struct remote_ranks *f, const char *name, int slots);

/* The index of a host that the job has; -1: none. */
int remote_host(const struct remote_ranks *f, const char *name);

/* Why a host cannot be used; NULL: it can, or is not ready. */
const char *remote_why(const struct remote_ranks *f, int host);

/* True if all proxies with ranks are ready, so that ranks start or have started. */
bool remote_begun(const struct remote_ranks *f);

/* Sends FRAME_SIGNAL or FRAME_END with a signal to all hosts. */
void remote_signal(struct remote_ranks *f, enum frame_kind kind, int sig);

/* A signal for one process. */
void remote_signal_rank(struct remote_ranks *f, int entry, int sig);

/* A signal for one world; and the hosts forget it: it has ended, or is not started. */
void remote_signal_world(struct remote_ranks *f, const struct world *w, int sig);
void remote_forget(struct remote_ranks *f, const struct world *w);

/* Makes the hosts prepare a further world (spawn_prepared of each follows), and start it
 * (spawn_host_started). */
void remote_spawn(struct remote_ranks *f, const struct world *w);
void remote_go(struct remote_ranks *f, const struct world *w, bool soft);

/* True if the host can get processes; true if that is known of all hosts. */
bool remote_lives(const struct remote_ranks *f, int host);
bool remote_settled(const struct remote_ranks *f);

/* Sends the reply, a line, to the request of a process. */
void remote_reply(struct remote_ranks *f, int entry, const char *line);

/* Requests the state of all ranks; job_answer follows within POLL_MS of remote_ranks.c. */
void remote_poll(struct remote_ranks *f);

/* Requests the stacks of all ranks: stack_take for each, then stacks_done. */
void remote_stacks(struct remote_ranks *f);

/* Asks what all ranks do: top_take for each host. */
void remote_top(struct remote_ranks *f);

/* Tells the proxies that this process is about to be stopped. */
void remote_pause(struct remote_ranks *f);

/* stdin: how many bytes are wanted now; here are some (0: end of input). */
size_t remote_stdin_room(const struct remote_ranks *f);
void remote_stdin(struct remote_ranks *f, const void *v, size_t len);

/* Poll for POLLIN; call remote_work at least every remote_timeout ms. */
int remote_fd(const struct remote_ranks *f);
int remote_timeout(const struct remote_ranks *f);
void remote_work(struct remote_ranks *f, uint64_t now);
void remote_reap(struct remote_ranks *f, pid_t pid, int status);

/* True if every host has reported its end, or is lost. */
bool remote_over(const struct remote_ranks *f);

/* Ends the proxies and waits for them, for a limited time. */
void remote_fini(struct remote_ranks *f);

/* Tells the ranks of all hosts that a process has ended, and the job goes on. */
struct boot_notice;
void remote_tool_server(struct remote_ranks *f, char *const *argv); /* likewise of tool_server.h */
void remote_release(struct remote_ranks *f);                        /* local_release on all hosts */
void remote_notice(struct remote_ranks *f, const struct boot_notice *notice);

#endif
