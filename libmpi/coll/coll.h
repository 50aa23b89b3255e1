// SPDX-License-Identifier: BSD-3-Clause
/* coll.h - inside the collectives: one call as a struct, and its way.
 *
 *   coll_allreduce, coll_iallreduce, coll_allreduce_init       forms.c
 *        └─> call.c      checks what can be checked, fills struct call
 *              ├─> share_*      blocking, one node: lines and slots that all members see  (share.h)
 *              └─> table.c      chooses the plan
 *                    └─> plan_*   tree.c ring.c fold.c ...: writes a schedule of messages
 *                          └─> sched.c   runs it: now, by progress, or at each MPI_Start
 *
 * Invariants
 *  - What is chosen depends only on what all members know alike: the number of bytes, the
 * operation, the size of the communicator, settings; never on a buffer, a derived type or on time.
 *  - Every collective call of a communicator has a number (comm->coll_seq), the same in all
 * members; it is the tag of its messages, so that what a failed call left behind meets no later
 * one.  A call that is refused here for its arguments has not happened: it takes no number, and a
 * correct one can take its place.
 *  - Operands are combined in an order that is a function of ranks only: the same data give the
 * same bits, in every run, on every member, and in all three forms of a call.  Operations that do
 * not commute see ranks ascending. */
#ifndef HAFT_COLL_COLL_H
#define HAFT_COLL_COLL_H

#include "libmpi/coll/op.h"
#include "engine.h"
#include "libmpi/core/err.h"
#include "libmpi/core/comm_object.h"
#include "libmpi/core/counts.h"
#include "libmpi/core/op_object.h"
#include "libmpi/core/type_object.h"
#include "libmpi/coll/sched.h"
#include "libmpi/p2p/p2p.h"
#include "libmpi/type/type.h"

/* coll_open and coll_close: part of the life of the process, after the communicators and before
 * them. 0 or an MPI error class.  coll_close wants the last collective call to be over in all
 * members. */
int coll_open(void);
void coll_close(void);

enum verb {
	VERB_BARRIER,
	VERB_BCAST,
	VERB_GATHER,
	VERB_GATHERV,
	VERB_SCATTER,
	VERB_SCATTERV,
	VERB_ALLGATHER,
	VERB_ALLGATHERV,
	VERB_ALLTOALL,
	VERB_ALLTOALLV,
	VERB_ALLTOALLW,
	VERB_REDUCE,
	VERB_ALLREDUCE,
	VERB_REDUCE_SCATTER_BLOCK,
	VERB_REDUCE_SCATTER,
	VERB_SCAN,
	VERB_EXSCAN,
	VERB_NEIGHBOR_ALLGATHER,
	VERB_NEIGHBOR_ALLGATHERV,
	VERB_NEIGHBOR_ALLTOALL,
	VERB_NEIGHBOR_ALLTOALLV,
	VERB_NEIGHBOR_ALLTOALLW,
	VERBS
};

/* A collective call.  Members that a call has no use for are zero. */
struct call {
	struct comm *comm;
	enum verb verb;
	int n, me, root; /* of the local group; between groups the root may be MPI_ROOT ... */
	int who;         /* the rank whose call it is, also where it is done among fewer */
	int nin, nout;   /* blocks that may come and go: of the group that messages go to */
	bool inter;      /* between two groups */
	bool root_here;  /* this member gives, or gets, all */
	bool leaf;       /* it talks to the root, or is in the root's group */
	int tag;
	bool now; /* it ends before it returns: memory may be used */
	bool in_place;
	bool nothing;  /* no member has data: there is nothing to do */
	int64_t bytes; /* what all members know alike: of the data, or of a block; or AGREE_ANY */
	const void *sbuf; /* never MPI_IN_PLACE: then in_place says so, and sbuf is NULL */
	int64_t scount;
	struct type *stype;
	void *rbuf;
	int64_t rcount; /* per rank, as MPI says it */
	struct type *rtype;
	struct op *op;
	struct haft_counts scounts, sdispls, rcounts,
		rdispls;                  /* of the calls that end in v and w */
	struct haft_types stypes, rtypes; /* of MPI_Alltoallw; v is NULL elsewhere */
};

#define AGREE_ANY (-1) /* the number of bytes may differ between members */

/* The number of the next collective call, as a tag: far below those of MPI_Comm_create_group. */
#define TAG_CALLS 0x0fffffff
#define TAG_AGAIN 0x10000000 /* persistent: these live on, and must not be met again */
#define TAG_JOIN  0x20000000 /* once a communicator, whatever number its first call has */

static inline int call_tag(struct comm *c)
{
	return (int)(c->coll_seq++ & TAG_CALLS);
}

/* state.c: *value becomes the least that any member says, of both groups.  A collective call, by
 * messages with this tag.  0 or an MPI error class. */
int coll_least(struct comm *c, int tag, int *value);

/* "MPI_Bcast" */
const char *verb_name(enum verb v);

/* --- agree.c -------------------------------------------------------------------------------- */

