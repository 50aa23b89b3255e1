// SPDX-License-Identifier: BSD-3-Clause
/* net_inner.h - declarations that the files of libnet share.  Not installed.
 *
 *               net.c              the calls of net.h
 *                 |
 *          peer.c   conn.c           connecting, handshake, losing    net_poll.c: progress, timers
 *            /         \                                                   |
 *     outgoing.c    incoming.c       frames and streams as bytes, and back  |
 *            \         /                                                   |
 *          wire.c   siphash.c        hellos and heads as bytes; the proof   |
 *                                                                           |
 *     struct net_io ---------------- the only way out: sock_os.c, or a test's simulation
 *
 * Everything above struct net_io is deterministic: equal bytes, errors and times give equal frames.
 * The simulation has neither sockets nor epoll, and its own clock and random numbers. */
#ifndef HAFT_LIBNET_NET_INNER_H
#define HAFT_LIBNET_NET_INNER_H

#include <sys/socket.h>
#include <sys/types.h>
#include <sys/uio.h>
#include "libnet/net.h"

/* --- the wire (wire.c): little endian, sizes fixed ------------------------------------------ */

#define WIRE_VERSION 3
#define WIRE_HELLO   64 /* bytes of a hello: one of each side, first */
#define WIRE_SIGNED  48 /* of them under the proof */
#define WIRE_NONCE   12
#define WIRE_PROOF   16
#define WIRE_HEAD    24 /* bytes before the payload of a record */
#define WIRE_ALIGN \
	8 /* records are padded with zeros to multiples of it, so data can be read in place */

/* Kinds of hellos.  These numbers are on the wire: never change them. */
enum wire_kind {
	WIRE_CONNECT = 1,  /* connect request of the connecting side: from `from' to `to' */
	WIRE_ACCEPT,       /* positive answer: records follow */
	WIRE_CROSSED,      /* no: my own request is on its way, and wins */
	WIRE_DUPLICATE,    /* no: this peer has, or had, a connection */
	WIRE_WRONG_PEER,   /* no: `to' is another peer, or `from' is none of this job */
	WIRE_BAD_KEY,      /* no: another key.  Without a proof */
	WIRE_INCOMPATIBLE, /* no: another version, or other limits.  Without a proof */
};

struct wire_hello {
	uint16_t version;
	uint8_t kind;
	uint64_t universe; /* of the sender: `from' is a number in it, `to' one in the receiver's */
	uint32_t from, to;
	uint32_t frame_max, chunk_max;
	uint8_t nonce[WIRE_NONCE];
};

/* Bytes of a hello without and with its proof.  `asked': the bytes of the request that it answers,
 * or NULL. */
void net_hello_write(const struct wire_hello *h, uint8_t b[WIRE_HELLO]);
void net_hello_sign(const uint8_t key[NET_KEY_LEN], uint8_t b[WIRE_HELLO], const uint8_t *asked);

/* The first bytes are ours. */
bool net_hello_ours(const uint8_t b[WIRE_HELLO]);
uint16_t net_hello_version(const uint8_t b[WIRE_HELLO]);

/* The proof is right.  Takes the same time whether it is or not. */
bool net_hello_proven(
	const uint8_t key[NET_KEY_LEN], const uint8_t b[WIRE_HELLO], const uint8_t *asked);
void net_hello_read(const uint8_t b[WIRE_HELLO], struct wire_hello *h);

enum wire_type { WIRE_FRAME = 1, WIRE_CHUNK, WIRE_BYE };

/* The head of a record.  ctx is the stream's id if it is a chunk.  seq counts the records of its
 * type on this connection: bytes that do not belong here are found out at the next head. */
struct wire_head {
	uint8_t type;
	uint8_t kind, flags;
	int32_t tag;
	uint32_t len, seq;
	uint64_t ctx;
};

/* Encodes a head, little endian. */
void net_head_write(const struct wire_head *h, uint8_t b[WIRE_HEAD]);

