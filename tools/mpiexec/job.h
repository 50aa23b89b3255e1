// SPDX-License-Identifier: BSD-3-Clause
/* job.h - a running job: start, judgement of failures, end.
 *
 *   job_start --> main loop: signals, deaths, output, stdin --> job_fini: the exit code
 *                    |
 *                    '-- a rank fails, a signal, a timeout: job_end --> SIGTERM (or the user's
 *                        signal) to all groups, SIGKILL after a grace; the loop continues until
 *                        all ranks are dead and all output is written.
 *
 *   main.c, serve.c
 *      └─> job_start.c ──> requests.c ──> spawn.c ──> job.c, job_judge.c ──> hang_watch.c, ended.c
 *              └─────────> remote_frames.c ──┘                └──> world_end.c ──> job_report.c
 *                                                                 └──> remote_ranks.c, entries.c
 *
 * Calls go to the right only, but for job.c and job_judge.c.
 *
 * The ranks are local (local_ranks.h), or run on several hosts under proxies (remote_ranks.h).
 * Both cases are judged here, by the same rules.
 *
 * The first failure decides the job's exit code and is reported.  Deaths that mpiexec causes are
 * not. */
#ifndef MPIEXEC_JOB_H
#define MPIEXEC_JOB_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include "tools/mpiexec/deadlock.h"
#include "tools/mpiexec/local_ranks.h"
#include "tools/mpiexec/job_plan.h"
#include "tools/mpiexec/pattern.h"
#include "tools/mpiexec/worlds.h"

#define END_GRACE_MS 300  /* ms from SIGTERM to SIGKILL after a failure: the job ends within 1 s */
#define LEAVE_MS     300  /* ms for the death of a child that made the program of a service end */
#define LOST_MS      5000 /* ms to wait for the end of a lost rank to be reported */
#define DRAIN_MS     300  /* ms to read output that background processes still write */
#define ABSENT_MS \
	500 /* ms between looks for background processes that may still call MPI_Init ... */
#define ABSENT_MAX_S 30  /* ... and how many seconds they are waited for */
#define EXIT_TIMEOUT 124 /* as timeout(1) */
#define HANG_CHECKS  4 /* checks in HAFT_HANG seconds: a hang is reported at most a quarter late */

struct remote_ranks;

/* Hang watch: the state of one rank. */
struct hang_rank {
	uint64_t sleep;    /* start time of its sleep by its host's clock; 0: it does not sleep */
	uint64_t still_ns; /* since when, by our clock; never too early */
	uint64_t cpu_used_ns; /* when it last used CPU time */
	uint64_t cpu_ns;      /* its CPU time at the last successful check ... */
	uint64_t known_ns;    /* ... and the time of that check */
	uint64_t away_ns; /* since when it has been outside of MPI without CPU time; 0: it is not */
	bool idle;        /* no thread of it was runnable in a check since any rank has moved */
};

/* The state of one process: an entry of the table.  Functions call the index of an entry `r'. */
struct rank {
	struct world *world; /* NULL: a free entry, and all else is 0 */
	int rank;            /* in its world */
	int host;            /* index of its host; 0 if all ranks are local */
	const struct app *app;
	char *addr; /* where it listens; NULL: not known */
	int pid;    /* 0: not started yet */
	bool alive;
	bool ended;         /* its death has been reported, with ... */
	int status;         /* ... this status of wait(2) */
	char *where, *core; /* of a crash that is not told: crash_lines.c; NULL: none */
	bool inside;        /* it had called MPI_Init (or spoken PMI) when it died */
	bool absent;        /* has exited with 0 without MPI_Init */
	bool told;          /* ... and all processes have been told (notice_spawn_failed) */
	bool aborted;       /* its group has been aborted, with this code: group_abort.c */
	int abort_code;
	uint64_t ended_ns; /* when it exited with 0; 0: it has not */
	bool suspect;      /* has exited with 0 in MPI: a failure if others still run */
	uint32_t end;      /* enum boot_state at that end */
	struct hang_rank watch;
};

