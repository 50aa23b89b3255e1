// SPDX-License-Identifier: BSD-3-Clause
/* waiters.c - where the threads of a rank wait (MPI_THREAD_MULTIPLE).
 *
 *     waiters   first ── waiter ── waiter ── last      in the order of coming, on their stacks
 *               standby  aside     aside     poller
 *
 *     poller    makes passes, spins, yields, and sleeps at the doorbell of this rank
 *     others    sleep aside, each on its own word
 *
 *     haft_unlock ──> waiters_wake_ready: wakes each sleeper whose condition holds
 *
 * The last thread that comes becomes the poller: its answer comes soonest, and the switch costs a
 * thread that has waited for long nothing.  A thread that loses this role keeps sleeping where it
 * is.
 *
 * A poller that leaves will most probably be back soon.  To wake another poller each time would
 * cost two switches of threads a message.  Instead the first waiter, the standby, takes short naps
 * after it has lost the role, and looks whether there is a poller.  Naps grow; a standby that has
 * gone over to sleep without end is woken by the leaving poller: at most one wake in NAP_LAST_NS.
 *
 * Invariants
 *  - All of this is under the library's lock; a sleeping waiter's word is changed under it too.
 *  - A waiter is asleep from before the lock is given up until it has the lock again, or was woken.
 *  - Between two passes of the poller other threads get the lock first (haft_lock_to_poll).
 *  - The poller, if there is one, is in the list. */
#include "libmpi/via/via.h"

#include "libmpi/core/valid.h"

#define NAP_FIRST_NS 1000000u /* a switch of threads costs about 5 us: 0.5 per cent of that */
#define NAP_LAST_NS  4000000u

enum waiter_state { AWAKE, ASLEEP_POLLING, ASLEEP_ASIDE };

struct waiter {
	struct shm_wait wait; /* first: libshm knows waiters by it */
	const struct via_condition *want;
	struct waiter *next, *prev;
	_Atomic uint32_t *word;     /* a change ends its sleep */
	uint32_t nap_ns;            /* of the next sleep; above NAP_LAST_NS: without end */
	const uint32_t *nap_max_ns; /* of via_wait_timed; 0: any */
	enum waiter_state state;
	bool was_poller; /* when it idled last */
};

static struct {
	struct waiter *head, *tail, *poller;
} waiters;

/* The word of this thread's waiters, of which one at most sleeps.  haft_unlock wakes it after it
 * has given the lock back.  The waiter may be gone then, but not the thread, unless it has just
 * ended. */
static __thread _Atomic uint32_t waiter_word;

/* Ends the sleep of a waiter.  Returns 1 if *word is to be woken after the unlock. */
static int waiter_wake(struct waiter *s, _Atomic uint32_t **word)
{
	enum waiter_state was = s->state;

	s->state = AWAKE;
	if (was == ASLEEP_POLLING)
		shm_wake(via.shm, via.seat);
	if (was != ASLEEP_ASIDE)
		return 0;
	atomic_fetch_add_explicit(s->word, 1, memory_order_release);
	*word = s->word;
	return 1;
}

static int waiters_wake_ready(_Atomic uint32_t *words[], int max)
{
	int n = shm_wakes_take(via.shm, words);

	_Static_assert(SHM_DEFERRED_MAX < HAFT_LOCK_WAKES, "room for a waiter");

	for (struct waiter *s = waiters.head; s != NULL && n < max; s = s->next) {
		if (s->state != AWAKE && s->want->ready(s->want->arg))
			n += waiter_wake(s, &words[n]);
	}
	return n;
}

void via_poller_wake_slow(void)
{
	_Atomic uint32_t *none;

	if (waiters.poller != NULL && waiters.poller->state == ASLEEP_POLLING)
		waiter_wake(waiters.poller, &none);
}

static void waiter_unlock(struct shm_wait *w)
{
	struct waiter *s = (struct waiter *)w;

	s->state = w->standby != NULL ? ASLEEP_ASIDE : ASLEEP_POLLING;
	haft_unlock();
}

static void waiter_relock(struct shm_wait *w)
{
	haft_lock_to_poll();
	((struct waiter *)w)->state = AWAKE;
}

