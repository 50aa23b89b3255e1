// SPDX-License-Identifier: BSD-3-Clause
/* am_target.c - active messages at the target: other processes' operations on the own memory
 * (am.h).
 *
 *      PUT, ACC ──> executed while the frame is handled ──> ACK; ACC with fetch: old values
 *      GET ──> struct am_reply {runs} ──> read when the transport has room
 *
 * The origin has checked every run, but attached memory changes.  A run outside of the window is
 * left out, and the answer says so: the origin's next flush fails.  An operation that returns data
 * is not executed at all then, and the answer says how many bytes are missing.
 *
 * am_valid checks a frame: its runs are complete, its data is as long as they say, and operation
 * and type fit together. */
#include "libmpi/rma/am.h"

#include "libmpi/core/err.h"
#include "libmpi/core/process_state.h"
#include "libmpi/p2p/p2p.h"
#include "libmpi/rma/acc_apply.h"
#include "libmpi/rma/atomic.h"
#include "libmpi/rma/win.h"
#include "libmpi/coll/reduce_op.h"
#include "libmpi/via/shared_mem.h"
#include <engine.h>
#include <stdlib.h>
#include <string.h>

#define FRAME_ALIGN 16 /* of elements: that of the largest basic type */

/* Data on its way to an origin: memory of runs in the window, or bytes of its own. */
struct am_reply {
	struct rma_queued queued;
	struct win *w;
	struct rma_am_head head;
	int64_t n, run;          /* runs in all, and the one that is sent */
	uint64_t at;             /* bytes of it that have left */
	struct rma_am_run *runs; /* malloc'ed */
	char *own; /* malloc'ed: places are offsets in it; NULL: memory is in the window */
};

struct am_ack {
	struct rma_queued queued;
	struct rma_am_head head; /* runs: number of operations */
};

static __attribute__((noreturn, cold)) void am_no_memory(void)
{
	haft_abort_job(MPI_ERR_NO_MEM, "no memory to serve a window");
}

char *rma_am_memory(const struct win *w, const struct rma_am_run *r, bool *shared)
{
	const struct rma_target *t = &w->target[w->rank];
	char *at = (char *)((uintptr_t)t->base + (uintptr_t)r->offset);

	*shared = t->shared;
	if (w->flavor == MPI_WIN_FLAVOR_DYNAMIC) {
		*shared = w->rma->direct && r->offset - t->seg < via.mem_len;
		return rma_attach_check(w, w->rank, r->offset, (int64_t)r->len) == 0 ? at : NULL;
	}
	if (r->offset > (uint64_t)t->bytes || r->len > (uint64_t)t->bytes - r->offset)
		return NULL;
	return at;
}

/* --- answers -------------------------------------------------------------------------------- */

static int ack_push(struct rma_queued *o)
{
	struct am_ack *d = container_of(o, struct am_ack, queued);
	int err = via_put(o->peer, o->ctx, AM_ACK, FRAME_RMA, &d->head, sizeof(d->head));

	if (err == 0)
		free(d);
	return err;
}

/* Acknowledges `count' operations.  Extends an ACK that still waits, unless one has failed: err is
 * the error of the operation at the front. */
static void ack_send(const struct win *w, int from, uint32_t count, int err)
{
	int peer = w->target[from].peer;
	struct rma_queued *last = rma_queue_last(peer);
	struct am_ack *d;

	if (err == 0 && last != NULL && last->push == ack_push && last->ctx == w->comm->ctx) {
		d = container_of(last, struct am_ack, queued);
		if (d->head.err == 0) {
			d->head.runs += count;
			return;
		}
	}
	d = calloc(1, sizeof(*d));
	if (d == NULL)
		am_no_memory();
	d->queued.push = ack_push;
	d->queued.ctx = w->comm->ctx;
	d->queued.peer = peer;
	d->head.runs = count;
	d->head.err = err;
	rma_queue_put(&d->queued);
}

/* Fills a frame with up to `room' bytes of the runs.  Returns the number of bytes. */
static int64_t reply_fill(struct am_reply *a, char *to, int64_t room)
{
	int64_t n = 0;
	bool shared;

	while (a->run < a->n && n < room) {
		const struct rma_am_run *r = &a->runs[a->run];
		int64_t k = (int64_t)(r->len - a->at);
		const char *from =
			a->own != NULL ? a->own + r->offset : rma_am_memory(a->w, r, &shared);

		k = k < room - n ? k : room - n;
		if (from != NULL)
			memcpy(to + n, from + a->at, (size_t)k);
		else
			a->head.err = MPI_ERR_RMA_RANGE;
		a->at += (uint64_t)k;
		n += k;
		if (a->at == r->len) {
			a->run++;
			a->at = 0;
		}
	}
	return n;
}

