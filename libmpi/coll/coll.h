// SPDX-License-Identifier: BSD-3-Clause
/* coll.h - inside the collectives: one call as a struct, and the two sets of algorithms.
 *
 *   coll_allreduce(...)         call.c     checks what can be checked, fills struct call, chooses
 *        ├──> share_*           lines and buffers that all members see: one node      (share.h)
 *        └──> msg_*             trees, rings and pairs of messages: works everywhere  (this file)
 *
 * Invariants
 *  - What is chosen depends only on what all members know alike: the number of bytes, the
 * operation, the size of the communicator, HAFT_COLL; never on a buffer, a derived type or on time.
 *  - Every collective call of a communicator has a number (comm->coll_seq), the same in all
 * members; it is the tag of its messages, so that what a failed call left behind meets no later
 * one.
 *  - Operands are combined in an order that is a function of ranks only: the same data give the
 * same bits, in every run and on every member.  Operations that do not commute see ranks ascending.
 */
#ifndef HAFT_COLL_COLL_H
#define HAFT_COLL_COLL_H

#include "libmpi/coll/op.h"
#include "engine.h"
#include "libmpi/core/err.h"
#include "libmpi/core/mpo.h"
#include "libmpi/p2p/p2p.h"
#include "libmpi/type/type.h"

/* coll_open and coll_close: part of the life of the process, after the communicators and before
 * them. 0 or an MPI error class.  coll_close wants the last collective call to be over in all
 * members. */
int coll_open(void);
void coll_close(void);

/* A collective call under way.  Members that a call has no use for are zero. */
struct call {
	struct comm *comm;
	const char *name; /* "MPI_Bcast" */
	int n, me, root;
	int tag;
	const void *sbuf; /* never MPI_IN_PLACE: then in_place says so, and sbuf is NULL */
	int64_t scount;
	struct type *stype;
	void *rbuf;
	int64_t rcount; /* per rank, as MPI says it */
	struct type *rtype;
	struct op *op;
	bool in_place;
	struct haft_counts scounts, sdispls, rcounts,
		rdispls;                  /* of the calls that end in v and w */
	struct haft_types stypes, rtypes; /* of MPI_Alltoallw; v is NULL elsewhere */
};

/* The algorithms by messages.  All are blocking, run on the collective plane, return 0 or an MPI
 * error class with words, and want k->n >= 2. */
int msg_barrier(const struct call *k);
int msg_bcast(const struct call *k); /* rbuf at every rank, root's included */
int msg_reduce(const struct call *k);
int msg_allreduce(const struct call *k);
int msg_gather(const struct call *k);
int msg_gatherv(const struct call *k);
int msg_scatter(const struct call *k);
int msg_scatterv(const struct call *k);
int msg_allgather(const struct call *k);
int msg_allgatherv(const struct call *k);
int msg_alltoall(const struct call *k);
int msg_alltoallv(const struct call *k);      /* and w: stypes, rtypes */
int msg_reduce_scatter(const struct call *k); /* rcounts.v NULL: blocks of rcount */
int msg_scan(const struct call *k);
int msg_exscan(const struct call *k);

/* --- helpers
 * -------------------------------------------------------------------------------------- */

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

/* The operand of this rank in a reduction. */
static inline const void *operand(const struct call *k)
{
	return k->in_place ? k->rbuf : k->sbuf;
}

#endif
