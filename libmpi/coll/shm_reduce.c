// SPDX-License-Identifier: BSD-3-Clause
/* shm_reduce.c - reductions through shared memory.
 *
 *      direct    each member combines all operands of a chunk     two members, or short data
 *      last      the last to arrive combines, all copy            central barriers, until that is
 *                                                                 too much for one
 *      shares    member i combines share i of the chunk, then     long data
 *                all copy all shares
 *
 * The order is always ((a0 op a1) op a2) ..., so all three give the same bits. */
#include "libmpi/coll/coll_shm.h"
#include "libmpi/coll/reduce_op.h"
#include "libmpi/type/type.h"
#include <string.h>

#define DIRECT_MAX MEAN_OR(64, 8 * 1024)     /* bytes, for three members and more */
#define LAST_MAX   MEAN_OR(256, 128L * 1024) /* bytes of all operands: one member combines them */
#define SHARES_MIN MEAN_OR(128, 32 * 1024)   /* bytes from which all help the root */

/* The operands of a phase, and their operation. */
struct shm_reduction {
	const struct coll_args *k;
	struct coll *s;
	uint64_t e;
	int64_t area; /* COLL_LINE_DATA or less: operands are in lines; more: in slots */
	void *tmp;    /* user's operations: room for a chunk */
	const char *
		own; /* this member's operand in its own memory, laid out as in its slot; or NULL */
};

/* Member i's operand, from byte `off' on.  This member's own is read from its memory, because the
 * others are reading its slot. */
static const char *reduce_operand(const struct shm_reduction *f, int i, int64_t off)
{
	if (i == f->s->me && f->own != NULL)
		return f->own + off;
	return (char *)coll_phase_data(f->s, f->e, f->area, i) + off;
}

/* Has a member no operand?  Then there is nothing to compute. */
static bool reduce_failed(const struct shm_reduction *f)
{
	struct p2p_error_msg error;

	return f->s->failed != NULL || (f->s->may_fail && coll_phase_error(f->s, f->e, &error));
}

/* out = a0 op a1 .. op a(upto - 1), of `count' elements from byte `off' of each operand on.  A
 * user's function overwrites its second operand, which is in shared memory here: so out and tmp
 * take turns, and the last result is in out. */
static void reduce_range(
	const struct shm_reduction *f, int upto, int64_t off, int64_t count, void *out)
{
	const char *acc = reduce_operand(f, 0, off);
	bool in_place = coll_op_in_place(f->k->op);

	if (unlikely(reduce_failed(f)))
		return;
	if (upto == 1)
		type_move(f->k->rtype, acc, out, count);
	for (int i = 1; i < upto; i++) {
		const char *b = reduce_operand(f, i, off);
		void *to = in_place || (upto - 1 - i) % 2 == 0 ? out : f->tmp;

		coll_op_apply(f->k->op, acc, b, to, count, f->k->rtype);
		acc = to;
	}
}

/* Only named datatypes: members may build equal derived ones from different pieces. */
static bool reduce_fits(const struct coll_args *k)
{
	return k->rtype->combiner == MPI_COMBINER_NAMED && k->rtype->extent > 0;
}

/* Bytes of an operand, for the choice between line and slot: a line's data are aligned to 8 only.
 */
static int64_t reduce_area(const struct type *type, int64_t bytes)
{
	return type->extent % 16 == 0 && bytes <= COLL_LINE_DATA ? COLL_LINE_DATA + 1 : bytes;
}

/* Bytes of an operand's slot: of the whole operand, f->area, if it fits. */
static int64_t reduce_slot(const struct shm_reduction *f)
{
	return f->area < f->s->slot_bytes ? f->area : f->s->slot_bytes;
}

/* Elements of a chunk. */
static int64_t reduce_chunk(const struct coll_args *k, const struct coll *s)
{
	return coll_shm_chunk(s, k->rcount * k->rtype->extent) / k->rtype->extent;
}

/* Copies; a member without data for the call has nothing to copy, or nowhere to. */
static inline void reduce_copy(const struct coll *s, void *to, const void *from, size_t n)
{
	if (likely(s->failed == NULL))
		memcpy(to, from, n);
}

