// SPDX-License-Identifier: BSD-3-Clause
/* net.h - ordered reliable frames, and large payload without copies, between processes over
 * sockets.
 *
 *     process 0                                             process 3
 *        | net_put(3, hdr, bytes) ---- frame ------------------> | deliver(frame)
 *        |                                                       | net_post(0, id, buffer)
 *        | net_send(3, id, buffer) ==== chunks of a stream ====> | read straight into the buffer
 *        |                                                       |
 *        one connection a pair (TCP over IPv4 or IPv6, or a UNIX stream socket), made when one of
 *        the two first has something to send, or both at the same time
 *
 * A struct net is one process's endpoint.  The others are `peers', numbered from 0 in one universe;
 * it is one of them.  Memory is for those that were spoken of.  libnet knows nothing of the data it
 * carries.
 *
 * A process of another universe is a foreign peer (net_foreign_set).  Its number here is its user's
 * choice; the hello has the numbers that both processes have at home.
 *
 * Rules for all functions, unless their comment says otherwise:
 *  - A struct net belongs to one thread at a time.
 *  - Nothing blocks, except net_close (bounded), and an attempt to connect (NET_CONNECT_FIRST_MS;
 *    from the second one on NET_CONNECT_WAIT_MS).
 *  - Functions that return int return 0 or one of enum net_error.
 *  - Callbacks are called from inside net_poll, net_poll_from and net_close only.  They may call
 *    everything here but these three, net_open and net_reserve without its net_commit.
 *  - No signal is raised (SIGPIPE); descriptors are close-on-exec. */
#ifndef LIBNET_NET_H
#define LIBNET_NET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "libobj/base.h"

enum net_error {
	NET_AGAIN = 1, /* full now: nothing was done; poll, then call again */
	NET_LOST,      /* this peer has been lost or has left; net_peer_words says why */
	NET_NOMEM,     /* no memory: nothing was done */
	NET_BAD,       /* no such peer, oneself, too long, or a text that is no address */
	NET_SYS,       /* a system call failed; errno says why */
};

/* The words of an error, for messages.  Never NULL. */
const char *net_error_text(int error);

/* --- limits --------------------------------------------------------------------------------- */

#define NET_PEERS_MAX        (1 << 20)             /* numbers; memory is for those spoken of */
#define NET_KEY_LEN          16                    /* 128 bits: too many to try */
#define NET_FRAME_MAX        MEAN_OR(1024, 65536)  /* payload bytes of a frame: copied in 10 us */
#define NET_CHUNK_MAX        MEAN_OR(512, 262144)  /* of a stream, before frames get their turn */
#define NET_QUEUE_MAX        MEAN_OR(8192, 524288) /* bytes of frames that wait for one peer */
#define NET_ADDR_LEN         128                   /* bytes of an address as text, with its 0 */
#define NET_WORDS_LEN        256                   /* bytes of why a peer was lost, with the 0 */
#define NET_CONNECT_FIRST_MS 1  /* the first waits so long, so that its frames leave in the call */
#define NET_CONNECT_WAIT_MS  10 /* a second attempt, for its answer: see README, Reconnecting */
#define NET_LISTENERS        2  /* of an endpoint: a UNIX socket beside TCP */

/* The keyed hash of hellos (SipHash-2-4, 128 bits), for the user's own proofs. */
void net_mac(const uint8_t key[NET_KEY_LEN], const void *data, size_t len, uint8_t mac[16]);

/* --- the endpoint --------------------------------------------------------------------------- */

struct net;

/* The user's description of a frame; libnet only carries it. */
struct net_hdr {
	uint64_t ctx;
	int32_t tag;
	uint8_t kind;
	uint8_t flags;
};

/* A frame that arrived.  `data' is aligned to 8 and valid until the callback returns. */
struct net_frame {
	struct net_hdr hdr;
	int from;
	uint32_t len;
	const void *data;
};

