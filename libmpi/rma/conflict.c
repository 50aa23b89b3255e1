// SPDX-License-Identifier: BSD-3-Clause
/* conflict.c - HAFT_CHECK=rma: accesses are recorded in the segment and compared.  See conflict.h.
 *
 * A range is valid while its stamp is not 0.  The stamp is written last and read first.  An
 * origin records its ranges before it reads those of others, with a fence in between, so of two
 * accesses at the same time at least one sees the other. */
#include "libmpi/rma/conflict.h"

#include "libmpi/core/err.h"
#include "libmpi/core/setting.h"
#include "libmpi/type/signature.h"
#include <stdio.h>
#include <stdlib.h>

enum stamp_kind { STAMP_FENCE = 1, STAMP_START, STAMP_LOCK };

/* A contiguous range of a target's memory that an origin has accessed. */
struct conflict_range {
	_Atomic uint64_t stamp; /* kind << 32 | number of the epoch; 0: over */
	int64_t lo, hi;         /* first and behind the last byte, in the target's window */
	uint64_t access;        /* number of the access among those of its origin */
	int32_t target;
	uint8_t kind;  /* enum rma_kind */
	uint8_t op;    /* ACC: id + 1 of a predefined operation; 0: compare and swap */
	uint8_t basic; /* ACC: enum type_basic */
	bool reads;    /* GET, or ACC with MPI_NO_OP */
};

struct conflict_record {
	_Atomic uint32_t n; /* ranges that have ever been used */
	struct conflict_range range[RECORD_MAX];
};

struct conflict_log {
	struct conflict_record *own;
	uint64_t off;       /* offset of it in the segment */
	uint64_t accesses;  /* accesses so far */
	uint32_t fences;    /* of this window; equal in all members */
	uint32_t exposures; /* epochs of MPI_Win_post of this member */
	bool full;          /* the record is full, and this was reported */
};

static struct conflict_log *conflict_log_of(const struct win *w)
{
	return w->rma->epoch->conflicts;
}

int rma_conflict_new(struct win *w)
{
	struct conflict_log *c;

	if ((haft_setting_get(SETTING_CHECK) & HAFT_CHECK_RMA) == 0)
		return 0;
	c = calloc(1, sizeof(*c));
	if (c == NULL)
		return MPI_ERR_NO_MEM;
	c->off = shm_heap_alloc(via.shm, sizeof(*c->own), CACHE_LINE);
	if (c->off == 0) {
		free(c);
		return MPI_ERR_NO_MEM;
	}
	c->own = shm_ptr(via.shm, c->off);
	w->rma->epoch->conflicts = c;
	atomic_store_explicit(&w->rma->ctl->sync.record, c->off, memory_order_release);
	return 0;
}

void rma_conflict_free(struct win *w)
{
	struct conflict_log *c = conflict_log_of(w);

	if (c == NULL)
		return;
	shm_heap_free(via.shm, c->off, sizeof(*c->own), CACHE_LINE);
	free(c);
}

/* --- promises ------------------------------------------------------------------------------- */

void rma_conflict_fence(struct win *w, int modes)
{
	struct conflict_log *c = conflict_log_of(w);

	if (c == NULL)
		return;
	c->fences++;
	atomic_store_explicit(&w->rma->ctl->sync.noput[c->fences % 2],
		(modes & MPI_MODE_NOPUT) != 0 ? c->fences : 0, memory_order_release);
}

void rma_conflict_post(struct win *w, int modes)
{
	struct conflict_log *c = conflict_log_of(w);

	if (c == NULL)
		return;
	c->exposures++;
	atomic_store_explicit(&w->rma->ctl->sync.exposures, c->exposures, memory_order_relaxed);
	atomic_store_explicit(&w->rma->ctl->sync.noput[2],
		(modes & MPI_MODE_NOPUT) != 0 ? c->exposures : 0, memory_order_release);
}

/* --- forgetting ----------------------------------------------------------------------------- */

