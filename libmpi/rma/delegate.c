// SPDX-License-Identifier: BSD-3-Clause
/* delegate.c - operations on private memory, done by its own process while that is in MPI: mailbox.h. */
#include "libmpi/rma/mailbox.h"

#include "libmpi/core/setting.h"
#include "libmpi/p2p/p2p.h"
#include "libmpi/rma/atomic.h"
#include "libmpi/rma/win_epoch.h"
#include "libmpi/rma/am.h"
#include "libmpi/via/shared_mem.h"
#include <string.h>

/* An origin waits that long for the target to take an operation: twice what a pass of a target
 * takes that waits in MPI and pauses between its looks. */
#define DELEGATE_WAIT_NS   MEAN_OR(300, 3000)
#define DELEGATE_WAKE_NS   20000 /* the same of one that is woken: twice what waking takes */
#define DELEGATE_REST      32    /* operations until one that sleeps is woken for the first time */
#define DELEGATE_REST_MOST 4096
#define DELEGATE_CLOCK     64  /* looks between two at the clock */
#define MAILBOX_LOOKS      600 /* at its box, of a target that has just served: a microsecond */
#define MAILBOX_ROW        64  /* operations served so, before a pass looks at what others want */
#define DELEGATE_NAP_NS    1000000u
#define DELEGATE_AWAKE     MEAN_OR(1, 16) /* looks of the target until it is believed to wait again */

static struct {
	struct rma_mailbox *mine;
	int users; /* windows */
	bool fence;
} box;

/* --- at the target -------------------------------------------------------------------------- */

/* Words are moved as such: nobody sees half of one. */
static void mailbox_copy(void *to, const void *from, uint8_t n)
{
	if (n == 8)
		__builtin_memcpy(to, from, 8);
	else if (n == 4)
		__builtin_memcpy(to, from, 4);
	else
		memcpy(to, from, n);
}

static int mailbox_execute(struct rma_mailbox *b)
{
	const struct rma_am_run run = {b->place, b->len};
	struct win *w = rma_registry_find(b->ctx);
	bool shared;
	char *at;

	if (w == NULL || b->len > MAILBOX_DATA)
		return MPI_ERR_WIN;
	if (b->what == RMA_ACC) {
		const struct rma_am_head h = {.op = b->op, .basic = b->basic, .runs = 1};

		return rma_am_accumulate(w, &h, &run, b->data, b->fetch ? b->old : NULL);
	}
	at = rma_am_memory(w, &run, &shared);
	if (at == NULL)
		return MPI_ERR_RMA_RANGE;
	if (b->what == RMA_PUT)
		mailbox_copy(at, b->data, b->len);
	else
		mailbox_copy(b->old, at, b->len);
	return 0;
}

static int mailbox_take(struct rma_mailbox *b, uint32_t word)
{
	atomic_store_explicit(&b->taken, word, memory_order_relaxed);
	if (unlikely(box.fence))
		atomic_thread_fence(memory_order_seq_cst);
	else
		atomic_signal_fence(memory_order_seq_cst);
	if (atomic_load_explicit(&b->word, memory_order_acquire) != word) {
		atomic_store_explicit(
			&b->done, word ^ (MAILBOX_POSTED | MAILBOX_REVOKED), memory_order_release);
		return 0;
	}
	b->err = mailbox_execute(b);
	atomic_store_explicit(&b->done, word, memory_order_release);
	return 1;
}

/* One look; > 0: an operation was executed. */
static int mailbox_poll_once(struct rma_mailbox *b)
{
	uint32_t word;

	atomic_store_explicit(&b->looks, atomic_load_explicit(&b->looks, memory_order_relaxed) + 1,
		memory_order_relaxed);
	word = atomic_load_explicit(&b->word, memory_order_acquire);
	if (likely(!shm_poll_word_changed(via.shm, word)))
		return 0;
	return (word & MAILBOX_POSTED) != 0 ? mailbox_take(b, word) : 0;
}

/* Part of every pass of progress.  Who has posted one operation will often post another, in less
 * time than the next pass takes. */
