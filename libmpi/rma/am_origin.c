// SPDX-License-Identifier: BSD-3-Clause
/* am_origin.c - active messages at the origin (am.h).
 *
 *      struct rma_operation ──> struct rma_am ──┬── frame_queue.c: leaves frame by frame
 *                                               └── target->first ... last: answered from the front
 *
 *      target's datatype ──> runs of memory (one for a dense type), made when the operation begins
 *      PUT      packed from the user's buffer frame by frame: in use until the last frame has left
 *      ACC      elements are gathered densely: the user's buffer is free at once
 *      GET      unpacked into the user's buffer as data arrives
 *
 * Counts of a target: a flush waits until issued == completed + failed, a local flush until
 * origin_pending == 0. */
#include "libmpi/rma/am.h"

#include "libmpi/core/err.h"
#include "libmpi/core/error_code.h"
#include "libmpi/p2p/p2p.h"
#include "libmpi/rma/atomic.h"
#include "libmpi/rma/win.h"
#include "libmpi/type/signature.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define RUNS_FEW 1 /* a dense target: no memory of its own */

struct rma_am {
	struct rma_queued queued;
	struct rma_am *next; /* in target->first, or in rma->failures */
	struct win *w;       /* held */
	int rank;
	int kind;      /* AM_PUT, AM_GET, AM_ACC */
	bool fetch;    /* answered by DATA */
	bool gone;     /* all frames have left */
	bool answered; /* the target has answered */
	bool dropped;  /* the window is broken: its frames do not go */
	bool counted;  /* counted in origin_pending */
	int err;       /* class of the error at the target */
	int64_t disp;  /* as the user gave it */
	struct rma_am_head head;
	int64_t elem;        /* ACC: bytes of an element in memory; runs are cut between elements */
	struct type *type;   /* held: the type of buf */
	char *buf;           /* the user's: PUT: source, GET: destination, ACC with fetch: result */
	int64_t count;       /* elements of it */
	int64_t total, sent; /* bytes of the target's memory: all; in frames that have left */
	int64_t got;         /* bytes of answers */
	char *src;           /* ACC: dense elements; malloc'ed */
	char *old;           /* ACC with fetch: malloc'ed, scattered at the end */
	const struct type *basic;
	struct req *req;      /* held, or NULL */
	int64_t n, room, run; /* runs in all, room for them, the one that leaves next */
	uint64_t at;          /* bytes of it that have left */
	struct rma_am_run few[RUNS_FEW], *runs;
};

/* --- the end -------------------------------------------------------------------------------- */

static void am_empty(struct rma_am *m)
{
	if (m->type != NULL)
		obj_drop(m->type);
	if (m->runs != m->few)
		free(m->runs);
	free(m->src);
	free(m->old);
	obj_drop(m->w);
}

static void am_free(struct rma_am *m)
{
	am_empty(m);
	free(m);
}

/* A failed operation is kept until a flush reports it.  It still counts as pending. */
static void am_keep_failed(struct rma_am *m)
{
	struct rma_am **end = &m->w->rma->failures;

	while (*end != NULL)
		end = &(*end)->next;
	*end = m;
	m->next = NULL;
	am_empty(m);
}

/* The user's buffer is no longer in use. */
static void am_release_buffer(struct rma_am *m)
{
	if (m->counted) {
		m->w->target[m->rank].origin_pending--;
		m->w->rma->origin_pending--;
	}
	m->counted = false;
	if (m->req != NULL) {
		p2p_req_done(m->req);
		obj_drop(m->req);
		m->req = NULL;
	}
}

static void am_maybe_free(struct rma_am *m)
{
	if (!m->gone || !m->answered)
		return;
	if (likely(m->err == 0))
		am_free(m);
	else
		am_keep_failed(m);
}

struct am_dense_cursor {
	const char *at;
	int64_t left; /* elements */
};

static bool am_scatter_step(void *arg, const struct type *basic, char *mem, int64_t n)
{
	struct am_dense_cursor *r = arg;

	n = n < r->left ? n : r->left;
	type_move(basic, r->at, mem, n);
	r->at += n * basic->extent;
	r->left -= n;
	return r->left > 0;
}

static const char *am_kind_words(const struct rma_am *m)
{
	if (m->kind == AM_ACC)
		return m->head.op == 0 ? "a compare-and-swap" : "an accumulate";
	return m->kind == AM_PUT ? "a put" : "a get";
}

