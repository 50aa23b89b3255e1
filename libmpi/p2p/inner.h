// SPDX-License-Identifier: BSD-3-Clause
/* inner.h - what the files of p2p share: peers and their queues, the protocol's frames.
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
#ifndef HAFT_P2P_INNER_H
#define HAFT_P2P_INNER_H

#include "libmpi/p2p/ids.h"
#include "libmpi/p2p/match.h"
#include "libmpi/p2p/p2p.h"
#include "libmpi/via/via.h"

enum frame_kind {
	FRAME_EAGER = 1, /* payload: the message */
	FRAME_ASK,       /* payload: struct ask; ctx and tag are the message's */
	FRAME_CLEAR, /* tag: the id of ASK; payload: none, or int64_t: no more bytes than that */
	FRAME_DONE,  /* tag: the id of ASK; the receiver has read the message where it lay */
	FRAME_JOIN,  /* tag: the id of ASK; payload: struct join (joint.c) */
	FRAME_WROTE, /* tag: the id of JOIN; ctx 1: not all of it could be written */
	FRAME_PACE,  /* tag 1: keep messages until I ask for them; 0: no longer (pace.c) */
	/* Of partitioned messages (part.c): tag is the receiver's id of the operation. */
	FRAME_PART_MATE,  /* ctx: the id of who receives data; payload: the bytes of its buffer */
	FRAME_PART_READY, /* the receiver of data has started */
	FRAME_PART_DATA,  /* ctx: where in the buffer; payload: data */
	FRAME_PART_LONG,  /* ctx: where; payload: struct piece, whose id waits for CLEAR */
	FRAME_PART_PLAIN, /* no memory for ranges that are not clear yet: send in frames, always */
	FRAME_PART_SORRY, /* there is no memory to send in */
	FRAME_PART_CLOSE, /* the request has been freed */
	FRAME_WINDOW,     /* libmpi/rma's */
	/* Of sends that are cancelled (cancel.c). */
	FRAME_WITHDRAW, /* ctx and tag are the message's; payload: the id of ASK */
	FRAME_GONE,     /* tag: the id; nobody will receive it */
	FRAME_KEPT,     /* tag: the id; a matched probe has it */
	FRAME_SORRY     /* in place of a message of a collective call; payload: struct p2p_sorry */
};
static_assert(FRAME_WINDOW == P2P_WINDOW, "the name that others know");

enum ask_where { ASK_AWAY, ASK_SHARED, ASK_PRIVATE };

struct ask {
	int64_t total;  /* bytes */
	uint32_t id;    /* the sender's name of it */
	uint32_t where; /* enum ask_where */
	uint64_t at;    /* SHARED: offset in the segment; PRIVATE: address */
	uint64_t lease; /* the same: offset of the word that says who has it (lease.h) */
};

enum req_state {
	STATE_NEW,
	STATE_OUT_EAGER,  /* in out */
	STATE_OUT_ASK,    /* in out */
	STATE_ASKED,      /* waits for CLEAR */
	STATE_WITHDRAW,   /* the same, and has asked for the message back */
	STATE_FEED,       /* in feed */
	STATE_POSTED,     /* in the matcher */
	STATE_OUT_CLEAR,  /* in out */
	STATE_OUT_DONE,   /* in out: read where it lay */
	STATE_OUT_FRAME,  /* in out: a frame of kind `mate', complete in scratch */
	STATE_OUT_WROTE,  /* in out: sender of a joint message; then STATE_ASKED */
	STATE_OUT_SPOILT, /* the same, but something could not be copied */
	STATE_JOINT,      /* waits for WROTE */
	STATE_JOINT_BAD,  /* the same, but something could not be copied */
	STATE_DRAIN,      /* in drain */
	STATE_FLOW        /* far: its bytes go, or come (flow.c) */
};

enum peer_lost { PEER_HERE, PEER_LEFT, PEER_LOST };

struct req_queue {
	struct req *head, *tail;
};

struct p2p_peer {
	struct req_queue out, feed, drain;
	struct p2p_peer *busy_next;
	int64_t eager;      /* largest message to it that goes unasked, bytes; -1: none does */
	int32_t peer;       /* its number */
	int64_t early;      /* bytes kept here of messages from it that nobody has asked for */
	bool busy;          /* in the busy list */
	bool held;          /* it shall keep its messages */
	bool tell;          /* and does not know yet what `held' says */
	uint8_t lost;       /* enum peer_lost */
	char *words;        /* malloc'ed: why */
	struct part *owing; /* partitioned operations with something to say to it */
};
static_assert(sizeof(struct p2p_peer) <= VIA_PEER_P2P, "it lies in a row of via's table of peers");

