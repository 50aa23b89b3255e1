// SPDX-License-Identifier: BSD-3-Clause
/* p2p_state.h - what the files of p2p_state share: peers and their queues, the protocol's frames.
 *
 *      struct p2p_peer
 *        out    requests with a frame to put: the way was full, or others are before them (EAGER,
 * ASK, CLEAR) feed   sends that are clear to send, in the order of the CLEARs ──> pipe drain
 * receives whose CLEAR is on its way, in the order in which they were put     <── pipe
 *
 * Invariants
 *  - feed of the sender and drain of the receiver name the same messages in the same order: the
 * pipe needs no ids.
 *  - A peer with a queue that is not empty is in the busy list, and only these are looked at.
 *  - A frame is put directly only if `out' is empty: nothing overtakes. */
#ifndef HAFT_P2P_P2P_STATE_H
#define HAFT_P2P_P2P_STATE_H

#include "libmpi/p2p/id_table.h"
#include "libmpi/p2p/match.h"
#include "libmpi/p2p/p2p.h"
#include "libmpi/via/via.h"

enum p2p_frame_kind {
	FRAME_EAGER = 1, /* payload: the message */
	FRAME_RTS,       /* payload: struct ask; ctx and tag are the message's */
	FRAME_CTS,  /* tag: the id of ASK; payload: none, or int64_t: no more bytes than that */
	FRAME_FIN,  /* tag: the id of ASK; the receiver has read the message where it lay */
	FRAME_COOP, /* tag: the id of ASK; payload: struct join (cooperative.c) */
	FRAME_COOP_DONE, /* tag: the id of JOIN; ctx 1: not all of it could be written */
	FRAME_CREDIT,    /* tag 1: keep messages until I ask for them; 0: no longer (credit.c) */
	/* Of partitioned messages (partitioned.c): tag is the receiver's id of the operation. */
	FRAME_PART_MATCH,  /* ctx: the id of who receives data; payload: the bytes of its buffer */
	FRAME_PART_READY,  /* the receiver of data has started */
	FRAME_PART_DATA,   /* ctx: where in the buffer; payload: data */
	FRAME_PART_RTS,    /* ctx: where; payload: struct piece, whose id waits for CLEAR */
	FRAME_PART_NO_RTS, /* no memory for ranges that are not clear yet: send in frames, always */
	FRAME_PART_NO_MEM, /* there is no memory to send in */
	FRAME_PART_CLOSE,  /* the request has been freed */
	FRAME_WINDOW,      /* libmpi/rma's */
	/* Of sends that are cancelled (cancel.c). */
	FRAME_CANCEL,        /* ctx and tag are the message's; payload: the id of ASK */
	FRAME_CANCEL_OK,     /* tag: the id; nobody will receive it */
	FRAME_CANCEL_PROBED, /* tag: the id; a matched probe has it */
	FRAME_ERROR /* in place of a message of a collective call; payload: struct p2p_error_msg */
};
static_assert(FRAME_WINDOW == P2P_WINDOW, "the name that others know");

enum rts_where { RTS_AT_SENDER, RTS_AT_SHARED, RTS_AT_PRIVATE };

struct rts {
	int64_t total;  /* bytes */
	uint32_t id;    /* the sender's name of it */
	uint32_t where; /* enum rts_where */
	uint64_t at;    /* SHARED: offset in the segment; PRIVATE: address */
	uint64_t claim; /* the same: offset of the word that says who has it (claim.h) */
};

enum req_state {
	STATE_NEW,
	STATE_OUT_EAGER,         /* in out */
	STATE_OUT_RTS,           /* in out */
	STATE_AWAIT_CTS,         /* waits for CLEAR */
	STATE_CANCELLING,        /* the same, and has asked for the message back */
	STATE_PIPE_SEND,         /* in feed */
	STATE_POSTED,            /* in the matcher */
	STATE_OUT_CTS,           /* in out */
	STATE_OUT_FIN,           /* in out: read where it lay */
	STATE_OUT_FRAME,         /* in out: a frame of kind `mate', complete in scratch */
	STATE_OUT_COOP_DONE,     /* in out: sender of a joint message; then STATE_AWAIT_CTS */
	STATE_OUT_COOP_FAILED,   /* the same, but something could not be copied */
	STATE_AWAIT_COOP,        /* waits for WROTE */
	STATE_AWAIT_COOP_FAILED, /* the same, but something could not be copied */
	STATE_PIPE_RECV,         /* in drain */
	STATE_STREAM             /* far: its bytes go, or come (remote_stream.c) */
};

