// SPDX-License-Identifier: BSD-3-Clause
/* job.h - a running job: how its ranks are started, judged, and ended.
 *
 *   job_start --> main loop: signals, deaths, output, stdin --> job_fini: the exit code
 *                    |
 *                    '-- a rank fails, a signal, the time is over: job_end --> SIGTERM (or the
 *                        user's signal) to all groups, after a grace SIGKILL; the loop goes on
 *                        until all are dead and all output is written.
 *
 * The ranks are a crew of this process (local_ranks.h), or, over several hosts, crews of agents behind a
 * tree of links (remote_ranks.h): the judgement is the same, and made here only.
 *
 * The first failure decides the job's exit code and is the one that is named; deaths that we cause
 * are not. */
#ifndef MPIEXEC_JOB_H
#define MPIEXEC_JOB_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include "tools/mpiexec/local_ranks.h"
#include "tools/mpiexec/job_plan.h"

#define GRACE_FAIL_MS 300  /* SIGTERM to SIGKILL after a failure: the job ends within 1 s */
#define LOST_MS       5000 /* an end for a lost rank, to the news of how that one has ended */
#define DRAIN_MS      300  /* for output after the last rank, if something of it is left behind */
#define ABSENT_MS     500  /* for what a rank has left in the background to say MPI_Init ... */
#define ABSENT_MAX_S  30   /* ... as long as something of it is there */
#define EXIT_TIMEOUT  124  /* as timeout(1) */
#define HANG_LOOKS    4    /* in HAFT_HANG seconds: a hang is told at most a quarter too late */

struct far;

/* One rank. */
struct rank {
	int pid; /* 0: not started yet */
	int app;
	bool alive;
	bool inside;       /* it had said MPI_Init when it died, or PMI was spoken */
	bool absent;       /* has ended well, and had not said MPI_Init */
	uint64_t ended_ns; /* when it has ended without a failure; 0: it has not */
	bool doubt;        /* has ended well amid MPI: a failure, if others still need it */
	uint32_t end;      /* enum boot_state at that end */
};

/* What the watch knows of one rank. */
struct hang_rank {
	uint64_t sleep;    /* seen.sleep of its sleep; 0: it does not sleep */
	uint64_t still_ns; /* since when, by our clock, and never too early */
	uint64_t busy_ns;  /* when it was last found to compute */
	uint64_t cpu_ns;   /* its CPU time at the last look at which it was known ... */
	uint64_t known_ns; /* ... which was then */
	uint64_t away_ns;  /* since when it is outside of MPI without CPU time; 0: it is not */
	bool idle;         /* found without a thread that can run, since anybody has moved */
};

/* The watch for a job in which everybody sleeps. */
struct hang {
	uint64_t limit_ns; /* HAFT_HANG; 0: no watch */
	uint64_t look_ns;  /* when to look next; 0: never */
	bool said;         /* the roll-call is, and nobody has moved since */
	bool said_away;    /* it was, when some were idle outside of MPI */
	struct hang_rank *rank;
};

/* What to do once it is known what all ranks do: a sum. */
enum ask {
	ASK_ROLL = 1,    /* the user wants to know */
	ASK_TIMEOUT = 2, /* -timeout is over: say it, end the job */
	ASK_HANG = 4,    /* hang_look */
	ASK_ABSENT = 8,  /* is anybody waiting for one who will never come? */
	ASK_DOUBT = 16,  /* was somebody needed who has left? */
	ASK_ENDED = 32   /* does a rank wait for one that has ended? */
};

/* Who has called for the end. */
struct abort {
	bool told;
	int rank, pid, code;
	int lost; /* the rank that it had missed; -1: none */
	char *text;
};

/* A rank has failed that had missed another one, of whose end nothing is known yet. */
struct wait {
	uint64_t until_ns;  /* when to believe the first; 0: nothing is waited for */
	int lost;           /* the one that is gone */
	struct death death; /* of the first ... */
	struct abort abort; /* ... who has said why, if told */
};