/* Hang watch: the job. */
struct hang {
	uint64_t limit_ns; /* HAFT_HANG; 0: off */
	uint64_t check_ns; /* time of the next check; 0: never */
	bool said;         /* reported, and no rank has moved since */
	bool said_away;    /* reported once while ranks were idle outside of MPI */
};

/* Actions to take once the state of all ranks is known: a bit set. */
enum ask {
	ASK_REPORT = 1,    /* print the report (SIGUSR1) */
	ASK_TIMEOUT = 2,   /* -timeout has expired: print the report, end the job */
	ASK_HANG = 4,      /* run hang_check */
	ASK_ABSENT = 8,    /* does a rank in MPI wait for one that never called MPI_Init? */
	ASK_SUSPECTS = 16, /* did another rank need one that exited in MPI? */
	ASK_ENDED = 32,    /* run ended_check */
	ASK_ROOM = 64      /* nothing: a spawn that waits for room reads the states */
};

/* An MPI_Abort, or an error that ends the job. */
struct abort_call {
	bool told;
	int rank, pid, code;
	int lost; /* the rank whose loss caused it; -1: none */
	char *text;
};

/* A failure caused by the loss of another rank, kept back until that rank's end is known. */
struct lost_wait {
	uint64_t until_ns;       /* when to stop waiting; 0: nothing is kept back */
	int lost;                /* the lost rank */
	struct death death;      /* the failure that is kept back ... */
	struct abort_call abort; /* ... and its abort, if told */
};

/* Two worlds that are connected, n times. */
struct world_edge {
	int a, b, n;
};

/* Failures that the job survives: failures.h. */
struct failures {
	int64_t mode;   /* HAFT_FT */
	int count;      /* so many processes have failed, and the job goes on */
	int code;       /* exit code of the first of them */
	uint32_t known; /* enum boot_ft: the most that a rank under a proxy has told */
};

struct job {
	struct plan *plan;   /* of the process: hosts that are added change it */
	struct world *world; /* the list of worlds that have entries; world 0 is the first */
	int worlds;          /* in the list */
	int made;            /* worlds that there have been: the id of the next one */
	int numbers;         /* numbers of the universe that have been given away */
	struct world_edge *edge;
	int nedges;
	struct rank *rank;      /* the table of processes */
	struct rank_view *seen; /* by entry, as of the last check */
	int n;                  /* entries; some may be free */
	int alive;
	struct local_ranks local;    /* used if all ranks are local */
	struct remote_ranks *remote; /* used otherwise; NULL: all ranks are local */
	int stdin_fd;                /* read by mpiexec for the ranks; -1: nothing (any more) */
	struct abort_call abort;
	unsigned asked;         /* enum ask */
	uint64_t seen_from_ns;  /* `seen' is of this time or later */
	int code;               /* exit code so far */
	bool ending;            /* job_end has been called */
	int64_t grace_ms;       /* HAFT_GRACE: ms after the user's signal, to write a checkpoint */
	int signal;             /* the user's signal that ends the job; 0: none */
	bool hurt;              /* a rank failed after that signal */
	bool killed;            /* SIGKILL was sent to all */
	int more;               /* number of failures after the first */
	uint64_t kill_ns;       /* when to send SIGKILL; 0: never */
	uint64_t group_kill_ns; /* when to send it to aborted groups; 0: never */
	uint64_t stop_ns;       /* when -timeout ends; 0: never */
	struct lost_wait wait;
	struct spawn_failure spawn_failure; /* of the last such spawn */
	struct failures failures;
	uint64_t absent_check_ns; /* when to look for ranks that wait for absent ones; 0: never */
	uint64_t leave_ns; /* when a program for which a service works, and which has ended in MPI,
			    * takes its worlds along; 0: never */
	struct hang hang;
	uint64_t ended_ns;       /* HAFT_ENDED; 0: off */
	uint64_t ended_check_ns; /* when to look for ranks that wait for ended ones; 0: never */
	struct deadlock deadlock;
};

