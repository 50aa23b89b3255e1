// SPDX-License-Identifier: BSD-3-Clause
/* check.c - accesses that meet: recorded in the segment, compared at each access.  See check.h.
 *
 * A piece is alive while its stamp is not 0; the stamp is written last and read first.  Who
 * accesses writes his pieces before he looks at those of others, with a fence between, so of two
 * that come at the same time at least one sees the other. */
#include "libmpi/rma/check.h"

#include "libmpi/core/err.h"
#include "libmpi/core/set.h"
#include "libmpi/type/sum.h"
#include <stdio.h>
#include <stdlib.h>

enum stamp_kind { STAMP_FENCE = 1, STAMP_START, STAMP_LOCK };

/* One piece of memory of a target that an origin has accessed. */
struct piece {
	_Atomic uint64_t stamp; /* kind << 32 | number of the epoch; 0: over */
	int64_t lo, hi;         /* bytes of the target's window */
	uint64_t turn;          /* of the access, among those of its origin */
	int32_t target;
	uint8_t what;  /* enum rma_what */
	uint8_t op;    /* ACC: of predefined operations, id + 1; 0: compare and swap */
	uint8_t basic; /* ACC: enum type_basic */
	bool reads;    /* GET, or ACC with MPI_NO_OP */
};

struct record {
	_Atomic uint32_t n; /* pieces that have ever been used */
	struct piece piece[RECORD_MAX];
};

struct check {
	struct record *own;
	uint64_t off;       /* of it in the segment */
	uint64_t turn;      /* accesses so far */
	uint32_t fences;    /* of this window, so far: the same in all members */
	uint32_t exposures; /* epochs of MPI_Win_post of this member, so far */
	bool full;          /* and it was said */
};

static struct check *check_of(const struct win *w)
{
	return w->rma->epoch->check;
}

int check_new(struct win *w)
{
	struct check *c;

	if ((haft_set(HAFT_SET_CHECK) & HAFT_CHECK_RMA) == 0)
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
	w->rma->epoch->check = c;
	atomic_store_explicit(&w->rma->ctl->sync.record, c->off, memory_order_release);
	return 0;
}

void check_free(struct win *w)
{
	struct check *c = check_of(w);

	if (c == NULL)
		return;
	shm_heap_free(via.shm, c->off, sizeof(*c->own), CACHE_LINE);
	free(c);
}

/* --- promises ------------------------------------------------------------------------------- */

void check_fence(struct win *w, int modes)
{
	struct check *c = check_of(w);

	if (c == NULL)
		return;
	c->fences++;
	atomic_store_explicit(&w->rma->ctl->sync.noput[c->fences % 2],
		(modes & MPI_MODE_NOPUT) != 0 ? c->fences : 0, memory_order_release);
}

void check_post(struct win *w, int modes)
{
	struct check *c = check_of(w);

	if (c == NULL)
		return;
	c->exposures++;
	atomic_store_explicit(&w->rma->ctl->sync.exposures, c->exposures, memory_order_relaxed);
	atomic_store_explicit(&w->rma->ctl->sync.noput[2],
		(modes & MPI_MODE_NOPUT) != 0 ? c->exposures : 0, memory_order_release);
}

/* --- forgetting ----------------------------------------------------------------------------- */

void check_clear(struct win *w)
{
	struct check *c = check_of(w);

	if (c == NULL)
		return;
	for (uint32_t i = atomic_load_explicit(&c->own->n, memory_order_relaxed); i-- > 0;)
		atomic_store_explicit(&c->own->piece[i].stamp, 0, memory_order_release);
	atomic_store_explicit(&c->own->n, 0, memory_order_release);
	c->full = false;
}

void check_complete(struct win *w, int rank, bool gets)
{
	struct check *c = check_of(w);

	if (c == NULL)
		return;
	for (uint32_t i = atomic_load_explicit(&c->own->n, memory_order_relaxed); i-- > 0;) {
		struct piece *p = &c->own->piece[i];
		uint64_t stamp = atomic_load_explicit(&p->stamp, memory_order_relaxed);

		if (stamp >> 32 != STAMP_LOCK || (rank >= 0 && p->target != rank) ||
			(gets && p->what != RMA_GET))
			continue;
		atomic_store_explicit(&p->stamp, 0, memory_order_release);
		c->full = false;
	}
}

/* MPI_Rget: the access that is over when the user learns that its request is. */
struct ending {
	struct req_copy end; /* first: in request->copies */
	struct win *w;       /* held */
	uint64_t turn;
};

