// SPDX-License-Identifier: BSD-3-Clause
/* cooperative.c - a large message of private memory that both sides copy.
 *
 *   receiver                       number of chunks taken              sender
 *   COOP {address, bytes, id} ────────────────│──────────────────────>
 *   takes chunks, reads them    <─────────────┴──────>  takes chunks, writes them
 *                    <─────────────────── COOP_DONE id: none is left, and I had some
 *   everything is here: FIN ─────────────────────────────────────────> done
 *
 *   message   |   0   | 2 |4| 5 |     3     |   1   |   of 1 MiB: 384, 96, 32, 32, 96, 384 KiB
 *             receiver ──────>     <─────── sender
 *
 * Chunks are numbered as they are taken, two of each length, and the receiver has its own from the
 * front, the sender from the back.  So a buffer that is used again is copied by the same CPU as
 * before, but for some lines in the middle.  A side waits for at most a chunk of the other: if both
 * copy equally fast, an eighth of the message, for a sender that comes late.
 *
 * A receiver does not invite a peer that has a message of this process to read: in an exchange both
 * copy already, and the peer's stores would have to cross to this CPU once more.
 *
 * The counter of chunks is in shared memory, beside the message's claim word.  The receiver does
 * not wait for the sender: a sender that computes, and looks at no frame, gets no chunk.  It sends
 * no COOP_DONE then, and the receiver knows by counting its own bytes.
 *
 * If a side may not, or cannot, copy a chunk that it has taken, the receiver sends CTS, and the
 * whole message comes once more, through the pipe. */
#include "libmpi/p2p/cooperative.h"

#include "libmpi/core/clock.h"
#include "libmpi/core/num.h"
#include "libmpi/p2p/claim.h"
#include "libmpi/p2p/outq.h"
#include "libmpi/p2p/proto.h"
#include "libmpi/p2p/request.h"
#include "libmpi/p2p/send.h"
#include <string.h>

/* A call of the kernel costs as much, besides, as copying this (PERF.md). */
#define COOP_CHUNK_MIN ((int64_t)MEAN_OR(512, 32768))

struct coop_msg {
	uint64_t to; /* address of the receiver's buffer */
	int64_t n;   /* bytes, < 2^31 */
	uint32_t id; /* the receiver's number of it, for COOP_DONE */
	uint32_t pad;
};

/* A message as it is cut into chunks. */
struct coop_cut {
	int64_t left;    /* bytes behind the chunks so far */
	int64_t chunk;   /* bytes of the last one */
	uint32_t chunks; /* so far */
};

/* Bytes of the next chunk; 0: there is none.  Two chunks are three quarters of the rest, or all of
 * it if a quarter is too little for two more. */
static int64_t coop_cut_next(struct coop_cut *c)
{
	bool last = c->left <= 4 * COOP_CHUNK_MIN;

	if (c->chunks++ % 2 == 0)
		c->chunk = num_max(COOP_CHUNK_MIN, last ? (c->left + 1) / 2 : c->left / 8 * 3);
	c->chunk = num_min(c->chunk, c->left);
	c->left -= c->chunk;
	return c->chunk;
}

/* A sender that is invited by the helper would take its CPU, and the rest of the job sleeps: no two
 * copy at once then. */
static bool coop_shares_cpu(int peer)
{
	return p2p_state.helping && via_shares_cpu(peer);
}

/* Invites the sender.  False: it is not worth it, there is no memory, or no room for the frame. */
static bool coop_invite(struct req *r, int peer, const char *to, int64_t n)
{
	struct coop_msg j = {.to = (uint64_t)(uintptr_t)to, .n = n};

	if (via_oversubscribed_now() || n < 2 * COOP_CHUNK_MIN || p2p_claim_unread(peer) ||
		coop_shares_cpu(peer) || !id_table_take(&p2p_state.ids, r, &r->recv.coop_id))
		return false;
	j.id = r->recv.coop_id;
	if (via_put(peer, 0, (int32_t)r->recv.sender_id, FRAME_COOP, &j, sizeof(j)) == 0)
		return true;
	id_table_drop(&p2p_state.ids, r->recv.coop_id);
	return false;
}

