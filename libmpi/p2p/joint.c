// SPDX-License-Identifier: BSD-3-Clause
/* joint.c - a large message of private memory that both sides copy.
 *
 *   receiver                        next: 0 1 2 .. pieces              sender
 *   JOIN {to, bytes, id} ─────────────────│──────────────────────────>
 *   claims pieces, reads them  <──────────┴────────>  claims pieces, writes them
 *                    <──────────────────────────── WROTE id: none is left, and some were mine
 *   everything is here: DONE ────────────────────────────────────────> done
 *
 * next is a word in shared memory, beside the message's lease.  The receiver does not wait for the
 * sender: who computes and looks at no frame gets no piece.  That is what WROTE is for: a sender
 * who got none says nothing, and the receiver knows by counting its own.
 *
 * Where a side may not, or cannot, copy a piece that it has claimed, the receiver asks for the
 * whole message once more, through the pipe. */
#include "libmpi/p2p/joint.h"

#include "libmpi/p2p/lease.h"
#include "libmpi/p2p/way.h"
#include "libmpi/type/type.h"
#include <string.h>

/* A call of the kernel costs as much as copying 4 to 8 KiB: 16 pieces lose little, and leave 1/16
 * of the time when one side waits for the last piece of the other. */
#define PIECES    16
#define PIECE_MIN ((int64_t)MEAN_OR(512, 32768))
#define PIECE_MAX ((int64_t)MEAN_OR(2048, 262144))

struct join {
	uint64_t to; /* address of the receiver's buffer */
	int64_t n;   /* bytes, < 2^31 */
	uint32_t id; /* the receiver's name of it, for WROTE */
	uint32_t piece;
};

static int64_t piece_of(int64_t n)
{
	int64_t piece = n / PIECES;

	return piece < PIECE_MIN ? PIECE_MIN : piece > PIECE_MAX ? PIECE_MAX : piece;
}

/* Invites the sender.  False: no memory, or no room for the frame, which is no reason to wait. */
static bool invite(struct req *r, int peer, const char *to, int64_t n)
{
	struct join j = {.to = (uint64_t)(uintptr_t)to, .n = n, .piece = (uint32_t)piece_of(n)};

	if (via.contended || n < 2 * PIECE_MIN || !ids_take(&p2p.ids, r, &r->id))
		return false;
	j.id = r->id;
	if (via_put(peer, 0, (int32_t)r->mate, FRAME_JOIN, &j, sizeof(j)) == 0)
		return true;
	ids_give(&p2p.ids, r->id);
	return false;
}

typedef bool copy_fn(int peer, char *mine, uint64_t yours, size_t len);

static bool copy_here(int peer, char *mine, uint64_t yours, size_t len)
{
	return via_read(peer, mine, yours, len);
}

static bool copy_there(int peer, char *mine, uint64_t yours, size_t len)
{
	return via_write(peer, mine, yours, len);
}

/* Copies pieces until none is left; *bad: one of them could not be.  Returns how many we had. */
static int64_t pieces_copy(
	copy_fn *copy, int peer, char *mine, const struct join *j, uint64_t lease, bool *bad)
{
	int64_t count = 0, at;

	while ((at = (int64_t)lease_piece(lease) * j->piece) < j->n) {
		int64_t left = j->n - at, len = left < j->piece ? left : j->piece;

		*bad = *bad || !copy(peer, mine + at, j->to + (uint64_t)at, (size_t)len);
		count++;
	}
	return count;
}

enum joint joint_read(struct req *r, int peer, char *to, const struct ask *ask, int64_t n)
{
	struct join j = {.to = ask->at, .n = n, .piece = (uint32_t)piece_of(n)};
	bool bad = false;
	int64_t mine;

	r->began = way_clock();
	if (!invite(r, peer, to, n)) {
		bad = !via_read(peer, to, ask->at, (size_t)n);
	} else {
		mine = pieces_copy(copy_here, peer, to, &j, ask->lease, &bad);
		if (mine * j.piece < n) {
			r->state = bad ? STATE_JOINT_BAD : STATE_JOINT;
			return JOINT_OPEN;
		}
		ids_give(&p2p.ids, r->id);
	}
	if (bad)
		return JOINT_BAD;
	way_took(WAY_READ, n, way_clock() - r->began);
	return JOINT_DONE;
}

struct req *joint_over(const struct shm_frame *f, bool *bad)
{
	struct req *r = ids_get(&p2p.ids, (uint32_t)f->tag);

	if (r == NULL || r->kind != REQ_RECV || r->from != f->src ||
		(r->state != STATE_JOINT && r->state != STATE_JOINT_BAD))
		p2p_nonsense(f->src, "the end of message %d, which does not come", f->tag);
	ids_give(&p2p.ids, (uint32_t)f->tag);
	*bad = f->ctx != 0 || r->state == STATE_JOINT_BAD;
	if (!*bad)
		way_took(WAY_READ, r->res.bytes, way_clock() - r->began);
	return r;
}

void joint_join(const struct shm_frame *f)
{
	struct req *r = ids_get(&p2p.ids, (uint32_t)f->tag);
	bool bad = false;
	struct join j;

	if (f->len != sizeof(j) || !send_asked(r, f->src) || r->lease == 0)
		p2p_nonsense(f->src, "%u bytes of help with message %d", f->len, f->tag);
	memcpy(&j, f->data, sizeof(j));
	if (j.n < 0 || j.n > r->bytes || j.piece == 0)
		p2p_nonsense(f->src, "help with %lld bytes of %lld in pieces of %u", (long long)j.n,
			(long long)r->bytes, j.piece);
	if (!via_readable(f->src))
		return;
	if (pieces_copy(copy_there, f->src, type_piece(r->type, r->buf, r->count), &j, r->lease,
		    &bad) == 0)
		return;
	r->mate = j.id;
	r->state = bad ? STATE_OUT_SPOILT : STATE_OUT_WROTE;
	out_put(r, f->src);
}
