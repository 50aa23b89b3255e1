// SPDX-License-Identifier: BSD-3-Clause
/* prof.h - the profile of this process: calls, lines of source, waits, messages.
 *
 *     PMPI_Send ── BIND_ENTER: gate != 0 ── bind_gate ──> prof_enter(fn, site), prof_message(...)
 *        engine ── waits ── libshm's observer ──> watch.c: how long, for whom (boot_wait)
 *     BIND_LEAVE ── gate != 0 ── bind_leave ──> prof_leave: adds to the rows of the table
 *
 * Off, the gate has no bit HAFT_GATE_PROFILE, and nothing here is called.  All functions but
 * prof_count are called by one thread at a time: under the library's lock, if there are threads. */
#ifndef HAFT_PROF_PROF_H
#define HAFT_PROF_PROF_H

#include "libmpi/boot/waitrec.h"
#include "libmpi/prof/ring.h"
#include "libmpi/prof/table.h"
#include <stdbool.h>

struct comm;
struct req;

/* The call that a thread is in. */
struct prof_call {
	uint32_t depth;      /* calls inside of each other; 0: outside of MPI */
	uint32_t generation; /* prof_state.generation when it was entered */
	uint32_t fn;
	uint32_t site; /* row + 1; 0: none */
	uint64_t since;
	uint64_t bytes;
	uint8_t thread; /* its number in the trace + 1; 0: it has none yet */
	uint64_t wait;
	uint64_t why[PROF_WHYS];
	int32_t culprit; /* of its longest wait: a number of the universe + 1; 0: none */
	uint64_t culprit_ticks;
	/* the wait under way */
	struct shm_wait *w; /* NULL: none */
	uint64_t idle, begin, check_at, idled;
	uint8_t why_told; /* enum prof_why: the last answer of its describer */
	bool napped;      /* its naps have been cut */
	bool any;         /* it waits for any source */
	int8_t late;      /* so many are late; -1: not asked yet */
	int32_t peers[BOOT_WAIT_LATE];
};

struct prof_state {
	struct prof_table *table; /* NULL: no profile */
	uint32_t generation;      /* of MPI_Pcontrol: calls of an older one are forgotten */
	bool private;             /* the table is ours: MPI_Finalize gathers it */
	struct prof_ring *ring;   /* NULL: no trace */
	uint64_t cell;            /* in the ring, the next one */
	uint64_t until;           /* the cell at which trace.c looks for more room */
	struct prof_record match; /* of the trace, without its time; its kind may be NONE */
	int threads;              /* that have a number */
	uintptr_t fort, fort_len; /* the text of libmpifort_abi.so; 0: none is loaded */
};

extern struct prof_state prof_state;

/* At the end of life_up: finds the table, and begins.  No memory: goes on without a profile. */
struct boot;
void prof_open(const struct boot *b);

/* The table as bytes, malloc'ed, of a rank that is about to end; NULL: no memory (pack.c). */
char *prof_pack(size_t *len);

/* In life_down. */
void prof_close(void);

/* MPI_Pcontrol: 0 off, 1 on, 2 mpiexec writes the profile as it is now; 1000 begins region `name',
 * -1000 ends the innermost one.  Others are ignored, and everything if there is no profile. */
#define PROF_SNAPSHOT 2
#define PROF_PUSH     1000
#define PROF_POP      (-1000)
void prof_control(int level);
void prof_push(const char *name);

/* Into a call.  ret: the return address of the binding; cfa: the place above it on the stack. */
void prof_enter(uint32_t fn, uint64_t now, uintptr_t ret, uintptr_t cfa);
void prof_leave(void);

/* A call that is not timed.  Any thread; prof_count_anywhere is for signal handlers, too. */
void prof_count(uint32_t fn);
void prof_count_anywhere(uint32_t fn);

/* The call that was just entered moves so many bytes to a peer (a number of the universe; -1: none,
 * or all); negative ones are not counted.  class: PROF_CLASSES if it receives. */
void prof_message(enum prof_class class, int64_t bytes, int to);

/* Likewise of the trace: it sends to `to' with this tag and context.  Off: the caller asks. */
void prof_trace_sent(int to, int tag, uint64_t ctx, uint64_t bytes);

/* Messages of persistent requests are started. */
void prof_start(const struct req *r);

/* The call of this thread. */
struct prof_call *prof_call_mine(void);

/* The row of a process, made if it is new; NULL: there is no room. */
struct prof_peer *prof_peer_row(int peer);

/* The row + 1 of a line and function, made if it is new; 0: there is no room (site.c). */
uint32_t prof_site_row(uint32_t fn, uintptr_t ret, uintptr_t cfa);
void prof_site_open(void);

/* The program's return address behind a call with this one and this CFA, which is on the stack: in
 * Fortran, of its own call.  After prof_site_open; one thread at a time. */
uintptr_t prof_site_of(uintptr_t ret, uintptr_t cfa);

/* --- the trace (trace.c) --- */

/* With the table mapped: finds the ring behind it. */
void prof_trace_open(int fd, const struct prof_head *head, int seat);

/* Is there a trace, and is it on? */
static inline bool prof_traces(void)
{
	return prof_state.ring != NULL && prof_state.table->on != 0;
}

/* prof_state.match is one, and its time is now. */
void prof_trace_match(uint64_t now);

/* A call, a wait or a region has ended. */
void prof_trace_call(struct prof_call *c, uint64_t ticks);
void prof_trace_wait(struct prof_call *c);
void prof_trace_region(struct prof_call *c, int row, uint64_t begin);

/* Gets memory from the system for a part of a mapping.  It is a hint: pages that it
 * has not got come when they are written to.  Keeps errno (populate_os.c). */
void prof_populate(void *from, void *to);

/* --- what tools ask for (meter.c) --- */

enum prof_meter { PROF_MESSAGES, PROF_CALLS, PROF_WAITS, PROF_METERS };

/* There is one user more (change 1) or less (-1).  Under the library's lock. */
void prof_meter_use(enum prof_meter what, int change);

/* Into a call, and out of it, if the gate has HAFT_GATE_METER.  Any thread. */
void prof_meter_enter(uint32_t fn);
void prof_meter_leave(void);

/* The call that this thread is in, of enum haft_fn; 0: none, or no tool has asked.  The nanoseconds
 * that all threads have waited in calls while there was a user.  Signal handlers, too. */
uint32_t prof_meter_call(void);
uint64_t prof_meter_waited(void);

/* Sets libshm's observer: that of the profile, of tools, of both or none. */
void prof_observe(void);

/* The observer of libshm's waits, and the end of a wait that its call did not end (watch.c). */
extern const struct shm_wait_observer prof_watch;
void prof_watch_drop(struct prof_call *c);

#endif