/* False: not a head (type, reserved bytes, length out of range). */
bool net_head_read(const uint8_t b[WIRE_HEAD], struct wire_head *h);

/* Zeros behind `len' bytes of payload. */
static inline uint32_t net_pad(uint32_t len)
{
	return (0u - len) % WIRE_ALIGN;
}

/* SipHash-2-4 with 128 bits (siphash.c). */
void net_hash(const uint8_t key[NET_KEY_LEN], const void *data, size_t len, uint8_t out[16]);

/* --- streams' operations: one list of ids, under each id the ops in their order ------------- */

struct net_ops {
	struct net_op *first, *last;
};

/* Appends an operation to the list, which then owns it until net_ops_remove. */
void net_ops_add(struct net_ops *l, struct net_op *op);
/* The operation with this id, or NULL: a walk, as few are under way. */
struct net_op *net_ops_find(const struct net_ops *l, uint64_t id);
/* Takes an operation of the list out; the caller owns it. */
void net_ops_remove(struct net_ops *l, struct net_op *op);
void net_ops_rotate(struct net_ops *l); /* the first id becomes the last */

void net_ops_drop_callbacks(struct net_ops *l);            /* their `done' is not called */
void net_ops_end(struct net_ops *l, enum net_state state); /* all of them */

/* Ends an op that is in no list any more. */
void net_op_end(struct net_op *op, enum net_state state);

/* --- out (outgoing.c): bytes to one peer ---------------------------------------------------- */
/*
 *     frames:   [ head data pad | head data pad | head da..]          a queue of bytes
 *     sends:    id 7: op -> op     id 9: op                            users' buffers
 *
 *     record:   frames that are there now -> one chunk -> frames that are there then -> ...
 */

enum out_record { RECORD_NONE, RECORD_FRAMES, RECORD_CHUNK, RECORD_BYE };

#define OUT_SPARE 256 /* bytes: a short frame that says that there is no memory */

struct net_out {
	uint8_t *q;           /* whole frames, the first of which may have gone in part */
	uint32_t q_at, q_end; /* in q: the bytes to go */
	uint32_t q_cap;
	uint32_t frame_seq, chunk_seq; /* of the next ones */
	enum out_record record;
	bool chunk_next;  /* frames were the last record */
	bool bye;         /* said once everything else has gone */
	uint32_t left;    /* bytes left of the record: frames, or a chunk's payload */
	uint32_t pad;     /* of a chunk, left */
	uint32_t head_at; /* of `head' that have gone */
	struct net_ops sends;
	uint8_t head[WIRE_HEAD];  /* of the chunk, or of the goodbye */
	uint8_t spare[OUT_SPARE]; /* the queue when there is no memory for one */
};

#define OUT_IOVS 3

/* Room for one more frame of len bytes at the end of the queue, behind WIRE_HEAD for its head; NULL
 * with *error NET_AGAIN or NET_NOMEM. */
uint8_t *net_out_room(struct net_out *o, size_t len, uint32_t queue_max, int *error);

/* The queue, which is empty, has room for a frame of len bytes if it cannot go past it; false: no
 * memory. */
bool net_out_reserve(struct net_out *o, size_t len);

/* Makes a frame of the bytes that have been written there. */
void net_out_frame(struct net_out *o, const struct net_hdr *h, uint32_t len);

/* The head of a frame that goes past the queue, which is empty. */
void net_out_head(struct net_out *o, const struct net_hdr *h, uint32_t len, uint8_t b[WIRE_HEAD]);

/* Bytes that should have gone past it are put into the queue after all. */
bool net_out_append(struct net_out *o, const void *p, size_t len);

/* Nothing is under way: a frame may go past the queue. */
static inline bool net_out_idle(const struct net_out *o)
{
	return o->record == RECORD_NONE && o->q_at == o->q_end && o->sends.first == NULL;
}