/* Takes one frame; it cannot refuse.  Frames of one peer come in the order of their puts. */
typedef void net_deliver_fn(void *arg, const struct net_frame *f);

enum net_why {
	NET_WHY_LEFT, /* the peer called net_close: all that it put has been delivered */
	NET_WHY_LOST, /* anything else: reset, silence, no way to reach it, it broke the protocol */
};

/* Called once a peer, when nothing more will come from it and nothing more can go to it.  All
 * frames that came from it whole have been delivered; every operation of it (net_send, net_post)
 * has got NET_OP_LOST before.  `words' name peer, address and reason: "peer 3 at tcp:10.0.0.2:4711:
 * connection reset", and are valid until the callback returns. */
typedef void net_lost_fn(void *arg, int peer, enum net_why why, const char *words);

/* A connection was refused, or a listener is in trouble; for logs; no peer is lost.  At most
 * NET_LOG_MAX times a process, so that strangers cannot fill a disk. */
typedef void net_log_fn(void *arg, const char *words);
#define NET_LOG_MAX 16

/* "tcp:1.2.3.4:567", "tcp:[2001:db8::1]:567", "unix:NAME" (abstract), or NULL: not known yet, ask
 * again (the peer is lost if that lasts longer than connect_ms).  Valid until the next call. */
typedef const char *net_addr_fn(void *arg, int peer);

/* A process of another universe. */
struct net_foreign {
	uint64_t universe;
	uint32_t number;          /* there */
	uint8_t key[NET_KEY_LEN]; /* its key for foreign peers: signs our hello to it */
};

/* A process of another universe has asked for a connection, with our key for foreign peers.
 * Returns its number here, which is that of a foreign peer when this returns; -1: refuse it. */
typedef int net_foreign_fn(void *arg, uint64_t universe, uint32_t number);

/* 0 in a number: the default. */
struct net_conf {
	int me, npeers;           /* numbers are 0 .. npeers-1; there may be more later: net_grow */
	uint64_t universe;        /* in which these are numbers */
	uint8_t key[NET_KEY_LEN]; /* the job's secret; equal for all peers of the universe */
	uint8_t foreign_key[NET_KEY_LEN]; /* our secret for foreign peers that connect to us */
	net_foreign_fn *foreign;          /* NULL: peers of other universes are refused */
	int listen_fd; /* bound and listening (net_listen), now ours; -1: none (yet) */
	void *arg;     /* for all callbacks */
	net_deliver_fn *deliver;
	net_lost_fn *lost;
	net_log_fn *log; /* or NULL */
	net_addr_fn *addr;
	uint32_t queue_max; /* bytes of frames that wait for one peer; >= 2 frames */
	int dead_ms;        /* a peer's host that answers nothing for so long is dead; 15 s */
	int connect_ms;     /* to reach a peer, all attempts together; 30 s */
	int hello_ms;       /* for a stranger to send its hello; 10 s */
	int strangers_max;  /* connections without a valid hello; 64 */
	int close_ms;       /* net_close takes no longer; 10 s */
	int buf_len;        /* SO_SNDBUF and SO_RCVBUF; 0: the kernel decides */
};

/* Opens an endpoint.  Sends nothing; the listener is the only socket.  *conf is copied.  NET_BAD (a
 * number of conf), NET_NOMEM, NET_SYS. */
int net_open(const struct net_conf *conf, struct net **net);

/* Sends pending messages (at most close_ms), tells the peers, closes and frees everything.
 * Operations under way get NET_OP_LOST, without `done'; frames that still come are dropped; `lost'
 * is called for peers to which not all could be sent.  net == NULL: nothing. */
void net_close(struct net *net);

/* Raises the number of peers: they are 0 .. npeers-1 from now on.  NET_BAD: fewer than before, or
 * more than NET_PEERS_MAX. */
int net_grow(struct net *net, int npeers);

/* Says that `peer' is a process of another universe.  Again for the same process: its key may
 * change.  NET_BAD: no such number, or this peer is another process; NET_NOMEM. */
