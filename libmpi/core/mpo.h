// SPDX-License-Identifier: BSD-3-Clause
/* mpo.h - the MPI objects: what every engine knows of a communicator, a datatype, a request.
 *
 *        user's handle            bind/                   engines
 *     MPI_Comm 0x5a01..      ──> obj_get(class, h) ──>  struct comm *      begins with struct obj
 *                                                         │ group ──> struct group   rank <-> peer
 *                                                         │ ctx        64-bit context id, two
 * planes └ coll       the collective engine's own
 *
 * A peer is a process as the transports number it: its rank in MPI_COMM_WORLD; processes that join
 * later get further numbers.  Ranks are what users say; a communicator's group translates.
 *
 * Invariants
 *  - An object is reached by a handle (bind/ looks it up), or by a pointer under a reference
 * (obj_hold). A request holds its communicator and its datatype from start to completion.
 *  - Permanent objects (MPI_COMM_WORLD, MPI_INT, MPI_SUM ...) sit on the ABI's numbers, so the
 * number is the handle and the Fortran INTEGER.
 *  - Context ids are multiples of CTX_PLANES and never re-used: `ctx | plane' is what messages
 * carry, so messages of different planes cannot meet. */
#ifndef HAFT_CORE_MPO_H
#define HAFT_CORE_MPO_H

#include "libobj/base.h"
#include "libobj/obj.h"
#include <mpi.h>
#include <stdbool.h>

/* --- classes -------------------------------------------------------------------------------- */

extern struct obj_domain *haft_domain;
extern struct obj_class haft_comm_class, haft_group_class, haft_type_class, haft_op_class,
	haft_req_class, haft_errh_class, haft_info_class, haft_msg_class, haft_win_class,
	haft_file_class, haft_session_class;

/* haft_objects_open opens the classes above and registers the permanent objects that core owns; the
 * second call and later ones do nothing.  Works before MPI_Init and after MPI_Finalize.  0 or
 * MPI_ERR_NO_MEM.  Thread-safe. */
int haft_objects_open(void);

/* --- large counts --------------------------------------------------------------------------- */

/* An array of counts or displacements as the user gave it: of int, or of MPI_Count / MPI_Aint. */
struct haft_counts {
	const void *v;
	int wide; /* 1: int64_t elements, 0: int */
};

/* Element i of the array.  v is not NULL. */
static inline int64_t haft_count_at(struct haft_counts c, int64_t i)
{
	return c.wide ? ((const int64_t *)c.v)[i] : ((const int *)c.v)[i];
}

/* --- groups --------------------------------------------------------------------------------- */

/* An ordered set of peers.  With map == NULL rank r is peer base + r * stride (MPI_COMM_WORLD,
 * MPI_COMM_SELF, rows and columns of grids, every range): so tables are there only where they say
 * something. */
struct group {
	struct obj o;
	int size;
	int rank;       /* of this process; MPI_UNDEFINED if it is not a member */
	int base;       /* peer of rank 0; with tables the smallest peer */
	int stride;     /* never 0; 1 if size < 2; with tables 1 */
	int span;       /* entries of unmap by peer; 0: by order, or no tables */
	int32_t *map;   /* [size] peer of a rank, or NULL */
	int32_t *unmap; /* there if map is: [span] rank of peer base + i, or -1; where peers are far
			   apart [size]: ranks in the order of their peers */
	struct session *session; /* held: it comes from a process set of it; NULL: from none */
	struct group *owner;     /* held: whose tables map and unmap are; NULL: this group's own */
};

/* The rank of a peer by search, for groups whose unmap is by order; or -1. */
int haft_group_search(const struct group *g, int peer);

/* --- communicators -------------------------------------------------------------------------- */

/* What the messages of a communicator are for. */
enum ctx_plane {
	CTX_P2P,   /* the user's */
	CTX_COLL,  /* collective calls: tag is the number of the call */
	CTX_GROUP, /* MPI_Comm_create_group: tag is the user's */
	CTX_INTER, /* leaders in MPI_Intercomm_create: tag is the user's */
	CTX_MAKE,  /* all other constructors, in the order in which they are called */
	CTX_PART,  /* partitioned messages */
	CTX_PLANES = 8
};

/* Assertions of MPI-5.0 7.4.4 that are set to true. */
enum comm_hint {
	HINT_NO_ANY_TAG = 1,
	HINT_NO_ANY_SOURCE = 2,
	HINT_EXACT_LENGTH = 4,
	HINT_OVERTAKING = 8,
	HINT_STRICT_START = 16
};

struct coll; /* libmpi/coll: the collective engine's state of one communicator */
struct topo; /* core/topo.h */