void rma_conflict_clear(struct win *w)
{
	struct conflict_log *c = conflict_log_of(w);

	if (c == NULL)
		return;
	for (uint32_t i = atomic_load_explicit(&c->own->n, memory_order_relaxed); i-- > 0;)
		atomic_store_explicit(&c->own->range[i].stamp, 0, memory_order_release);
	atomic_store_explicit(&c->own->n, 0, memory_order_release);
	c->full = false;
}

void rma_conflict_complete(struct win *w, int rank, bool gets)
{
	struct conflict_log *c = conflict_log_of(w);

	if (c == NULL)
		return;
	for (uint32_t i = atomic_load_explicit(&c->own->n, memory_order_relaxed); i-- > 0;) {
		struct conflict_range *p = &c->own->range[i];
		uint64_t stamp = atomic_load_explicit(&p->stamp, memory_order_relaxed);

		if (stamp >> 32 != STAMP_LOCK || (rank >= 0 && p->target != rank) ||
			(gets && p->kind != RMA_GET))
			continue;
		atomic_store_explicit(&p->stamp, 0, memory_order_release);
		c->full = false;
	}
}

/* MPI_Rget: its access ends when the user learns that its request is complete. */
struct rget_end {
	struct req_copy end; /* first: in request->copies */
	struct win *w;       /* held */
	uint64_t access;
};

static void rget_end_give(struct req_copy *end)
{
	const struct rget_end *g = (const struct rget_end *)end;
	struct conflict_log *c = g->w->rma == NULL ? NULL : conflict_log_of(g->w);

	if (c == NULL)
		return; /* the window was freed first */
	for (uint32_t i = atomic_load_explicit(&c->own->n, memory_order_relaxed); i-- > 0;) {
		struct conflict_range *p = &c->own->range[i];

		if (p->access != g->access)
			continue;
		atomic_store_explicit(&p->stamp, 0, memory_order_release);
		c->full = false;
	}
}

static void rget_end_gone(struct req_copy *end)
{
	struct rget_end *g = (struct rget_end *)end;

	obj_drop(g->w);
	free(g);
}

/* Lets the request end the access that was recorded last. */
static int rget_end_new(struct win *w, struct req *req)
{
	struct rget_end *g = calloc(1, sizeof(*g));

	if (g == NULL)
		return haft_err(MPI_ERR_NO_MEM, "no memory to check an operation");
	obj_hold(w);
	*g = (struct rget_end){
		.end = {.next = req->copies, .give = rget_end_give, .gone = rget_end_gone},
		.w = w,
		.access = conflict_log_of(w)->accesses};
	req_touch(req);
	req->copies = &g->end;
	return 0;
}

/* --- recording ------------------------------------------------------------------------------ */

/* Room for one more range; NULL: none, which is reported once. */
static struct conflict_range *conflict_slot(struct win *w)
{
	struct conflict_log *c = conflict_log_of(w);
	uint32_t n = atomic_load_explicit(&c->own->n, memory_order_relaxed);
	char name[RMA_WIN_WORDS];

	if (n < RECORD_MAX) {
		atomic_store_explicit(&c->own->n, n + 1, memory_order_release);
		return &c->own->range[n];
	}
	for (uint32_t i = 0; i < n; i++) {
		if (atomic_load_explicit(&c->own->range[i].stamp, memory_order_relaxed) == 0)
			return &c->own->range[i];
	}
	if (!c->full)
		fprintf(stderr,
			"haft: HAFT_CHECK=rma: rank %d accesses more than %d ranges of memory in "
			"an epoch of %s: the others are not checked\n",
			w->rank, RECORD_MAX, rma_win_words(w, name));
	c->full = true;
	return NULL;
}

/* The ranges of one access, as they are found. */
struct conflict_search {
	struct win *w;
	uint64_t stamp;
	struct conflict_range now; /* the range that still grows; hi <= lo: none */
	int err;
};

