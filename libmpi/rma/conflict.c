// SPDX-License-Identifier: BSD-3-Clause
/* conflict.c - accesses that meet: recorded in the segment, compared at each access.  See
 * conflict.h.
 *
 * A piece is alive while its stamp is not 0; the stamp is written last and read first.  Who
 * accesses writes his pieces before he looks at those of others, with a fence between, so of two
 * that come at the same time at least one sees the other. */
#include "libmpi/rma/conflict.h"

#include "libmpi/core/err.h"
#include "libmpi/core/setting.h"
#include "libmpi/type/signature.h"
#include <stdio.h>
#include <stdlib.h>

enum stamp_kind { STAMP_FENCE = 1, STAMP_START, STAMP_LOCK };

/* One piece of memory of a target that an origin has accessed. */
struct conflict_range {
	_Atomic uint64_t stamp; /* kind << 32 | number of the epoch; 0: over */
	int64_t lo, hi;         /* bytes of the target's window */
	uint64_t turn;          /* of the access, among those of its origin */
	int32_t target;
	uint8_t kind;  /* enum rma_kind */
	uint8_t op;    /* ACC: of predefined operations, id + 1; 0: compare and swap */
	uint8_t basic; /* ACC: enum type_basic */
	bool reads;    /* GET, or ACC with MPI_NO_OP */
};

struct conflict_record {
	_Atomic uint32_t n; /* pieces that have ever been used */
	struct conflict_range piece[RECORD_MAX];
};

