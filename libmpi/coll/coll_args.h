// SPDX-License-Identifier: BSD-3-Clause
/* coll_args.h - one collective call as a struct, and its way through this folder.
 *
 *   coll_allreduce, coll_iallreduce, coll_allreduce_init        args.c: checks, struct coll_args
 *        └─> run.c
 *              ├─> coll_shm_*       blocking, one host: shared memory                 (coll_shm.h)
 *              └─> selection.c      chooses an algorithm                            (algorithms.h)
 *                    └─> coll_allreduce_ring ..: writes a schedule of messages           (sched.h)
 *                          └─> sched.c   runs it: to the end, by progress, or at each MPI_Start
 *
 * Invariants
 *  - Every choice depends only on what all members know to be equal: bytes, operation, size of the
 *    communicator, settings.  It never depends on a buffer, a derived datatype, or time.
 *  - Each collective call of a communicator has a number (comm->coll_seq), equal in all members,
 *    which is in the tag of its messages.  Messages that a failed call left match no later one.  A
 *    call that is refused for its arguments takes no number; a correct one may replace it.
 *  - Operands are combined in an order that depends on ranks only.  So equal data give equal bits:
 *    in every run, on every member, and in the blocking, nonblocking and persistent form.
 *    Operations that do not commute combine in order of ranks. */
#ifndef HAFT_COLL_COLL_ARGS_H
#define HAFT_COLL_COLL_ARGS_H

#include "engine.h"
#include "libmpi/core/comm_object.h"
#include "libmpi/core/counts.h"
#include "libmpi/core/err.h"
#include "libmpi/core/num.h"
#include "libmpi/core/op_object.h"
#include "libmpi/core/type_object.h"
#include "libmpi/p2p/p2p.h"
#include "libmpi/type/type.h"

/* Opens and closes the collectives: after the communicators, and before them.  coll_close: the last
 * collective call has completed in all members. */
void coll_open(void);
void coll_close(void);

/* MPI_Init: joins the shared memory of MPI_COMM_WORLD, if all its members are on this host.  They
 * need not agree that all have it: where one has not, its MPI_Init fails, and so the job.  The
 * agreement would be the first messages of each process, to log2(n) others.  0 or
 * MPI_ERR_NO_MEM. */
int coll_world_join(struct comm *c);

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

/* The name of an operation: "MPI_Bcast". */
const char *coll_kind_name(enum coll_kind kind);

/* The constructors that are collective over a communicator, and the calls on files: collective over
 * the file's communicator, they make other calls there (libmpi/io/same_call.h). */
enum coll_maker {
	COLL_COMM_DUP,
	COLL_COMM_IDUP,
	COLL_COMM_CREATE,
	COLL_COMM_SPLIT,
	COLL_INTERCOMM_CREATE,
	COLL_INTERCOMM_MERGE,
	COLL_COMM_ACCEPT,
	COLL_COMM_CONNECT,
	COLL_COMM_SPAWN,
	COLL_COMM_SPAWN_MULTIPLE,
	COLL_WIN_CREATE,
	COLL_WIN_ALLOCATE,
	COLL_WIN_ALLOCATE_SHARED,
	COLL_WIN_CREATE_DYNAMIC,
	COLL_FILE_OPEN,
	COLL_FILE_CLOSE,
	COLL_FILE_SYNC,
	COLL_FILE_SET_SIZE,
	COLL_FILE_PREALLOCATE,
	COLL_FILE_SET_VIEW,
	COLL_FILE_SET_INFO,
	COLL_FILE_SET_ATOMICITY,
	COLL_FILE_SEEK_SHARED,
	COLL_FILE_READ_AT_ALL,
	COLL_FILE_WRITE_AT_ALL,
	COLL_FILE_READ_ALL,
	COLL_FILE_WRITE_ALL,
	COLL_FILE_READ_ORDERED,
	COLL_FILE_WRITE_ORDERED,
	COLL_FILE_IREAD_AT_ALL,
	COLL_FILE_IWRITE_AT_ALL,
	COLL_FILE_IREAD_ALL,
	COLL_FILE_IWRITE_ALL,
	COLL_FILE_READ_AT_ALL_BEGIN,
	COLL_FILE_WRITE_AT_ALL_BEGIN,
	COLL_FILE_READ_ALL_BEGIN,
	COLL_FILE_WRITE_ALL_BEGIN,
	COLL_FILE_READ_ORDERED_BEGIN,
	COLL_FILE_WRITE_ORDERED_BEGIN,
	COLL_COMM_FREE, /* these make nothing, but are as collective */
	COLL_COMM_DISCONNECT,
	COLL_FINALIZE,
	COLL_MAKERS
};