static bool conflict_overlap(const struct conflict_range *a, const struct conflict_range *b)
{
	return a->target == b->target && a->lo < b->hi && b->lo < a->hi;
}

/* Is the later access not allowed at the place of the earlier one? same: both by one process. */
static bool is_conflict(
	const struct conflict_range *earlier, const struct conflict_range *later, bool same)
{
	if (earlier->reads && (later->reads || same))
		return false;
	if (earlier->kind != RMA_ACC || later->kind != RMA_ACC)
		return true;
	if (same)
		return false; /* accumulates of one origin are ordered */
	return earlier->basic != later->basic ||
	       (earlier->op != later->op && !earlier->reads && !later->reads && earlier->op != 0 &&
		       later->op != 0);
}

static const char *conflict_kind_words(const struct conflict_range *p)
{
	static const char *const words[] = {
		[RMA_PUT] = "put", [RMA_GET] = "get", [RMA_ACC] = "accumulate"};

	return p->kind == RMA_ACC && p->op == 0 ? "compare-and-swap" : words[p->kind];
}

static int conflict_report(const struct win *w, const struct conflict_range *p, int rank,
	const struct conflict_range *mine)
{
	static const char *const epochs[] = {[STAMP_FENCE] = "the same fence epoch",
		[STAMP_START] = "the same exposure epoch",
		[STAMP_LOCK] = "an epoch of a lock that has not completed it"};
	char name[RMA_WIN_WORDS];

	return haft_err(MPI_ERR_RMA_CONFLICT,
		"%s: this %s of bytes %lld to %lld of rank %d by rank %d meets the %s of bytes "
		"%lld to %lld by rank %d in %s%s",
		rma_win_words(w, name), conflict_kind_words(mine), (long long)mine->lo,
		(long long)mine->hi - 1, mine->target, w->rank, conflict_kind_words(p),
		(long long)p->lo, (long long)p->hi - 1, rank,
		epochs[atomic_load_explicit(&mine->stamp, memory_order_relaxed) >> 32],
		p->kind == RMA_ACC && mine->kind == RMA_ACC ? ", with another operation or type"
							    : "");
}

/* Compares a range with the n oldest that a member has recorded. 0, or MPI_ERR_RMA_CONFLICT with
 * words. */
static int conflict_compare(const struct win *w, int rank, const struct conflict_record *r,
	uint32_t n, const struct conflict_range *mine)
{
	uint64_t stamp = atomic_load_explicit(&mine->stamp, memory_order_relaxed);

	for (uint32_t i = 0; i < n; i++) {
		const struct conflict_range *p = &r->range[i];
		struct conflict_range copy;

		if (p == mine || atomic_load_explicit(&p->stamp, memory_order_acquire) != stamp)
			continue;
		copy = *p;
		atomic_thread_fence(memory_order_acquire);
		if (atomic_load_explicit(&p->stamp, memory_order_relaxed) == stamp &&
			conflict_overlap(&copy, mine) && is_conflict(&copy, mine, rank == w->rank))
			return conflict_report(w, &copy, rank, mine);
	}
	return 0;
}

/* Compares a range with the records of all members. */
static int conflict_find(const struct win *w, const struct conflict_range *mine)
{
	int err = 0;

	for (int i = 0; i < w->size && err == 0; i++) {
		const struct rma_ctl *ctl = w->target[i].ctl;
		uint64_t off =
			ctl == NULL ? 0
				    : atomic_load_explicit(&ctl->sync.record, memory_order_acquire);
		const struct conflict_record *r;

		if (off == 0)
			continue;
		r = shm_ptr(via.shm, off);
		err = conflict_compare(
			w, i, r, atomic_load_explicit(&r->n, memory_order_acquire), mine);
	}
	return err;
}