static int64_t reply_left(const struct am_reply *a)
{
	int64_t n = -(int64_t)a->at;

	for (int64_t i = a->run; i < a->n; i++)
		n += (int64_t)a->runs[i].len;
	return n;
}

static int reply_push(struct rma_queued *o)
{
	struct am_reply *a = container_of(o, struct am_reply, queued);
	const int64_t head = sizeof(a->head), most = rma_frame_max() - head;

	/* An answer without any data takes a frame of its own. */
	bool words = rma_am_missing(&a->head) > 0;

	for (int64_t rest = reply_left(a), n; rest > 0 || words; rest -= n) {
		char *room;

		n = rest < most ? rest : most;
		room = rma_frame_reserve(o, head + n);
		if (room == NULL)
			return VIA_AGAIN;
		reply_fill(a, room + head, n);
		memcpy(room, &a->head, (size_t)head);
		rma_frame_commit(o, AM_DATA, head + n);
		words = false;
	}
	obj_drop(a->w);
	free(a->runs);
	free(a->own);
	free(a);
	return 0;
}

static struct am_reply *reply_new(struct win *w, int from, int64_t n)
{
	struct am_reply *a = calloc(1, sizeof(*a));

	if (a != NULL)
		a->runs = malloc((size_t)(n + 1) * sizeof(*a->runs));
	if (a == NULL || a->runs == NULL)
		am_no_memory();
	obj_hold(w);
	a->w = w;
	a->n = n;
	a->queued.push = reply_push;
	a->queued.ctx = w->comm->ctx;
	a->queued.peer = w->target[from].peer;
	return a;
}

/* --- requests ------------------------------------------------------------------------------- */

static bool am_all_there(const struct win *w, const struct rma_am_run *runs, uint32_t n)
{
	bool shared;

	for (uint32_t i = 0; i < n; i++) {
		if (rma_am_memory(w, &runs[i], &shared) == NULL)
			return false;
	}
	return true;
}

static uint64_t am_runs_sum(const struct rma_am_run *runs, uint32_t n)
{
	uint64_t bytes = 0;

	for (uint32_t i = 0; i < n; i++)
		bytes += runs[i].len;
	return bytes;
}

/* Answers a request for memory that is not in the window. */
static void reply_refuse(struct win *w, int from, const struct rma_am_run *runs, uint32_t n)
{
	struct am_reply *a = reply_new(w, from, 0);

	a->head.err = MPI_ERR_RMA_RANGE;
	rma_am_missing_set(&a->head, am_runs_sum(runs, n));
	rma_queue_put(&a->queued);
}

static void am_serve_get(struct win *w, int from, const struct rma_am_run *runs, uint32_t n)
{
	struct am_reply *a;

	if (!am_all_there(w, runs, n)) {
		reply_refuse(w, from, runs, n);
		return;
	}
	a = reply_new(w, from, n);
	memcpy(a->runs, runs, n * sizeof(*runs));
	rma_queue_put(&a->queued);
}

static int am_serve_put(struct win *w, const struct rma_am_run *runs, uint32_t n, const char *data)
{
	int err = 0;
	bool shared;

	for (uint32_t i = 0; i < n; i++) {
		char *to = rma_am_memory(w, &runs[i], &shared);

		if (to != NULL)
			memcpy(to, data, runs[i].len);
		else
			err = MPI_ERR_RMA_RANGE;
		data += runs[i].len;
	}
	return err;
}

int rma_am_accumulate(struct win *w, const struct rma_am_head *h, const struct rma_am_run *runs,
	const char *data, char *old)
{
	struct rma_acc a = {.w = w,
		.rank = w->rank,
		.op = rma_am_op_of(h->op),
		.basic = rma_am_type_of(h->basic)};
	int err = 0;

	if (a.basic == NULL)
		return MPI_ERR_TYPE;
	for (uint32_t i = 0; i < h->runs; i++) {
		int64_t n = (int64_t)runs[i].len / a.basic->extent;
		char *at = rma_am_memory(w, &runs[i], &a.shared);

		a.compare = data + a.basic->extent; /* of a swap, which is one element */
		if (at == NULL)
			err = MPI_ERR_RMA_RANGE;
		else if (rma_acc_apply(&a, at, runs[i].offset, data, old, n) != 0)
			err = MPI_ERR_NO_MEM;
		data += a.op != rma_atomic_no_op ? runs[i].len : 0;
		old += old != NULL ? runs[i].len : 0;
	}
	return err;
}