/* "MPI_Comm_dup" */
const char *coll_maker_name(enum coll_maker maker);

static inline bool coll_kind_rooted(uint32_t kind)
{
	return (kind >= COLL_BCAST && kind <= COLL_SCATTERV) || kind == COLL_REDUCE;
}

/* A collective call.  A member that the call has no use for is zero. */
struct coll_args {
	struct comm *comm;
	enum coll_kind kind;
	int n, me, root; /* of the local group; between groups the root may be MPI_ROOT ... */
	uint32_t call;   /* coll_digest_call of an MPI call; not of the parts of one */
	int caller;      /* rank in the user's communicator, also in a call of fewer members */
	int nin, nout;   /* blocks that may come and go: size of the group that messages go to */
	bool inter;      /* between two groups */
	bool at_root;    /* this member is the root */
	bool leaf;       /* this member sends to the root, or receives from it */
	int tag;
	bool blocking; /* shared memory may be used */
	bool in_place;
	bool empty;    /* no member has data: there is nothing to do */
	int64_t bytes; /* of the data, or of a block, equal on all members; or COLL_BYTES_DIFFER */
	const void *sbuf; /* NULL if in_place */
	int64_t scount;
	struct type *stype;
	void *rbuf;
	int64_t rcount; /* per rank, as in the MPI call */
	struct type *rtype;
	struct op *op;
	struct haft_counts scounts, sdispls, rcounts,
		rdispls;                  /* calls that end in v and w; or v NULL */
	struct haft_types stypes, rtypes; /* MPI_Alltoallw; or v NULL */
};

#define COLL_BYTES_DIFFER (-1) /* the number of bytes may differ between members */
#define COLL_BARRIER_LAST 1    /* bytes of the barrier in MPI_Finalize, which has its name */

/* Tags of collective messages: which call 12 | number of the call 17 bits (coll_calls_tag), so that
 * messages of one call never match a receive of another.  A bit says which are not calls in their
 * turn. */
#define TAG_NUMBER_BITS 17
#define TAG_CALLS       ((1 << TAG_NUMBER_BITS) - 1)
#define TAG_PERSISTENT  0x20000000 /* | number of a persistent call, which is used at each start */
#define TAG_JOIN        0x40000000 /* coll_shm_join, once a communicator */

/* The tag of the next collective call of c. */
static inline int coll_next_tag(struct comm *c)
{
	return (int)(c->coll_seq++ & TAG_CALLS);
}

static inline int coll_next_persistent_tag(struct comm *c)
{
	return (int)(c->coll_seq++ & (TAG_PERSISTENT - 1)) | TAG_PERSISTENT;
}

/* That of the call that has begun last. */
static inline int coll_last_tag(const struct comm *c)
{
	return (int)((c->coll_seq - 1) & TAG_CALLS);
}

/* The barrier at the end of MPI_Finalize, over MPI_COMM_WORLD. */
int coll_barrier_last(struct comm *c);

/* Asks for the line of shared memory that the next barrier on c writes: it comes while the caller
 * does other work.  Calls nothing, and waits for nothing. */
void coll_barrier_prefetch(const struct comm *c);

/* Sets *value to the minimum over all members of c, of both groups.  A collective call by messages
 * with this tag.  0 or an MPI error class. */
int coll_allreduce_min(struct comm *c, int tag, int *value);

/* --- running a call: run.c ------------------------------------------------------------------ */

/* Run a checked call: to its end; under a request; as a persistent request.  0 or an MPI error
 * class. */
