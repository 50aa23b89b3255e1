// SPDX-License-Identifier: BSD-3-Clause
/* p2p_state.h - the engine's state: settings, and the queues of each peer.
 *
 *      struct p2p_peer
 *        out         requests with a frame to put: the transport was full, or others are first
 *        pipe_sends  sends that got CTS, in the order of the CTS frames   ──> pipe
 *        pipe_recvs  receives whose CTS has gone, in that order           <── pipe
 *        pending     partitioned operations with something to send
 *
 * Invariants
 *  - pipe_sends of the sender and pipe_recvs of the receiver name the same messages in the same
 *    order: chunks of a pipe need no ids.
 *  - A peer with something in a queue is in the worklist.  Progress looks at no other peer.
 *  - An eager message or an RTS is put directly only if `out' is empty: they never overtake.
 *
 * The library's lock protects all of it (core/library_lock.h). */
#ifndef HAFT_P2P_P2P_STATE_H
#define HAFT_P2P_P2P_STATE_H

#include "libmpi/p2p/id_table.h"
#include "libmpi/p2p/p2p.h"
#include "libmpi/p2p/protocol.h"
#include "libmpi/via/via.h"

enum peer_lost {
	PEER_HERE,
	PEER_LEFT, /* it has ended MPI in good order */
	PEER_LOST
};

struct req_queue {
	struct req *head, *tail;
};

/* p2p's part of a row of via's table of peers. */
struct p2p_peer {
	struct req_queue out, pipe_sends, pipe_recvs;
	struct p2p_peer *worklist_next;
	int64_t eager;            /* largest eager message to it, bytes; -1: it takes none */
	int32_t peer;             /* its number */
	int64_t unexpected_bytes; /* of eager messages from it without a receive */
	bool listed;              /* in the worklist */
	bool no_credit;           /* it shall send no eager messages */
	bool credit_due;          /* it has not been told the value of no_credit yet */
	bool spawn_failed;        /* it has ended before MPI_Init */
	uint8_t lost;             /* enum peer_lost */
	char *lost_words;         /* malloc'ed: why */
	struct part_op *pending;  /* partitioned operations with something to send to it */
};
static_assert(sizeof(struct p2p_peer) <= VIA_PEER_P2P, "it lies in a row of via's table of peers");

struct p2p_state {
	int me;
	int64_t eager;        /* largest eager message to local peers, bytes */
	int64_t eager_remote; /* likewise, to remote peers */
	bool checks;          /* users' messages carry type signatures: HAFT_CHECK=types */
	bool watched;         /* a match is compared or counted: from the first `sig' or tool on */
	int64_t one_frame;    /* bytes of the longest eager message from any peer */
	int64_t alone;        /* a receive of so many bytes needs no helper: one_frame, or -1 while
			      short_helped > 0; INT64_MAX: there is none */
	int short_helped;     /* so many more receives of up to one_frame need it: p2p_help_short */
	bool helping;         /* a pass of the helper is not over: p2p_progress_help */
	const struct p2p_sig *sig; /* of the message that is being matched, or NULL */
	struct p2p_peer *worklist; /* list, by worklist_next */
	struct id_table ids;       /* requests that frames of peers name: RTS and COOP */
	int64_t unexpected_max;    /* bytes from each peer; above, it loses its credit */
	uint32_t lost;             /* peers that are gone, in good order or not */
	uint32_t broken;           /* of them those that did not leave in good order */
	int last_lost;             /* the last of these; -1: its number is another's by now */
	bool ft;                   /* failures are survived: their class is PROC_FAILED */
	int32_t *failed;           /* [nfailed] numbers, in the order of notice */
	uint32_t nfailed;
	struct p2p_count count;
};

extern HAFT_INSIDE struct p2p_state p2p_state;

/* A peer's queues without making a row for it: to be read only. */
static inline const struct p2p_peer *p2p_peer_seen(const struct via_peer *p)
{
	return (const struct p2p_peer *)(const void *)p->p2p;
}

/* A peer's queues; the row is made if need be. */
static inline struct p2p_peer *p2p_peer(int peer)
{
	return (struct p2p_peer *)(void *)via_peer_get(peer)->p2p;
}

/* Adds a peer to the worklist. */
static inline void p2p_peer_enlist(int peer)
{
	struct p2p_peer *p = p2p_peer(peer);

	if (p->listed)
		return;
	p->listed = true;
	p->worklist_next = p2p_state.worklist;
	p2p_state.worklist = p;
	via_poller_wake();
}

/* --- queues of requests, by req.next -------------------------------------------------------- */

static inline void p2p_queue_push(struct req_queue *q, struct req *r)
{
	r->next = NULL;
	r->prev = NULL;
	*(q->tail != NULL ? &q->tail->next : &q->head) = r;
	q->tail = r;
}

/* r is in q. */
static inline void p2p_queue_remove(struct req_queue *q, struct req *r)
{
	struct req **at = &q->head, *before = NULL;

	while (*at != NULL && *at != r) {
		before = *at;
		at = &before->next;
	}
	if (NEVER(*at == NULL))
		return;
	*at = r->next;
	if (q->tail == r)
		q->tail = before;
	r->next = NULL;
}

/* r is in q, which gets `other' where r was. */
static inline void p2p_queue_replace(struct req_queue *q, struct req *r, struct req *other)
{
	struct req **at = &q->head;

	while (*at != NULL && *at != r)
		at = &(*at)->next;
	if (NEVER(*at == NULL))
		return;
	*at = other;
	other->next = r->next;
	other->prev = NULL;
	if (q->tail == r)
		q->tail = other;
	r->next = NULL;
}

/* q is not empty. */
static inline struct req *p2p_queue_pop(struct req_queue *q)
{
	struct req *r = q->head;

	q->head = r->next;
	if (q->head == NULL)
		q->tail = NULL;
	r->next = NULL;
	return r;
}

/* Does every queue of every peer hold requests of the states that belong there, and does the
 * list each peer with work?  (core/valid.h) */
bool p2p_queues_valid(void);

#endif