struct p2p {
	int me;
	int64_t eager;               /* bytes */
	int64_t eager_far;           /* bytes, to far peers */
	bool checks;                 /* messages of users carry notes: HAFT_CHECK=types */
	const struct p2p_note *note; /* of the message that is just being matched, or NULL */
	struct p2p_peer *busy;
	struct ids ids; /* sends that wait for CLEAR */
	int (*hooks[P2P_HOOKS_MAX])(void);
	int nhooks;
	bool hooking;      /* a pass is in the hooks */
	int64_t early_max; /* of each peer's early messages: more, and it shall keep them */
	uint32_t lost;     /* peers that are not here any more */
	uint32_t broken;   /* of them those that did not leave in good order */
	int last_lost;     /* the last of these */
	struct p2p_count count;
};

extern struct p2p p2p;

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

/* pace.c: `bytes' more (or fewer, below 0) of a peer's messages are kept here.  pace_tell tells it
 * what it must know, if there is room for the frame; > 0: there was.  pace_told: a peer tells us.
 */
void pace_early(int peer, int64_t bytes);
int pace_tell(int peer);
void pace_told(int peer, bool keep);

static inline void queue_push(struct req_queue *q, struct req *r)
{
	r->next = NULL;
	r->prev = NULL;
	*(q->tail != NULL ? &q->tail->next : &q->head) = r;
	q->tail = r;
}

static inline void queue_cut(struct req_queue *q, struct req *r)
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

static inline struct req *queue_pop(struct req_queue *q)
{
	struct req *r = q->head;

	q->head = r->next;
	if (q->head == NULL)
		q->tail = NULL;
	r->next = NULL;
	return r;
}

/* wait.c: drops what a request holds.  req_free: also its handle; the request is gone. */
void req_let_go(struct req *r);
void req_free(struct req *r);

/* wait.c: the rest of req_finish, for requests that are parts, have parts, or are freed already. */
void req_finish_rest(struct req *r);

/* The operation, or one part of it, is over: r may be gone afterwards if its user has freed it. */
static inline void req_finish(struct req *r)
{
	if (unlikely(!r->clean && (r->orphan || r->parts > 0 || r->whole != NULL)))
		req_finish_rest(r);
	else
		r->done = true;
}

/* Nothing to wait for: the null handle, or a persistent request that is not started (MPI-5.0 3.9).
 */
static inline bool req_idle(const struct req *r)
{
	return r == NULL || (r->persist && !r->active);
}

/* Fills a request for a send or receive on plane `ctx'; peer may be MPI_ANY_SOURCE.  MPI_ERR_COUNT
 * if count elements are more bytes than 63 bits can say. */
int req_fill(struct req *r, int kind, const void *buf, int64_t count, struct type *type, int peer,
	int tag, struct comm *c, uint64_t ctx);

/* send.c: starts a filled send; out_push puts what waits in a peer's out queue (> 0: something
 * went); out_frame puts a frame when it is its turn, which is copied if that is not now; feed_push
 * fills the pipe to a peer; send_clear: the receiver is ready. */
void send_start(struct req *r);
int out_push(int peer);
void out_put(struct req *r, int peer);
void out_frame(
	int peer, uint64_t ctx, int32_t tag, enum frame_kind kind, const void *data, int64_t n);
int feed_push(int peer);
void send_clear(int peer, uint32_t id, uint64_t stream, int64_t room);
void send_read(int peer, uint32_t id); /* the receiver has read it in place */

/* Does r (may be NULL) wait for what this peer says to its ASK? */
static inline bool send_asked(const struct req *r, int peer)
{
	return r != NULL && r->kind == REQ_SEND && r->peer == peer &&
	       (r->state == STATE_ASKED || r->state == STATE_WITHDRAW);
}

/* flow.c: large messages by streams.  flow_send: the receiver is ready, for this stream and for
 * `room' bytes, all that go then.  flow_post
 * gets ready for a matched message and returns the stream's number, which CLEAR carries; then
 * flow_recv when it has gone, or flow_stop if it could not.  Without memory both make no flow, and
 * nothing may be sent: 0; flow_post fails r. */
void flow_send(struct req *r, uint64_t stream, int64_t room);
uint64_t flow_post(struct req *r);
uint64_t flow_try(struct req *r);
void flow_recv(struct req *r);
void flow_stop(struct req *r);

/* lost.c: the operation has failed with what a put to a peer has returned, SHM_NOMEM or VIA_LOST.
 */
void peer_fail(struct req *r, int peer, int err);

/* lost.c: can a message from this peer (or MPI_ANY_SOURCE) still come?  0 or an error class with
 * words. */
int lost_check_slow(int peer, const struct comm *c);
bool lost_member(int peer, const struct comm *c);

static inline int lost_check(int peer, const struct comm *c)
{
	return likely(p2p.lost == 0) ? 0 : lost_check_slow(peer, c);
}

/* part.c: operations with this peer fail, now and later. */
void part_lost(int peer);

/* send.c: gives back the lease of a message, if it has one. */
void lease_end(struct req *r);

/* cancel.c: a frame of one of its kinds.  cancel_left: the peer of a send has left MPI; true: it
 * was asked for its message back, and this is the answer. */
