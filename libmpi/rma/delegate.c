// SPDX-License-Identifier: BSD-3-Clause
/* delegate.c - operations on private memory at the origin: posted into the target's mailbox.
 *
 *      target's state              the origin's step
 *      waits in MPI                post, spin up to DELEGATE_WAIT_NS
 *      did not answer lately       process_vm call, until it has polled DELEGATE_AWAKE times
 *      sleeps in MPI               process_vm call; each wake_every-th operation wakes it and posts
 *
 * The protocol is in mailbox.h. */
#include "libmpi/rma/mailbox.h"

#include "libmpi/core/comm_object.h"
#include "libmpi/rma/am.h"
#include "libmpi/rma/win_epoch.h"
#include <string.h>

/* How long an origin waits for the target to take an operation: twice the time between two polls of
 * a target that waits in MPI. */
#define DELEGATE_WAIT_NS   MEAN_OR(300, 3000)
#define DELEGATE_WAKE_NS   20000 /* of a target that was woken: twice the time of a wake-up */
#define DELEGATE_REST      32    /* operations on a sleeping target until its first wake-up */
#define DELEGATE_REST_MOST 4096
#define DELEGATE_CLOCK     64 /* polls between two readings of the clock */
#define DELEGATE_NAP_NS    1000000u
#define DELEGATE_AWAKE     MEAN_OR(1, 16) /* polls of the target that end the backoff */

/* How long an operation may wait for the target, ns. 0: not at all, make the process_vm call.  A
 * target that has not answered is tried again only when it has polled since.  A sleeping target is
 * woken if operations are many: it is awake for the following ones. */
static uint64_t delegate_wait_ns(struct rma_target *t)
{
	uint32_t polls;

	if (unlikely(shm_asleep(via.shm, via_seat(t->peer)))) {
		if (t->wake_every == 0)
			t->wake_every = DELEGATE_REST;
		if (t->wake_left == 0)
			t->wake_left = t->wake_every;
		return --t->wake_left == 0 ? DELEGATE_WAKE_NS : 0;
	}
	if (likely(!t->backoff))
		return DELEGATE_WAIT_NS;
	polls = atomic_load_explicit(&t->mailbox->polls, memory_order_relaxed);
	if (polls - t->polls < DELEGATE_AWAKE)
		return 0;
	t->backoff = false;
	return DELEGATE_WAIT_NS;
}

/* The target was woken. came: it took the operation; else it is woken less often. */
static void delegate_rest(struct rma_target *t, bool came)
{
	if (came)
		t->wake_every = DELEGATE_REST;
	else if (t->wake_every < DELEGATE_REST_MOST)
		t->wake_every *= 2;
	t->wake_left = t->wake_every;
}

/* Bytes of an operation that fits into a mailbox and needs no datatype at the target; else 0. */
static int64_t delegate_fits(const struct rma_operation *j)
{
	const struct type *t = j->ttype;
	int64_t n;

	if (j->tcount > MAILBOX_DATA)
		return 0;
	if (j->kind != RMA_ACC) {
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
	b->offset = j->offset;
	b->kind = j->kind;
	b->len = (uint8_t)n;
	if (j->kind == RMA_ACC) {
		b->basic = rma_am_type_number(j->ttype);
		b->op = j->op != NULL ? (uint8_t)obj_int(j->op) : 0;
		b->fetch = j->fetch;
	}
	if (j->swap)
		memcpy(b->data + n, j->compare, (size_t)n);
	if (j->kind != RMA_GET && j->otype != NULL)
		rma_mailbox_copy(b->data, j->origin, (uint8_t)n);
	atomic_store_explicit(&b->word, word, memory_order_release);
	return word;
}

static inline bool delegate_over(const struct rma_mailbox *b, uint32_t word)
{
	uint32_t done = atomic_load_explicit(&b->done, memory_order_acquire);

	return done / MAILBOX_STEP == word / MAILBOX_STEP;
}

/* Waits up to ns.  True: the operation is over.  Polls the own mailbox meanwhile. */
static bool delegate_watch(const struct rma_mailbox *b, uint32_t word, uint64_t ns)
{
	uint64_t end = 0, now;

	for (;;) {
		for (int i = 0; i < DELEGATE_CLOCK; i++)
			if (delegate_over(b, word))
				return true;
		rma_mailbox_poll();
		now = clock_now_ns();
		if (end == 0)
			end = now + ns;
		else if (now > end)
			return false;
	}
}

struct delegate_wait {
	const struct rma_mailbox *mailbox;
	uint32_t word;
};

static bool delegate_ready(void *arg, bool rest)
{
	const struct delegate_wait *b = arg;

	(void)rest;
	return delegate_over(b->mailbox, b->word);
}

/* Takes the post back, because the target has not answered.  False: the target has just taken
 * it. */
static bool delegate_revoke(const struct rma_operation *j, struct rma_mailbox *b, uint32_t word)
{
	struct rma_target *t = &j->w->target[j->rank];

	atomic_store_explicit(
		&b->word, word ^ (MAILBOX_POSTED | MAILBOX_REVOKED), memory_order_relaxed);
	shm_fence_all(via.shm);
	t->backoff = true;
	t->polls = atomic_load_explicit(&b->polls, memory_order_relaxed);
	return atomic_load_explicit(&b->taken, memory_order_relaxed) != word;
}

/* Waits for the end of a posted operation.  True: the target has executed it. */
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
	struct rma_mailbox *b = t->mailbox;
	uint64_t ns;
	uint32_t word;
	int64_t n;
	bool done;

	n = b != NULL ? delegate_fits(j) : 0;
	ns = n > 0 ? delegate_wait_ns(t) : 0;
	if (ns == 0 || atomic_exchange_explicit(&b->claim, 1, memory_order_acquire) != 0)
		return -1;
	word = delegate_post(b, j, n);
	if (unlikely(ns == DELEGATE_WAKE_NS))
		shm_wake(via.shm, via_seat(t->peer));
	done = delegate_settle(j, b, word, ns);
	if (unlikely(ns == DELEGATE_WAKE_NS))
		delegate_rest(t, done);
	if (done && j->kind == RMA_GET)
		rma_mailbox_copy(j->origin, b->old, (uint8_t)n);
	else if (done && j->fetch)
		memcpy(j->result, b->old, (size_t)n);
	atomic_store_explicit(&b->claim, 0, memory_order_release);
	return done ? 0 : -1;
}