/* HAFT_CHECK=coll. */
extern bool agree_wanted;
void agree_open(void);

/* The steps that compare calls; an error ends the schedule in all members alike.  The form of the
 * call is what its name has before and after, like "I" and "". */
void agree_steps(struct sched *s, const struct call *k, const char *before, const char *after);

/* --- plans ---------------------------------------------------------------------------------- */

/* Writes the steps of a call. */
typedef void plan(struct sched *s, const struct call *k);

/* The plan for a call, that for one inside the local group, and that for one of members of whom no
 * two are on one host. */
plan *plan_choose(const struct call *k);
plan *plan_local(const struct call *k);
plan *plan_between(const struct call *k);

/* call.c: runs a call to its end, through memory if that is there.  sorry: not NULL: this member
 * has no data for it, and the others fail with this. */
int call_inside(const struct call *k, const struct p2p_sorry *sorry);

/* Reads which plans the user has chosen; of these verbs plan_forced is not NULL. */
void plan_open(void);
extern const void *plan_forced[VERBS];

plan barrier_dissemination, barrier_binomial;
plan bcast_binomial, bcast_parts;
plan reduce_binomial;
plan gather_binomial, gather_linear, scatter_binomial, scatter_linear;
plan allgather_bruck, allgather_doubling, allgather_ring;
plan alltoall_bruck, alltoall_pairwise, alltoall_spread;
plan allreduce_doubling, allreduce_ring;
plan scatter_pairwise, scatter_reduced;
plan scan_doubling;
plan reduce_halving, allreduce_halving, scatter_halving;
plan reduce_gathered, reduce_shared, allreduce_gathered, allreduce_shared, scatter_shared;
plan scan_gathered, scan_chain;
plan barrier_inter, bcast_inter, gather_inter, scatter_inter, exchange_inter;
plan reduce_inter, allreduce_inter, reduce_scatter_inter;
plan barrier_hosts, bcast_hosts, reduce_hosts, allreduce_hosts, scan_hosts;
plan gather_hosts, scatter_hosts, allgather_hosts, alltoall_hosts, blocks_hosts;
plan neighbor_spread;

/* --- helpers -------------------------------------------------------------------------------- */

/* Memory for `count' elements of a type, wherever its bounds are: `at' is what a buffer's address
 * would be. */
struct temp {
	char *mem;
	char *at;
};

/* 0 or MPI_ERR_NO_MEM with words; temp_free may be called in both cases, and on a zeroed one. */
int temp_new(struct temp *t, const struct type *type, int64_t count);
void temp_free(struct temp *t);

/* The address of element i. */
static inline void *elem(const void *buf, const struct type *type, int64_t i)
{
	return (char *)(uintptr_t)buf + i * type->extent;
}

/* What goes to a rank, or comes from it, as the vectors say. */
struct block {
	void *at;
	int64_t count;
	struct type *type;
};

/* The displacements of MPI_Alltoallw, whose types differ, are bytes. */
static inline struct block block_of(const void *buf, int64_t count, struct type *type,
	struct haft_counts counts, struct haft_counts displs, struct haft_types types, int i)
{
	if (counts.v == NULL)
		return (struct block){elem(buf, type, i * count), count, type};
	if (types.v == NULL)
		return (struct block){
			elem(buf, type, haft_count_at(displs, i)), haft_count_at(counts, i), type};
	return (struct block){(char *)(uintptr_t)buf + haft_count_at(displs, i),
		haft_count_at(counts, i), haft_type_at(types, i)};
}

static inline struct block block_out(const struct call *k, int i)
{
	return block_of(k->sbuf, k->scount, k->stype, k->scounts, k->sdispls, k->stypes, i);
}

static inline struct block block_in(const struct call *k, int i)
{
	return block_of(k->rbuf, k->rcount, k->rtype, k->rcounts, k->rdispls, k->rtypes, i);
}

/* Bytes of the longest block that comes: all members of an allgatherv find the same. */
static inline int64_t block_longest(const struct call *k)
{
	int64_t most = 0;

	for (int i = 0; i < k->nin; i++) {
		struct block b = block_in(k, i);

		most = b.count * b.type->size > most ? b.count * b.type->size : most;
	}
	return most;
}

/* Where part i of `count' elements that are cut into n begins. */
static inline int64_t part_at(int64_t count, int n, int i)
{
	return count / n * i + (count % n < i ? count % n : i);
}

/* Block i of a reduce_scatter: its elements, and where it begins (i may be n). */
static inline int64_t block_size(const struct call *k, int i)
{
	return k->rcounts.v == NULL ? k->rcount : haft_count_at(k->rcounts, i);
}

static inline int64_t block_from(const struct call *k, int i)
{
	int64_t at = 0;

	if (k->rcounts.v == NULL)
		return i * k->rcount;
	for (int j = 0; j < i; j++)
		at += haft_count_at(k->rcounts, j);
	return at;
}

/* The operand of this rank in a reduction. */
static inline const void *operand(const struct call *k)
{
	return k->in_place ? k->rbuf : k->sbuf;
}

#endif