enum peer_lost { PEER_HERE, PEER_LEFT, PEER_LOST };

struct req_queue {
	struct req *head, *tail;
};

struct p2p_peer {
	struct req_queue out, feed, drain;
	struct p2p_peer *busy_next;
	int64_t eager;         /* largest message to it that goes unasked, bytes; -1: none does */
	int32_t peer;          /* its number */
	int64_t early;         /* bytes kept here of messages from it that nobody has asked for */
	bool busy;             /* in the busy list */
	bool held;             /* it shall keep its messages */
	bool tell;             /* and does not know yet what `held' says */
	uint8_t lost;          /* enum peer_lost */
	char *words;           /* malloc'ed: why */
	struct part_op *owing; /* partitioned operations with something to say to it */
};
static_assert(sizeof(struct p2p_peer) <= VIA_PEER_P2P, "it lies in a row of via's table of peers");

struct p2p_state {
	int me;
	int64_t eager;              /* bytes */
	int64_t eager_far;          /* bytes, to far peers */
	bool checks;                /* messages of users carry notes: HAFT_CHECK=types */
	const struct p2p_sig *note; /* of the message that is just being matched, or NULL */
	struct p2p_peer *busy;
	struct id_table ids; /* sends that wait for CLEAR */
	int (*hooks[P2P_HOOKS_MAX])(void);
	int nhooks;
	bool hooking;      /* a pass is in the hooks */
	int64_t early_max; /* of each peer's early messages: more, and it shall keep them */
	uint32_t lost;     /* peers that are not here any more */
	uint32_t broken;   /* of them those that did not leave in good order */
	int last_lost;     /* the last of these */
	struct p2p_count count;
};

extern struct p2p_state p2p_state;

/* What is known of a peer without making a row for it: to be read only. */
static inline const struct p2p_peer *p2p_peer_seen(const struct via_peer *p)
{
	return (const struct p2p_peer *)(const void *)p->p2p;
}

/* The queues of a peer, made if need be. */
static inline struct p2p_peer *p2p_peer(int peer)
{
	return (struct p2p_peer *)(void *)via_peer_get(peer)->p2p;
}

/* credit.c: `bytes' more (or fewer, below 0) of a peer's messages are kept here.  p2p_credit_send tells it
 * what it must know, if there is room for the frame; > 0: there was.  p2p_credit_received: a peer tells us.
 */
void p2p_credit_use(int peer, int64_t bytes);
int p2p_credit_send(int peer);
void p2p_credit_received(int peer, bool keep);

static inline void p2p_queue_push(struct req_queue *q, struct req *r)
{
	r->next = NULL;
	r->prev = NULL;
	*(q->tail != NULL ? &q->tail->next : &q->head) = r;
	q->tail = r;
}

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

static inline struct req *p2p_queue_pop(struct req_queue *q)
{
	struct req *r = q->head;

	q->head = r->next;
	if (q->head == NULL)
		q->tail = NULL;
	r->next = NULL;
	return r;
}

/* completion.c: drops what a request holds.  p2p_req_free: also its handle; the request is gone. */
void p2p_req_release(struct req *r);
void p2p_req_free(struct req *r);

/* completion.c: the rest of p2p_req_finish, for requests that are parts, have parts, or are freed already. */
void p2p_req_finish_slow(struct req *r);

/* The operation, or one part of it, is over: r may be gone afterwards if its user has freed it. */
static inline void p2p_req_finish(struct req *r)
{
	if (unlikely(!r->clean && (r->orphan || r->parts > 0 || r->whole != NULL)))
		p2p_req_finish_slow(r);
	else
		r->done = true;
}

/* Nothing to wait for: the null handle, or a persistent request that is not started (MPI-5.0 3.9).
 */
static inline bool p2p_req_idle(const struct req *r)
{
	return r == NULL || (r->persist && !r->active);
}

/* Fills a request for a send or receive on plane `ctx'; peer may be MPI_ANY_SOURCE.  MPI_ERR_COUNT
 * if count elements are more bytes than 63 bits can say. */