static int mailbox_poll(void)
{
	struct rma_mailbox *b = box.mine;
	int n = 0;

	if (b == NULL || mailbox_poll_once(b) == 0)
		return 0;
	for (int i = 0; i < MAILBOX_LOOKS; i++)
		if (mailbox_poll_once(b) > 0 && ++n < MAILBOX_ROW)
			i = 0;
	return 1;
}

void rma_mailbox_init(void)
{
	box.mine = NULL;
	box.users = 0;
}

static bool mailbox_wanted(void)
{
	int64_t way = haft_setting_get(SETTING_RMA);

	return way == HAFT_RMA_BOX || (way == HAFT_RMA_AUTO && !via.contended);
}

uint64_t rma_mailbox_hold(void)
{
	const int64_t len = sizeof(struct rma_mailbox);
	void *p = NULL;
	uint64_t off;

	if (!mailbox_wanted())
		return 0;
	if (box.mine == NULL) {
		if (via_mem_new(len, CACHE_LINE, &p) != 0)
			return 0;
		if (via_mem_off(p, len) == 0) {
			via_mem_free(p);
			return 0;
		}
		memset(p, 0, sizeof(struct rma_mailbox));
		box.fence = shm_must_fence(via.shm);
		box.mine = p;
		shm_poll_word_set(via.shm, &box.mine->word);
		p2p_progress_hook(mailbox_poll);
	}
	off = via_mem_off(box.mine, len);
	box.users++;
	return off;
}

void rma_mailbox_drop(void)
{
	if (--box.users > 0)
		return;
	shm_poll_word_set(via.shm, NULL);
	via_mem_free(box.mine);
	box.mine = NULL;
}

/* --- at the origin -------------------------------------------------------------------------- */

/* How long an operation may wait for the target, ns.  0: it does not look.  After it has once not,
 * only what it has looked since is believed.  Who sleeps in MPI is woken, if operations are many:
 * it will be awake for those that follow. */
static uint64_t delegate_patience(struct rma_target *t)
{
	uint32_t looks;

	if (unlikely(shm_asleep(via.shm, via_seat(t->peer)))) {
		if (t->rests == 0)
			t->rests = DELEGATE_REST;
		if (t->rest == 0)
			t->rest = t->rests;
		return --t->rest == 0 ? DELEGATE_WAKE_NS : 0;
	}
	if (likely(!t->shy))
		return DELEGATE_WAIT_NS;
	looks = atomic_load_explicit(&t->box->looks, memory_order_relaxed);
	if (looks - t->looks < DELEGATE_AWAKE)
		return 0;
	t->shy = false;
	return DELEGATE_WAIT_NS;
}

/* It has not come, though it was woken: it will be so less often. */
static void delegate_rest(struct rma_target *t, bool came)
{
	if (came)
		t->rests = DELEGATE_REST;
	else if (t->rests < DELEGATE_REST_MOST)
		t->rests *= 2;
	t->rest = t->rests;
}

/* Bytes of an operation that fits, and needs no datatypes to be understood; 0: it does not. */
static int64_t delegate_fits(const struct rma_operation *j)
{
	const struct type *t = j->ttype;
	int64_t n;

	if (j->tcount > MAILBOX_DATA)
		return 0;
	if (j->what != RMA_ACC) {
		n = j->tcount * t->size;
		return t->dense && j->otype->dense && n <= MAILBOX_DATA &&
				       n == j->ocount * j->otype->size
			       ? n
			       : 0;
	}
	if (t->shape != NULL || (j->otype != NULL && (j->otype != t || j->ocount != j->tcount)) ||
		(j->fetch && (j->rtype != t || j->rcount != j->tcount)))
		return 0;
	n = j->tcount * t->extent;
	return n * (j->swap ? 2 : 1) <= MAILBOX_DATA ? n : 0;
}