/* --- entries.c, entry_lookup.c: the table of processes and worlds --------------------------- */

/* Adds a world to the list, and its processes to the table at w->entry (-1: a process that was
 * not started).  job_world: the world of that id; NULL: it has ended. */
void job_world_add(struct job *j, struct world *w);
struct world *job_world(const struct job *j, int id);

/* The first free entry from `from' on, perhaps j->n. */
int job_entry_free(const struct job *j, int from);

/* Worlds a and b are connected once more, or once less.  job_world_cut: the world `id' has ended;
 * worlds that it connected stay connected. */
void job_connect(struct job *j, int a, int b);
void job_disconnect(struct job *j, int a, int b);
void job_world_cut(struct job *j, int id);

/* True if world b is world a, or can be reached from it by edges. */
bool job_connected(const struct job *j, const struct world *a, const struct world *b);

/* Sets the marks of the worlds that can be reached from this one, and of no others. */
void job_mark_connected(const struct job *j, struct world *from);

/* The number of a process in the universe. */
int job_number(const struct job *j, int r);

/* The entry of the process with a number in the universe; -1: it has ended, and its world, or
 * there is none. */
int job_entry(const struct job *j, int number);

/* Did a process have this number whose world has ended and is forgotten? */
bool job_forgets(const struct job *j, int number);

/* True if the entry has a process whose state can be seen: not the program on a host of its own
 * that a service works for. */
bool job_shows(const struct job *j, int r);

/* Makes room for n entries in the table and in all that has its size. */
void job_entries_grow(struct job *j, int n);

/* The words for a process: haft_rank_name.  A static buffer, one of four in turn. */
const char *job_rank_name(const struct job *j, int r);

/* Short words for lists: "3", or "3 of world 2".  A buffer of job_rank_name. */
const char *job_rank_short(const struct job *j, int r);

/* "rank 3 (process 4711, ./a)", with the host if there are several.  A static buffer. */
const char *job_process_name(const struct job *j, int r, int pid);

/* --- rank_setup.c: for ranks of any world ---------------------------------------------------- */

/* The stream of an entry goes to a file from now on, and to stdout or stderr if `copy'.  False,
 * with errno: it cannot be opened. */
bool job_file_open(const struct job *j, int r, int which, const char *pattern, bool copy);

/* The address at which processes of one host listen under HAFT_VIA=net and ofi-all, the loopback or
 * -iface; NULL: they do not listen. */
const char *job_listen_where(const struct job *j, char *ip);

/* The name of a host of the job, or of this machine if all ranks are local or j is NULL. */
const char *job_host_name(const struct job *j, int host);

/* The facts of an entry, which has a world, for pattern.h. */
struct pattern_facts job_pattern_facts(const struct job *j, int r, int which);

/* --- job_start.c ----------------------------------------------------------------------------- */

/* Starts all ranks.  If one cannot be started, the job ends with words.  `mask' is the signal mask
 * that mpiexec inherited, for the ranks. */
void job_start(struct job *j, struct plan *p, const sigset_t *mask);

/* The beginning of job_start: world 0 and its entries, without a process. */
void job_prepare(struct job *j, struct plan *p, const sigset_t *mask);

/* --- job_judge.c: which deaths are failures -------------------------------------------------- */

/* The exit code of mpiexec for a failure with this status of wait(2); never 0. */
int job_death_code(int status);

/* Says how a rank has ended.  state: enum boot_state. */
void job_death_tell(struct job *j, int r, int status, uint32_t state);

/* Judges the death of a rank. */
void job_died(struct job *j, const struct death *d);