struct job {
	const struct plan *plan;
	struct rank *rank;
	struct seen *seen; /* by rank, as of the last look */
	int n;
	int alive;
	struct crew crew; /* if all ranks are here */
	struct far *far;  /* else; NULL: they are */
	int stdin_fd;     /* what we read for the ranks; -1: nothing (any more) */
	struct abort abort;
	unsigned asked;        /* enum ask */
	uint64_t look_from_ns; /* what `seen' says is of this time or later */
	int code;              /* exit code so far */
	bool ending;           /* the job is being ended by us */
	int64_t grace_ms; /* HAFT_GRACE, after a signal of the user: time to write a checkpoint */
	int signal;       /* by which signal of the user; 0: by none */
	bool hurt;        /* some rank did not end well after that signal */
	bool killed;      /* SIGKILL was sent to all */
	int more;         /* failures after the one that was named */
	uint64_t kill_ns; /* when to send SIGKILL; 0: never */
	uint64_t stop_ns; /* when -timeout ends; 0: never */
	struct wait wait;
	uint64_t look_ns; /* when to look for ranks that wait for absent ones; 0: never */
	struct hang hang;
	uint64_t ended_ns;      /* HAFT_ENDED; 0: no such look */
	uint64_t ended_look_ns; /* when to look for ranks that wait for ended ones; 0: never */
};

/* Makes the segment and starts all ranks.  If one cannot be started, it says so and ends the job.
 * `mask' is the user's signal mask. */
void job_start(struct job *j, const struct plan *p, const sigset_t *mask);

/* Takes note of all children that have died.  Never blocks. */
void job_reap(struct job *j);

/* The ranks of a host that cannot be reached are taken for dead; it was said. */
void job_lost(struct job *j, int host);

/* Says of a rank what it is (-v); cpus NULL: it is not bound. */
void job_tell(const struct job *j, int r, const cpu_set_t *cpus);

/* A rank has died: judges it. */
void job_died(struct job *j, const struct death *d);

/* Nothing was heard in LOST_MS of the rank that another has lost: that other one is the reason. */
void job_believe(struct job *j);

/* The job has failed for a reason that was said. */
void job_fail(struct job *j, int code);

/* Sends `sig' to all ranks' process groups. */
void job_signal(struct job *j, int sig);

/* Begins to end the job: `sig' to all, SIGKILL after `grace_ms'. */
void job_end(struct job *j, int sig, int64_t grace_ms);

/* Looks at all ranks, then does what was asked (enum ask): at once, or when the other hosts have
 * answered.  job_answer: they have. */
void job_ask(struct job *j, unsigned what);
void job_answer(struct job *j);

/* Our stdin: bytes that are wanted now; here they are (len 0: the end). */
size_t job_stdin_room(struct job *j);
void job_stdin(struct job *j, const void *v, size_t len);

/* Nothing can come from the ranks' hosts any more. */
bool job_over(const struct job *j);

/* Kills what is left and releases everything.  Returns the job's exit code. */
int job_fini(struct job *j);

/* Says what each rank does or waits for, and who waits for each other, as of the last look. */
void job_report(const struct job *j);

/* Says once the job is over if its programs were no job at all, but another MPI's. */
void foreign_mpi_say(const struct job *j);

/* ended_init reads HAFT_ENDED.  ended_next: when to look next, if a rank has ended; 0: never.
 * ended_look: ends the job with words if a rank has waited for so long for one that has ended or
 * sleeps in MPI_Finalize, and returns true then; `told': the roll-call has just been said. */
void ended_init(struct job *j);
uint64_t ended_next(const struct job *j, uint64_t now);
bool ended_look(struct job *j, uint64_t now, bool told);

/* hang_init reads HAFT_HANG.  hang_look: says the roll-call if everybody who is in MPI has slept
 * for so long, and nobody else has used CPU time, once for each such sleep.  hang_away: for how
 * long rank r has used no CPU time outside of MPI, ns, as far as is known; 0: it has, or is inside.
 */
void hang_init(struct job *j);
bool hang_look(struct job *j, uint64_t now);
uint64_t hang_away(const struct job *j, int r);

#endif