struct conflict_log {
	struct conflict_record *own;
	uint64_t off;       /* of it in the segment */
	uint64_t turn;      /* accesses so far */
	uint32_t fences;    /* of this window, so far: the same in all members */
	uint32_t exposures; /* epochs of MPI_Win_post of this member, so far */
	bool full;          /* and it was said */
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

/* --- promises --------------------------------------------------------------------------------- */

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

/* --- forgetting ------------------------------------------------------------------------------- */

void rma_conflict_clear(struct win *w)
{
	struct conflict_log *c = conflict_log_of(w);

	if (c == NULL)
		return;
	for (uint32_t i = atomic_load_explicit(&c->own->n, memory_order_relaxed); i-- > 0;)
		atomic_store_explicit(&c->own->piece[i].stamp, 0, memory_order_release);
	atomic_store_explicit(&c->own->n, 0, memory_order_release);
	c->full = false;
}

void rma_conflict_complete(struct win *w, int rank, bool gets)
{
	struct conflict_log *c = conflict_log_of(w);

	if (c == NULL)
		return;
	for (uint32_t i = atomic_load_explicit(&c->own->n, memory_order_relaxed); i-- > 0;) {
		struct conflict_range *p = &c->own->piece[i];
		uint64_t stamp = atomic_load_explicit(&p->stamp, memory_order_relaxed);

		if (stamp >> 32 != STAMP_LOCK || (rank >= 0 && p->target != rank) ||
			(gets && p->kind != RMA_GET))
			continue;
		atomic_store_explicit(&p->stamp, 0, memory_order_release);
		c->full = false;
	}
}

/* MPI_Rget: the access that is over when the user learns that its request is. */
struct rget_end {
	struct req_copy end; /* first: in request->copies */
	struct win *w;       /* held */
	uint64_t turn;
};

static void rget_end_give(struct req_copy *end)
{
	const struct rget_end *g = (const struct rget_end *)end;
	struct conflict_log *c = g->w->rma == NULL ? NULL : conflict_log_of(g->w);

	if (c == NULL)
		return; /* the window has gone first */
	for (uint32_t i = atomic_load_explicit(&c->own->n, memory_order_relaxed); i-- > 0;) {
		struct conflict_range *p = &c->own->piece[i];

		if (p->turn != g->turn)
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

/* The request ends what has just been recorded. */
static int rget_end_new(struct win *w, struct req *req)
{
	struct rget_end *g = calloc(1, sizeof(*g));

	if (g == NULL)
		return haft_err(MPI_ERR_NO_MEM, "no memory to check an operation");
	obj_hold(w);
	*g = (struct rget_end){
		.end = {.next = req->copies, .give = rget_end_give, .gone = rget_end_gone},
		.w = w,
		.turn = conflict_log_of(w)->turn};
	req_touch(req);
	req->copies = &g->end;
	return 0;
}

/* --- recording -------------------------------------------------------------------------------- */

/* A place for one more piece; NULL: there is none, which is said once. */
static struct conflict_range *conflict_slot(struct win *w)
{
	struct conflict_log *c = conflict_log_of(w);
	uint32_t n = atomic_load_explicit(&c->own->n, memory_order_relaxed);
	char name[RMA_WIN_WORDS];

	if (n < RECORD_MAX) {
		atomic_store_explicit(&c->own->n, n + 1, memory_order_release);
		return &c->own->piece[n];
	}
	for (uint32_t i = 0; i < n; i++) {
		if (atomic_load_explicit(&c->own->piece[i].stamp, memory_order_relaxed) == 0)
			return &c->own->piece[i];
	}
	if (!c->full)
		fprintf(stderr,
			"haft: HAFT_CHECK=rma: rank %d accesses more than %d pieces of memory in "
			"an "
			"epoch of %s: the others are not checked\n",
			w->rank, RECORD_MAX, rma_win_words(w, name));
	c->full = true;
	return NULL;
}

/* The pieces of one access as they are found. */
struct conflict_walk {
	struct win *w;
	uint64_t stamp;
	struct conflict_range now; /* not yet recorded; hi <= lo: none */
	int err;
};

static bool conflict_overlap(const struct conflict_range *a, const struct conflict_range *b)
{
	return a->target == b->target && a->lo < b->hi && b->lo < a->hi;
}

/* May the later access not be where the earlier one is?  By the same process: `same'. */
static bool is_conflict(
	const struct conflict_range *earlier, const struct conflict_range *later, bool same)
{
	if (earlier->reads && (later->reads || same))
		return false;
	if (earlier->kind != RMA_ACC || later->kind != RMA_ACC)
		return true;
	if (same)
		return false; /* accumulates of one origin are in order */
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

/* Does one of the n oldest pieces that a member has recorded meet mine? */
static int conflict_compare(const struct win *w, int rank, const struct conflict_record *r,
	uint32_t n, const struct conflict_range *mine)
{
	uint64_t stamp = atomic_load_explicit(&mine->stamp, memory_order_relaxed);

	for (uint32_t i = 0; i < n; i++) {
		const struct conflict_range *p = &r->piece[i];
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

/* Looks for what the piece meets, in the records of all. */
static int conflict_look(const struct win *w, const struct conflict_range *mine)
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

/* Records the piece that has been put together, and looks. */
static void conflict_note(struct conflict_walk *k)
{
	struct conflict_range *p;

	if (k->now.hi <= k->now.lo || k->err != 0)
		return;
	p = conflict_slot(k->w);
	if (p == NULL)
		return;
	p->lo = k->now.lo;
	p->hi = k->now.hi;
	p->turn = conflict_log_of(k->w)->turn;
	p->target = k->now.target;
	p->kind = k->now.kind;
	p->op = k->now.op;
	p->basic = k->now.basic;
	p->reads = k->now.reads;
	atomic_store_explicit(&p->stamp, k->stamp, memory_order_release);
	atomic_thread_fence(memory_order_seq_cst);
	k->err = conflict_look(k->w, p);
}

/* n elements of a basic type at mem: a number here.  Neighbours become one piece. */
static bool conflict_range_add(void *arg, const struct type *basic, char *mem, int64_t n)
{
	struct conflict_walk *k = arg;
	int64_t lo = (int64_t)(uintptr_t)mem + basic->true_lb;
	int64_t hi = (int64_t)(uintptr_t)mem + (n - 1) * basic->extent + basic->true_lb +
		     basic->true_extent;

	if (lo != k->now.hi || k->now.basic != basic->basic) {
		conflict_note(k);
		k->now.lo = lo;
	}
	k->now.hi = hi;
	k->now.basic = basic->basic;
	return k->err == 0;
}

/* The epoch of an access, as a stamp. */
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

/* Has the target promised that nothing is written? */
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
	struct conflict_walk k = {.w = w, .stamp = conflict_stamp(w, a->rank)};
	int64_t at = a->disp * w->target[a->rank].unit;
	int err;

	k.now.target = a->rank;
	k.now.kind = a->kind;
	k.now.op = a->kind == RMA_ACC && a->op != NULL ? (uint8_t)(a->op->id + 1) : 0;
	k.now.reads = conflict_only_reads(a);
	err = k.now.reads ? 0 : conflict_noput(w, a, k.stamp);
	if (err != 0)
		return err;
	conflict_log_of(w)->turn++;
	err = type_each(a->type, (char *)(uintptr_t)at, a->count, conflict_range_add, &k);
	conflict_note(&k);
	if (k.err == 0 && err == 0 && a->kind == RMA_GET && a->req != NULL)
		err = rget_end_new(w, a->req);
	return k.err != 0 ? k.err : err;
}
