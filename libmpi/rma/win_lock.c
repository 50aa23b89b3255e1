// SPDX-License-Identifier: BSD-3-Clause
/* win_lock.c - waiting for a member's lock, and handing it over.  See win_lock.h. */
#include "libmpi/rma/win_lock.h"

#include "libmpi/rma/win_epoch.h"
#include "libmpi/rma/win_remote.h"

/* Fields of a slot: ticket, chosen, mode. */
#define SLOT_MODE   3u
#define SLOT_CHOSEN 4u
#define SLOT_SHIFT  3

static struct rma_lock *lock_of(const struct win *w, int rank)
{
	return &w->target[rank].ctl->sync.lock;
}

static _Atomic uint32_t *lock_slot(const struct win *w, int rank, int who)
{
	return &rma_lock_pairs(w, rank)[who].wait;
}

/* Is the ticket of slot a older than that of slot b?  Tickets wrap. */
static bool lock_before(uint32_t a, uint32_t b)
{
	return (int32_t)((a & ~(SLOT_MODE | SLOT_CHOSEN)) - (b & ~(SLOT_MODE | SLOT_CHOSEN))) < 0;
}

static bool lock_waits(uint32_t slot)
{
	uint32_t mode = slot & SLOT_MODE;

	return mode == LOCK_SHARED || mode == LOCK_EXCLUSIVE;
}

/* --- waiting -------------------------------------------------------------------------------- */

void rma_lock_wait_begin(struct rma_lock_wait *k)
{
	struct rma_lock *l = lock_of(k->w, k->rank);
	uint32_t ticket = atomic_fetch_add_explicit(&l->ticket, 1, memory_order_relaxed);

	atomic_store_explicit(lock_slot(k->w, k->rank, k->who),
		ticket << SLOT_SHIFT | (uint32_t)k->mode, memory_order_release);
	atomic_fetch_add_explicit(&l->word, LOCK_WAITER, memory_order_seq_cst);
}

/* The waiter has the lock: its request ends.  If it was chosen, another waiter may be chosen
 * now. */
static bool lock_got(struct rma_lock_wait *k, uint32_t slot)
{
	struct rma_lock *l = lock_of(k->w, k->rank);
	uint64_t gone = LOCK_WAITER + (k->starving ? LOCK_STARVING : 0);

	if (k->mode == LOCK_SHARED)
		rma_lock_record_reader(k->w, k->rank, k->who, SLOT_READER);
	atomic_fetch_sub_explicit(&l->word, gone, memory_order_acq_rel);
	if ((slot & SLOT_CHOSEN) != 0)
		atomic_fetch_and_explicit(&l->word, ~LOCK_WOKEN, memory_order_relaxed);
	k->got = true;
	return true;
}

/* The waiter has taken the lock itself.  A holder may have granted it at the same time: then a
 * reader holds it twice, and releases one.  A writer that takes the lock holds it alone, so no
 * other process could grant it. */
static bool lock_taken(struct rma_lock_wait *k)
{
	struct rma_lock *l = lock_of(k->w, k->rank);
	uint32_t slot =
		atomic_exchange_explicit(lock_slot(k->w, k->rank, k->who), 0, memory_order_acq_rel);

	if ((slot & SLOT_MODE) == LOCK_GRANTED)
		atomic_fetch_sub_explicit(&l->word, LOCK_READER, memory_order_acq_rel);
	return lock_got(k, slot);
}

/* Takes the lock if it is free.  A starving waiter ignores other starving ones: if the lock were
 * held, its holder would hand it over. */
static bool lock_take_free(struct rma_lock_wait *k)
{
	uint64_t starving = k->starving ? 0 : LOCK_COUNT * LOCK_STARVING;
	uint64_t held = k->starving || k->mode == LOCK_EXCLUSIVE ? LOCK_HELD : LOCK_WRITER;
	struct rma_lock *l = lock_of(k->w, k->rank);
	uint64_t old = atomic_load_explicit(&l->word, memory_order_relaxed);

	while ((old & (starving | held)) == 0) {
		uint64_t new = old + rma_lock_unit(k->mode, k->who);

		if (atomic_compare_exchange_weak_explicit(
			    &l->word, &old, new, memory_order_acquire, memory_order_relaxed))
			return true;
	}
	return false;
}

/* A chosen waiter that is about to sleep allows others to be chosen.  False: it was chosen, so the
 * lock may be free by now. */