static const char *am_err_words(int err)
{
	switch (err) {
	case MPI_ERR_RMA_RANGE: return "the memory is not part of the window";
	case MPI_ERR_TYPE: return "the target does not know the type";
	}
	return "no memory";
}

/* Describes the failed operation and appends `more'.  Returns its class. */
static int am_fail_words(const struct rma_am *m, const char *more)
{
	char words[RMA_WIN_WORDS];

	return haft_err(m->err,
		"%s of %lld bytes at displacement %lld of rank %d in %s has failed there: %s%s",
		am_kind_words(m), (long long)m->total, (long long)m->disp, m->rank,
		rma_win_words(m->w, words), am_err_words(m->err), more);
}

/* Lets the request of a failed operation report it.  False: it has none, or the user has freed
 * it. */
static bool am_fail_request(struct rma_am *m)
{
	if (m->req == NULL || m->req->orphan)
		return false;
	p2p_req_fail(m->req, am_fail_words(m, ""));
	m->err = 0;
	return true;
}

/* The target has answered the operation at the front. */
static void am_pop(struct win *w, int rank)
{
	struct rma_target *t = &w->target[rank];
	struct rma_am *m = t->first;
	bool told;

	t->first = m->next;
	if (t->first == NULL)
		t->last = NULL;
	told = m->err != 0 && am_fail_request(m);
	if (m->old != NULL && m->err == 0 && !told) {
		struct am_dense_cursor cursor = {m->old, m->total / m->elem};

		type_each_whole(m->type, m->buf, m->count, am_scatter_step, &cursor);
	}
	if (likely(m->err == 0)) {
		t->completed++;
		w->rma->pending--;
	} else {
		t->failed++;
		w->rma->failed++;
	}
	m->answered = true;
	am_release_buffer(m);
	am_maybe_free(m);
}

/* `count' operations have been executed.  False: the frame is not valid. */
static bool am_got_acks(struct win *w, int from, uint32_t count)
{
	for (; count > 0; count--) {
		const struct rma_am *m = w->target[from].first;

		if (m == NULL || m->fetch || !m->gone)
			return false;
		am_pop(w, from);
	}
	return true;
}

/* Bytes of an answer, followed by `lack' bytes that do not come.  False: not valid. */
static bool am_got_data(struct win *w, int from, const char *bytes, int64_t len, uint64_t lack)
{
	struct rma_am *m = w->target[from].first;
	int64_t left = m != NULL && m->fetch ? m->total - m->got : 0;

	if (m == NULL || !m->fetch || len > left || lack > (uint64_t)(left - len) ||
		(lack > 0 && m->err == 0))
		return false;
	if (len > 0 && m->old != NULL)
		memcpy(m->old + m->got, bytes, (size_t)len);
	else if (len > 0)
		type_unpack(m->type, m->buf, m->count, m->got, bytes, len);
	m->got += len + (int64_t)lack;
	if (m->got == m->total)
		am_pop(w, from);
	return true;
}

void rma_am_reply(struct win *w, int from, int kind, const void *data, int64_t len)
{
	struct rma_am *m = w->target[from].first;
	struct rma_am_head h;
	bool sane = len >= (int64_t)sizeof(h);

	if (sane)
		memcpy(&h, data, sizeof(h));
	sane = sane && haft_err_is_class(h.err) && (h.err == 0 || m != NULL);
	if (sane && h.err != 0 && m->err == 0)
		m->err = h.err;
	len -= (int64_t)sizeof(h);
	if (sane && kind == AM_ACK)
		sane = len == 0 && am_got_acks(w, from, h.runs);
	else if (sane)
		sane = am_got_data(
			w, from, (const char *)data + sizeof(h), len, rma_am_missing(&h));
	if (!sane)
		p2p_protocol_error(w->target[from].peer,
			"an answer of kind %d and %lld bytes about a window", kind, (long long)len);
}

/* --- invariants ----------------------------------------------------------------------------- */

/* Operations that a target has not answered: all in its list, and none of them failed. */
static bool am_target_valid(const struct rma_target *t, int rank)
{
	const struct rma_am *last = NULL;
	uint64_t n = 0;

	for (const struct rma_am *m = t->first; m != NULL; m = m->next, n++) {
		if (m->rank != rank || m->answered)
			return false;
		last = m;
	}
	return t->last == last && n == t->issued - t->completed - t->failed;
}