void via_helper_start(void)
{
	haft_lock_ready_hook = waiters_wake_ready;
	haft_program_show(shm_calls(via.shm));
}

void via_helper_stop(void)
{
	haft_program_show(NULL);
}

void via_threads_start(void)
{
	haft_valid_add("via_waiters_valid", via_waiters_valid);
	haft_lock_ready_hook = waiters_wake_ready;
	shm_lock_hooks_set(via.shm, waiter_unlock, waiter_relock);
}

bool via_is_waiting(void)
{
	return waiters.head != NULL;
}

void via_threads_stop(void)
{
	must(waiters.head == NULL);
	shm_lock_hooks_set(via.shm, NULL, NULL);
}

static void waiter_push(struct waiter *s)
{
	s->prev = waiters.tail;
	*(waiters.tail != NULL ? &waiters.tail->next : &waiters.head) = s;
	waiters.tail = s;
	waiters.poller = s;
}

/* Removes a waiter.  If it was the poller, the standby takes over, now or after its short nap. */
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
	if (standby != NULL && standby->wait.nap_ns == 0 && waiter_wake(standby, &word) != 0)
		haft_futex_wake(word, 1); /* it sleeps without end */
}

/* The poller spins, yields and sleeps at the doorbell; any other waiter sleeps aside. */
static void waiter_idle(struct waiter *s)
{
	bool polls = waiters.poller == s;
	bool standby =
		waiters.head == s || (waiters.head == waiters.poller && waiters.head->next == s);

	if (s->was_poller && !polls)
		s->nap_ns = NAP_FIRST_NS;
	s->was_poller = polls;
	s->wait.standby = polls ? NULL : s->word;
	s->wait.standby_old = atomic_load_explicit(s->word, memory_order_relaxed);
	s->wait.nap_ns = (polls || standby) && s->nap_ns <= NAP_LAST_NS ? s->nap_ns : 0;
	if (*s->nap_max_ns != 0 && (s->wait.nap_ns == 0 || *s->nap_max_ns < s->wait.nap_ns))
		s->wait.nap_ns = *s->nap_max_ns;
	via_idle(&s->wait);
	if (s->wait.nap && s->nap_ns <= NAP_LAST_NS)
		s->nap_ns *= 2;
}

/* One pass of the poller; true: something has moved. */
static bool poller_pass(struct waiter *s)
{
	if (s->want->pass == NULL || s->want->pass(s->want->arg) <= 0)
		return false;
	shm_wait_again(&s->wait);
	if (waiters.head != waiters.tail || haft_lock_wanted()) {
		haft_unlock(); /* wakes waiters whose condition holds, and lets other threads in */
		haft_lock_to_poll();
	}
	return true;
}

void via_wait(const struct via_condition *want)
{
	static const uint32_t any_time;

	via_wait_timed(want, &any_time);
}

void via_wait_timed(const struct via_condition *want, const uint32_t *nap_ns)
{
	struct waiter s = {.want = want,
		.word = &waiter_word,
		.nap_ns = NAP_LAST_NS + 1,
		.nap_max_ns = nap_ns};

	shm_wait_begin(&s.wait);
	s.wait.describer = want->describer;
	s.wait.flag = want->flag;
	waiter_push(&s);
	for (;;) {
		if (want->flag != NULL)
			s.wait.old = shm_flag_get(want->flag);
		if (want->ready(want->arg))
			break;
		if (waiters.poller == NULL)
			waiters.poller = &s;
		if (waiters.poller == &s && (poller_pass(&s) || want->ready(want->arg)))
			continue;
		waiter_idle(&s);
	}
	waiter_leave(&s);
	via_wait_end(&s.wait);
}

bool via_waiters_valid(void)
{
	const struct waiter *last = NULL;
	bool polls = waiters.poller == NULL;

	for (const struct waiter *w = waiters.head; w != NULL; w = w->next) {
		if (w->prev != last || w->want == NULL)
			return false;
		polls = polls || w == waiters.poller;
		last = w;
	}
	return polls && waiters.tail == last;
}
