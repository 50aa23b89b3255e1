// SPDX-License-Identifier: BSD-3-Clause
/* coll_plan.h - the schedule of any member of a job that is not there, made by libmpi/coll itself.
 *
 *     ranks, hosts ──> a communicator ──> rules of selection.c ──> algorithm ──> struct sched
 *                      (plan_shape)                                                 │
 *                                  struct plan: the same steps, 16 bytes each  <────┘
 *
 * coll_plan.c contains sched.c and selection.c, so steps and rules are those of the library.  Only
 * via_node_any is replaced: it says on which host a rank is. */
#ifndef HAFT_TESTS_SIM_COLL_PLAN_H
#define HAFT_TESTS_SIM_COLL_PLAN_H

#include "libmpi/coll/algorithms.h"
#include "libmpi/coll/coll_args.h"

/* A job: rank r is on host r * hosts / ranks; cyclic: on host r % hosts. */
struct plan_shape {
	int ranks, hosts;
	bool cyclic;
};

/* One collective call.  bytes: of the data or of a block; a multiple of 8. */
struct plan_call {
	enum coll_kind kind;
	int64_t bytes;
	int root;
	bool blocking;                /* members of one host work in its memory */
	bool floats;                  /* doubles, whose order of operands matters on one host */
	coll_algorithm_fn *algorithm; /* NULL: as the rules say */
	char **sbuf, **rbuf;          /* [ranks] data; NULL: there are none, only their length */
};

enum plan_kind {
	PLAN_SEND,
	PLAN_RECV,
	PLAN_FENCE,
	PLAN_WORK, /* amount: picoseconds */
	PLAN_LOCAL /* a call of the members of one host in its memory; peer: the root among them */
};

struct plan_step {
	int64_t amount; /* bytes */
	int32_t peer;
	uint8_t kind;  /* enum plan_kind */
	uint8_t local; /* enum coll_kind of a PLAN_LOCAL */
};

struct plan {
	struct plan_step *steps;
	int n;
	int times;         /* so many members do what this one does: 0: one */
	bool stood_for;    /* one of them, another of which is simulated: it has no steps */
	int planned;       /* steps of the schedule, of which work is joined in `steps' */
	int sends, locals; /* of its steps: messages sent, calls within its host */
	int64_t sent_bytes;
	int64_t step_memory, temp_memory; /* bytes of the schedule: its steps; its buffers */
	struct sched *sched;              /* kept for its data; or NULL */
};

/* Costs of a member's own work, ns. */
struct plan_costs {
	double step;         /* a step, whatever its length */
	double copy, reduce; /* a byte */
};

/* The job that the following calls mean.  The library is initialized. */
void plan_shape_set(const struct plan_shape *shape);
int plan_host(int rank);
int plan_host_size(int host);
int plan_local_rank(int rank); /* among the members of its host */

/* Row i of the call's rules: its name and algorithm, if it can do the call, keeps the order of
 * operands, and is the first of that algorithm.  Else false; NULL in *name: there are no more. */
bool plan_row(const struct plan_call *call, int i, const char **name, coll_algorithm_fn **fn);

/* The algorithm that the rules choose. */
coll_algorithm_fn *plan_choice(const struct plan_call *call);

/* Makes the schedule of a rank.  keep: for data, with each step alone; else work is joined.
 * fresh: the communicator's layout is made anew, by the library, for this rank.  n == -1: no
 * memory. */
struct plan plan_make(const struct plan_call *call, const struct plan_costs *costs, int rank,
	bool keep, bool fresh);
void plan_free(struct plan *p);
bool plan_equal(const struct plan *a, const struct plan *b);

/* Step i of a kept plan: does its work; packs the data of a send (malloc'ed); unpacks received
 * data. */
void plan_work(struct plan *p, int i);
void *plan_pack(struct plan *p, int i);
void plan_unpack(struct plan *p, int i, const void *data);

#endif
