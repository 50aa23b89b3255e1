// SPDX-License-Identifier: BSD-3-Clause
/* trace.h - mpiexec -trace: the rings of the ranks, and the timeline that is made of them.
 *
 *      ranks of this host ── memfd ── trace_host.c ───────────────┐
 *      ranks of other hosts: their proxy's memfd ── UP_TRACE ─────┤    host_clock.c
 *                                                                 v        v
 *      profile_end ── struct timeline (trace_sum.c) ──> JSON, Perfetto, OTF2, HTML
 *
 * The layout of a ring is in libmpi/prof/ring.h.  A process is told by its number of the universe,
 * which is never used again. */
#ifndef HAFT_TOOLS_MPIEXEC_TRACE_H
#define HAFT_TOOLS_MPIEXEC_TRACE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include "libmpi/prof/ring.h"
#include "tools/mpiexec/marshal.h"
#include "tools/mpiexec/profile.h"

#define TRACE_ROOM     (INT64_C(64) << 20) /* bytes of a rank's ring: 4 million cells */
#define TRACE_ROOM_MIN (INT64_C(64) << 10) /* also its step: whole pages of any host */
#define TRACE_ROOM_MAX (INT64_C(64) << 30)

/* --- trace_host.c: rings ---------------------------------------------------------------------- */

/* The records of one process, oldest first. */
struct trace_ring {
	int64_t number;
	uint64_t n;       /* records kept here */
	uint64_t dropped; /* bytes of cells not kept by its ring */
	bool first;       /* the later ones have been dropped, not the earlier ones */
	struct prof_record *record;
};

/* Keeps a copy of the ring of a seat, whose tenant has this number.  Nothing without a trace. */
void trace_seat_keep(const struct profile_host *h, int seat, int64_t number);

/* Keeps the rings of all seats that ranks have used. */
void trace_host_keep(const struct profile_host *h);

/* The next part of the kept rings, as bytes; false: there is no more.  trace_take reads one. */
bool trace_put(struct marshal *p);
void trace_take(struct marshal *p);

/* The kept ring of a process; NULL: there is none. */
const struct trace_ring *trace_ring_find(int64_t number);

/* --- trace_sum.c: the timeline ---------------------------------------------------------------- */

enum trace_kind { TRACE_REGION, TRACE_CALL, TRACE_WAIT };

/* A stretch of time of one thread.  Spans of a thread are inside of each other, or apart. */
struct trace_span {
	int64_t begin, end; /* ns since the first MPI_Init */
	uint64_t bytes;     /* a call's */
	uint32_t what;      /* region: its row; call: its site's row + 1, or 0 */
	int32_t culprit;    /* wait: index of the rank that it is for; -1: several, or unknown */
	uint16_t fn;        /* call: enum haft_fn; wait: enum prof_why */
	uint8_t thread;
	uint8_t kind; /* enum trace_kind */
};

/* A message of which both ends are known. */
struct trace_arrow {
	int from, to; /* indices of ranks */
	int64_t sent, matched;
	uint64_t bytes;
	int32_t tag;
	uint64_t ctx;
	uint8_t from_thread, to_thread;
};

struct trace_rank {
	const struct profile_rank *r;
	struct trace_span *span; /* by begin; an outer one before those inside of it */
	int n;
	int threads;
	int64_t begin, end; /* MPI_Init, and MPI_Finalize or its death */
	uint64_t dropped;   /* bytes that its ring could not keep */
	const char **where; /* by the site's row + 1: "main (a.c:7)", or "" */
};

struct timeline {
	const struct profile *p;
	struct trace_rank *rank; /* as those of p */
	int n;
	struct trace_arrow *arrow; /* by the time of sending */
	int narrows;
	int64_t end;
	double error_ns;          /* clocks of hosts agree within this; 0: there is one host */
	uint64_t dropped;         /* bytes that rings could not keep */
	uint64_t unmatched;       /* messages of which one end is not there */
	bool first;               /* rings keep their first records */
	const char *const *hosts; /* names; NULL: there is one */
	int nhosts;
};

/* Makes the timeline of a job; allocated for good.  hosts: names of nhosts, or NULL. */
struct timeline *trace_sum(struct profile *p, const char *const *hosts, int nhosts);

/* Says what a span is: "MPI_Send", "waits: late sender", "solver". */
const char *trace_name(const struct timeline *t, int rank, const struct trace_span *s);

/* "rank 3", with its host if there are several. */
const char *trace_rank_name(const struct timeline *t, int rank, char s[64]);

/* Visits what one thread of a rank does, in order of time; spans that end, before those that begin
 * at that moment. */
struct trace_visit {
	void (*enter)(void *arg, int rank, const struct trace_span *s);
	void (*leave)(void *arg, int rank, const struct trace_span *s, int64_t at);
	void (*sent)(void *arg, int arrow, const struct trace_arrow *a);    /* here, and.. */
	void (*matched)(void *arg, int arrow, const struct trace_arrow *a); /* .. by a receive */
};
void trace_visit_thread(
	const struct timeline *t, int rank, int thread, const struct trace_visit *v, void *arg);

/* --- the files -------------------------------------------------------------------------------- */

/* Write the timeline in one form; the caller closes the file.  trace_otf2 makes files of its own
 * beside `where', and returns NULL or words why it cannot. */
void trace_json(const struct timeline *t, FILE *out);
void trace_pftrace(const struct timeline *t, FILE *out);
void trace_html(const struct timeline *t, FILE *out);
const char *trace_otf2(const struct timeline *t, const char *where);

/* Is `where' (of -trace=) a name that has a form, in a directory that is there?  NULL, or words why
 * not. */
const char *trace_refuse(const char *where);

/* Writes the file that -trace has asked for, and says so on stderr.  False: it could not. */
bool trace_end(struct profile *p, const char *where, const char *const *hosts, int nhosts);

#endif