bool rma_am_valid(const struct win *w)
{
	uint64_t kept = 0;

	for (const struct rma_am *m = w->rma->failures; m != NULL; m = m->next, kept++)
		if (m->err == 0 || !m->answered)
			return false;
	if (kept > w->rma->failed) /* an answered operation is kept when its last frame has left */
		return false;
	for (int i = 0; i < w->size; i++)
		if (!am_target_valid(&w->target[i], i))
			return false;
	return true;
}

/* --- frames --------------------------------------------------------------------------------- */

/* Bytes of data that travel with a run of `bytes' bytes. */
static int64_t am_carried(const struct rma_am *m, int64_t bytes)
{
	return m->kind == AM_GET || (m->kind == AM_ACC && m->src == NULL) ? 0 : bytes;
}

/* Cuts the next run to fit into `room' bytes of a frame.  False: not even one element fits. */
static bool am_cut(struct rma_am *m, int64_t room, struct rma_am_run *r)
{
	const struct rma_am_run *from = &m->runs[m->run];
	int64_t bytes = (int64_t)(from->len - m->at), most = room - (int64_t)sizeof(*r);

	if (m->head.op == 0 && m->kind == AM_ACC)
		most -= m->elem; /* the element to compare with travels too */
	if (am_carried(m, 1) == 0 && !m->fetch)
		most = INT64_MAX;
	else if (am_carried(m, 1) == 0)
		most = most < (int64_t)sizeof(*r) ? 0 : INT64_MAX;
	most -= most % m->elem;
	if (most <= 0)
		return false;
	r->offset = from->offset + m->at;
	r->len = (uint64_t)(bytes < most ? bytes : most);
	m->at += r->len;
	if (m->at == from->len) {
		m->run++;
		m->at = 0;
	}
	return true;
}

/* Writes the payload behind the runs: packed from the user's buffer, or dense elements. */
static void am_load(struct rma_am *m, char *to, int64_t bytes)
{
	if (m->kind == AM_PUT)
		type_pack(m->type, m->buf, m->count, m->sent, to, bytes);
	else if (m->kind == AM_ACC && m->src != NULL)
		memcpy(to, m->src + m->sent, (size_t)bytes);
	if (m->kind == AM_ACC && m->head.op == 0) /* the element to compare with */
		memcpy(to + bytes, m->src + bytes, (size_t)bytes);
}

#define RUNS_MAX MEAN_OR(2, 128) /* of a frame: 2 KiB */

/* Sends one frame.  False: the transport has no room. */
static bool am_push_frame(struct rma_am *m)
{
	struct rma_am_run runs[RUNS_MAX];
	int64_t room = rma_frame_max() - (int64_t)sizeof(m->head), bytes = 0, run = m->run;
	int64_t data, len;
	uint64_t at = m->at;
	uint32_t n = 0;
	char *to;

	while (n < RUNS_MAX && m->run < m->n && am_cut(m, room, &runs[n])) {
		int64_t k = (int64_t)runs[n++].len;

		bytes += k;
		room -= (int64_t)sizeof(runs[0]) + am_carried(m, k);
	}
	data = am_carried(m, bytes) * (m->kind == AM_ACC && m->head.op == 0 ? 2 : 1);
	len = (int64_t)(sizeof(m->head) + n * sizeof(runs[0])) + data;
	to = rma_frame_reserve(&m->queued, len);
	if (to == NULL) {
		m->run = run;
		m->at = at;
		return false;
	}
	m->head.runs = n;
	m->head.last = m->run == m->n;
	memcpy(to, &m->head, sizeof(m->head));
	memcpy(to + sizeof(m->head), runs, n * sizeof(runs[0]));
	am_load(m, to + sizeof(m->head) + n * sizeof(runs[0]), bytes);
	rma_frame_commit(&m->queued, (enum rma_am_kind)m->kind, len);
	m->sent += bytes;
	return true;
}

static int am_push(struct rma_queued *o)
{
	struct rma_am *m = container_of(o, struct rma_am, queued);

	if (unlikely(m->dropped)) {
		am_free(m);
		return 0;
	}
	while (m->run < m->n)
		if (!am_push_frame(m))
			return VIA_AGAIN;
	m->gone = true;
	if (!m->fetch)
		am_release_buffer(m);
	am_maybe_free(m);
	return 0;
}