int p2p_req_fill(struct req *r, int kind, const void *buf, int64_t count, struct type *type,
	int peer, int tag, struct comm *c, uint64_t ctx);

/* send.c: starts a filled send; p2p_out_push puts what waits in a peer's out queue (> 0: something
 * went); p2p_out_frame puts a frame when it is its turn, which is copied if that is not now; p2p_pipe_push
 * fills the pipe to a peer; p2p_send_cts: the receiver is ready. */
void p2p_send_start(struct req *r);
int p2p_out_push(int peer);
void p2p_out_put(struct req *r, int peer);
void p2p_out_frame(
	int peer, uint64_t ctx, int32_t tag, enum p2p_frame_kind kind, const void *data, int64_t n);
int p2p_pipe_push(int peer);
void p2p_send_cts(int peer, uint32_t id, uint64_t stream, int64_t room);
void p2p_send_fin(int peer, uint32_t id); /* the receiver has read it in place */

/* Does r (may be NULL) wait for what this peer says to its ASK? */
static inline bool p2p_send_awaits_cts(const struct req *r, int peer)
{
	return r != NULL && r->kind == REQ_SEND && r->peer == peer &&
	       (r->state == STATE_AWAIT_CTS || r->state == STATE_CANCELLING);
}

/* remote_stream.c: large messages by streams.  p2p_stream_send: the receiver is ready, for this stream and for
 * `room' bytes, all that go then.  p2p_stream_post
 * gets ready for a matched message and returns the stream's number, which CLEAR carries; then
 * p2p_stream_recv when it has gone, or p2p_stream_stop if it could not.  Without memory both make no flow, and
 * nothing may be sent: 0; p2p_stream_post fails r. */
void p2p_stream_send(struct req *r, uint64_t stream, int64_t room);
uint64_t p2p_stream_post(struct req *r);
uint64_t p2p_stream_try_post(struct req *r);
void p2p_stream_recv(struct req *r);
void p2p_stream_stop(struct req *r);

/* fail.c: the operation has failed with what a put to a peer has returned, SHM_NOMEM or VIA_LOST.
 */
void p2p_fail_request(struct req *r, int peer, int err);

/* fail.c: can a message from this peer (or MPI_ANY_SOURCE) still come?  0 or an error class with
 * words. */
int p2p_peer_check_slow(int peer, const struct comm *c);
bool p2p_peer_in_comm(int peer, const struct comm *c);

static inline int p2p_peer_check(int peer, const struct comm *c)
{
	return likely(p2p_state.lost == 0) ? 0 : p2p_peer_check_slow(peer, c);
}

/* partitioned.c: operations with this peer fail, now and later. */
void p2p_part_peer_lost(int peer);

/* send.c: gives back the lease of a message, if it has one. */
void p2p_claim_end(struct req *r);

/* cancel.c: a frame of one of its kinds.  p2p_cancel_peer_left: the peer of a send has left MPI; true: it
 * was asked for its message back, and this is the answer. */
void p2p_cancel_deliver(const struct shm_frame *f);
bool p2p_cancel_peer_left(struct req *r);

/* A receive that finds nothing early waits for its message. */
static inline void p2p_recv_post(struct req *r)
{
	r->state = STATE_POSTED;
	p2p_match_post(r);
}

/* recv.c: starts a filled receive; p2p_pipe_pull empties the pipe from a peer. */
void p2p_recv_start(struct req *r);
int p2p_pipe_pull(int peer);

/* recv.c: delivers what is in the ring of one peer, at most a batch; returns how many frames.  Like
 * via_poll_from it may miss some that p2p_progress sees. */
int p2p_poll_from(int peer);

/* recv.c: a message of `total' bytes has been matched with r, and data is all of it, packed. */
void p2p_recv_data(struct req *r, int peer, int tag, const void *data, int64_t total);

/* recv.c: the same for a message that is still in a buffer of this process. */
void p2p_recv_self(struct req *r, struct req *send);

/* recv.c: room for a message that nobody has asked for yet; NULL: no memory. */
struct unexpected *p2p_unexpected_try(
	uint64_t ctx, int peer, int tag, int64_t total, int64_t data_len);

/* recv.c: the same for one that has come.  Never NULL: without memory the message would be lost, so
 * the job ends with words. */