/* Begins a phase with this member's operand: `count' elements from element `first' on. */
HAFT_HOT static void reduce_give(struct shm_reduction *f, int64_t first, int64_t count)
{
	const struct coll_args *k = f->k;

	f->e = coll_phase_begin(f->s);
	f->own = coll_element(coll_operand(k), k->rtype, first);
	reduce_copy(f->s, coll_phase_own_data(f->s, f->e, f->area), f->own,
		(size_t)(count * k->rtype->extent));
	if (k->in_place && !(k->me < 2 && coll_op_in_place(k->op)))
		f->own = NULL; /* the result would overwrite it before it is read */
}

/* --- allreduce ------------------------------------------------------------------------------ */

static void reduce_direct(struct shm_reduction *f, int64_t first, int64_t count)
{
	reduce_give(f, first, count);
	coll_phase_barrier(f->s, f->e);
	reduce_range(f, f->k->n, 0, count, coll_element(f->k->rbuf, f->k->rtype, first));
}

/* As reduce_direct, in chunks of `step' elements.  A member arrives with the next chunk before it
 * waits for the others' present one: they go on while it is late for a moment.  Not for calls in
 * which a member may have no data: its words live for one phase. */
static void reduce_direct_chunks(struct shm_reduction *f, int64_t step)
{
	const struct coll_args *k = f->k;
	struct shm_reduction next = *f;

	reduce_give(&next, 0, coll_shm_part(k->rcount, 0, step));
	coll_phase_arrive(next.s, next.e);
	for (int64_t at = 0; at < k->rcount; at += step) {
		int64_t ahead = coll_shm_part(k->rcount, at + step, step);

		*f = next;
		if (ahead > 0) {
			reduce_give(&next, at + step, ahead);
			coll_phase_arrive(next.s, next.e);
		}
		coll_phase_wait_calls(f->s, f->e);
		reduce_range(f, k->n, 0, coll_shm_part(k->rcount, at, step),
			coll_element(k->rbuf, k->rtype, at));
	}
}

/* Operands in lines: the last to arrive writes the result into the out line. */
static void reduce_last_line(struct shm_reduction *f)
{
	const struct coll_args *k = f->k;
	size_t bytes = (size_t)(k->rcount * k->rtype->extent);
	void *out;

	reduce_give(f, 0, k->rcount);
	out = shm_block_out(f->s->block, f->e)->data;
	if (coll_phase_arrive_last(f->s, f->e)) {
		for (int i = 0; i < k->n; i++) /* all at once: one by one each is waited for */
			__builtin_prefetch(coll_phase_data(f->s, f->e, f->area, i));
		reduce_range(f, k->n, 0, k->rcount, out);
		coll_phase_release(f->s, f->e);
	}
	memcpy(k->rbuf, out, bytes);
}

/* Operands in slots: the result replaces the operand of the last to arrive; the out line says
 * whose. */
static void reduce_last_slot(struct shm_reduction *f, int64_t first, int64_t count)
{
	const struct coll_args *k = f->k;
	size_t bytes = (size_t)(count * k->rtype->extent);
	void *to = coll_element(k->rbuf, k->rtype, first);
	int32_t *holder;

	reduce_give(f, first, count);
	holder = (int32_t *)(void *)shm_block_out(f->s->block, f->e)->data;
	if (!coll_phase_arrive_last(f->s, f->e)) {
		if (likely(*holder >= 0 && *holder < k->n)) /* otherwise their calls differ */
			memcpy(to, coll_phase_data(f->s, f->e, f->area, *holder), bytes);
		return;
	}
	reduce_range(f, k->n, 0, count, to);
	memcpy(coll_phase_data(f->s, f->e, f->area, k->me), to, bytes);
	*holder = k->me;
	coll_phase_release(f->s, f->e);
}

/* The first element of share i of `count' elements. */
static int64_t reduce_share_from(int64_t count, int n, int i)
{
	return count * i / n;
}

/* Combines this member's share.  The result replaces that part of its own slot: others do not read
 * it before the second barrier, and then as the result.  A member that does not collect needs
 * f->tmp. */