/* Judges the ranks that exited with 0 in MPI, once the state of all ranks is known: they have
 * failed if others still need them. */
void job_judge_suspects(struct job *j);

/* Marks the ranks of an unreachable host as dead.  The caller has reported the loss. */
void job_host_lost(struct job *j, int host);

/* Reports the failure that is kept back: the end of the lost rank did not become known in
 * LOST_MS. */
void job_first_failure(struct job *j);

/* Forgets the abort that is told, and the one that is kept back. */
void job_aborts_forget(struct job *j);

/* --- world_end.c: ends worlds and the job ---------------------------------------------------- */

/* Begins to end the job: `sig' to all, SIGKILL after `grace_ms'. */
void job_end(struct job *j, int sig, int64_t grace_ms);

/* Ranks that wait in MPI_Init for a tool go on. */
void job_release(struct job *j);

/* Starts the server of a tool (tool_server.h) on each host that has ranks. */
void job_tool_server(struct job *j, char *const *argv);

/* Ends the job with exit code `code'.  The caller has reported the reason. */
void job_fail(struct job *j, int code);

/* Begins to end a world and those that are connected to it: SIGTERM now, SIGKILL soon.  If that is
 * all worlds, the job ends.  `code': the exit code of a job that ends so. */
void job_world_fail(struct job *j, struct world *w, int code);

/* Sends `sig' to all ranks' process groups, or to those of one world. */
void job_signal(struct job *j, int sig);
void job_world_signal(struct job *j, const struct world *w, int sig);

/* Kills and forgets worlds when it is time to; job_worlds_timeout: ms until it is due, -1: no
 * deadline. */
void job_worlds_clock(struct job *j, uint64_t now);
int job_worlds_timeout(const struct job *j, uint64_t now);

/* Takes a world out of the list, and frees its entries. */
void job_world_remove(struct job *j, struct world *w);

/* --- job.c: the job while it runs ------------------------------------------------------------ */

/* Reads the state of all ranks, then takes the actions `what' (enum ask): at once, or when all
 * hosts have answered (job_answer). */
void job_ask(struct job *j, unsigned what);
void job_answer(struct job *j);

/* Collects all children that have died.  Never blocks. */
void job_reap(struct job *j);

/* stdin of mpiexec: how many bytes are wanted now; here are some (len 0: end of input). */
size_t job_stdin_room(struct job *j);
void job_stdin(struct job *j, const void *v, size_t len);

/* True if all ranks are dead and no host can send more. */
bool job_over(const struct job *j);

/* Kills remaining processes, releases everything and returns the job's exit code. */
int job_fini(struct job *j);

/* --- looks at all ranks ---------------------------------------------------------------------- */

/* Prints what each rank does or waits for, cycles of waiting ranks, and stacks, as of the last
 * check. */
void job_report(struct job *j);

/* After the job: reports programs of an MPI that mpiexec cannot start. */
void foreign_mpi_say(const struct job *j);

/* ended_init reads HAFT_ENDED.  ended_next returns the time of the next check once a rank has
 * ended; 0: never.  ended_check ends the job, and returns true, if a rank has waited for HAFT_ENDED
 * seconds for one that has ended or sleeps in MPI_Finalize.  `told': the report has just been
 * printed.  Likewise for one that waits in a collective call for a rank that is in another one, and
 * if all wait for each other. */
void ended_init(struct job *j);
uint64_t ended_next(const struct job *j, uint64_t now);
bool ended_check(struct job *j, uint64_t now, bool told);

/* hang_init reads HAFT_HANG, after ended_init.  hang_check prints the report, and returns true, if
 * all ranks in MPI have slept for HAFT_HANG seconds and the others have used no CPU time: once for
 * each such period. */
void hang_init(struct job *j, uint64_t now);
bool hang_check(struct job *j, uint64_t now);
uint64_t hang_next(const struct job *j, uint64_t now); /* when hang_check is due */

#endif