int net_foreign_set(struct net *net, int peer, const struct net_foreign *home);

/* Forgets a peer that is lost, has left, or was never connected: the next put connects anew.
 * Not inside a callback.  NET_BAD: it is connected, or operations of it are under way. */
int net_peer_forget(struct net *net, int peer);

/* The peer is known to have ended, perhaps with its host: the next poll loses it, instead of
 * waiting for an answer.  The caller has read all that it wants. */
void net_abandon_peer(struct net *net, int peer);

/* After fork, in the child: frees and closes; no peer notices. */
void net_abandon(struct net *net);

/* --- listeners ------------------------------------------------------------------------------ */

/* Opens a listener: where = "tcp:1.2.3.4:0", "tcp:[::1]:0", "tcp:HOSTNAME:0", "tcp:%eth0:0" (the
 * first address of an interface), "unix:NAME" (abstract); port 0 and empty NAME: a free one.  *fd
 * is the caller's; text is what peers connect to, at least NET_ADDR_LEN bytes.  Never binds to all
 * addresses: "tcp:0.0.0.0:0" is NET_BAD.  NET_SYS. */
int net_listen(const char *where, int *fd, char *text);

/* Gives an endpoint another listener: NET_LISTENERS at most.  NET_BAD, NET_SYS. */
int net_listen_on(struct net *net, int fd);

/* Starts to connect to an address, as net_listen writes it.  *fd is the caller's: non-blocking,
 * writable when it is connected or has failed (SO_ERROR).  NET_BAD: no address; NET_SYS: refused,
 * for example. */
int net_connect(const char *addr, int *fd);

/* Is the socket of net_connect connected?  0; EAGAIN: not yet; or the error as of errno. */
int net_connect_status(int fd);

/* From now on net_fd is readable when `fd' is, too; off: no longer.  For a sleep on net_fd alone.
 * NET_SYS. */
int net_wake_on(struct net *net, int fd, bool on);

/* --- frames --------------------------------------------------------------------------------- */

/* Sends one frame, len <= NET_FRAME_MAX; the bytes are copied or gone when it returns.  NET_AGAIN:
 * the queue to this peer is full; NET_LOST, NET_BAD, NET_NOMEM. */
int net_put(struct net *net, int peer, const struct net_hdr *h, const void *buf, size_t len);

/* As net_put, in two steps, for payload that is built in place: *ptr is room for `len' bytes,
 * aligned to 8; net_commit sends `len' or less of it.  Nothing else may be called between the two.
 * Errors as of net_put, from net_reserve only. */
int net_reserve(struct net *net, int peer, size_t len, void **ptr);
void net_commit(struct net *net, int peer, const struct net_hdr *h, size_t len);

/* --- streams -------------------------------------------------------------------------------- */
/* A stream is the bytes of all sends with one id to one peer, in their order; it is cut into posted
 * buffers as these are long, in their order.  Ids are the two users' to agree on, a number may be
 * used again.  The receiver posts before it tells the sender to go on: bytes that meet no buffer
 * are dropped (and counted).  Streams and frames pass each other, by NET_CHUNK_MAX bytes at a
 * time. */

enum net_state {
	NET_OP_NONE,   /* as the user zeroed it */
	NET_OP_ACTIVE, /* the buffer and the op are libnet's */
	NET_OP_DONE,   /* sent: the buffer may change; posted: it is full */
	NET_OP_LOST,   /* the peer is lost, the buffer is free */
};

/* One send or post.  The user's memory; libnet's while ACTIVE.  `done' (or NULL) is called from
 * inside a poll when the state has become DONE or LOST, the op is then the user's again. */
struct net_op {
	enum net_state state;
	int peer;
	uint64_t id;
	uint8_t *buf;
	size_t len;
	size_t at; /* bytes sent or arrived so far */
	void (*done)(struct net_op *op);
	struct net_op *next, *prev, *same, *tail; /* libnet's */
};

