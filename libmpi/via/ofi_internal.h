// SPDX-License-Identifier: BSD-3-Clause
/* ofi_internal.h - shared by ofi.c (peers, frames) and ofi_stream.c (large messages). */
#ifndef HAFT_VIA_OFI_INTERNAL_H
#define HAFT_VIA_OFI_INTERNAL_H

#include "libmpi/via/libfabric.h"
#include "libmpi/via/ofi.h"

/* Kinds of frames.  The first four go by sockets only, and have no sequence number. */
enum ofi_kind {
	OFI_HELLO = OFI_KINDS, /* struct ofi_hello */
	OFI_BYE,     /* the sender leaves MPI; uint32_t: numbered frames that it has sent */
	OFI_BYE_ACK, /* all of them have arrived */
	OFI_FAILED,  /* the fabric has failed at the sender; payload: the reason */
	OFI_OPEN,    /* first frame by the fabric, empty: it begins the connection */
	OFI_CTS      /* clear to send: struct cts (ofi_stream.c) */
};

/* Largest fragment of a large message, bytes: every provider takes so much. */
#define OFI_FRAGMENT_MAX ((size_t)MEAN_OR(2048, 256 << 20))

/* The kind of operation that a completion belongs to. */
enum ofi_what { OFI_RX = 1, OFI_TX, OFI_FRAGMENT, OFI_POST };

/* Precedes each frame by the fabric.  Both ends have one byte order, as for MPI's data. */
struct ofi_header {
	uint64_t key;
	uint64_t ctx;
	int32_t tag;
	uint32_t from;
	uint32_t seq; /* numbered frames before it, by sockets and by the fabric */
	uint8_t kind, flags;
	uint16_t zero;
};
static_assert(sizeof(struct ofi_header) == 32, "payload stays aligned");

/* A registered buffer for one frame. */
struct ofi_buffer {
	struct via_fabric_op op; /* first */
	struct ofi_buffer *next;
	struct ofi_peer *ofi_peer; /* of sends: the target */
	void *desc;
	uint32_t room; /* payload that fits, bytes */
	uint32_t len;  /* of header and payload in it, bytes */
	uint32_t pad[4];
	struct ofi_header head;
	char data[];
};
static_assert(offsetof(struct ofi_buffer, data) % 16 == 0, "payload is aligned");

struct ofi_buffers {
	struct ofi_buffer *head, *tail;
};

enum ofi_end { OFI_HERE, OFI_LEAVING, OFI_ENDING, OFI_GONE };

/* A peer that this process has sent to, or that has sent here.
 *
 *     told, known ──> opened ──> (broken) ──> end: LEAVING, ENDING, GONE
 *
 * Invariants
 *  - Numbered frames go by sockets until `opened', then by the fabric.  Both count in seq_out and
 *    seq_in.  A frame that has arrived by the fabric is kept until all earlier ones have arrived.
 *  - Frames in `waiting' go before any new one.
 *  - A peer with work for later is in via_ofi.work. */
struct ofi_peer {
	int peer;
	bool told, known; /* HELLO sent; HELLO received */
	bool wants;       /* a frame was sent: the fabric is to be opened */
	bool opened;      /* OPEN sent */
	bool broken;      /* a send has failed: waits SUSPECT_NS for the reason from the sockets */
	bool bye;         /* BYE received */
	bool ack_pending, ack_sent, acked; /* of BYE_ACK: to be sent, sent, received */
	bool failed_pending;
	bool left;     /* it has ended MPI in good order */
	bool stopping; /* all posted receives are being cancelled */
	bool working;  /* in via_ofi.work */
	enum ofi_end end;
	uint64_t since_ns; /* of broken, LEAVING, ENDING */
	uint32_t polls;    /* of the fabric, since then */
	uint32_t silent;   /* polls at the end since the last frame from it */
	uint64_t addr;
	uint64_t key_out, key_in;    /* in frames to it, in frames from it */
	uint32_t seq_out, seq_in;    /* numbered frames: sent, delivered */
	uint32_t bye_seq;            /* those that it had sent at its BYE */
	size_t out_bytes;            /* in buffers that are being sent, or wait */
	struct ofi_buffers waiting;  /* the fabric had no room for them */
	struct ofi_buffers reorder;  /* received before their turn, in order */
	struct ofi_streams *streams; /* large messages; NULL: none */
	struct ofi_peer *next;       /* in via_ofi.work */
	struct ofi_peer *all;        /* in via_ofi.peers */
	char *words;                 /* the reason why it is lost or broken; malloc'ed */
};

struct via_ofi {
	struct ofi_peer *peers; /* all */
	struct ofi_peer *work;
	void (*lost)(int peer, bool left, const char *words);
	uint64_t secret, factor; /* of tags: random */
	uint64_t in_flight;      /* operations under way, without posted receives */
	int connecting;          /* peers with HELLO sent and none received */
	_Atomic uint32_t nap_ms; /* longest sleep; 0: any */
	bool closing;
};
extern struct via_ofi via_ofi;

/* The peer of a number, made if need be.  NULL: no memory. */
struct ofi_peer *via_ofi_peer_get(int peer);

/* Puts a peer into the list of work.  via_ofi_started: an operation was given to libfabric. */
void via_ofi_work_add(struct ofi_peer *t);
void via_ofi_started(void);

/* Notes that the fabric has failed for this peer, with libfabric's error. */
void via_ofi_fail(struct ofi_peer *t, int err);

/* Sends a numbered frame.  Results as of via_put. */
int via_ofi_frame(struct ofi_peer *t, const struct net_hdr *h, const void *buf, size_t len);

/* --- ofi_stream.c --------------------------------------------------------------------------- */

/* Of via_ofi_transport: see transport.h. */
int via_ofi_stream_send(int peer, uint64_t id, const void *buf, size_t len, struct net_op *op);
int via_ofi_stream_post(int peer, uint64_t id, void *buf, size_t len, struct net_op *op);
void via_ofi_stream_unpost(struct net_op *op);

/* A frame OFI_CTS has arrived. */
void via_ofi_streams_cts(struct ofi_peer *t, const void *data, size_t len);

/* The operation of a fragment or of a post is complete. */
void via_ofi_streams_event(const struct via_fabric_event *ev);

/* Tries again the sends without room in the fabric.  Returns how many have gone. */
int via_ofi_streams_push(struct ofi_peer *t);

/* True if nothing waits, and no send is under way. */
bool via_ofi_streams_sent(const struct ofi_peer *t);

/* For a peer that is gone. via_ofi_streams_stop cancels all receives if `first'; true: libfabric
 * has no operation left. via_ofi_streams_end ends all operations with NET_OP_LOST. */
bool via_ofi_streams_stop(struct ofi_peer *t, bool first);
void via_ofi_streams_end(struct ofi_peer *t);

/* Frees everything, after libfabric is closed. */
void via_ofi_streams_free(struct ofi_peer *t);

#endif
