// SPDX-License-Identifier: BSD-3-Clause
/* coll_args.h - inside the collectives: one call as a struct, and its way.
 *
 *   coll_allreduce, coll_iallreduce, coll_allreduce_init       forms.c
 *        └─> args.c      checks what can be checked, fills struct coll_args
 *              ├─> share_*      blocking, one node: lines and slots that all members see  (coll_shm.h)
 *              └─> selection.c      chooses the plan
 *                    └─> plan_*   rooted.c all_to_all.c allreduce.c ...: writes a schedule of messages
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
#ifndef HAFT_COLL_COLL_ARGS_H
#define HAFT_COLL_COLL_ARGS_H

#include "libmpi/coll/reduce_op.h"
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

enum coll_kind {
	COLL_BARRIER,
	COLL_BCAST,
	COLL_GATHER,
	COLL_GATHERV,
	COLL_SCATTER,
	COLL_SCATTERV,
	COLL_ALLGATHER,
	COLL_ALLGATHERV,
	COLL_ALLTOALL,
	COLL_ALLTOALLV,
	COLL_ALLTOALLW,
	COLL_REDUCE,
	COLL_ALLREDUCE,
	COLL_REDUCE_SCATTER_BLOCK,
	COLL_REDUCE_SCATTER,
	COLL_SCAN,
	COLL_EXSCAN,
	COLL_NEIGHBOR_ALLGATHER,
	COLL_NEIGHBOR_ALLGATHERV,
	COLL_NEIGHBOR_ALLTOALL,
	COLL_NEIGHBOR_ALLTOALLV,
	COLL_NEIGHBOR_ALLTOALLW,
	COLL_KINDS
};

/* A collective call.  Members that a call has no use for are zero. */
struct coll_args {
	struct comm *comm;
	enum coll_kind verb;
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

static inline int coll_next_tag(struct comm *c)
{
	return (int)(c->coll_seq++ & TAG_CALLS);
}

/* coll_state.c: *value becomes the least that any member says, of both groups.  A collective call, by
 * messages with this tag.  0 or an MPI error class. */
int coll_allreduce_min(struct comm *c, int tag, int *value);

/* "MPI_Bcast" */
const char *coll_kind_name(enum coll_kind v);

/* --- coll_check.c --------------------------------------------------------------------------- */

/* HAFT_CHECK=coll. */
extern bool coll_check_wanted;
void coll_check_open(void);

/* The steps that compare calls; an error ends the schedule in all members alike.  The form of the
 * call is what its name has before and after, like "I" and "". */
void coll_check_steps(
	struct sched *s, const struct coll_args *k, const char *before, const char *after);

/* --- plans ---------------------------------------------------------------------------------- */

/* Writes the steps of a call. */
typedef void coll_algorithm_fn(struct sched *s, const struct coll_args *k);

/* The plan for a call, that for one inside the local group, and that for one of members of whom no
 * two are on one host. */
coll_algorithm_fn *coll_algorithm(const struct coll_args *k);
coll_algorithm_fn *coll_algorithm_local(const struct coll_args *k);
coll_algorithm_fn *coll_algorithm_leaders(const struct coll_args *k);

/* args.c: runs a call to its end, through memory if that is there.  sorry: not NULL: this member
 * has no data for it, and the others fail with this. */
int coll_run_local(const struct coll_args *k, const struct p2p_error_msg *sorry);

/* Reads which plans the user has chosen; of these verbs coll_algorithm_forced is not NULL. */
void coll_algorithm_open(void);
extern const void *coll_algorithm_forced[COLL_KINDS];

coll_algorithm_fn coll_barrier_dissemination, coll_barrier_binomial;
coll_algorithm_fn coll_bcast_binomial, coll_bcast_scatter_allgather;
coll_algorithm_fn coll_reduce_binomial;
coll_algorithm_fn coll_gather_binomial, coll_gather_linear, coll_scatter_binomial,
	coll_scatter_linear;
coll_algorithm_fn coll_allgather_bruck, coll_allgather_recursive_doubling, coll_allgather_ring;
coll_algorithm_fn coll_alltoall_bruck, coll_alltoall_pairwise, coll_alltoall_linear;
coll_algorithm_fn coll_allreduce_recursive_doubling, coll_allreduce_ring;
coll_algorithm_fn coll_reduce_scatter_pairwise, coll_reduce_scatter_nonoverlapping;
coll_algorithm_fn coll_scan_recursive_doubling;
coll_algorithm_fn coll_reduce_rabenseifner, coll_allreduce_rabenseifner,
	coll_reduce_scatter_recursive_halving;
coll_algorithm_fn coll_reduce_ordered_gather, coll_reduce_ordered_scatter,
	coll_allreduce_ordered_gather, coll_allreduce_ordered_scatter, coll_reduce_scatter_ordered;
coll_algorithm_fn coll_scan_ordered_gather, coll_scan_ordered_chain;
coll_algorithm_fn coll_barrier_inter, coll_bcast_inter, coll_gather_inter, coll_scatter_inter,
	coll_alltoall_inter;
coll_algorithm_fn coll_reduce_inter, coll_allreduce_inter, coll_reduce_scatter_inter;
coll_algorithm_fn coll_barrier_hier, coll_bcast_hier, coll_reduce_hier, coll_allreduce_hier,
	coll_scan_hier;
coll_algorithm_fn coll_gather_hier, coll_scatter_hier, coll_allgather_hier, coll_alltoall_hier,
	coll_reduce_scatter_hier;
coll_algorithm_fn coll_neighbor_linear;

/* --- helpers -------------------------------------------------------------------------------- */

/* Memory for `count' elements of a type, wherever its bounds are: `at' is what a buffer's address
 * would be. */
struct temp {
	char *mem;
	char *at;
};

/* 0 or MPI_ERR_NO_MEM with words; coll_temp_free may be called in both cases, and on a zeroed one. */
int coll_temp_new(struct temp *t, const struct type *type, int64_t count);
void coll_temp_free(struct temp *t);

/* The address of element i. */
static inline void *coll_element(const void *buf, const struct type *type, int64_t i)
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
static inline struct block coll_block_of(const void *buf, int64_t count, struct type *type,
	struct haft_counts counts, struct haft_counts displs, struct haft_types types, int i)
{
	if (counts.v == NULL)
		return (struct block){coll_element(buf, type, i * count), count, type};
	if (types.v == NULL)
		return (struct block){coll_element(buf, type, haft_count_at(displs, i)),
			haft_count_at(counts, i), type};
	return (struct block){(char *)(uintptr_t)buf + haft_count_at(displs, i),
		haft_count_at(counts, i), haft_type_at(types, i)};
}

static inline struct block coll_block_out(const struct coll_args *k, int i)
{
	return coll_block_of(k->sbuf, k->scount, k->stype, k->scounts, k->sdispls, k->stypes, i);
}

static inline struct block coll_block_in(const struct coll_args *k, int i)
{
	return coll_block_of(k->rbuf, k->rcount, k->rtype, k->rcounts, k->rdispls, k->rtypes, i);
}

/* Bytes of the longest block that comes: all members of an allgatherv find the same. */
static inline int64_t coll_block_longest(const struct coll_args *k)
{
	int64_t most = 0;

	for (int i = 0; i < k->nin; i++) {
		struct block b = coll_block_in(k, i);

		most = b.count * b.type->size > most ? b.count * b.type->size : most;
	}
	return most;
}

/* Where part i of `count' elements that are cut into n begins. */
static inline int64_t coll_part_at(int64_t count, int n, int i)
{
	return count / n * i + (count % n < i ? count % n : i);
}

/* Block i of a reduce_scatter: its elements, and where it begins (i may be n). */
static inline int64_t coll_block_size(const struct coll_args *k, int i)
{
	return k->rcounts.v == NULL ? k->rcount : haft_count_at(k->rcounts, i);
}

static inline int64_t coll_block_from(const struct coll_args *k, int i)
{
	int64_t at = 0;

	if (k->rcounts.v == NULL)
		return i * k->rcount;
	for (int j = 0; j < i; j++)
		at += haft_count_at(k->rcounts, j);
	return at;
}

/* The operand of this rank in a reduction. */
static inline const void *coll_operand(const struct coll_args *k)
{
	return k->in_place ? k->rbuf : k->sbuf;
}

#endif