struct comm {
	struct obj o;
	uint64_t ctx; /* a multiple of CTX_PLANES; see above */
	int rank;
	int size;              /* of the local group */
	struct group *group;   /* held */
	struct group *remote;  /* held; NULL: an intra-communicator */
	struct coll *coll;     /* made by the first collective call, freed by coll_comm_free */
	uint64_t coll_seq;     /* collective calls started on it: the same in all members */
	struct buffer *buffer; /* of its buffered sends: p2p/buffer.c; NULL: none attached */
	uint64_t ids, ids_end; /* context ids that dups of it may take without asking: comm/ctx.h */
	struct topo *topo;     /* held; NULL: no topology.  Dups share it */
	struct comm *local;    /* held; of an inter-communicator, made at need: comm_local */
	bool low;        /* inter-communicator: of its two groups this is the one that goes first */
	struct win *win; /* not held: whose own it is; its handler gets the errors.  Or NULL */
	struct session *session; /* held: its group comes from there; NULL: from MPI_COMM_WORLD */
	uint8_t hints;           /* enum comm_hint: what the user has promised */
	char *kinds;             /* malloc'ed: mpi_assert_memory_alloc_kinds, or NULL: not set */
};

/* Set by the engines that keep something for each communicator: called when a communicator goes,
 * before its groups are dropped. */
extern void (*haft_comm_gone)(struct comm *c);
extern void (*haft_buffer_gone)(struct comm *c);

/* The peer behind a rank of the group.  rank is in 0..size-1. */
static inline int group_peer(const struct group *g, int rank)
{
	return g->map == NULL ? g->base + rank * g->stride : g->map[rank];
}

/* The rank of a peer in the group, or -1. */
static inline int group_rank_of(const struct group *g, int peer)
{
	int i = peer - g->base;

	if (g->map == NULL) {
		if (g->stride != 1) {
			if (i % g->stride != 0)
				return -1;
			i /= g->stride;
		}
		return i >= 0 && i < g->size ? i : -1;
	}
	if (g->span == 0)
		return haft_group_search(g, peer);
	return i >= 0 && i < g->span ? g->unmap[i] : -1;
}

/* The group that ranks in messages are ranks of: the remote one of an inter-communicator. */
static inline const struct group *comm_peers(const struct comm *c)
{
	return c->remote != NULL ? c->remote : c->group;
}

/* --- datatypes ------------------------------------------------------------------------------ */

/* Bytes [off, off + len) of an element that hold data: a predefined pair type has two such pieces.
 */
struct type_piece {
	int32_t off, len;
};

enum type_basic { /* what reduction operations compute with */
	BASIC_NONE,
	BASIC_INT8,
	BASIC_INT16,
	BASIC_INT32,
	BASIC_INT64,
	BASIC_UINT8,
	BASIC_UINT16,
	BASIC_UINT32,
	BASIC_UINT64,
	BASIC_FLOAT,
	BASIC_DOUBLE,
	BASIC_LDOUBLE,
	BASIC_FLOAT16,
	BASIC_FLOAT128,
	BASIC_CFLOAT,
	BASIC_CDOUBLE,
	BASIC_CLDOUBLE,
	BASIC_BOOL,
	BASIC_LOGICAL,
	BASIC_BYTE,
	BASIC_CHAR,
	BASIC_FLOAT_INT,
	BASIC_DOUBLE_INT,
	BASIC_LONG_INT,
	BASIC_2INT,
	BASIC_SHORT_INT,
	BASIC_LDOUBLE_INT,
	BASIC_2REAL,
	BASIC_2DOUBLE,
	BASIC_2INTEGER,
	BASIC_INT128,
	BASIC_CFLOAT16,
	BASIC_CFLOAT128,
	BASIC_LOGICAL1, /* BASIC_LOGICAL has 4 bytes */
	BASIC_LOGICAL2,
	BASIC_LOGICAL8,
	BASIC_LOGICAL16,
	BASIC_PAIR, /* of MPI_Type_get_value_index, unlike any of the named ones */
	BASIC_COUNT
};