static uint32_t delegate_post(struct rma_mailbox *b, const struct rma_operation *j, int64_t n)
{
	uint32_t word = (b->number += MAILBOX_STEP) | MAILBOX_POSTED;

	b->ctx = j->w->comm->ctx;
	b->place = j->place;
	b->what = j->what;
	b->len = (uint8_t)n;
	if (j->what == RMA_ACC) {
		b->basic = rma_am_type_number(j->ttype);
		b->op = j->op != NULL ? (uint8_t)obj_int(j->op) : 0;
		b->fetch = j->fetch;
	}
	if (j->swap)
		memcpy(b->data + n, j->compare, (size_t)n);
	if (j->what != RMA_GET && j->otype != NULL)
		mailbox_copy(b->data, j->origin, (uint8_t)n);
	atomic_store_explicit(&b->word, word, memory_order_release);
	return word;
}

static inline bool delegate_over(const struct rma_mailbox *b, uint32_t word)
{
	uint32_t done = atomic_load_explicit(&b->done, memory_order_acquire);

	return done / MAILBOX_STEP == word / MAILBOX_STEP;
}

/* True: it is over.  Others may want the same of this process. */
static bool delegate_watch(const struct rma_mailbox *b, uint32_t word, uint64_t ns)
{
	uint64_t end = 0, now;

	for (;;) {
		for (int i = 0; i < DELEGATE_CLOCK; i++)
			if (delegate_over(b, word))
				return true;
		if (box.mine != NULL)
			mailbox_poll_once(box.mine);
		now = rma_now_ns();
		if (end == 0)
			end = now + ns;
		else if (now > end)
			return false;
	}
}

struct delegate_wait {
	const struct rma_mailbox *box;
	uint32_t word;
};

static bool delegate_ready(void *arg, bool rest)
{
	const struct delegate_wait *b = arg;

	(void)rest;
	return delegate_over(b->box, b->word);
}

/* The target has not come.  False: it has, just now. */
static bool delegate_revoke(const struct rma_operation *j, struct rma_mailbox *b, uint32_t word)
{
	struct rma_target *t = &j->w->target[j->rank];

	atomic_store_explicit(
		&b->word, word ^ (MAILBOX_POSTED | MAILBOX_REVOKED), memory_order_relaxed);
	shm_fence_all(via.shm);
	t->shy = true;
	t->looks = atomic_load_explicit(&b->looks, memory_order_relaxed);
	return atomic_load_explicit(&b->taken, memory_order_relaxed) != word;
}

/* Posted: what has become of it?  True: it was executed. */
static bool delegate_settle(
	const struct rma_operation *j, struct rma_mailbox *b, uint32_t word, uint64_t ns)
{
	struct delegate_wait bw = {b, word};
	struct rma_epoch_wait wait = {.w = j->w,
		.rank = j->rank,
		.ready = delegate_ready,
		.arg = &bw,
		.nap_ns = DELEGATE_NAP_NS};

	if (!delegate_watch(b, word, ns)) {
		if (delegate_revoke(j, b, word))
			return false;
		rma_epoch_wait_until(&wait);
	}
	return atomic_load_explicit(&b->done, memory_order_relaxed) == word && b->err == 0;
}

int rma_delegate(const struct rma_operation *j)
{
	struct rma_target *t = &j->w->target[j->rank];
	struct rma_mailbox *b = t->box;
	uint64_t ns;
	uint32_t word;
	int64_t n;
	bool done;

	n = b != NULL ? delegate_fits(j) : 0;
	ns = n > 0 ? delegate_patience(t) : 0;
	if (ns == 0 || atomic_exchange_explicit(&b->claim, 1, memory_order_acquire) != 0)
		return -1;
	word = delegate_post(b, j, n);
	if (unlikely(ns == DELEGATE_WAKE_NS))
		shm_wake(via.shm, via_seat(t->peer));
	done = delegate_settle(j, b, word, ns);
	if (unlikely(ns == DELEGATE_WAKE_NS))
		delegate_rest(t, done);
	if (done && j->what == RMA_GET)
		mailbox_copy(j->origin, b->old, (uint8_t)n);
	else if (done && j->fetch)
		memcpy(j->result, b->old, (size_t)n);
	atomic_store_explicit(&b->claim, 0, memory_order_release);
	return done ? 0 : -1;
}