struct unexpected *p2p_unexpected_new(
	uint64_t ctx, int peer, int tag, int64_t total, int64_t data_len);

/* recv.c: frees one that is in no list any more. */
void p2p_unexpected_free(struct unexpected *a);

/* recv.c: gives r the message that has been found for it; a goes. */
void p2p_recv_unexpected(struct req *r, struct unexpected *a);

/* probe.c: registers MPI_MESSAGE_NO_PROC.  0 or MPI_ERR_NO_MEM. */
int p2p_probe_open(void);

/* pt2pt.c: makes r, which has no user's handle, count as a part of `whole' (may be NULL) and go when
 * it is over. */
void p2p_req_detach(struct req *r, struct req *whole);

/* send.c: gives r the number that CLEAR will name.  False: no memory. */
bool p2p_send_take_id(struct req *r);

/* partitioned.c: what operations owe to a peer; > 0: some of it went. */
int p2p_part_flush(int peer);

/* partitioned.c: a frame of one of its kinds; what MPI_Pready left for whoever has the lock. */
void p2p_part_deliver(const struct shm_frame *f);
void p2p_part_mail(void);

/* pt2pt.c: starts r, an operation without a user's handle that counts as a part of `whole' (may be
 * NULL) and is gone when it is over. */
void p2p_req_start_part(struct req *r, struct req *whole);

/* buffered_send.c: sends through the attached buffer: done when it returns. */
int p2p_buffer_send(
	const void *buf, int64_t count, struct type *type, int dest, int tag, struct comm *c);

/* buffered_send.c: from now on a communicator's buffer goes with it. */
void p2p_buffer_open(void);

/* grequest.c: the query and free callbacks of a generalized request; return their error class. */
int p2p_grequest_call_query(struct req *r, MPI_Status *status);
int p2p_grequest_call_free(struct req *r);
int p2p_grequest_call_cancel(struct req *r);

/* What a wait is about, for the roll-call: one request, and all of the call (n 0: it is the only
 * one). */
struct p2p_about {
	struct shm_describer teller; /* first; its function is p2p_wait_report_req */
	const struct req *req;       /* NULL: no request */
	struct req *const *reqs;
	int n;
	bool one; /* the end of one is enough */
};

/* wait_report.c */
void p2p_wait_report_req(const struct shm_describer *t, struct shm_what *what);

/* completion.c: makes progress until `ready' says so; about is what the roll-call names: its teller is
 * set here. */
void p2p_wait_until(bool (*ready)(void *arg), void *arg, struct p2p_about about);

/* completion.c: the operation has failed with `err', whose words (haft_err) stay with the request until
 * somebody asks for its result. */
void p2p_req_set_error(struct req *r, int err);

/* completion.c: writes a request's result into a status (may be MPI_STATUS_IGNORE) and hands its words to
 * haft_err; returns its error class. */
int p2p_req_report(struct req *r, MPI_Status *status);

/* Memory of the user's that a copy stands for (struct req_copy): taken as it is now; given back,
 * for the last time of this start if `last'.  The library's lock is held. */
void p2p_req_copies_take(struct req *r);
void p2p_req_copies_give(struct req *r, bool last);

/* pt2pt.c: a new request with a handle, all zero; NULL: no memory. */
struct req *p2p_req_alloc(void);

/* pt2pt.c: a request with a handle that holds type and communicator; NULL: no memory.  p2p_req_no_memory:
 * that error. */
struct req *p2p_req_new_message(struct type *type, struct comm *c);
int p2p_req_no_memory(void);

/* pt2pt.c: *copy is a malloc'ed packed copy, `bytes' long, of a message.  0 or MPI_ERR_NO_MEM with
 * words. */
int p2p_copy(const void *buf, int64_t count, const struct type *type, int64_t bytes, char **copy);

/* pt2pt.c: makes *r the finished request of an operation with MPI_PROC_NULL. */
void p2p_req_proc_null(struct req *r);

/* Adds a peer to the busy list. */
static inline void p2p_peer_busy(int peer)
{
	struct p2p_peer *p = p2p_peer(peer);

	if (p->busy)
		return;
	p->busy = true;
	p->busy_next = p2p_state.busy;
	p2p_state.busy = p;
	via_poller_wake();
}

#endif