static void reduce_shares(struct shm_reduction *f, int64_t first, int64_t count, bool collect)
{
	const struct coll_args *k = f->k;
	int64_t ext = k->rtype->extent, at = reduce_share_from(count, k->n, k->me);
	int64_t len = reduce_share_from(count, k->n, k->me + 1) - at;
	char *mine, *to = collect ? coll_element(k->rbuf, k->rtype, first) : NULL;

	reduce_give(f, first, count);
	coll_phase_barrier(f->s, f->e);
	mine = coll_phase_data(f->s, f->e, f->area, k->me);
	reduce_range(f, k->n, at * ext, len, collect ? to + at * ext : f->tmp);
	reduce_copy(f->s, mine + at * ext, collect ? to + at * ext : f->tmp, (size_t)(len * ext));
	coll_phase_barrier(f->s, coll_phase_begin(f->s));
	for (int j = 1; j < k->n && collect; j++) {
		int i = (k->me + j) % k->n;

		at = reduce_share_from(count, k->n, i);
		len = reduce_share_from(count, k->n, i + 1) - at;
		reduce_copy(f->s, to + at * ext,
			(char *)coll_phase_data(f->s, f->e, f->area, i) + at * ext,
			(size_t)(len * ext));
	}
}

static int shm_allreduce_long(struct shm_reduction *f)
{
	const struct coll_args *k = f->k;
	int64_t bytes = k->rcount * k->rtype->extent, step;
	bool one = f->s->central && bytes * k->n <= LAST_MAX;
	bool each = !f->s->central && (k->n == 2 || bytes <= DIRECT_MAX);

	if (!coll_shm_slots(f->s))
		return COLL_SHM_NONE;
	step = reduce_chunk(k, f->s);
	if (step == 0)
		return COLL_SHM_NONE;
	f->area = reduce_slot(f);
	f->tmp = f->s->tmp;
	if (each && !f->s->may_fail) {
		reduce_direct_chunks(f, step);
		return 0;
	}
	for (int64_t at = 0; at < k->rcount; at += step) {
		int64_t len = coll_shm_part(k->rcount, at, step);

		if (one)
			reduce_last_slot(f, at, len);
		else if (each)
			reduce_direct(f, at, len);
		else
			reduce_shares(f, at, len, true);
	}
	return 0;
}

HAFT_HOT int coll_shm_allreduce(const struct coll_args *k)
{
	_Alignas(16) char tmp[COLL_LINE_DATA];
	struct shm_reduction f = {.k = k, .s = k->comm->coll, .tmp = tmp};
	int64_t bytes = k->rcount * k->rtype->extent;

	if (!reduce_fits(k))
		return COLL_SHM_NONE;
	f.area = reduce_area(k->rtype, bytes);
	if (f.area > COLL_LINE_DATA)
		return shm_allreduce_long(&f);
	if (f.s->central)
		reduce_last_line(&f);
	else
		reduce_direct(&f, 0, k->rcount);
	return 0;
}

/* --- reduce --------------------------------------------------------------------------------- */

static void reduce_at_root(struct shm_reduction *f, int64_t first, int64_t count)
{
	const struct coll_args *k = f->k;

	reduce_give(f, first, count);
	coll_phase_arrive(f->s, f->e);
	if (k->me != k->root)
		return;
	coll_phase_wait_calls(f->s, f->e);
	reduce_range(f, k->n, 0, count, coll_element(k->rbuf, k->rtype, first));
}

int coll_shm_reduce(const struct coll_args *k)
{
	_Alignas(16) char tmp[COLL_LINE_DATA];
	struct shm_reduction f = {.k = k, .s = k->comm->coll, .tmp = tmp};
	int64_t bytes = k->rcount * k->rtype->extent, step;
	bool help = k->n > 2 && bytes >= SHARES_MIN && coll_op_in_place(k->op);

	coll_keep(k->comm->coll, coll_digest(k));
	if (!reduce_fits(k))
		return COLL_SHM_NONE;
	f.area = reduce_area(k->rtype, bytes);
	if (f.area <= COLL_LINE_DATA) {
		reduce_at_root(&f, 0, k->rcount);
		return 0;
	}
	step = coll_shm_slots(f.s) ? reduce_chunk(k, f.s) : 0;
	if (step == 0)
		return COLL_SHM_NONE;
	f.area = reduce_slot(&f);
	f.tmp = f.s->tmp;
	for (int64_t at = 0; at < k->rcount; at += step) {
		int64_t len = k->rcount - at < step ? k->rcount - at : step;

		if (help)
			reduce_shares(&f, at, len, k->me == k->root);
		else
			reduce_at_root(&f, at, len);
	}
	return 0;
}