/* --- the beginning -------------------------------------------------------------------------- */

struct am_listing {
	struct rma_am *m;
	int64_t left; /* bytes */
	uint64_t off; /* from an address of the operation's `at' to a place */
	bool whole;   /* elements in memory form */
	bool failed;
};

static bool am_list_step(void *arg, const struct type *basic, char *mem, int64_t n)
{
	struct am_listing *l = arg;
	struct rma_am *m = l->m;
	int64_t bytes = n * (l->whole ? basic->extent : basic->size);
	uint64_t offset = (uint64_t)(uintptr_t)mem + l->off;
	struct rma_am_run *last = &m->runs[m->n - 1];

	bytes = bytes < l->left ? bytes : l->left;
	l->left -= bytes;
	m->total += bytes;
	if (m->n > 0 && last->offset + last->len == offset) {
		last->len += (uint64_t)bytes;
		return l->left > 0;
	}
	if (m->n == m->room) {
		struct rma_am_run *more = m->runs == m->few ? NULL : m->runs;

		more = reallocarray(more, (size_t)m->room * 2 + 16, sizeof(*more));
		l->failed = more == NULL;
		if (l->failed)
			return false;
		if (m->runs == m->few)
			memcpy(more, m->few, sizeof(m->few));
		m->runs = more;
		m->room = m->room * 2 + 16;
	}
	m->runs[m->n++] = (struct rma_am_run){offset, (uint64_t)bytes};
	return l->left > 0;
}

/* Lists the runs of the first `bytes' bytes at the target; `whole': of elements in memory form. */
static int am_list_runs(struct rma_am *m, const struct rma_operation *j, int64_t bytes, bool whole)
{
	struct am_listing l = {.m = m, .left = bytes, .whole = whole};
	type_each_fn *step = am_list_step;
	int err;

	l.off = j->offset - (uint64_t)(uintptr_t)j->at;
	m->runs = m->few;
	m->room = RUNS_FEW;
	if (bytes == 0)
		return 0;
	if (whole)
		err = type_each_whole(j->ttype, j->at, j->tcount, step, &l);
	else
		err = type_each(j->ttype, j->at, j->tcount, step, &l);
	if (err == 0 && l.failed)
		err = haft_err(MPI_ERR_NO_MEM, "no memory for the runs of a datatype");
	return err;
}

static int am_fill_acc(struct rma_am *m, const struct rma_operation *j)
{
	const struct type *basic = rma_acc_basic(j->ttype);
	int64_t size = j->otype != NULL ? j->ocount * j->otype->size : j->tcount * j->ttype->size;
	int64_t n = size / basic->size;
	int err = 0;

	m->basic = basic;
	m->elem = basic->extent;
	m->head.basic = rma_am_type_number(basic);
	m->head.op = j->op != NULL ? (uint8_t)obj_int(j->op) : 0;
	m->head.fetch = j->fetch;
	if (j->otype != NULL)
		err = rma_acc_gather(j, basic, n, j->swap, &m->src);
	if (err == 0 && j->fetch) {
		m->old = malloc((size_t)(n * basic->extent));
		if (m->old == NULL)
			err = haft_err(
				MPI_ERR_NO_MEM, "no memory for %lld old values", (long long)n);
	}
	return err != 0 ? err : am_list_runs(m, j, n * basic->extent, true);
}

static int am_fill(struct rma_am *m, const struct rma_operation *j)
{
	int64_t all = j->tcount * j->ttype->size;
	struct type *type = j->kind == RMA_ACC ? j->rtype : j->otype;

	m->queued.push = am_push;
	m->queued.ctx = j->w->comm->ctx;
	m->queued.peer = j->w->target[j->rank].peer;
	m->rank = j->rank;
	m->disp = j->disp;
	m->kind = j->kind == RMA_PUT ? AM_PUT : j->kind == RMA_GET ? AM_GET : AM_ACC;
	m->fetch = j->fetch || j->kind == RMA_GET;
	m->elem = 1;
	m->buf = j->kind == RMA_ACC ? j->result : j->origin;
	m->count = j->kind == RMA_ACC ? j->rcount : j->ocount;
	if (type != NULL) {
		obj_hold(type);
		m->type = type;
	}
	if (j->kind == RMA_ACC)
		return am_fill_acc(m, j);
	if (j->kind == RMA_PUT)
		all = j->ocount * j->otype->size;
	return am_list_runs(m, j, all, false);
}