/* An accumulate that returns the old values. */
static void am_serve_fetch(struct win *w, int from, const struct rma_am_head *h,
	const struct rma_am_run *runs, const char *data)
{
	uint64_t bytes = am_runs_sum(runs, h->runs);
	struct am_reply *a;

	if (!am_all_there(w, runs, h->runs)) {
		reply_refuse(w, from, runs, h->runs);
		return;
	}
	a = reply_new(w, from, 1);
	a->runs[0] = (struct rma_am_run){0, bytes};
	a->own = calloc(1, bytes);
	if (a->own == NULL)
		am_no_memory();
	a->head.err = rma_am_accumulate(w, h, runs, data, a->own);
	rma_queue_put(&a->queued);
}

/* --- beliefs about targets ------------------------------------------------------------------ */

/* Bytes of all runs; < 0: more than memory can hold. */
static int64_t am_runs_bytes(const struct rma_am_run *runs, uint32_t n)
{
	int64_t bytes = 0;

	for (uint32_t i = 0; i < n; i++) {
		if (runs[i].len > INT64_MAX ||
			__builtin_add_overflow(bytes, (int64_t)runs[i].len, &bytes))
			return -1;
	}
	return bytes;
}

/* Is the data of an accumulate `len' bytes long?  Of a type that is not known here, or for which
 * there is no memory, nothing is checked. */
static bool am_acc_valid(const struct rma_am_head *h, int64_t bytes, int64_t len)
{
	const struct type *basic = rma_am_type_of(h->basic);
	const struct op *op = rma_am_op_of(h->op);

	if (basic == NULL)
		return true;
	if (basic->extent <= 0)
		return false;
	if (h->op == 0)
		return rma_acc_comparable(basic) && h->fetch && bytes == basic->extent &&
		       len == 2 * bytes;
	if (op == rma_atomic_no_op)
		return len == 0 || len == bytes;
	return op != NULL && len == bytes &&
	       (op == rma_atomic_replace || coll_op_check(op, basic) == 0);
}

static bool am_valid(int kind, const struct rma_am_head *h, int64_t len)
{
	const struct rma_am_run *runs = (const struct rma_am_run *)(const void *)(h + 1);
	int64_t bytes;

	if (h->runs > ((uint64_t)len - sizeof(*h)) / sizeof(*runs))
		return false;
	len -= (int64_t)(sizeof(*h) + h->runs * sizeof(*runs));
	bytes = am_runs_bytes(runs, h->runs);
	if (bytes < 0)
		return false;
	if (kind == AM_ACC)
		return am_acc_valid(h, bytes, len);
	return len == (kind == AM_PUT ? bytes : 0);
}

static void am_serve(struct win *w, int from, int kind, const void *frame, int64_t len)
{
	const struct rma_am_head *h = frame;
	const struct rma_am_run *runs = (const struct rma_am_run *)(const void *)(h + 1);
	const char *data;
	int err = 0;

	if (!am_valid(kind, h, len))
		p2p_protocol_error(w->target[from].peer,
			"a frame of kind %d and %lld bytes for a window", kind, (long long)len);
	data = (const char *)(runs + h->runs);
	if (kind == AM_GET) {
		am_serve_get(w, from, runs, h->runs);
		return;
	}
	if (kind == AM_ACC && h->fetch) {
		am_serve_fetch(w, from, h, runs, data);
		return;
	}
	err = kind == AM_PUT ? am_serve_put(w, runs, h->runs, data)
			     : rma_am_accumulate(w, h, runs, data, NULL);
	if (h->last || err != 0)
		ack_send(w, from, h->last, err);
}

/* Frames from sockets may lie at any address; elements must be aligned. */
void rma_am_request(struct win *w, int from, int kind, const void *frame, int64_t len)
{
	void *copy;

	if (len < (int64_t)sizeof(struct rma_am_head))
		p2p_protocol_error(w->target[from].peer,
			"a frame of kind %d and %lld bytes for a window", kind, (long long)len);
	if (likely((uintptr_t)frame % FRAME_ALIGN == 0)) {
		am_serve(w, from, kind, frame, len);
		return;
	}
	copy = aligned_alloc(FRAME_ALIGN, (size_t)(len + FRAME_ALIGN - 1) & -(size_t)FRAME_ALIGN);
	if (copy == NULL)
		am_no_memory();
	memcpy(copy, frame, (size_t)len);
	am_serve(w, from, kind, copy, len);
	free(copy);
}