struct type {
	struct obj o;
	int64_t size;   /* bytes of data in one element */
	int64_t extent; /* bytes from one element to the next */
	int64_t lb;     /* lower bound, bytes */
	int64_t true_lb;
	int64_t true_extent;
	int64_t basics; /* elements of basic types in one element: MPI_Get_elements */
	bool dense;     /* solid, size == extent, lb 0: `count' elements are one piece */
	bool solid;     /* an element is one piece, in order: size bytes from true_lb */
	bool bounded;   /* its bounds were set: they stick to what is made of it (5.1.6) */
	uint8_t align;  /* of its strictest basic type in C; 0: there is none */
	bool committed;
	uint8_t basic; /* enum type_basic; BASIC_NONE for derived ones */
	uint16_t combiner;
	struct type_piece piece[2]; /* of a predefined type that is not dense */
	struct type_shape *shape;   /* owned; NULL: predefined.  libmpi/type/shape.h */
	struct type_made *made; /* owned; the call that made it, for decoding; NULL: predefined */
	struct type_plan *plan; /* owned; how to pack it, made by the commit.  NULL: dense */
	struct type_sum *sum;   /* owned; of its basic types, when it was asked for.  type/sum.h */
};

/* Set by libmpi/type: called when a datatype goes, to free what it owns. */
extern void (*haft_type_gone)(struct type *t);

/* --- operations ----------------------------------------------------------------------------- */

/* out[i] = a[i] op b[i] for `n' elements of one basic type; out may be a, or b, or apart. */
typedef void op_loop(const void *a, const void *b, void *out, int64_t n);

struct op {
	struct obj o;
	bool commute;
	bool wide;              /* user's function is an MPI_User_function_c */
	int lang;               /* enum obj_lang of the user's function: Fortran's get INTEGERs */
	uint8_t id;             /* predefined: libmpi/coll's row of loops */
	const char *short_name; /* predefined: "MPI_SUM" */
	op_loop *const *loops;  /* predefined: [BASIC_COUNT], NULL where not allowed; else NULL */
	MPI_User_function *fn;
	MPI_User_function_c *fn_c;
};

/* --- error handlers ------------------------------------------------------------------------- */

enum errh_kind {
	ERRH_FATAL,
	ERRH_ABORT,
	ERRH_RETURN,
	ERRH_COMM,
	ERRH_WIN,
	ERRH_FILE,
	ERRH_SESSION
};

struct errh {
	struct obj o;
	int kind; /* enum errh_kind: the three predefined ones, or for which objects fn was made */
	int lang; /* enum obj_lang of fn: C or Fortran INTEGER */
	void (*fn)(void);
};

/* --- requests ------------------------------------------------------------------------------- */

enum req_kind {
	REQ_DONE, /* complete when it was made (MPI_PROC_NULL) */
	REQ_SEND,
	REQ_RECV,
	REQ_COLL,  /* libmpi/coll: a schedule */
	REQ_USER,  /* generalized: scratch is what the user gave */
	REQ_PSEND, /* partitioned */
	REQ_PRECV,
	REQ_WIN,  /* no request: synchronization of a window, for the roll-call */
	REQ_BACK, /* the same: a send that is cancelled waits for its receiver's answer */
	REQ_LOCK  /* the same: the lock of a member of a window; late are those who have it */
};

/* What happened, until it goes into the user's status. */
struct req_result {
	int source; /* rank in the communicator */
	int tag;
	int error; /* MPI error class; words are in the request's errwords */
	bool cancelled;
	int64_t bytes; /* received */
};

struct req;

/* What the engine of a request that is not a message does.  start: a persistent one, whose result
 * has been cleared, is active; 0 or an MPI error class with words.  gone: frees scratch, which may
 * be NULL; without it scratch is malloc'ed.  over (may be NULL): a request without a handle has
 * come to its end, and goes next.  needs (may be NULL): one of the messages that it waits for, or
 * NULL. */
struct req_ops {
	int (*start)(struct req *r);
	void (*gone)(struct req *r);
	void (*over)(struct req *r);
	const struct req *(*needs)(const struct req *r);
};

/* What it holds is dropped by p2p when it ends (req_free), not by a destructor, which would cost
 * every message. An operation under way.  Blocking calls have theirs on the stack (o all zero: no
 * handle).
 *
 *     o next prev ctx | peer tag kind.. type comm res clean | buf count bytes .. seq | at .. copies
 *     '- a send in one frame, and every end -----------------'                         '-- rest --'
 *     '- a receive of one ------------------------------------------------------------'
 *
 * libobj does not clear requests (mpo.c): p2p/call.c does, and of a request whose memory is `clean'
 * only the first part. */