/* The next bytes to go.  Returns the number of pieces of memory, 0: nothing to send. */
int net_out_next(struct net_out *o, struct iovec iov[OUT_IOVS]);

/* n of them have gone.  Returns the op that is done by that, in no list any more, or NULL. */
struct net_op *net_out_sent(struct net_out *o, size_t n, struct net_count *count);

/* The first n bytes of the queue have gone before: n is at most the queue's length, and no record
 * has begun. */
void net_out_gone(struct net_out *o, size_t n);

/* Drops everything; takes the sends' list away first. */
void net_out_fini(struct net_out *o);

/* --- in (incoming.c): bytes from one peer, as frames and chunks ----------------------------- */

/* State that all peers of a net share. */
struct net_shared {
	void *arg;
	net_deliver_fn *deliver;
	struct net_count count;
	uint8_t *buf; /* IN_BUF bytes: reads land here first */
};

#define IN_BUF MEAN_OR(2048, 131072) /* two frames of the greatest size */
#define IN_BUF_FEW \
	MEAN_OR(64, 4096) /* read while a stream is awaited, whose bytes shall not land here */
#define IN_IOVS 2

enum in_at { IN_HEAD, IN_FRAME, IN_CHUNK };

struct net_in {
	enum in_at at;
	int from;
	uint32_t have; /* bytes of the head, or of `part', that are here */
	uint32_t left; /* of a chunk: payload and padding still to come */
	uint32_t pad;  /* of `left' those that are padding */
	uint32_t frame_seq, chunk_seq;
	bool bye;      /* said: nothing may follow */
	uint8_t *part; /* payload of a frame that did not come in one go, padded */
	struct wire_head head;
	struct net_ops posts;
	uint8_t raw[WIRE_HEAD];
};

/* Where to read to: fills iov, returns how many. */
int net_in_room(const struct net_in *in, const struct net_shared *up, struct iovec iov[IN_IOVS]);

/* n bytes have been read there.  NULL: good; else static words about the peer's
 * mistake.  Frames that were delivered before stay delivered. */
const char *net_in_received(
	struct net_in *in, struct net_shared *up, struct iovec iov[IN_IOVS], size_t n);

/* Nothing has been read in part: the connection may end here. */
static inline bool net_in_at_boundary(const struct net_in *in)
{
	return in->at == IN_HEAD && in->have == 0;
}

/* Frees the memory of incoming data.  Posted receives have been ended before. */
void net_in_fini(struct net_in *in);

/* --- connections and peers (peer.c) --------------------------------------------------------- */

/* README.md has the picture. */
enum conn_state {
	CONN_CONNECTING, /* connect was called; the socket is not connected yet */
	CONN_REQUESTED,  /* connected; our request goes, the answer has not come */
	CONN_ACCEPTED,   /* accepted; a stranger until its request has come */
	CONN_OPEN,       /* records go both ways */
	CONN_CLOSING,    /* our goodbye has gone; arrivals are dropped */
	CONN_CLOSED,     /* closed; memory until the end of the poll */
};

struct net_conn {
	struct net *net;
	struct net_peer *peer;        /* NULL: a stranger */
	struct net_conn *next, *prev; /* in net->strangers or net->conns */
	const uint8_t *key;           /* signs its hellos; NULL: the job's */
	enum conn_state state;
	int fd;                   /* struct net_io's */
	bool wants_out;           /* told to struct net_io */
	bool tcp;                 /* struct net_io's */
	bool active;              /* something was sent since the last check of its health */
	int tx_error;             /* errno of a send: nothing more goes, reading tells the rest */
	uint32_t hello_at;        /* bytes of `hello' that have come */
	uint32_t say_at, say_len; /* bytes of `say' that have gone, of how many */
	uint32_t ahead;           /* bytes of the peer's queue that have gone behind the request */
	uint64_t born;            /* ms */
	uint8_t hello[WIRE_HELLO];
	uint8_t say[WIRE_HELLO];
	void *io; /* struct net_io's */
};

