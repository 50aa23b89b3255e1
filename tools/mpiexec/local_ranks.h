// SPDX-License-Identifier: BSD-3-Clause
/* local_ranks.h - the ranks of this host: their segment, processes and guard.
 *
 *      local_init --> local_add, local_segment --> local_start --> local_reap --> local_fini
 *                        ^                            |              '-- reports each death
 *                        |                            '-- hands over the pipes of the output
 *                        '-- again for each further world (MPI_Comm_spawn), then local_start
 *
 * Deaths are only reported here.  job.h judges them, perhaps on another host. */
#ifndef HAFT_TOOLS_MPIEXEC_LOCAL_RANKS_H
#define HAFT_TOOLS_MPIEXEC_LOCAL_RANKS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include "libmpi/boot/waitrec.h"
#include "libshm/shm.h"
#include "tools/mpiexec/forked_ranks.h"
#include "tools/mpiexec/guard.h"
#include "tools/mpiexec/job_plan.h"
#include "tools/mpiexec/profile.h"
#include "tools/mpiexec/rank_env.h"
#include "tools/mpiexec/rank_start.h"
#include "tools/mpiexec/worlds.h"

struct boot_world;
struct boot_job;
struct boot_rank;
struct pmi_server;

/* One rank of this host, started as the leader of a process group. */
struct local_rank {
	struct world *world; /* NULL: the row is free */
	int entry;           /* in the job's table of processes */
	int rank;            /* in its world */
	int app;             /* index in world->app */
	int seat;            /* in the segment; -1: there was no free one */
	pid_t pid;           /* 0: not started */
	pid_t group;         /* process group; 0: none, or empty since the rank died */
	bool alive;
	bool adopted; /* it has started mpiexec: it leads no group of ours */
	uint32_t end; /* enum boot_state at its death, or of a living one without a seat */
	int listen;   /* listening socket; -1: none, or handed over */
};

struct local_ranks {
	const struct plan *plan;
	struct local_rank *m; /* a row each; row == entry in the job if all ranks are local */
	int n;                /* rows; some may be free */
	int ranks0;           /* rows of world 0, which are the first ones */
	int alive;
	bool *taken; /* by seat of the segment */
	struct shm_seg *seg;
	struct rank_common common;
	struct rank_env env;        /* of a start ... */
	struct forked_ranks forked; /* ... and its fork server */
	struct guard guard;
	cpu_set_t *cpus;             /* CPU set of each rank; NULL: not bound */
	struct profile_host profile; /* -profile: tables of the seats */
	struct pmi_server *pmi;      /* PMI server for ranks of other MPIs; NULL: none */
};

/* The state of a rank as seen from outside. */
struct rank_view {
	bool known;     /* the other fields are valid */
	uint32_t state; /* enum boot_state */
	bool alive;
	bool left;       /* dead, but a process that it has started is alive */
	bool runs;       /* one of its threads is runnable */
	bool stopped;    /* stopped by a signal: its wait may be over */
	uint64_t cpu_ns; /* CPU time of its process; outside of MPI: with its descendants */
	uint64_t sleep;  /* identifies its sleep: view.still_ns by its host's clock */
	struct shm_view view;
	int64_t moved, bytes; /* of a long access to a file; bytes 0: none */
	char file[BOOT_LONG_NAME];
};

/* Receives the read end of the pipe of the stdout (which 0) or stderr (which 1) of an entry. */
typedef void local_output_fn(int entry, int which, int fd);

/* The death of a rank. */
struct death {
	int rank, pid;  /* rank: its entry */
	int status;     /* as of waitpid */
	uint32_t state; /* enum boot_state at its death */
	int lost;       /* the number of the process whose loss it noticed (boot_lost); -1: none */
	char *where, *core; /* crash_describe; NULL: none.  job_died takes them over */
};

/* Receives the death of a rank. */
typedef void local_died_fn(void *arg, const struct death *d);

/* No ranks yet; common.mask is kept.  The plan stays the caller's. */
void local_init(struct local_ranks *c, const struct plan *p);