static bool lock_not_chosen(struct rma_lock_wait *k)
{
	_Atomic uint32_t *slot = lock_slot(k->w, k->rank, k->who);

	if ((atomic_load_explicit(slot, memory_order_relaxed) & SLOT_CHOSEN) == 0)
		return true;
	atomic_fetch_and_explicit(slot, ~SLOT_CHOSEN, memory_order_relaxed);
	atomic_fetch_and_explicit(&lock_of(k->w, k->rank)->word, ~LOCK_WOKEN, memory_order_seq_cst);
	return false;
}

static void lock_starve(struct rma_lock_wait *k)
{
	uint64_t now = clock_now_ns();

	if (k->begin_ns == 0)
		k->begin_ns = now;
	if (now - k->begin_ns < RMA_STARVING_NS)
		return;
	k->starving = true;
	atomic_fetch_add_explicit(
		&lock_of(k->w, k->rank)->word, LOCK_STARVING, memory_order_seq_cst);
}

bool rma_lock_wait_ready(struct rma_lock_wait *k, bool rest)
{
	_Atomic uint32_t *slot = lock_slot(k->w, k->rank, k->who);

	if (k->got)
		return true;
	do {
		uint32_t v = atomic_load_explicit(slot, memory_order_acquire);

		if ((v & SLOT_MODE) == LOCK_GRANTED) {
			atomic_store_explicit(slot, 0, memory_order_relaxed);
			return lock_got(k, v);
		}
		if (lock_take_free(k))
			return lock_taken(k);
		if (!k->starving)
			lock_starve(k);
	} while (rest && !lock_not_chosen(k));
	return k->starving && lock_take_free(k) && lock_taken(k);
}

/* Ends the sleep of waiter `who', or tells the member that waits in its place. */
static void lock_call(struct win *w, int rank, int who)
{
	if (likely(w->target[who].ctl != NULL))
		rma_epoch_ring(w, who);
	else
		rma_remote_wake(w, rank);
}

/* --- giving --------------------------------------------------------------------------------- */

/* The rank of the oldest waiter (writers: of the oldest writer), or -1. */
static int lock_oldest(const struct win *w, int rank, bool writers, uint32_t *slot)
{
	const struct rma_pair *pair = rma_lock_pairs(w, rank);
	int best = -1;

	for (int i = 0; i < w->size; i++) {
		uint32_t v = atomic_load_explicit(&pair[i].wait, memory_order_acquire);

		if (!lock_waits(v) || (writers && (v & SLOT_MODE) != LOCK_EXCLUSIVE))
			continue;
		if (best < 0 || lock_before(v, *slot)) {
			best = i;
			*slot = v;
		}
	}
	return best;
}

/* Marks the slot of a waiter as granted.  False: the request seen there is gone.  The slot may
 * become chosen meanwhile, which must not be lost.  A later request may be there by now, perhaps
 * a writer's. */
static bool lock_grant(_Atomic uint32_t *slot, uint32_t seen)
{
	uint32_t v = seen;

	while (((v ^ seen) & ~SLOT_CHOSEN) == 0) {
		if (atomic_compare_exchange_weak_explicit(slot, &v,
			    LOCK_GRANTED | (v & SLOT_CHOSEN), memory_order_release,
			    memory_order_relaxed))
			return true;
	}
	return false;
}

static void lock_drop_unit(struct win *w, int rank, uint64_t mine, int me);

/* Hands the lock, which `me' holds exclusively, to the readers older than the first writer (bar;
 * NULL: to all readers).  False: there are none. */
static bool lock_give_readers(struct win *w, int rank, int me, const uint32_t *bar)
{
	struct rma_pair *pair = rma_lock_pairs(w, rank);
	struct rma_lock *l = lock_of(w, rank);
	uint64_t mine = rma_lock_unit(LOCK_EXCLUSIVE, me);
	bool any = false;

	for (int i = 0; i < w->size; i++) {
		uint32_t v = atomic_load_explicit(&pair[i].wait, memory_order_acquire);

		if ((v & SLOT_MODE) != LOCK_SHARED || (bar != NULL && !lock_before(v, *bar)))
			continue;
		/* Counted before it is told: it may drop the lock at once. */
		atomic_fetch_add_explicit(&l->word, LOCK_READER + (any ? 0 : LOCK_READER - mine),
			memory_order_acq_rel);
		any = true;
		if (lock_grant(&pair[i].wait, v))
			lock_call(w, rank, i);
		else
			lock_drop_unit(w, rank, LOCK_READER, me);
	}
	if (any)
		lock_drop_unit(w, rank, LOCK_READER, me);
	return any;
}

/* Hands the lock, which `me' holds exclusively, to the oldest waiter.  There is one: it is
 * starving, and cannot take the lock.  A writer with an older ticket than all readers may come
 * between the two checks; then the next round finds it. */
