// SPDX-License-Identifier: BSD-3-Clause
/* req.h - struct req: an operation under way.  Fields that all engines share, and a union by
 * kind. */
#ifndef HAFT_CORE_REQ_H
#define HAFT_CORE_REQ_H

#include "libmpi/core/reqcopy.h"
#include "libobj/base.h"
#include "libobj/obj.h"
#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct comm;
struct type;

enum req_kind {
	REQ_DONE, /* nothing of its own is left to do (MPI_PROC_NULL); its parts may be open */
	REQ_SEND,
	REQ_RECV,
	REQ_COLL,  /* a collective call: libmpi/coll, a schedule; libmpi/comm and ft, no union */
	REQ_USER,  /* generalized */
	REQ_PSEND, /* partitioned */
	REQ_PRECV,
	REQ_IO, /* libmpi/io: an access to a file */
};

/* The outcome, until it goes into the user's status. */
struct req_result {
	int source; /* rank in the communicator */
	int tag;
	int error; /* MPI error class; words are in the request's errwords */
	bool cancelled;
	int64_t bytes; /* received */
};

struct req;

/* How the engine of a request handles it.  Each may be NULL but `start' of a persistent one. */
struct req_ops {
	/* A persistent request, whose result has been cleared, is active now.  0, or an MPI error
	 * class with words. */
	int (*start)(struct req *r);
	/* Frees the memory of the union by kind.  Not of messages: p2p frees theirs. */
	void (*gone)(struct req *r);
	/* A request without a handle has come to its end, and goes next. */
	void (*over)(struct req *r);
	/* For reports: a peer that it waits for, or -1. */
	int (*needs)(const struct req *r);
	/* Generalized requests: writes the status; the result has been given; MPI_Cancel.  0, or an
	 * MPI error class with words. */
	int (*query)(struct req *r, MPI_Status *status);
	int (*ended)(struct req *r);
	int (*cancel)(struct req *r);
	/* The object whose error handler gets the errors of r.  Without it: its window, or its
	 * communicator. */
	void *(*owner)(const struct req *r);
};

struct p2p_sig;
struct p2p_stream;
struct sched;
struct grequest;
struct part_op;
struct io_collective;
struct independent_access;

/* REQ_SEND. */
struct req_send {
	bool sync;              /* completes only when matched */
	uint8_t frame;          /* kind of a control frame that goes instead of a message */
	uint32_t payload_bytes; /* of it */
	const void *payload;    /* of it */
	uint64_t claim;         /* offset of its claim word; 0: none (p2p/claim.h) */
	uint32_t id;            /* this process's number of it, in RTS */
	uint32_t coop_id;    /* the receiver's number, of a cooperative copy (p2p/cooperative.c) */
	void *copy;          /* malloc'ed: freed with the request; buf or payload points to it */
	struct p2p_sig *sig; /* malloc'ed: types of the data packed in buf; NULL: of type */
};

/* REQ_RECV.  The fields before sender_id are read or written by every receive. */
struct req_recv {
	int64_t total;      /* where the matched message ends, in bytes as of req.bytes */
	uint64_t order;     /* in which receives were posted */
	int32_t from;       /* peer of the matched message */
	bool contiguous;    /* up to req.bytes may be copied to buf without a further check */
	uint32_t sender_id; /* the sender's number of the message, from RTS */
	uint32_t coop_id;   /* this process's number, of a cooperative copy */
	uint64_t began;     /* ns, when CTS was sent, or reading began; 0: not measured */
	struct p2p_stream *stream; /* remote peer: posted, until CTS has gone */
	uint64_t stream_id;        /* its number */
};

/* REQ_RECV of a range of a partitioned receive (p2p/part_data.c): a receive, and its range. */
struct req_range {
	struct req_recv recv;
	int64_t offset;   /* where the range begins, in bytes as of req.bytes */
	uint32_t part_id; /* this process's number of the partitioned operation */
};

/* An operation under way, of whatever engine.  A blocking call has its request on the stack: o is
 * all zero, there is no handle, and type and comm are not held.
 *
 *     line 0, 1   o next prev ctx peer tag kind .. comm res moved
 *                           '- a send in one frame touches no more
 *     line 2      buf count bytes | union by kind: recv.total order from contiguous
 *                           '- a receive of one frame touches no more
 *     line 2 ..   the rest of the union | helped open_parts whole errwords ops copies
 *                           '- the cold part: zero in a request that is `pristine'
 *
 * libobj does not clear requests (objects.c).  p2p_req_alloc_fast clears lines 0 and 1, and the
 * rest only of a request that is not pristine.  So call req_touch before writing to the cold part,
 * or to the union as another kind than REQ_RECV.  A slot that was a send in one frame, and is one
 * again, is left as it is (`sent').
 *
 * p2p drops a request's references when it ends (p2p_req_release).  A destructor would cost every
 * message. */
struct req {
	struct obj o;
	struct req *next, *prev; /* in the one queue it is in */
	uint64_t ctx;            /* context id and plane */
	int32_t peer;            /* or MPI_ANY_SOURCE */
	int32_t tag;             /* or MPI_ANY_TAG */
	uint8_t kind;            /* enum req_kind */
	uint8_t state;           /* p2p's enum req_state */
	bool done;
	bool persist;  /* made by an _init call: completion leaves the handle */
	bool active;   /* persistent: started, and not completed by a Wait or Test */
	bool orphan;   /* the handle is gone: the request goes when the operation is over */
	bool pristine; /* the cold part is zero */
	bool sent;     /* pristine: lines 0 and 1 are those of a send that is done, in one frame */
	struct type *type; /* held if the request has a handle */
	struct comm *comm; /* likewise */
	struct req_result res;
	int64_t moved; /* the bytes before this one have been sent or received */
	/* line 2 */
	char *buf;
	int64_t count;
	int64_t bytes; /* where the operation's data ends, as packed from buf: of count elements,
			  or of a range */
	union {
		struct req_send send;   /* REQ_SEND */
		struct req_recv recv;   /* REQ_RECV */
		struct req_range range; /* REQ_RECV with part_data.c's ops */
		struct sched *sched;    /* REQ_COLL of libmpi/coll; freed by ops->gone */
		struct grequest *user;  /* REQ_USER; likewise */
		struct part_op *part;   /* REQ_PSEND, REQ_PRECV; likewise */
		struct io_collective *io_collective;  /* REQ_IO; likewise */
		struct independent_access *io_access; /* REQ_IO with independent.c's ops */
	};
	bool helped;               /* it needs a helper's progress: p2p_help */
	int open_parts;            /* operations, but for one, that must end before it is done */
	struct req *whole;         /* held; this request is one of its parts */
	char *errwords;            /* malloc'ed words of res.error, or NULL */
	const struct req_ops *ops; /* NULL: a message */
	struct req_copy *copies;   /* of data that cannot be left in place; NULL: none */
};
static_assert(offsetof(struct req, buf) == 2 * CACHE_LINE, "a small send needs two lines");
static_assert(offsetof(struct req, recv.sender_id) <= 3 * CACHE_LINE,
	"a small receive needs three lines");

/* The request is not pristine from now on. */
static inline void req_touch(struct req *r)
{
	r->pristine = false;
}

#endif