struct net_peer {
	struct net *net;
	int rank;
	bool foreign;            /* of another universe: home.number and home.key are valid */
	struct net_foreign home; /* its name there; else universe and rank */
	enum net_peer_state state;
	bool reconnect;           /* in net->reconnects: until reconnect_at */
	struct net_conn *conn;    /* open or leaving */
	struct net_conn *attempt; /* ours, under way */
	struct net_peer *next_reconnect;
	struct net_peer *next;    /* in net->peers */
	int tries;                /* connections made and closed again before an answer */
	int attempts;             /* since it was reached last */
	int pause;                /* ms before the next try */
	uint64_t unreached_since; /* ms: unreachable since; 0: it is not */
	uint64_t reconnect_at;    /* ms */
	int connect_error;        /* errno of the last try; 0: it was closed without an answer */
	bool final;               /* that try will not be repeated */
	bool abandoned;           /* net_abandon_peer */
	char *words;              /* why it is lost */
	enum net_why why_lost;
	struct net_in in;
	struct net_out out;
};

struct net_ready {
	struct net_conn *conn; /* NULL: the listener */
	bool in, out;
};

/* The way out.  Numbers of errors are errno's. */
struct net_io {
	/* > 0: bytes, 0: the end, < 0: -errno.  Never EINTR. */
	ssize_t (*recv)(struct net_conn *c, struct iovec *iov, int n);
	ssize_t (*send)(struct net_conn *c, struct iovec *iov, int n);
	/* 0: connected, EINPROGRESS, EAGAIN: try again, or an error.  Waits up to wait_ms. */
	int (*connect)(struct net_conn *c, const char *addr, int wait_ms);
	int (*connect_status)(struct net_conn *c); /* how that ended: as connect */
	int (*accept)(struct net *net,
		struct net_conn *c); /* 0; EAGAIN: no connection waits; or an error */
	void (*close)(struct net_conn *c);
	void (*end)(struct net_conn *c);            /* no more bytes will be sent */
	void (*want)(struct net_conn *c, bool out); /* tell when it can be written to */
	void (*watch)(struct net_conn *c, bool on); /* tell of it at all; at first: yes */
	void (*listen)(struct net *net, bool on);   /* tell when a connection waits */
	int (*wait)(struct net *net, struct net_ready *r, int max, int ms);
	uint64_t (*now)(struct net *net); /* ms, never 0, never back */
	void (*random)(struct net *net, void *buf, size_t len);
	bool (*unsent)(struct net_conn *c); /* bytes that the other side's kernel has not got */
	int (*silent)(struct net_conn *c);  /* ms for which its host has owed an answer */
	void (*name)(struct net_conn *c, char text[NET_ADDR_LEN]); /* the other end */
	void (*fini)(struct net *net);
};

#define PEER_PAGE 1024 /* numbers of a page of the table of peers */

struct net {
	struct net_conf conf;
	const struct net_io *io;
	void *io_arg;
	int epoll_fd;
	int listen_fd[NET_LISTENERS]; /* -1: none */
	int nlisten;
	struct net_peer **page[NET_PEERS_MAX / PEER_PAGE]; /* by number: net_peer_at */
	struct net_peer *peers;                            /* all that were spoken of */
	struct net_shared shared;
	uint8_t *scratch;            /* a frame that is built in place and goes past the queue */
	uint32_t polls_alone;        /* of net_poll_from at one socket alone */
	bool closing, accept_paused; /* the listener is not asked now */
	bool forked;                 /* a forked child: sockets are closed without a word */
	bool reserved_past;          /* net_reserve gave out `scratch' */
	int nlogged;
	int nstrangers;                              /* strangers */
	struct net_conn *strangers, *strangers_last; /* oldest first */
	struct net_conn *conns;                      /* all others */
	struct net_conn *ended;
	struct net_conn *hot;        /* read directly in every poll, and not watched; or NULL */
	struct net_conn *warm;       /* the last one awaited that had something ... */
	uint32_t warm_polls;         /* ... so many times in a row */
	struct net_peer *reconnects; /* to be connected later */
	uint64_t due, health_due, accept_due; /* ms */
	bool send_failed;                     /* a send has failed: reading tells the rest */
	bool abandoning;                      /* peers are abandoned */
	uint8_t nonce[WIRE_NONCE];
};