int coll_run(struct coll_args *k);
int coll_run_nonblocking(struct coll_args *k, struct req **request);
int coll_run_persistent(struct coll_args *k, struct req **request);

/* Shows the other members that this one is in a constructor of a window, a file, or a communicator
 * (not MPI_Comm_dup), if c has shared memory; join: makes it.  Waits for none.  All members of c
 * call it, with equal arguments.  0; MPI_ERR_OTHER: a member is in another call. */
int coll_run_constructor(struct comm *c, enum coll_maker maker, bool join);

/* A constructor begins, which takes a number: the others see it in a wait that becomes long
 * (coll_calls.c). */
void coll_calls_begin_maker(struct comm *c, enum coll_maker maker);

/* That constructor, MPI_Comm_dup or MPI_Comm_idup, has no ids at hand: it waits for messages. */
void coll_calls_maker_waits(struct comm *c, enum coll_maker maker);

/* A member calls MPI_Comm_free or MPI_Comm_disconnect: compares its calls of c, where they are in
 * shared memory, with those of the members that have come here before.  Waits for none.  0, or the
 * error of a difference: at the first call only. */
int coll_calls_end(struct comm *c, enum coll_maker maker);

/* The next constructor of c, MPI_Comm_create or MPI_Comm_split, is a part of another MPI function:
 * members whose variants differ are told by their next calls. */
enum coll_variant { COLL_CART = 1, COLL_GRAPH, COLL_DIST_GRAPH, COLL_SPLIT_TYPE };
void coll_calls_variant(struct comm *c, enum coll_variant variant);

/* Runs a call of the members of one host, which is a step of a larger one, to its end.  error: not
 * NULL: this member has no data for it, and the others fail with this.  0 or an MPI error class. */
int coll_run_local(const struct coll_args *k, const struct p2p_error_msg *error);

/* --- helpers -------------------------------------------------------------------------------- */

/* The address of element i. */
static inline void *coll_element(const void *buf, const struct type *type, int64_t i)
{
	return (char *)(uintptr_t)buf + i * type->extent;
}

/* A block that goes to one rank, or comes from it. */
struct block {
	void *at;
	int64_t count;
	struct type *type;
};

/* Block i of a buffer.  Displacements are elements, but bytes in MPI_Alltoallw. */
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

/* The block that is sent to member i; in an allgather it is one for all.  A scatter's root whose
 * own block stays in place sends those of others. */
static inline struct block coll_block_given(const struct coll_args *k, int i)
{
	bool one = k->kind == COLL_ALLGATHER || k->kind == COLL_ALLGATHERV;

	if (!k->in_place || k->kind == COLL_SCATTER || k->kind == COLL_SCATTERV)
		return coll_block_out(k, one ? 0 : i);
	return coll_block_in(k, one ? k->me : i);
}

static inline int64_t coll_block_bytes(struct block b)
{
	return b.count * b.type->size;
}

/* Bytes of the longest block that comes; equal on all members of an allgatherv. */
static inline int64_t coll_block_longest(const struct coll_args *k)
{
	int64_t most = 0;

	for (int i = 0; i < k->nin; i++)
		most = num_max(most, coll_block_bytes(coll_block_in(k, i)));
	return most;
}

/* The first element of part i, if `count' elements are cut into n parts. */
static inline int64_t coll_part_at(int64_t count, int n, int i)
{
	return count / n * i + (count % n < i ? count % n : i);
}

/* Block i of a reduce_scatter: its elements, and its first element (i may be n). */
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

/* Frees the collectives' state of a communicator, if it has one: the next call makes another. */
void coll_state_free(struct comm *c);

/* A process has failed, or a communicator was revoked: ends the calls through shared memory of its
 * members, now and later (coll_broken.c). */
void coll_peer_lost(int peer);
void coll_comm_revoked(struct comm *c);

/* The communicator with this context id that has shared memory, or NULL: also a freed one whose
 * collective calls are under way (coll_broken.c). */
struct comm *coll_comm_waiting(uint64_t ctx);

#endif
