// SPDX-License-Identifier: BSD-3-Clause
/* ofi_internal.h - what ofi.c (ties, frames) and ofi_stream.c (large messages) share. */
#ifndef HAFT_VIA_OFI_INTERNAL_H
#define HAFT_VIA_OFI_INTERNAL_H

#include "libmpi/via/libfabric.h"
#include "libmpi/via/ofi.h"

/* Kinds of frames.  By sockets only, without a number; and numbered as all others are. */
enum ofi_kind {
	OFI_HELLO = OFI_KINDS, /* struct hello */
	OFI_BYE,               /* uint32_t: frames that have gone by the fabric; it is leaving */
	OFI_BYE_ACK,           /* all of them have come */
	OFI_FAILED,            /* the fabric has failed: I have lost you; words */
	OFI_OPEN,              /* first by the fabric; ctx: numbered frames that went by sockets */
	OFI_CTS                /* struct room (ofi_stream.c) */
};

/* Bytes that go at a time of a large message: no provider takes less. */
#define OFI_FRAGMENT_MAX ((size_t)MEAN_OR(2048, 256 << 20))

/* What completions belong to. */
enum ofi_what { OFI_RX = 1, OFI_TX, OFI_FRAGMENT, OFI_POST };

/* In front of each frame by the fabric; the same byte order at both ends, as MPI's data has. */
struct ofi_header {
	uint64_t key;
	uint64_t ctx;
	int32_t tag;
	uint32_t from;
	uint32_t seq; /* numbered frames before it, by the fabric */
	uint8_t kind, flags;
	uint16_t zero;
};
static_assert(sizeof(struct ofi_header) == 32, "payload stays aligned");

/* A buffer of a frame. */
struct ofi_buffer {
	struct via_fabric_op op; /* first */
	struct ofi_buffer *next;
	struct ofi_peer *ofi_peer; /* of sends: whose it is */
	void *desc;
	uint32_t room; /* bytes of payload that fit */
	uint32_t len;  /* of what is in it, with its head */
	uint32_t pad[4];
	struct ofi_header head;
	char data[];
};
static_assert(offsetof(struct ofi_buffer, data) % 16 == 0, "payload is aligned");

struct ofi_buffers {
	struct ofi_buffer *head, *tail;
};

enum ofi_end { OFI_HERE, OFI_LEAVING, OFI_ENDING, OFI_GONE };

/* A peer that was spoken of.
 *
 *     told, known ──> opened ──> (broken) ──> end: LEAVING, ENDING, GONE
 *
 * Invariants
 *  - Numbered frames go by sockets until `opened', then by the fabric.  A frame that has come by
 *    the fabric is held until all before it have come.
 *  - `waiting' has gone before anything new goes by the fabric.
 *  - A tie with something to do later is in the list of work. */
struct ofi_peer {
	int peer;
	bool told, known;           /* our HELLO has gone; its has come */
	bool wants;                 /* something has gone: the fabric is to be opened */
	bool opened;                /* our OPEN has gone */
	bool heard;                 /* its OPEN has come */
	bool broken;                /* a send has failed: sockets have a moment to say why */
	bool bye;                   /* its BYE has come */
	bool owes_got, got_it, got; /* GOT is to be sent, was sent, has come */
	bool owes_cut;
	bool left;     /* it has ended in good order */
	bool stopping; /* libfabric was asked for everything back */
	bool working;  /* in the list of work */
	enum ofi_end end;
	uint64_t since_ns; /* of broken, LEAVING, ENDING */
	uint32_t looks;    /* at the fabric since then */
	uint64_t addr;
	uint64_t key_out, key_in;          /* in our frames, in its */
	uint32_t nets_out, nets_in;        /* numbered frames by sockets */
	uint32_t nets_due;                 /* those before its OPEN */
	uint32_t seq_out, seq_in, bye_seq; /* by the fabric; delivered */
	size_t out_bytes;                  /* in buffers that libfabric has, or that wait */
	struct ofi_buffers waiting;        /* would not go yet */
	struct ofi_buffers held;           /* by number */
	struct ofi_streams *ofi_streams;   /* ofi_stream.c's; NULL: none */
	struct ofi_peer *next;             /* work */
	struct ofi_peer *all;              /* in ofi.ties */
	char *words;                       /* why it is lost or broken */
};

struct via_ofi {
	struct ofi_peer *peers; /* all that were spoken of */
	struct ofi_peer *work;
	void (*lost)(int peer, bool left, const char *words);
	uint64_t secret, factor; /* tags are made of them */
	uint64_t busy;           /* operations that libfabric has, but for posted receives */
	int making;              /* ties that were told our name and have not said theirs */
	_Atomic uint32_t nap_ms; /* no sleep is longer; 0: any */
	bool closing;
};
extern struct via_ofi via_ofi;

uint64_t via_ofi_now(void);

/* The tie to a peer, made if need be; NULL: no memory. */
struct ofi_peer *via_ofi_peer_get(int peer);

/* There is something to do later: soon, or when libfabric is done with something. */
void via_ofi_work_add(struct ofi_peer *t);
void via_ofi_started(void);

/* The fabric has failed towards this peer. */
void via_ofi_fail(struct ofi_peer *t, int err);

/* Puts a numbered frame: as via_ofi_put. */
int via_ofi_frame(struct ofi_peer *t, const struct net_hdr *h, const void *buf, size_t len);

/* --- ofi_stream.c --------------------------------------------------------------------------- */

/* OFI_CTS has come. */
void via_ofi_streams_cts(struct ofi_peer *t, const void *data, size_t len);

/* A part or a post has ended. */
void via_ofi_streams_event(const struct via_fabric_event *ev);

/* What could not go before; returns how much has moved. */
int via_ofi_streams_push(struct ofi_peer *t);

/* Nothing waits, and libfabric has nothing of it that goes out. */
bool via_ofi_streams_quiet(const struct ofi_peer *t);

/* The peer is gone: via_ofi_streams_stop asks libfabric for everything back, the first time; true:
 * it has nothing any more. via_ofi_streams_end ends all operations, NET_OP_LOST. */
bool via_ofi_streams_stop(struct ofi_peer *t, bool first);
void via_ofi_streams_end(struct ofi_peer *t);

/* libfabric is closed: frees what is left. */
void via_ofi_streams_free(struct ofi_peer *t);

#endif