enum coop_side { COOP_RECEIVER, COOP_SENDER };

/* Copies chunks until none is left; *bad: one of them could not be.  Returns how many bytes this
 * side had. */
static int64_t coop_copy(enum coop_side side, int peer, char *mine, const struct coop_msg *j,
	uint64_t claim, bool *bad)
{
	struct coop_cut cut = {.left = j->n};
	int64_t had = 0, len, at;

	for (;; had += len) {
		uint32_t number = p2p_claim_next_chunk(claim);

		do
			len = coop_cut_next(&cut);
		while (len > 0 && cut.chunks <= number);
		if (len == 0)
			return had;
		at = side == COOP_RECEIVER ? had : j->n - had - len;
		if (!*bad && side == COOP_RECEIVER)
			*bad = !via_read(peer, mine + at, j->to + (uint64_t)at, (size_t)len);
		else if (!*bad)
			*bad = !via_write(peer, mine + at, j->to + (uint64_t)at, (size_t)len);
	}
}

enum in_place p2p_read_private(struct req *r, int peer, char *to, const struct rts *rts, int64_t n)
{
	struct coop_msg j = {.to = rts->at, .n = n};
	bool bad = false;
	int64_t mine;

	r->recv.began = clock_now_ns();
	if (!coop_invite(r, peer, to, n)) {
		bad = !via_read(peer, to, rts->at, (size_t)n);
	} else {
		mine = coop_copy(COOP_RECEIVER, peer, to, &j, rts->claim, &bad);
		if (mine < n) {
			r->state = bad ? STATE_AWAIT_COOP_FAILED : STATE_AWAIT_COOP;
			return IN_PLACE_OPEN;
		}
		id_table_drop(&p2p_state.ids, r->recv.coop_id);
	}
	if (bad)
		return IN_PLACE_NOT;
	p2p_claim_read(rts->claim);
	p2p_proto_took(PROTO_READ, n, clock_now_ns() - r->recv.began);
	return IN_PLACE_DONE;
}

struct req *p2p_coop_end(const struct shm_frame *f, bool *bad)
{
	struct req *r = id_table_get(&p2p_state.ids, (uint32_t)f->tag);

	if (r == NULL || r->kind != REQ_RECV || r->recv.from != f->src ||
		(r->state != STATE_AWAIT_COOP && r->state != STATE_AWAIT_COOP_FAILED))
		p2p_protocol_error(f->src, "the end of message %d, which does not come", f->tag);
	id_table_drop(&p2p_state.ids, (uint32_t)f->tag);
	*bad = f->ctx != 0 || r->state == STATE_AWAIT_COOP_FAILED;
	if (!*bad)
		p2p_proto_took(PROTO_READ, r->res.bytes, clock_now_ns() - r->recv.began);
	return r;
}

void p2p_coop_help(const struct shm_frame *f)
{
	struct req *r = id_table_get(&p2p_state.ids, (uint32_t)f->tag);
	bool bad = false;
	struct coop_msg j;

	if (f->len != sizeof(j) || !p2p_send_awaits_cts(r, f->src) || r->send.claim == 0)
		p2p_protocol_error(f->src, "%u bytes of help with message %d", f->len, f->tag);
	memcpy(&j, f->data, sizeof(j));
	if (j.n < 0 || j.n > r->bytes)
		p2p_protocol_error(f->src, "help with %lld bytes of %lld", (long long)j.n,
			(long long)r->bytes);
	if (!via_readable(f->src) || coop_shares_cpu(f->src))
		return;
	if (coop_copy(COOP_SENDER, f->src, type_contiguous_at(r->type, r->buf, r->count), &j,
		    r->send.claim, &bad) == 0)
		return;
	r->send.coop_id = j.id;
	r->state = bad ? STATE_OUT_COOP_FAILED : STATE_OUT_COOP_DONE;
	p2p_out_put(r, f->src);
}
