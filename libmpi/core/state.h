// SPDX-License-Identifier: BSD-3-Clause
/* state.h - where the process is in its life: what bind/ asks before each call, in one word, the
 * gate.
 *
 *     HAFT_BEFORE ── MPI_Init ──> HAFT_RUNNING ── MPI_Finalize ──> HAFT_AFTER
 *
 * Written by libmpi/dyn only. */
#ifndef HAFT_CORE_STATE_H
#define HAFT_CORE_STATE_H

#include <stdint.h>

enum haft_state { HAFT_BEFORE, HAFT_RUNNING, HAFT_AFTER };

/* Why a call may not simply go through. */
enum haft_gate {
	HAFT_GATE_SHUT = 1,   /* MPI is not running */
	HAFT_GATE_THREADS = 2 /* several threads make calls: take the lock (core/lock.h) */
};

struct haft_life {
	uint32_t gate;    /* enum haft_gate; 0: running, one thread at a time */
	uint32_t state;   /* enum haft_state; read by all threads */
	int thread_level; /* provided: MPI_THREAD_SINGLE .. */
	int rank, size;   /* in MPI_COMM_WORLD, once running */
};

extern struct haft_life haft_life;

/* The process goes on to `state'. */
void haft_life_state(enum haft_state state);

/* What the user has printed on stdout and stderr goes out before the process does.  Never blocks on
 * a stream that another thread holds. */
void haft_flush(void);

/* Ends the whole job with `code' and one line of text; set by libmpi/dyn; for bind/raise.c and
 * other who must give up. Never returns. */
__attribute__((noreturn, cold)) void haft_abort_job(int code, const char *text);

/* How haft_abort_job does it: libmpi/dyn's way, or NULL before MPI_Init. */
extern void (*haft_abort_hook)(int code, const char *text);

#endif