static void lock_give(struct win *w, int rank, int me)
{
	for (;;) {
		uint32_t slot = 0, writer = 0;
		int who = lock_oldest(w, rank, false, &slot), first;

		if (who >= 0 && (slot & SLOT_MODE) == LOCK_EXCLUSIVE) {
			/* The word names it before it is told: it may drop the lock at once. */
			atomic_fetch_add_explicit(&lock_of(w, rank)->word,
				(uint64_t)who - (uint64_t)me, memory_order_relaxed);
			lock_grant(&rma_lock_pairs(w, rank)[who].wait,
				slot); /* its request cannot have gone */
			lock_call(w, rank, who);
			return;
		}
		first = lock_oldest(w, rank, true, &writer);
		if (who >= 0 && lock_give_readers(w, rank, me, first >= 0 ? &writer : NULL))
			return;
	}
}

/* No waiter was found to wake.  False: the lock is free, but a waiter remains.  It came while the
 * lock was held; the releaser saw WOKEN set and skipped the queue. */
static bool lock_wake_end(struct rma_lock *l)
{
	uint64_t old = atomic_load_explicit(&l->word, memory_order_acquire);

	do {
		if ((old & LOCK_HELD) == 0 && (old / LOCK_WAITER & LOCK_COUNT) > 0)
			return false;
	} while (!atomic_compare_exchange_weak_explicit(
		&l->word, &old, old & ~LOCK_WOKEN, memory_order_acq_rel, memory_order_acquire));
	return true;
}

/* Wakes the oldest waiter: the lock is free. */
static void lock_wake(struct win *w, int rank)
{
	uint32_t slot = 0;

	do {
		int who;

		while ((who = lock_oldest(w, rank, false, &slot)) >= 0) {
			if (!atomic_compare_exchange_strong_explicit(
				    &rma_lock_pairs(w, rank)[who].wait, &slot, slot | SLOT_CHOSEN,
				    memory_order_seq_cst, memory_order_relaxed))
				continue; /* it has just got the lock */
			lock_call(w, rank, who);
			return;
		}
	} while (!lock_wake_end(lock_of(w, rank)));
}

/* Member `me' releases `mine', its part of the word. */
static void lock_drop_unit(struct win *w, int rank, uint64_t mine, int me)
{
	struct rma_lock *l = lock_of(w, rank);
	uint64_t old = atomic_load_explicit(&l->word, memory_order_relaxed), new;
	bool starving, chosen;

	do {
		bool last = ((old - mine) & LOCK_HELD) == 0;

		new = old - mine;
		starving = last && (old / LOCK_STARVING & LOCK_COUNT) > 0;
		chosen = last && !starving && (old / LOCK_WAITER & LOCK_COUNT) > 0 &&
			 (old & LOCK_WOKEN) == 0;
		if (starving)
			new += rma_lock_unit(LOCK_EXCLUSIVE, me);
		if (chosen)
			new |= LOCK_WOKEN;
	} while (!atomic_compare_exchange_weak_explicit(
		&l->word, &old, new, memory_order_acq_rel, memory_order_relaxed));
	if (starving)
		lock_give(w, rank, me);
	else if (chosen)
		lock_wake(w, rank);
}

void rma_lock_drop_slow(struct win *w, int rank, int who, enum rma_lock_mode mode)
{
	lock_drop_unit(w, rank, rma_lock_unit(mode, who), who);
}

bool rma_lock_is_held(const struct win *w, int rank, int who, enum rma_lock_mode mode)
{
	uint64_t word = atomic_load_explicit(&lock_of(w, rank)->word, memory_order_relaxed);

	if (mode == LOCK_EXCLUSIVE)
		return (word & LOCK_HELD) == rma_lock_unit(mode, who);
	return (word & LOCK_WRITER) == 0 &&
	       atomic_load_explicit(lock_slot(w, rank, who), memory_order_relaxed) == SLOT_READER;
}

int rma_lock_holders(const struct win *w, int rank, int *who, int max)
{
	uint64_t word = atomic_load_explicit(&lock_of(w, rank)->word, memory_order_relaxed);
	int n = 0;

	if ((word & LOCK_WRITER) != 0) {
		who[n++] = (int)(word & LOCK_READERS);
		return n;
	}
	for (int i = 0; i < w->size && n < max; i++) {
		if (atomic_load_explicit(lock_slot(w, rank, i), memory_order_relaxed) ==
			SLOT_READER)
			who[n++] = i;
	}
	return n;
}
