// SPDX-License-Identifier: BSD-3-Clause
/* req.h - struct req: an operation under way.  A head that all engines share, and what only sends
 * and only receives have. */
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
	REQ_DONE, /* complete when it was made (MPI_PROC_NULL) */
	REQ_SEND,
	REQ_RECV,
	REQ_COLL,  /* libmpi/coll: a schedule */
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
	/* Frees `owned', which may be NULL.  Without it `owned' is malloc'ed. */
	void (*gone)(struct req *r);
	/* A request without a handle has come to its end, and goes next. */
	void (*over)(struct req *r);
	/* One of the messages that it waits for, or NULL. */
	const struct req *(*needs)(const struct req *r);
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

/* Fields of sends only. */
struct req_send {
	uint64_t claim;      /* offset of its claim word; 0: none (p2p/claim.h) */
	uint32_t id;         /* this process's number of it, in RTS */
	uint32_t coop_id;    /* the receiver's number, of a cooperative copy (p2p/cooperative.c) */
	struct p2p_sig *sig; /* malloc'ed: types of what buf is a packed copy of; NULL: of type */
	const void *payload; /* a control frame instead of a message: bytes of its payload */
	uint8_t frame;       /* and its kind */
};

/* Fields of receives only. */
struct req_recv {
	uint32_t sender_id;        /* the sender's number of the message, from RTS */
	uint32_t coop_id;          /* this process's number, of a cooperative copy */
	uint64_t began;            /* ns, when CTS was sent, or reading began; 0: not measured */
	struct p2p_stream *stream; /* remote peer: posted, until CTS has gone */
	uint64_t stream_id;        /* its number */
	int64_t offset;   /* range of a partitioned operation: where it begins in the buffer */
	uint32_t part_id; /* and this process's number of the operation */
};

/* An operation under way, of whatever engine.  A blocking call has its request on the stack: o is
 * all zero, there is no handle, and type and comm are not held.
 *
 *     line 0, 1   o next prev ctx peer tag kind .. comm res contiguous pristine from
 *     line 2      buf count bytes total order          '- a send in one frame touches no more
 *     line 3 ..   moved parts whole ...                   '- a receive of one frame, no more
 *                 '- the cold part: zero in a request that is `pristine'
 *
 * libobj does not clear requests (objects.c).  p2p_req_alloc_fast clears lines 0 and 1, and the
 * rest only of a request that is not pristine.  So who writes to the cold part calls req_touch
 * before.
 *
 * p2p drops what a request holds when it ends (p2p_req_release).  A destructor would cost every
 * message. */
struct req {
	struct obj o;
	struct req *next, *prev; /* in the one queue it is in */
	uint64_t ctx;            /* context id and plane */
	int32_t peer;            /* or MPI_ANY_SOURCE */
	int32_t tag;             /* or MPI_ANY_TAG */
	uint8_t kind;            /* enum req_kind */
	uint8_t state;           /* p2p's enum req_state */
	bool sync;               /* send: completes only when matched */
	bool done;
	bool persist;      /* made by an _init call: completion leaves the handle */
	bool active;       /* persistent: started, and not completed by a Wait or Test */
	bool orphan;       /* the handle is gone: the request goes when the operation is over */
	bool buffered;     /* persistent: started as a buffered send */
	struct type *type; /* held if the request has a handle */
	struct comm *comm; /* likewise */
	struct req_result res;
	bool contiguous; /* receive: up to `bytes' may be copied to buf without a further look */
	bool pristine;   /* the cold part is zero */
	bool combined;   /* receive: MPI_Isendrecv's; a send is a part of it */
	int32_t from;    /* receive: peer of the matched message */
	/* line 2 */
	char *buf;
	int64_t count;
	int64_t bytes;  /* send: of the message; receive: room in the buffer */
	int64_t total;  /* receive: bytes of the matched message */
	uint64_t order; /* receive: in which receives were posted */
	/* the cold part */
	int64_t moved;     /* bytes sent or received so far */
	int parts;         /* operations that must end before it is done; 0 is 1 */
	struct req *whole; /* held; this request is one of its parts */
	char *errwords;    /* malloc'ed words of res.error, or NULL */
	void *owned;       /* memory that goes with the request: freed by ops->gone, or free() */
	const struct req_ops *ops; /* NULL: a message */
	struct req_copy *copies;   /* of what cannot be left in place; NULL: none */
	union {
		struct req_send send; /* REQ_SEND */
		struct req_recv recv; /* REQ_RECV */
	};
};
static_assert(offsetof(struct req, buf) == 2 * CACHE_LINE, "a small send needs two lines");
static_assert(offsetof(struct req, moved) <= 3 * CACHE_LINE, "a small receive needs three lines");

/* The request is not pristine from now on. */
static inline void req_touch(struct req *r)
{
	r->pristine = false;
}

#endif
