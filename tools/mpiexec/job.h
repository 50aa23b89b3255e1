// SPDX-License-Identifier: BSD-3-Clause
/* job.h - a running job: its ranks, its segment, how it ends.
 *
 *   job_start --> main loop: signals, deaths, output, stdin --> job_code
 *                    |
 *                    '-- a rank fails, a signal, the time is over: job_end --> SIGTERM (or the
 *                        user's signal) to all groups, after a grace SIGKILL; the loop goes on
 *                        until all are dead and all output is written.
 *
 * The first failure decides the job's exit code and is the one that is named; deaths that we cause
 * are not. */
#ifndef MPIEXEC_JOB_H
#define MPIEXEC_JOB_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include "tools/mpiexec/guard.h"
#include "tools/mpiexec/plan.h"
#include "tools/mpiexec/spawn.h"

#define GRACE_FAIL_MS 300  /* SIGTERM to SIGKILL after a failure: the job ends within 1 s */
#define GRACE_USER_MS 3000 /* after Ctrl-C or SIGTERM: time to write a checkpoint */
#define DRAIN_MS      300  /* for output after the last rank, if something of it is left behind */
#define ABSENT_MS     500  /* for what a rank has left in the background to say MPI_Init */
#define EXIT_TIMEOUT  124  /* as timeout(1) */

struct shm_seg;

/* One rank.  It was started as the leader of a process group. */
struct rank {
	pid_t pid;   /* 0: not started */
	pid_t group; /* 0: none, or nothing of it was left when the rank died */
	int app;
	bool alive;
	bool absent; /* has ended well, and had not said MPI_Init */
};

/* The watch for a job in which everybody sleeps. */
struct hang {
	uint64_t limit_ns; /* HAFT_HANG; 0: no watch */
	uint64_t look_ns;  /* when to look next; 0: never */
	uint64_t still_ns; /* since when nobody has moved, as far as was seen */
	uint64_t said_ns;  /* the still_ns that the last roll-call was about */
	uint64_t *cpu_ns;  /* by rank: CPU time at the last look */
};

struct job {
	const struct plan *plan;
	struct rank *rank;
	int n;
	int alive;
	struct shm_seg *seg;
	struct spawn spawn;
	struct guard guard;
	int stdin_fd;     /* write end of rank 0's stdin if we carry it there; else -1 */
	int code;         /* exit code so far */
	bool ending;      /* the job is being ended by us */
	int signal;       /* by which signal of the user; 0: by none */
	bool hurt;        /* some rank did not end well after that signal */
	bool killed;      /* SIGKILL was sent to all */
	int more;         /* failures after the one that was named */
	uint64_t kill_ns; /* when to send SIGKILL; 0: never */
	uint64_t stop_ns; /* when -timeout ends; 0: never */
	uint64_t look_ns; /* when to look for ranks that wait for absent ones; 0: never */
	struct hang hang;
};

/* CLOCK_MONOTONIC. */
uint64_t now_ns(void);

/* Makes the segment and starts all ranks.  If one cannot be started, it says so and ends the job.
 */
void job_start(struct job *j, const struct plan *p);

/* Takes note of all children that have died.  Never blocks. */
void job_reap(struct job *j);

/* Sends `sig' to all ranks' process groups. */
void job_signal(struct job *j, int sig);

/* Begins to end the job: `sig' to all, SIGKILL after `grace_ms'. */
void job_end(struct job *j, int sig, int grace_ms);

/* Ends the job if a rank is in MPI and another has ended without: MPI_Finalize would wait for it
 * for ever.  Says when to look again in j->look_ns. */
void job_look(struct job *j);

/* Kills what is left and releases everything.  Returns the job's exit code. */
int job_fini(struct job *j);

/* Says what each rank does or waits for, and who waits for each other. */
void roll_call(const struct job *j);

/* hang_init reads HAFT_HANG.  hang_look, when hang.look_ns has come: says the roll-call if
 * everybody who is in MPI has slept for so long, once for each such sleep. */
void hang_init(struct job *j);
void hang_look(struct job *j, uint64_t now);

#endif