static void ending_give(struct req_copy *end)
{
	const struct ending *g = (const struct ending *)end;
	struct check *c = g->w->rma == NULL ? NULL : check_of(g->w);

	if (c == NULL)
		return; /* the window has gone first */
	for (uint32_t i = atomic_load_explicit(&c->own->n, memory_order_relaxed); i-- > 0;) {
		struct piece *p = &c->own->piece[i];

		if (p->turn != g->turn)
			continue;
		atomic_store_explicit(&p->stamp, 0, memory_order_release);
		c->full = false;
	}
}

static void ending_gone(struct req_copy *end)
{
	struct ending *g = (struct ending *)end;

	obj_drop(g->w);
	free(g);
}

/* The request ends what has just been recorded. */
static int ending_new(struct win *w, struct req *req)
{
	struct ending *g = calloc(1, sizeof(*g));

	if (g == NULL)
		return haft_err(MPI_ERR_NO_MEM, "no memory to check an operation");
	obj_hold(w);
	*g = (struct ending){.end = {.next = req->copies, .give = ending_give, .gone = ending_gone},
		.w = w,
		.turn = check_of(w)->turn};
	req_soil(req);
	req->copies = &g->end;
	return 0;
}

/* --- recording ------------------------------------------------------------------------------ */

/* A place for one more piece; NULL: there is none, which is said once. */
static struct piece *place(struct win *w)
{
	struct check *c = check_of(w);
	uint32_t n = atomic_load_explicit(&c->own->n, memory_order_relaxed);
	char name[RMA_WORDS];

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
			w->rank, RECORD_MAX, rma_words(w, name));
	c->full = true;
	return NULL;
}

/* The pieces of one access as they are found. */
struct walk {
	struct win *w;
	uint64_t stamp;
	struct piece now; /* not yet recorded; hi <= lo: none */
	int err;
};

static bool overlap(const struct piece *a, const struct piece *b)
{
	return a->target == b->target && a->lo < b->hi && b->lo < a->hi;
}

/* May the later access not be where the earlier one is?  By the same process: `same'. */
static bool conflict(const struct piece *earlier, const struct piece *later, bool same)
{
	if (earlier->reads && (later->reads || same))
		return false;
	if (earlier->what != RMA_ACC || later->what != RMA_ACC)
		return true;
	if (same)
		return false; /* accumulates of one origin are in order */
	return earlier->basic != later->basic ||
	       (earlier->op != later->op && !earlier->reads && !later->reads && earlier->op != 0 &&
		       later->op != 0);
}

static const char *what_words(const struct piece *p)
{
	static const char *const words[] = {
		[RMA_PUT] = "put", [RMA_GET] = "get", [RMA_ACC] = "accumulate"};

	return p->what == RMA_ACC && p->op == 0 ? "compare-and-swap" : words[p->what];
}

static int report(const struct win *w, const struct piece *p, int rank, const struct piece *mine)
{
	static const char *const epochs[] = {[STAMP_FENCE] = "the same fence epoch",
		[STAMP_START] = "the same exposure epoch",
		[STAMP_LOCK] = "an epoch of a lock that has not completed it"};
	char name[RMA_WORDS];

	return haft_err(MPI_ERR_RMA_CONFLICT,
		"%s: this %s of bytes %lld to %lld of rank %d by rank %d meets the %s of bytes "
		"%lld to %lld by rank %d in %s%s",
		rma_words(w, name), what_words(mine), (long long)mine->lo, (long long)mine->hi - 1,
		mine->target, w->rank, what_words(p), (long long)p->lo, (long long)p->hi - 1, rank,
		epochs[atomic_load_explicit(&mine->stamp, memory_order_relaxed) >> 32],
		p->what == RMA_ACC && mine->what == RMA_ACC ? ", with another operation or type"
							    : "");
}

/* Does one of the n oldest pieces that a member has recorded meet mine? */
static int compare(
	const struct win *w, int rank, const struct record *r, uint32_t n, const struct piece *mine)
{
	uint64_t stamp = atomic_load_explicit(&mine->stamp, memory_order_relaxed);

	for (uint32_t i = 0; i < n; i++) {
		const struct piece *p = &r->piece[i];
		struct piece copy;

		if (p == mine || atomic_load_explicit(&p->stamp, memory_order_acquire) != stamp)
			continue;
		copy = *p;
		atomic_thread_fence(memory_order_acquire);
		if (atomic_load_explicit(&p->stamp, memory_order_relaxed) == stamp &&
			overlap(&copy, mine) && conflict(&copy, mine, rank == w->rank))
			return report(w, &copy, rank, mine);
	}
	return 0;
}