void cancel_deliver(const struct shm_frame *f);
bool cancel_left(struct req *r);

/* A receive that finds nothing early waits for its message. */
static inline void recv_post(struct req *r)
{
	r->state = STATE_POSTED;
	match_post(r);
}

/* recv.c: starts a filled receive; drain_pull empties the pipe from a peer. */
void recv_start(struct req *r);
int drain_pull(int peer);

/* recv.c: delivers what is in the ring of one peer, at most a batch; returns how many frames.  Like
 * via_poll_from it may miss some that p2p_progress sees. */
int p2p_poll_from(int peer);

/* recv.c: a message of `total' bytes has been matched with r, and data is all of it, packed. */
void recv_data(struct req *r, int peer, int tag, const void *data, int64_t total);

/* recv.c: the same for a message that is still in a buffer of this process. */
void recv_self(struct req *r, struct req *send);

/* recv.c: room for a message that nobody has asked for yet; NULL: no memory. */
struct arrived *arrived_try(uint64_t ctx, int peer, int tag, int64_t total, int64_t data_len);

/* recv.c: the same for one that has come.  Never NULL: without memory the message would be lost, so
 * the job ends with words. */
struct arrived *arrived_new(uint64_t ctx, int peer, int tag, int64_t total, int64_t data_len);

/* recv.c: frees one that is in no list any more. */
void arrived_free(struct arrived *a);

/* recv.c: gives r the message that has been found for it; a goes. */
void recv_arrived(struct req *r, struct arrived *a);

/* probe.c: registers MPI_MESSAGE_NO_PROC.  0 or MPI_ERR_NO_MEM. */
int p2p_probe_open(void);

/* call.c: makes r, which has no user's handle, count as a part of `whole' (may be NULL) and go when
 * it is over. */
void req_orphan(struct req *r, struct req *whole);

/* send.c: gives r the number that CLEAR will name.  False: no memory. */
bool send_number(struct req *r);

/* part.c: what operations owe to a peer; > 0: some of it went. */
int part_settle(int peer);

/* part.c: a frame of one of its kinds; what MPI_Pready left for whoever has the lock. */
void part_deliver(const struct shm_frame *f);
void part_mail(void);

/* call.c: starts r, an operation without a user's handle that counts as a part of `whole' (may be
 * NULL) and is gone when it is over. */
void req_start_part(struct req *r, struct req *whole);

/* buffer.c: sends through the attached buffer: done when it returns. */
int buffer_send(
	const void *buf, int64_t count, struct type *type, int dest, int tag, struct comm *c);

/* buffer.c: from now on a communicator's buffer goes with it. */
void buffer_open(void);

/* user.c: the query and free callbacks of a generalized request; return their error class. */
int user_query(struct req *r, MPI_Status *status);
int user_free(struct req *r);
int user_cancel(struct req *r);

/* What a wait is about, for the roll-call: one request, and all of the call (n 0: it is the only
 * one). */
struct p2p_about {
	struct shm_teller teller; /* first; its function is p2p_tell_req */
	const struct req *req;    /* NULL: no request */
	struct req *const *reqs;
	int n;
	bool one; /* the end of one is enough */
};

/* tell.c */
void p2p_tell_req(const struct shm_teller *t, struct shm_what *what);

/* wait.c: makes progress until `ready' says so; about is what the roll-call names: its teller is
 * set here. */
void wait_until(bool (*ready)(void *arg), void *arg, struct p2p_about about);

/* wait.c: the operation has failed with `err', whose words (haft_err) stay with the request until
 * somebody asks for its result. */
void req_fail(struct req *r, int err);

/* wait.c: writes a request's result into a status (may be MPI_STATUS_IGNORE) and hands its words to
 * haft_err; returns its error class. */
int req_report(struct req *r, MPI_Status *status);

/* Memory of the user's that a copy stands for (struct req_copy): taken as it is now; given back,
 * for the last time of this start if `last'.  The library's lock is held. */
void req_copies_take(struct req *r);
void req_copies_give(struct req *r, bool last);

/* call.c: a new request with a handle, all zero; NULL: no memory. */
struct req *req_blank(void);

/* call.c: a request with a handle that holds type and communicator; NULL: no memory.  no_request:
 * that error. */
struct req *req_new(struct type *type, struct comm *c);
int no_request(void);

/* call.c: *copy is a malloc'ed packed copy, `bytes' long, of a message.  0 or MPI_ERR_NO_MEM with
 * words. */
int p2p_copy(const void *buf, int64_t count, const struct type *type, int64_t bytes, char **copy);

/* call.c: makes *r the finished request of an operation with MPI_PROC_NULL. */
void req_nobody(struct req *r);

/* Adds a peer to the busy list. */
static inline void peer_busy(int peer)
{
	struct p2p_peer *p = p2p_peer(peer);

	if (p->busy)
		return;
	p->busy = true;
	p->busy_next = p2p.busy;
	p2p.busy = p;
	via_kick();
}

#endif