/* Records the range that is complete now, and compares it. */
static void conflict_store(struct conflict_search *k)
{
	struct conflict_range *p;

	if (k->now.hi <= k->now.lo || k->err != 0)
		return;
	p = conflict_slot(k->w);
	if (p == NULL)
		return;
	p->lo = k->now.lo;
	p->hi = k->now.hi;
	p->access = conflict_log_of(k->w)->accesses;
	p->target = k->now.target;
	p->kind = k->now.kind;
	p->op = k->now.op;
	p->basic = k->now.basic;
	p->reads = k->now.reads;
	atomic_store_explicit(&p->stamp, k->stamp, memory_order_release);
	atomic_thread_fence(memory_order_seq_cst);
	k->err = conflict_find(k->w, p);
}

/* Adds n elements at mem, an address in the target's window.  Adjacent ones become one range. */
static bool conflict_range_add(void *arg, const struct type *basic, char *mem, int64_t n)
{
	struct conflict_search *k = arg;
	int64_t lo = (int64_t)(uintptr_t)mem + basic->true_lb;
	int64_t hi = (int64_t)(uintptr_t)mem + (n - 1) * basic->extent + basic->true_lb +
		     basic->true_extent;

	if (lo != k->now.hi || k->now.basic != basic->basic) {
		conflict_store(k);
		k->now.lo = lo;
	}
	k->now.hi = hi;
	k->now.basic = basic->basic;
	return k->err == 0;
}

/* The stamp of the current epoch at a target. */
static uint64_t conflict_stamp(const struct win *w, int rank)
{
	const struct rma_epoch *e = w->rma->epoch;
	const struct rma_ctl *ctl = w->target[rank].ctl;

	if (e->access == EPOCH_FENCED)
		return (uint64_t)STAMP_FENCE << 32 | e->conflicts->fences;
	if (e->access == EPOCH_START && ctl != NULL)
		return (uint64_t)STAMP_START << 32 |
		       atomic_load_explicit(&ctl->sync.exposures, memory_order_acquire);
	return (uint64_t)STAMP_LOCK << 32;
}

/* 0, or MPI_ERR_RMA_CONFLICT with words: the target has promised MPI_MODE_NOPUT. */
static int conflict_noput(const struct win *w, const struct rma_access *a, uint64_t stamp)
{
	const struct rma_ctl *ctl = w->target[a->rank].ctl;
	uint32_t now = (uint32_t)stamp, which = stamp >> 32 == STAMP_START ? 2 : now % 2;
	char name[RMA_WIN_WORDS];

	if (ctl == NULL || stamp >> 32 == STAMP_LOCK)
		return 0;
	if (now == 0 || atomic_load_explicit(&ctl->sync.noput[which], memory_order_acquire) != now)
		return 0;
	return haft_err(MPI_ERR_RMA_CONFLICT,
		"%s: rank %d writes to rank %d, which has promised MPI_MODE_NOPUT",
		rma_win_words(w, name), w->rank, a->rank);
}

static bool conflict_only_reads(const struct rma_access *a)
{
	return a->kind == RMA_GET ||
	       (a->kind == RMA_ACC && a->op != NULL && strcmp(a->op->short_name, "MPI_NO_OP") == 0);
}

int rma_conflict_access(struct win *w, const struct rma_access *a)
{
	struct conflict_search k = {.w = w, .stamp = conflict_stamp(w, a->rank)};
	int64_t at = a->disp * w->target[a->rank].unit;
	int err;

	k.now.target = a->rank;
	k.now.kind = a->kind;
	k.now.op = a->kind == RMA_ACC && a->op != NULL ? (uint8_t)(a->op->id + 1) : 0;
	k.now.reads = conflict_only_reads(a);
	err = k.now.reads ? 0 : conflict_noput(w, a, k.stamp);
	if (err != 0)
		return err;
	conflict_log_of(w)->accesses++;
	err = type_each(a->type, (char *)(uintptr_t)at, a->count, conflict_range_add, &k);
	conflict_store(&k);
	if (k.err == 0 && err == 0 && a->kind == RMA_GET && a->req != NULL)
		err = rget_end_new(w, a->req);
	return k.err != 0 ? k.err : err;
}