/* Sends len bytes of stream `id', len > 0.  Fills in *op but for `done', which is the caller's. May
 * already be DONE when it returns (then `done' is not called).  NET_LOST, NET_BAD, NET_NOMEM: the
 * op is not used. */
int net_send(
	struct net *net, int peer, uint64_t id, const void *buf, size_t len, struct net_op *op);

/* Posts a buffer for the next len bytes of stream `id' from this peer.  As net_send otherwise. */
int net_post(struct net *net, int peer, uint64_t id, void *buf, size_t len, struct net_op *op);

/* Takes an ACTIVE post back: op->state is NET_OP_NONE, the buffer is free at once; bytes that still
 * come for it are dropped, unless another buffer of the stream is posted. */
void net_unpost(struct net *net, struct net_op *op);

/* --- progress ------------------------------------------------------------------------------- */

/* One pass over everything: delivers, sends queued bytes, accepts, runs timers.  Bounded work.
 * Returns > 0 if something happened (frames and chunks), else 0. */
int net_poll(struct net *net);

/* As net_poll, for a caller that waits for `peer': reads its socket first and mostly alone (no
 * epoll).  Every 64th call serves all sockets, so none starves.  peer < 0: net_poll. */
int net_poll_from(struct net *net, int peer);

/* A descriptor that is readable when net_poll has something to do.  For the whole life of `net'. */
int net_fd(const struct net *net);

/* The longest sleep on net_fd before the next net_poll, ms.  0: there is work now; -1: no limit. */
int net_sleep_ms(struct net *net);

/* Is nothing queued that must be sent?  Then the process need not poll for any time. */
bool net_all_sent(const struct net *net);

/* --- state and statistics ------------------------------------------------------------------- */

enum net_peer_state {
	NET_PEER_NONE,
	NET_PEER_CONNECTING,
	NET_PEER_CONNECTED,
	NET_PEER_LEFT,
	NET_PEER_LOST
};

/* The state of a peer; NET_PEER_NONE also for a number out of range. */
enum net_peer_state net_peer_state_get(const struct net *net, int peer);

/* Why the peer is lost, or where it is: never NULL, valid until it is lost. */
const char *net_peer_words(const struct net *net, int peer);

/* Are the invariants of all connections, peers and queues kept?  Not inside a callback; slow.
 * net_close checks it in debug and MEAN=1 builds. */
bool net_valid(const struct net *net);

/* Plain increments. */
struct net_count {
	uint64_t put, put_bytes;   /* frames put, and payload */
	uint64_t put_again;        /* puts that met a full queue */
	uint64_t queued;           /* frames that could not go at once */
	uint64_t got, got_bytes;   /* frames delivered */
	uint64_t sent, sent_bytes; /* chunks of streams */
	uint64_t read, read_bytes; /* chunks that arrived */
	uint64_t direct_bytes;     /* of them straight from the kernel into posted buffers */
	uint64_t stray_bytes;      /* of streams, met no buffer */
	uint64_t sends, recvs;     /* system calls that moved bytes */
	uint64_t empty;            /* that found none */
	uint64_t connects, reconnected, accepted, opened;
	uint64_t crossed;     /* dropped: both had sent a request */
	uint64_t left, lost;  /* peers */
	uint64_t bad_magic;   /* strangers: not of our protocol */
	uint64_t bad_version; /* another version of it */
	uint64_t bad_key;     /* the proof is wrong */
	uint64_t bad_peer;    /* right key, but not one of us, or not for us */
	uint64_t bad_twice;   /* a second connection of a peer that has or had one */
	uint64_t bad_silent;  /* said nothing, or not all of it, in hello_ms, or hung up */
	uint64_t bad_surplus; /* sent away because there were more than strangers_max */
	uint64_t bad_frame;   /* peers that broke the protocol */
	uint64_t no_fd;       /* accept or connect met the limit of descriptors */
};

/* Counts of frames, bytes and connections; live, so read them by one thread. */
const struct net_count *net_counts(const struct net *net);

#endif