struct req {
	struct obj o;
	struct req *next, *prev; /* in the one queue it is in: posted, out, feed or drain */
	uint64_t ctx;            /* plane included */
	int32_t peer;            /* or MPI_ANY_SOURCE */
	int32_t tag;             /* or MPI_ANY_TAG */
	uint8_t kind;            /* enum req_kind */
	uint8_t state;           /* p2p's own */
	bool sync;               /* send: completes only when matched */
	bool done;
	bool persist;      /* made by an _init call: completion leaves the handle */
	bool active;       /* persistent: started and not completed by a Wait or Test */
	bool orphan;       /* MPI_Request_free came first: completion drops a reference */
	bool buffered;     /* persistent: started as a buffered send */
	struct type *type; /* held if the request has a handle */
	struct comm *comm; /* the same */
	struct req_result res;
	bool straight; /* receive: whatever fits into `bytes' may be copied to buf */
	bool clean; /* all from `at' on is zero: whoever writes there, says so before (req_soil) */
	int32_t from; /* receive: peer of the matched message */
	char *buf;
	int64_t count;
	int64_t bytes;         /* send: to send in all; receive: room */
	int64_t total;         /* receive: bytes of the matched message */
	uint64_t seq;          /* order of posting */
	int64_t at;            /* bytes that have gone or come */
	int parts;             /* operations that must end before it is done; 0 is 1 */
	uint32_t id;           /* send: its name in frames while it waits for a clear-to-send */
	uint32_t mate;         /* receive: the sender's id of the message */
	uint64_t lease;        /* send: offset of its lease, 0: none (p2p/lease.h) */
	uint64_t began;        /* receive: when the sender was told to go on, ns; 0: nobody asks
				  (p2p/way.h) */
	char *errwords;        /* malloc'ed words of res.error, or NULL */
	struct p2p_note *note; /* malloc'ed; send: types of what buf is a copy of: p2p/note.h */
	struct req *whole;     /* held; one of its parts is this request */
	void *scratch;         /* malloc'ed, or what ops->gone frees; goes with the request */
	struct flow *flow;     /* receive, from a far peer: until its CLEAR has gone: p2p/flow.c */
	uint64_t stream;       /* the same: its number */
	const struct req_ops *ops; /* NULL: a message, or a generalized request */
	struct req_copy *copies;   /* of what cannot be left in place; NULL: none */
};
static_assert(offsetof(struct req, buf) == 2 * CACHE_LINE, "a small send needs two lines");
static_assert(offsetof(struct req, at) <= 3 * CACHE_LINE, "a small receive needs three lines");

/* From now on something behind `clean' may be other than zero. */
static inline void req_soil(struct req *r)
{
	r->clean = false;
}

/* A copy that stands for the user's memory while an operation runs: taken when a persistent request
 * starts, given back once when the user learns of the end, and gone with the request.  Partitions
 * are taken as they get ready and given back as they are seen to have arrived.  Its owner is
 * libmpi/fort, which has the same struct; or libmpi/rma, whose checks want to know of that end. */
struct req_copy {
	struct req_copy *next;
	bool given; /* of this start: the memory is the user's again */
	void (*take)(struct req_copy *c);
	void (*give)(struct req_copy *c);
	void (*gone)(struct req_copy *c);
};

/* --- others ---------------------------------------------------------------------------------
 * Objects whose engines come with their own chapters: the classes exist, so every handle is
 * checked. */
/* A key and its value, malloc'ed both. */
struct info_pair {
	struct info_pair *next;
	char *value;
	char key[];
};

struct info {
	struct obj o;
	struct info_pair *pairs; /* in order of setting; owned */
};
struct msg {
	struct obj o;
	void *arrived;     /* p2p's */
	struct comm *comm; /* held */
};
struct rma;        /* libmpi/rma: what only the engine needs */
struct rma_target; /* libmpi/rma: how a member is reached */

struct win {
	struct obj o;
	uint8_t open;              /* not 0: an epoch lets this process access all targets */
	bool no_locks;             /* info: nobody uses passive target */
	int rank;                  /* of this process */
	int size;                  /* members */
	int flavor;                /* MPI_WIN_FLAVOR_CREATE .. */
	int model;                 /* MPI_WIN_UNIFIED */
	struct rma_target *target; /* [size], owned */
	struct comm *comm; /* held; without a handle, the window's own: its ctx, its group */
	struct rma *rma;   /* owned */
	void *base;        /* of this process's part */
	MPI_Aint bytes;
	int unit; /* what attributes say: int, the full one is in target[rank] */
};

/* Set by libmpi/rma: called when a window goes, to free what it owns. */
extern void (*haft_win_gone)(struct win *w);
struct file {
	struct obj o;
	void *io;
};
struct session {
	struct obj o;
	int thread_level;      /* MPI_THREAD_SINGLE .. */
	char *kinds;           /* malloc'ed: kinds of memory that were asked for, or NULL */
	struct buffer *buffer; /* of its communicators' buffered sends; NULL: none attached */
};

/* Predefined objects, by address (bind finds them by number). */
extern struct comm haft_world, haft_self;
extern struct group haft_group_empty;
extern struct errh haft_errh_fatal, haft_errh_abort, haft_errh_return;

#endif
