// SPDX-License-Identifier: BSD-3-Clause
/* process_state.h - the state of this process in MPI; bind/ tests one word of it, the gate, in each
 * call.
 *
 *     HAFT_BEFORE ── MPI_Init ──> HAFT_RUNNING ── MPI_Finalize ──> HAFT_AFTER
 *
 * MPI runs from the first MPI_Init or MPI_Session_init to the last MPI_Finalize or
 * MPI_Session_finalize.  `world' is the state of the World Model by itself.
 *
 * Written by libmpi/life only. */
#ifndef HAFT_CORE_PROCESS_STATE_H
#define HAFT_CORE_PROCESS_STATE_H

#include "libobj/base.h"
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum haft_state { HAFT_BEFORE, HAFT_RUNNING, HAFT_AFTER };

/* Reasons why a call may not simply go through. */
enum haft_gate {
	HAFT_GATE_SHUT = 1,    /* MPI is not running */
	HAFT_GATE_THREADS = 2, /* several threads make calls: take the lock (core/library_lock.h) */
	HAFT_GATE_CHILD = 4,   /* a forked child; always with SHUT */
	HAFT_GATE_DIE = 8,     /* each call is counted: HAFT_DIE (libmpi/ft) */
	HAFT_GATE_PROFILE = 16, /* calls are profiled: libmpi/prof */
	HAFT_GATE_METER = 32,   /* tools count messages, or ask which call runs: prof/meter.c */
	HAFT_GATE_EVENTS = 64,  /* events wait for the end of a call: tool/event_ring.c */
	HAFT_GATE_TOOLS = 128,  /* tools take calls: libmpi/qmpi */
	HAFT_GATE_HELPER = 256  /* a helper beside one thread: the same (core/library_lock.h) */
};

struct haft_life {
	_Atomic uint32_t gate;  /* enum haft_gate; 0: running, one thread at a time */
	_Atomic uint32_t state; /* enum haft_state; read by all threads */
	_Atomic uint32_t world; /* enum haft_state, of MPI_Init and MPI_Finalize alone; likewise */
	int sessions;           /* open ones */
	int thread_level;       /* of the World Model, provided: MPI_THREAD_SINGLE .. */
	bool user_threads;      /* the program was promised MPI_THREAD_MULTIPLE */
	bool tools;             /* HAFT_GATE_TOOLS, for calls that do not test the gate */
	int rank, size;         /* in MPI_COMM_WORLD, once running */
	int peer;  /* number of this process in its universe: engines name processes so */
	int spawn; /* the spawn that has started it: rank_name.h; 0: none of our mpiexec */
};

extern HAFT_INSIDE struct haft_life haft_life;

/* The gate, and is one of these bits set?  Another thread may set or clear some meanwhile. */
static inline uint32_t haft_gate_now(void)
{
	return atomic_load_explicit(&haft_life.gate, memory_order_relaxed);
}

static inline bool haft_gate_has(uint32_t bits)
{
	return (haft_gate_now() & bits) != 0;
}

/* Set and clear bits of the gate; any thread. */
void haft_gate_set(uint32_t bits);
void haft_gate_clear(uint32_t bits);

/* Sets haft_life.state, and opens or shuts the gate accordingly. */
void haft_life_set_state(enum haft_state state);

/* Flushes stdout and stderr.  Skips a stream that another thread holds, so it never blocks. */
void haft_flush(void);

/* Ends the whole job with `code' and one line of text.  Never returns. */
__attribute__((noreturn, cold)) void haft_abort_job(int code, const char *text);

/* Ends this process alone, with one line of text on stderr; the job goes on.  Never returns. */
__attribute__((noreturn, cold)) void haft_abort_process(int code, const char *text);

/* Functions of higher folders for the process; NULL: none. */
extern struct haft_life_hooks {
	/* life, while MPI runs: ends the job */
	void (*abort)(int code, const char *text);
	/* life: tells the job that this process is done with MPI */
	void (*leave)(void);
	/* life: the exit code with which this process is to end, because the job ends; -1: none is
	 * known, and the launcher ends the process */
	int (*end_code)(void);
	/* life: haft_peer_lost was called for the first time, with this rank */
	void (*peer_lost)(int rank);
	/* io, when it has made threads: ends them */
	void (*threads_stop)(void);
	/* io: MPI_Finalize (`finalize'), or this process ends the job: names files that are open
	 * and should be committed (the hint haft_commit) on stderr; in MPI_Finalize rank 0 of a
	 * file does.  Under the library's lock. */
	void (*uncommitted)(bool finalize);
	/* io: a call has failed on `self' before its engine was called, or in it: of a collective
	 * call this process joins the others with the error.  Returns the error of the call, with
	 * its words. */
	int (*refuse)(int err, void *self, int fn);
} haft_life_hooks;

/* In a forked child: from now on calls of MPI are refused, and end nothing but the child. */
void haft_life_child(void);

/* An operation has failed because that rank of the job is gone, or because another rank has failed
 * for that reason.  The first rank is kept, and told to the hook.  One thread at a time. */
void haft_peer_lost(int rank);
int haft_peer_lost_rank(void); /* that rank + 1; 0: none */

/* A call returns an error of this class: has one said that a process is lost?  Operations whose
 * error no call returns (a freed request, MPI_Bsend) do not count. */
void haft_peer_lost_say(int err);
bool haft_peer_lost_is_said(void);

#endif