/* --- reduce_scatter, scan, exscan ----------------------------------------------------------- */

/* A phase of a reduce_scatter: of each block elements [first, first + room), or those that there
 * are.  A member's slot has `room' elements for each block. */
static void reduce_blocks(struct shm_reduction *f, int64_t first, int64_t room)
{
	const struct coll_args *k = f->k;
	const char *from = coll_element(coll_operand(k), k->rtype, first);
	int64_t extent = k->rtype->extent, count = 0;
	char *to;

	f->e = coll_phase_begin(f->s);
	to = coll_phase_own_data(f->s, f->e, f->area);
	for (int i = 0; i < k->n; i++, to += room * extent) {
		int64_t size = coll_block_size(k, i), part = coll_shm_part(size, first, room);

		reduce_copy(f->s, to, from, (size_t)(part * extent));
		from += size * extent;
		count = i == k->me ? part : count;
	}
	coll_phase_barrier(f->s, f->e);
	if (count > 0)
		reduce_range(f, k->n, room * extent * k->me, count,
			coll_element(k->rbuf, k->rtype, first));
}

/* The counts of a reduce_scatter. */
struct reduce_counts {
	int64_t longest; /* elements of the longest block */
	bool equal;      /* all are as long */
	uint32_t digest; /* of the list: as bytes of a call's digest; 0: there is none */
};

static struct reduce_counts reduce_counts(const struct coll_args *k)
{
	struct reduce_counts c = {.longest = coll_block_size(k, 0), .equal = true};
	uint32_t mix = 0;

	for (int i = 0; i < k->n && k->rcounts.v != NULL; i++) {
		int64_t size = coll_block_size(k, i);

		c.equal = c.equal && size == c.longest;
		c.longest = num_max(c.longest, size);
		mix = mix * 31 + (uint32_t)size;
	}
	c.digest = coll_digest_fold(mix);
	return c;
}

/* In place the result of a phase is written over operands.  Where all blocks are as long these have
 * been read before; else there is one phase.  The phases show the counts: their sum, which the
 * call's digest has, may be equal in members that differ. */
int coll_shm_reduce_scatter(const struct coll_args *k)
{
	_Alignas(16) char tmp[COLL_LINE_DATA];
	struct shm_reduction f = {.k = k, .s = k->comm->coll, .tmp = tmp};
	struct reduce_counts c = reduce_counts(k);
	int64_t step = c.longest;

	if (!reduce_fits(k))
		return COLL_SHM_NONE;
	f.area = reduce_area(k->rtype, k->n * c.longest * k->rtype->extent);
	if (f.area > COLL_LINE_DATA) {
		step = coll_shm_slots(f.s) ? f.s->slot_bytes / k->n / k->rtype->extent : 0;
		if (step == 0 || c.longest > COLL_CHUNKS * COLL_CHUNKS * step ||
			(!c.equal && c.longest > step))
			return COLL_SHM_NONE;
		f.area = reduce_slot(&f);
		f.tmp = f.s->tmp;
		step = num_min(c.longest, step);
	}
	f.s->digest ^= c.digest;
	for (int64_t at = 0; at < c.longest; at += step)
		reduce_blocks(&f, at, step);
	return 0;
}

static int shm_scan_any(const struct coll_args *k, bool inclusive)
{
	_Alignas(16) char tmp[COLL_LINE_DATA];
	struct shm_reduction f = {.k = k, .s = k->comm->coll, .tmp = tmp};
	int64_t bytes = k->rcount * k->rtype->extent;
	int upto = k->me + inclusive;

	if (!reduce_fits(k))
		return COLL_SHM_NONE;
	f.area = reduce_area(k->rtype, bytes);
	if (f.area > COLL_LINE_DATA) {
		if (!coll_shm_slots(f.s) || bytes > f.s->slot_bytes)
			return COLL_SHM_NONE;
		f.area = reduce_slot(&f);
		f.tmp = f.s->tmp;
	}
	reduce_give(&f, 0, k->rcount);
	coll_phase_barrier(f.s, f.e);
	if (upto > 0)
		reduce_range(&f, upto, 0, k->rcount, k->rbuf);
	return 0;
}

int coll_shm_scan(const struct coll_args *k)
{
	return shm_scan_any(k, true);
}

int coll_shm_exscan(const struct coll_args *k)
{
	return shm_scan_any(k, false);
}
