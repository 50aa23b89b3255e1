// SPDX-License-Identifier: BSD-3-Clause
/* local_ranks.h - the ranks of this host: their segment, their processes, their guard.
 *
 *      local_init --> local_start --> local_reap (often) --> local_fini
 *                        |              '-- tells of each death
 *                        '-- hands the pipes of each rank's output to whoever reads them
 *
 * It judges nothing: whether a death is a failure, and what follows from it, is the job's matter
 * (job.h), which may be on another host. */
#ifndef HAFT_TOOLS_MPIEXEC_LOCAL_RANKS_H
#define HAFT_TOOLS_MPIEXEC_LOCAL_RANKS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include "libshm/shm.h"
#include "tools/mpiexec/guard.h"
#include "tools/mpiexec/job_plan.h"
#include "tools/mpiexec/rank_start.h"

struct boot_world;
struct boot_job;
struct pmi;

/* One rank of this host.  It was started as the leader of a process group. */
struct member {
	int rank; /* in the job */
	int app;
	pid_t pid;   /* 0: not started */
	pid_t group; /* 0: none, or nothing of it was left when the rank died */
	bool alive;
	int listen; /* its socket; -1: none, or handed over */
};

struct crew {
	const struct plan *plan;
	struct member *m; /* by `near' */
	int n;            /* >= 1 */
	int alive;
	struct shm_seg *seg;
	struct spawn spawn;
	struct guard guard;
	cpu_set_t *cpus; /* of each; NULL: none is bound */
	struct pmi *pmi; /* serves ranks of other MPIs; NULL: nobody does */
};

/* What can be seen of a rank from outside. */
struct seen {
	bool known;     /* the rest holds */
	uint32_t state; /* enum boot_state */
	bool alive;
	bool left;       /* not alive, but something that it has started is */
	bool runs;       /* one of its threads can run, or does */
	bool stopped;    /* by a signal: what it waits for may have come long ago */
	uint64_t cpu_ns; /* CPU time of its process; not asleep: and of what it has started */
	uint64_t sleep;  /* the number of its sleep: view.still_ns by its host's clock */
	struct shm_view view;
};

/* Takes the read end of the pipe of a rank's stdout (which 0) or stderr (which 1). */
typedef void local_hear_fn(int rank, int which, int fd);

/* How a rank has ended. */
struct death {
	int rank, pid;
	int status;     /* as of waitpid */
	uint32_t state; /* enum boot_state, as it was then */
	int lost;       /* the rank that it had missed, as boot_lost says; -1: none */
};

/* Takes note of the death of a rank. */
typedef void local_died_fn(void *arg, const struct death *d);

/* Finds the ranks that plan->host_of puts on `host', and opens a listening socket for each at `ip'
 * (NULL: none listens).  Their addresses go to addr[], by rank, as malloc'ed text. */
void local_init(struct crew *c, const struct plan *p, int host, const char *ip, char **addr);

/* Makes the segment; `world' NULL: all ranks are here, and none listens.  `cookie' 0: a new one. */
void local_segment(struct crew *c, const struct boot_world *world, int host, uint64_t cookie);

/* Starts the ranks; c->pmi may have been set before.  in_fd(rank) is what a rank reads, an fd that
 * is closed here, or -1: /dev/null. Returns NULL, or why not all of them run: malloc'ed words. */
char *local_start(struct crew *c, int (*in_fd)(int rank), local_hear_fn *hear);

/* Takes note of all children that have died.  Never blocks.  Other children: *other(pid, status),
 * if it is not NULL. */
void local_reap(struct crew *c, local_died_fn *died, void (*other)(void *, pid_t, int), void *arg);

/* Sends `sig' to all ranks' process groups. */
void local_signal(struct crew *c, int sig);

/* Begins their end: wakes those who sleep in MPI, `sig' to all, also to those who are stopped. */
void local_end(struct crew *c, int sig);

/* What each rank does, by `near'. */
void local_see(struct crew *c, struct seen *seen);

/* Who has called for the end of the job; NULL: nobody.  local_lost: the rank that he had missed,
 * or -1. */
const struct boot_job *local_abort(struct crew *c);
int local_lost(struct crew *c, const struct boot_job *b);

/* Kills what is left and releases everything. */
void local_fini(struct crew *c);

#endif