int rma_am_start(const struct rma_operation *j)
{
	struct rma_target *t = &j->w->target[j->rank];
	struct rma_am *m = calloc(1, sizeof(*m));
	int err;

	if (m == NULL)
		return haft_err(MPI_ERR_NO_MEM, "no memory for an operation");
	obj_hold(j->w);
	m->w = j->w;
	m->runs = m->few;
	err = am_fill(m, j);
	if (err != 0 || m->n == 0) {
		am_free(m);
		return err;
	}
	if (j->req != NULL) {
		obj_hold(j->req);
		j->req->open_parts++;
		m->req = j->req;
	}
	t->issued++;
	j->w->rma->pending++;
	m->counted = true;
	t->origin_pending++;
	j->w->rma->origin_pending++;
	*(t->last != NULL ? &t->last->next : &t->first) = m;
	t->last = m;
	rma_queue_put(&m->queued);
	return 0;
}

/* --- flushes -------------------------------------------------------------------------------- */

struct am_flush {
	const struct win *w;
	int rank; /* -1: all */
	bool local;
};

static bool am_flushed(void *arg)
{
	const struct am_flush *f = arg;
	const struct rma_target *t = &f->w->target[f->rank < 0 ? 0 : f->rank];

	if (f->rank < 0)
		return f->local ? f->w->rma->origin_pending == 0
				: f->w->rma->pending == f->w->rma->failed;
	return f->local ? t->origin_pending == 0 : t->issued == t->completed + t->failed;
}

/* Removes and returns the first operation that has failed at a rank (-1: any); NULL: none. */
static struct rma_am *am_next_failed(struct win *w, int rank)
{
	struct rma_am **p = &w->rma->failures, *m;

	while (*p != NULL && rank >= 0 && (*p)->rank != rank)
		p = &(*p)->next;
	m = *p;
	if (m == NULL)
		return NULL;
	*p = m->next;
	w->target[m->rank].failed--;
	w->target[m->rank].completed++;
	w->rma->failed--;
	w->rma->pending--;
	return m;
}

static void am_abandon(struct win *w, struct rma_target *t)
{
	struct rma_am *m = t->first, *next;

	t->first = t->last = NULL;
	t->issued = t->completed = 0;
	for (; m != NULL; m = next) {
		next = m->next;
		if (m->req != NULL && !m->req->orphan)
			p2p_req_fail(m->req, p2p_comm_error(w->comm));
		am_release_buffer(m);
		m->dropped = true;
		if (m->gone)
			am_free(m);
	}
}

void rma_am_abandon(struct win *w)
{
	struct rma_am *m;

	while ((m = am_next_failed(w, -1)) != NULL)
		free(m);
	for (int i = 0; i < w->size; i++)
		am_abandon(w, &w->target[i]);
	w->rma->pending = 0;
}

/* Reports the failures at a rank (-1: any): the first operation in words, the others as a
 * number. */
static int am_fails_report(struct win *w, int rank)
{
	struct rma_am *m = am_next_failed(w, rank), *other;
	char more[64] = "";
	int n = 0, err;

	if (m == NULL)
		return 0;
	for (; (other = am_next_failed(w, rank)) != NULL; n++)
		free(other);
	if (n > 0)
		snprintf(more, sizeof(more), " (and %d more operation%s)", n, n > 1 ? "s" : "");
	m->w = w;
	err = am_fail_words(m, more);
	free(m);
	return err;
}

static int am_flush(struct win *w, int rank, bool local)
{
	struct am_flush f = {w, rank, local};

	rma_queue_wait(w, am_flushed, &f);
	if (unlikely(w->rma->broken))
		return rma_broken_error(w);
	return likely(w->rma->failures == NULL) ? 0 : am_fails_report(w, rank);
}

int rma_flush_wait(struct win *w, int rank)
{
	return am_flush(w, rank, false);
}

int rma_flush_wait_all(struct win *w)
{
	return am_flush(w, -1, false);
}

int rma_flush_wait_local(struct win *w, int rank)
{
	return am_flush(w, rank, true);
}

int rma_flush_wait_local_all(struct win *w)
{
	return am_flush(w, -1, true);
}
