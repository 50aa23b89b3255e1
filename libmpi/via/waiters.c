// SPDX-License-Identifier: BSD-3-Clause
/* waiters.c - where the threads of a rank wait (MPI_THREAD_MULTIPLE).
 *
 *     hall   seat ── seat ── seat ── seat        in the order of coming; on the waiters' stacks
 *            deputy   aside   aside   watcher    the watcher makes passes, spins, yields, and
 * sleeps at the door of this rank; the others only sleep
 *
 *     haft_unlock ──> waiters_wake_ready: which sleeping seats have what they want?  wake these
 *
 * The last that comes takes the watch: it is the one whose answer comes soonest, and a thread that
 * waits long costs it nothing.  Who was robbed stays asleep where it is.  When the watcher leaves,
 * it will most probably be back soon; so to wake another for the watch each time would cost two
 * switches of threads a message.  Instead the oldest seat, the deputy, after it has lost the watch
 * takes short naps and looks whether there is a watcher; naps grow, and a deputy that has gone over
 * to long ones is woken by the leaving watcher: at most one wake in NAP_LAST_NS.
 *
 * Invariants
 *  - Everything here is under the library's lock; a sleeping seat's word is changed under it too.
 *  - A seat is asleep from before the lock is given up until it has it again, or was woken.
 *  - Between two passes of the watcher others get the lock first (haft_lock_to_poll). */
#include "libmpi/via/via.h"

#define NAP_FIRST_NS 1000000u /* a switch of threads costs about 5 us: 0.5 per cent of that */
#define NAP_LAST_NS  4000000u

enum waiter_state { AWAKE, ASLEEP_POLLING, ASLEEP_ASIDE };

struct waiter {
	struct shm_wait w; /* first: libshm knows seats by it */
	const struct via_condition *want;
	struct waiter *next, *prev;
	_Atomic uint32_t *word;     /* changes: wake up */
	uint32_t nap_ns;            /* of the next sleep; above NAP_LAST_NS: as long as may be */
	const uint32_t *nap_max_ns; /* what it wants itself; 0: no matter */
	enum waiter_state waiter_state;
	bool was; /* it had the watch when it looked last */
};

static struct {
	struct waiter *head, *tail, *poller;
} waiters;

/* The word of this thread's seats, of which one at most sleeps.  It is woken when the lock has been
 * given back already (haft_unlock), and the seat may be gone then, but not the thread, unless it
 * has ended of itself just now. */
static __thread _Atomic uint32_t waiter_word;

/* Ends the sleep of a seat.  Returns 1 if *word is to be woken after the unlock. */
static int waiter_wake(struct waiter *s, _Atomic uint32_t **word)
{
	enum waiter_state was = s->waiter_state;

	s->waiter_state = AWAKE;
	if (was == ASLEEP_POLLING)
		shm_wake(via.shm, via.slot);
	if (was != ASLEEP_ASIDE)
		return 0;
	atomic_fetch_add_explicit(s->word, 1, memory_order_release);
	*word = s->word;
	return 1;
}

static int waiters_wake_ready(_Atomic uint32_t *words[], int max)
{
	int n = 0;

	for (struct waiter *s = waiters.head; s != NULL && n < max; s = s->next) {
		if (s->waiter_state != AWAKE && s->want->ready(s->want->arg))
			n += waiter_wake(s, &words[n]);
	}
	return n;
}

void via_poller_wake_slow(void)
{
	_Atomic uint32_t *none;

	if (waiters.poller != NULL && waiters.poller->waiter_state == ASLEEP_POLLING)
		waiter_wake(waiters.poller, &none);
}

static void waiter_unlock(struct shm_wait *w)
{
	struct waiter *s = (struct waiter *)w;

	s->waiter_state = w->aside != NULL ? ASLEEP_ASIDE : ASLEEP_POLLING;
	haft_unlock();
}

static void waiter_relock(struct shm_wait *w)
{
	haft_lock_to_poll();
	((struct waiter *)w)->waiter_state = AWAKE;
}

void via_threads_start(void)
{
	haft_lock_ready_hook = waiters_wake_ready;
	shm_lock_hooks_set(via.shm, waiter_unlock, waiter_relock);
}

static void waiter_push(struct waiter *s)
{
	s->prev = waiters.tail;
	*(waiters.tail != NULL ? &waiters.tail->next : &waiters.head) = s;
	waiters.tail = s;
	waiters.poller = s;
}

/* The thread goes; if it had the watch, the deputy gets it, now or when its short nap is over. */
static void waiter_leave(struct waiter *s)
{
	_Atomic uint32_t *word;
	struct waiter *standby;

	*(s->prev != NULL ? &s->prev->next : &waiters.head) = s->next;
	*(s->next != NULL ? &s->next->prev : &waiters.tail) = s->prev;
	if (waiters.poller != s)
		return;
	waiters.poller = NULL;
	standby = waiters.head;
	if (standby != NULL && standby->w.nap_ns == 0 && waiter_wake(standby, &word) != 0)
		haft_futex_wake(word, 1); /* it does not nap, but sleeps */
}

/* Idles as what the seat is now: spins, yields and sleeps at the door, or sleeps aside. */
static void waiter_idle(struct waiter *s)
{
	bool polls = waiters.poller == s;
	bool standby =
		waiters.head == s || (waiters.head == waiters.poller && waiters.head->next == s);

	if (s->was && !polls)
		s->nap_ns = NAP_FIRST_NS;
	s->was = polls;
	s->w.aside = polls ? NULL : s->word;
	s->w.aside_old = atomic_load_explicit(s->word, memory_order_relaxed);
	s->w.nap_ns = (polls || standby) && s->nap_ns <= NAP_LAST_NS ? s->nap_ns : 0;
	if (*s->nap_max_ns != 0 && (s->w.nap_ns == 0 || *s->nap_max_ns < s->w.nap_ns))
		s->w.nap_ns = *s->nap_max_ns;
	via_idle(&s->w);
	if (s->w.nap && s->nap_ns <= NAP_LAST_NS)
		s->nap_ns *= 2;
}

/* One look of the watcher; true: something has moved. */
static bool poller_pass(struct waiter *s)
{
	if (s->want->pass == NULL || s->want->pass(NULL) <= 0)
		return false;
	shm_wait_again(&s->w);
	if (waiters.head != waiters.tail || haft_lock_wanted()) {
		haft_unlock(); /* wakes who has what he wants, and lets others in */
		haft_lock_to_poll();
	}
	return true;
}

void via_wait(const struct via_condition *want)
{
	static const uint32_t no_matter;

	via_wait_timed(want, &no_matter);
}

void via_wait_timed(const struct via_condition *want, const uint32_t *nap_ns)
{
	struct waiter s = {.want = want,
		.word = &waiter_word,
		.nap_ns = NAP_LAST_NS + 1,
		.nap_max_ns = nap_ns};

	shm_wait_begin(&s.w);
	s.w.teller = want->teller;
	s.w.flag = want->flag;
	waiter_push(&s);
	for (;;) {
		if (want->flag != NULL)
			s.w.old = shm_flag_get(want->flag);
		if (want->ready(want->arg))
			break;
		if (waiters.poller == NULL)
			waiters.poller = &s;
		if (waiters.poller == &s && (poller_pass(&s) || want->ready(want->arg)))
			continue;
		waiter_idle(&s);
	}
	waiter_leave(&s);
	via_wait_end(&s.w);
}