/* Adds the ranks that w->host_of puts on `host', and opens a listening socket for each at `ip'
 * (NULL: none).  addr[], by rank, receives their addresses as malloc'ed text.  Returns NULL, or
 * malloc'ed words; nothing was added then. */
char *local_add(struct local_ranks *c, struct world *w, int host, const char *ip, char **addr);

/* Forgets the ranks of a world, all of which are dead or were not started. */
void local_forget(struct local_ranks *c, const struct world *w);

/* The number of ranks that a world has on this host. */
int local_count(const struct local_ranks *c, const struct world *w);

/* The record of a row's seat; for a row without one, a record for reading only, valid until the
 * next call. */
struct boot_rank *local_page(const struct local_ranks *c, int i);

/* Tells all ranks that a process has ended, and the job goes on.  False: there is no room for more
 * notices. */
struct boot_notice;
bool local_notice(struct local_ranks *c, const struct boot_notice *notice);

/* The greatest enum boot_ft of the living ranks, or of all if `dead', of a world (NULL: of any). */
uint32_t local_ft(const struct local_ranks *c, const struct world *w, bool dead);

/* The row of an entry; -1: it is not on this host. */
int local_row(const struct local_ranks *c, int entry);

/* Creates the segment.  `world' NULL: all ranks are local, and none listens.  `cookie' 0: a new
 * one. */
void local_segment(
	struct local_ranks *c, const struct boot_world *world, int host, uint64_t cookie);

/* Makes process `pid', which is not a child of ours, the rank of row 0, and takes over the segment
 * behind `fd', which it has made for itself alone; fd -1: creates a segment.  Returns NULL, or
 * malloc'ed words. */
char *local_adopt(struct local_ranks *c, int fd, int pid);

/* Starts the ranks of a world; c->pmi may be set before. in_fd(entry) returns the stdin of a rank,
 * which is closed here, or -1 for /dev/null. errs: NULL, or by rank, receives the errno of a rank
 * that could not be started.  Stops at the first failure, unless `soft', and when a signal that
 * ends the job is pending.  Returns NULL, or malloc'ed words about the first failure. */
char *local_start(struct local_ranks *c, const struct world *w, int (*in_fd)(int entry),
	local_output_fn *output, int *errs, bool soft);

/* Collects dead children.  Never blocks.  Children that are no ranks: *other(pid, status), if not
 * NULL. */
void local_reap(
	struct local_ranks *c, local_died_fn *died, void (*other)(void *, pid_t, int), void *arg);

/* Sends `sig' to all ranks' process groups, or to those of one world, or to that of one entry. */
void local_signal(struct local_ranks *c, int sig);
void local_signal_rank(struct local_ranks *c, int entry, int sig);
void local_signal_world(struct local_ranks *c, const struct world *w, int sig);

/* Ranks that wait in MPI_Init for a tool go on. */
void local_release(struct local_ranks *c);

/* Starts to end the ranks: wakes sleepers in MPI, sends `sig' to all, and SIGCONT to stopped
 * ones.  code: the job's.  The program that this mpiexec serves ends itself with it, if it waits in
 * MPI: up to ADOPTED_MS are given to it before the signal. */
void local_end(struct local_ranks *c, int sig, int code);

/* Reads the state of each rank, by row. */
void local_see(struct local_ranks *c, struct rank_view *seen);

/* The abort record of the job; NULL: no rank has aborted.  local_abort_entry: the entry of the rank
 * that has written it, or -1.  local_lost: the number of the process whose loss made it abort, or
 * -1. */
const struct boot_job *local_abort(struct local_ranks *c);
int local_abort_entry(const struct local_ranks *c, const struct boot_job *b);
void local_abort_clear(struct local_ranks *c); /* makes room for the next one */
int local_lost(struct local_ranks *c, const struct boot_job *b);

/* Kills remaining processes and releases everything. */
void local_fini(struct local_ranks *c);

#endif
