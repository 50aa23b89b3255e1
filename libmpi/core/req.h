// SPDX-License-Identifier: BSD-3-Clause
/* req.h - struct req: an operation under way, of whatever engine. */
#ifndef HAFT_CORE_REQ_H
#define HAFT_CORE_REQ_H

#include "libmpi/core/reqcopy.h"
#include "libobj/base.h"
#include "libobj/obj.h"
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

/* What it holds is dropped by p2p when it ends (p2p_req_free), not by a destructor, which would
 * cost every message. An operation under way.  Blocking calls have theirs on the stack (o all zero:
 * no handle).
 *
 *     o next prev ctx | peer tag kind.. type comm res clean | buf count bytes .. seq | at .. copies
 *     '- a send in one frame, and every end -----------------'                         '-- rest --'
 *     '- a receive of one ------------------------------------------------------------'
 *
 * libobj does not clear requests (objects.c): p2p/pt2pt.c does, and of a request whose memory is
 * `clean' only the first part. */
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
	bool clean; /* all from `at' on is zero: whoever writes there, says so before (req_touch) */
	bool combined; /* receive: MPI_Isendrecv's, a send is a part of it */
	int32_t from;  /* receive: peer of the matched message */
	char *buf;
	int64_t count;
	int64_t bytes;        /* send: to send in all; receive: room */
	int64_t total;        /* receive: bytes of the matched message */
	uint64_t seq;         /* order of posting */
	int64_t at;           /* bytes that have gone or come */
	int parts;            /* operations that must end before it is done; 0 is 1 */
	uint32_t id;          /* send: its name in frames while it waits for a clear-to-send */
	uint32_t mate;        /* receive: the sender's id of the message */
	uint64_t claim;       /* send: offset of its lease, 0: none (p2p/claim.h) */
	uint64_t began;       /* receive: when the sender was told to go on, ns; 0: nobody asks
				  (p2p/proto.h) */
	char *errwords;       /* malloc'ed words of res.error, or NULL */
	struct p2p_sig *note; /* malloc'ed; send: types of what buf is a copy of: p2p/sig.h */
	struct req *whole;    /* held; one of its parts is this request */
	void *scratch;        /* malloc'ed, or what ops->gone frees; goes with the request */
	struct p2p_stream
		*flow; /* receive, from a far peer: until its CLEAR has gone: p2p/remote_stream.c */
	uint64_t stream;           /* the same: its number */
	const struct req_ops *ops; /* NULL: a message, or a generalized request */
	struct req_copy *copies;   /* of what cannot be left in place; NULL: none */
};
static_assert(offsetof(struct req, buf) == 2 * CACHE_LINE, "a small send needs two lines");
static_assert(offsetof(struct req, at) <= 3 * CACHE_LINE, "a small receive needs three lines");

/* From now on something behind `clean' may be other than zero. */
static inline void req_touch(struct req *r)
{
	r->clean = false;
}

#endif