/* --- functions of the files ----------------------------------------------------------------- */

/* peer.c.  net_peer_lose calls the user back, so it is for polls only; errors elsewhere wait for
 * the next poll (net_peer_retry).  The others call no user's function. */
struct net_peer *net_peer_make(struct net *net, int rank); /* NULL: no memory */

/* Does this process win if both connect at once? */
bool net_peer_wins(const struct net_peer *p);

/* A peer by its number, in range; NULL: it was never spoken of. */
static inline struct net_peer *net_peer_at(const struct net *net, int rank)
{
	struct net_peer **page = net->page[rank / PEER_PAGE];

	return page != NULL ? page[rank % PEER_PAGE] : NULL;
}

void net_peer_connect(struct net_peer *p);        /* state is NONE or CONNECTING */
void net_peer_retry(struct net_peer *p, int err); /* a try has failed: later, or never */
__attribute__((format(printf, 3, 4))) void net_peer_lose(
	struct net_peer *p, enum net_why why, const char *fmt, ...);
/* Ends a peer: its operations get NET_OP_LOST without `done'.  NULL: nothing. */
void net_peer_free(struct net_peer *p);
/* The peer is not to be connected again; no harm if it was not to be. */
void net_peer_reconnect_cancel(struct net_peer *p);
__attribute__((format(printf, 2, 3))) void net_log(struct net *net, const char *fmt, ...);

/* conn.c: connections until they are open. */
struct net_conn *net_conn_new(struct net *net);
void net_conn_close(struct net_conn *c); /* its memory stays until the end of the poll */
void net_conn_want(struct net_conn *c, bool out);
void net_conn_connect_end(
	struct net_conn *c, int err); /* connect has ended with errno err, 0: connected */
void net_conn_handshake(
	struct net_conn *c, bool in, bool out); /* ready, in one of the first three states */
void net_conn_send_ahead(struct net_peer *p);   /* frames behind the request, if there is one */
bool net_conn_hello_send(
	struct net_conn *c); /* sends the rest of `say'; false: cannot, now or ever */
void net_stranger_add(struct net_conn *c);

/* net_poll.c */
int net_conn_read(struct net_conn *c, int times);
struct net_op *net_conn_write(
	struct net_conn *c, struct net_op *mine); /* returns it if it is done */
void net_timer_set(struct net *net, uint64_t at);
void net_hot_release(struct net *net); /* gives the hot connection back to epoll */

/* The peer's connection takes a frame at once. */
static inline bool net_peer_sendable(const struct net_peer *p)
{
	const struct net_conn *c = p->conn;

	return p->state == NET_PEER_CONNECTED && !c->wants_out && c->say_at == c->say_len &&
	       !c->tx_error && net_out_idle(&p->out);
}

/* net_open with another system below it: simulated ones in tests.  Errors as of it. */
int net_open_io(
	const struct net_conf *conf, const struct net_io *io, void *io_arg, struct net **net);

void net_free(struct net *net); /* the last step of net_close */

extern const struct net_io net_io_os;
int net_os_open(struct net *net); /* makes epoll_fd */

/* addr.c: the text of an address, and the address.  net_addr_read takes numbers only, and never
 * waits.  False: it is none. */
bool net_addr_read(const char *text, struct sockaddr_storage *sa, socklen_t *len);
void net_addr_write(const struct sockaddr_storage *sa, socklen_t len, char text[NET_ADDR_LEN]);

#endif