/* Looks for what the piece meets, in the records of all. */
static int look(const struct win *w, const struct piece *mine)
{
	int err = 0;

	for (int i = 0; i < w->size && err == 0; i++) {
		const struct rma_ctl *ctl = w->target[i].ctl;
		uint64_t off =
			ctl == NULL ? 0
				    : atomic_load_explicit(&ctl->sync.record, memory_order_acquire);
		const struct record *r;

		if (off == 0)
			continue;
		r = shm_ptr(via.shm, off);
		err = compare(w, i, r, atomic_load_explicit(&r->n, memory_order_acquire), mine);
	}
	return err;
}

/* Records the piece that has been put together, and looks. */
static void record(struct walk *k)
{
	struct piece *p;

	if (k->now.hi <= k->now.lo || k->err != 0)
		return;
	p = place(k->w);
	if (p == NULL)
		return;
	p->lo = k->now.lo;
	p->hi = k->now.hi;
	p->turn = check_of(k->w)->turn;
	p->target = k->now.target;
	p->what = k->now.what;
	p->op = k->now.op;
	p->basic = k->now.basic;
	p->reads = k->now.reads;
	atomic_store_explicit(&p->stamp, k->stamp, memory_order_release);
	atomic_thread_fence(memory_order_seq_cst);
	k->err = look(k->w, p);
}

/* n elements of a basic type at mem: a number here.  Neighbours become one piece. */
static bool piece_add(void *arg, const struct type *basic, char *mem, int64_t n)
{
	struct walk *k = arg;
	int64_t lo = (int64_t)(uintptr_t)mem + basic->true_lb;
	int64_t hi = (int64_t)(uintptr_t)mem + (n - 1) * basic->extent + basic->true_lb +
		     basic->true_extent;

	if (lo != k->now.hi || k->now.basic != basic->basic) {
		record(k);
		k->now.lo = lo;
	}
	k->now.hi = hi;
	k->now.basic = basic->basic;
	return k->err == 0;
}

/* The epoch of an access, as a stamp. */
static uint64_t stamp_of(const struct win *w, int rank)
{
	const struct rma_epoch *e = w->rma->epoch;
	const struct rma_ctl *ctl = w->target[rank].ctl;

	if (e->access == EPOCH_FENCED)
		return (uint64_t)STAMP_FENCE << 32 | e->check->fences;
	if (e->access == EPOCH_START && ctl != NULL)
		return (uint64_t)STAMP_START << 32 |
		       atomic_load_explicit(&ctl->sync.exposures, memory_order_acquire);
	return (uint64_t)STAMP_LOCK << 32;
}

/* Has the target promised that nothing is written? */
static int promise(const struct win *w, const struct rma_access *a, uint64_t stamp)
{
	const struct rma_ctl *ctl = w->target[a->rank].ctl;
	uint32_t now = (uint32_t)stamp, which = stamp >> 32 == STAMP_START ? 2 : now % 2;
	char name[RMA_WORDS];

	if (ctl == NULL || stamp >> 32 == STAMP_LOCK)
		return 0;
	if (now == 0 || atomic_load_explicit(&ctl->sync.noput[which], memory_order_acquire) != now)
		return 0;
	return haft_err(MPI_ERR_RMA_CONFLICT,
		"%s: rank %d writes to rank %d, which has promised MPI_MODE_NOPUT",
		rma_words(w, name), w->rank, a->rank);
}

static bool only_reads(const struct rma_access *a)
{
	return a->what == RMA_GET ||
	       (a->what == RMA_ACC && a->op != NULL && strcmp(a->op->short_name, "MPI_NO_OP") == 0);
}

int check_access(struct win *w, const struct rma_access *a)
{
	struct walk k = {.w = w, .stamp = stamp_of(w, a->rank)};
	int64_t at = a->disp * w->target[a->rank].unit;
	int err;

	k.now.target = a->rank;
	k.now.what = a->what;
	k.now.op = a->what == RMA_ACC && a->op != NULL ? (uint8_t)(a->op->id + 1) : 0;
	k.now.reads = only_reads(a);
	err = k.now.reads ? 0 : promise(w, a, k.stamp);
	if (err != 0)
		return err;
	check_of(w)->turn++;
	err = type_each(a->type, (char *)(uintptr_t)at, a->count, piece_add, &k);
	record(&k);
	if (k.err == 0 && err == 0 && a->what == RMA_GET && a->req != NULL)
		err = ending_new(w, a->req);
	return k.err != 0 ? k.err : err;
}
