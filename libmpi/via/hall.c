// SPDX-License-Identifier: BSD-3-Clause
/* hall.c - where the threads of a rank wait (MPI_THREAD_MULTIPLE).
 *
 *     hall   seat ── seat ── seat ── seat        in the order of coming; on the waiters' stacks
 *            deputy   aside   aside   watcher    the watcher makes passes, spins, yields, and
 * sleeps at the door of this rank; the others only sleep
 *
 *     haft_unlock ──> hall_look: which sleeping seats have what they want?  wake these
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
 *  - Between two passes of the watcher others get the lock first (haft_lock_again). */
#include "libmpi/via/via.h"

#define NAP_FIRST_NS 1000000u /* a switch of threads costs about 5 us: 0.5 per cent of that */
#define NAP_LAST_NS  4000000u

enum sleep { AWAKE, AT_DOOR, ASIDE };

struct seat {
	struct shm_wait w; /* first: libshm knows seats by it */
	const struct via_want *want;
	struct seat *next, *prev;
	_Atomic uint32_t *word;     /* changes: wake up */
	uint32_t nap_ns;            /* of the next sleep; above NAP_LAST_NS: as long as may be */
	const uint32_t *nap_max_ns; /* what it wants itself; 0: no matter */
	enum sleep sleep;
	bool was; /* it had the watch when it looked last */
};

static struct {
	struct seat *head, *tail, *watcher;
} hall;

/* The word of this thread's seats, of which one at most sleeps.  It is woken when the lock has been
 * given back already (haft_unlock), and the seat may be gone then, but not the thread, unless it
 * has ended of itself just now. */
static __thread _Atomic uint32_t seat_word;

/* Ends the sleep of a seat.  Returns 1 if *word is to be woken after the unlock. */
static int seat_wake(struct seat *s, _Atomic uint32_t **word)
{
	enum sleep was = s->sleep;

	s->sleep = AWAKE;
	if (was == AT_DOOR)
		shm_wake(via.shm, via.slot);
	if (was != ASIDE)
		return 0;
	atomic_fetch_add_explicit(s->word, 1, memory_order_release);
	*word = s->word;
	return 1;
}

static int hall_look(_Atomic uint32_t *words[], int max)
{
	int n = 0;

	for (struct seat *s = hall.head; s != NULL && n < max; s = s->next) {
		if (s->sleep != AWAKE && s->want->ready(s->want->arg))
			n += seat_wake(s, &words[n]);
	}
	return n;
}

void via_kick_slow(void)
{
	_Atomic uint32_t *none;

	if (hall.watcher != NULL && hall.watcher->sleep == AT_DOOR)
		seat_wake(hall.watcher, &none);
}

static void off(struct shm_wait *w)
{
	struct seat *s = (struct seat *)w;

	s->sleep = w->aside != NULL ? ASIDE : AT_DOOR;
	haft_unlock();
}

static void on(struct shm_wait *w)
{
	haft_lock_again();
	((struct seat *)w)->sleep = AWAKE;
}

void via_threads(void)
{
	haft_lock_look = hall_look;
	shm_threads(via.shm, off, on);
}

static void seat_push(struct seat *s)
{
	s->prev = hall.tail;
	*(hall.tail != NULL ? &hall.tail->next : &hall.head) = s;
	hall.tail = s;
	hall.watcher = s;
}

/* The thread goes; if it had the watch, the deputy gets it, now or when its short nap is over. */
static void seat_leave(struct seat *s)
{
	_Atomic uint32_t *word;
	struct seat *deputy;

	*(s->prev != NULL ? &s->prev->next : &hall.head) = s->next;
	*(s->next != NULL ? &s->next->prev : &hall.tail) = s->prev;
	if (hall.watcher != s)
		return;
	hall.watcher = NULL;
	deputy = hall.head;
	if (deputy != NULL && deputy->w.nap_ns == 0 && seat_wake(deputy, &word) != 0)
		haft_os_wake(word, 1); /* it does not nap, but sleeps */
}

/* Idles as what the seat is now: spins, yields and sleeps at the door, or sleeps aside. */
static void seat_idle(struct seat *s)
{
	bool watches = hall.watcher == s;
	bool deputy = hall.head == s || (hall.head == hall.watcher && hall.head->next == s);

	if (s->was && !watches)
		s->nap_ns = NAP_FIRST_NS;
	s->was = watches;
	s->w.aside = watches ? NULL : s->word;
	s->w.aside_old = atomic_load_explicit(s->word, memory_order_relaxed);
	s->w.nap_ns = (watches || deputy) && s->nap_ns <= NAP_LAST_NS ? s->nap_ns : 0;
	if (*s->nap_max_ns != 0 && (s->w.nap_ns == 0 || *s->nap_max_ns < s->w.nap_ns))
		s->w.nap_ns = *s->nap_max_ns;
	via_idle(&s->w);
	if (s->w.nap && s->nap_ns <= NAP_LAST_NS)
		s->nap_ns *= 2;
}

/* One look of the watcher; true: something has moved. */
static bool watch(struct seat *s)
{
	if (s->want->pass == NULL || s->want->pass(NULL) <= 0)
		return false;
	shm_wait_again(&s->w);
	if (hall.head != hall.tail || haft_lock_wanted()) {
		haft_unlock(); /* wakes who has what he wants, and lets others in */
		haft_lock_again();
	}
	return true;
}

void via_wait(const struct via_want *want)
{
	static const uint32_t no_matter;

	via_wait_nap(want, &no_matter);
}

void via_wait_nap(const struct via_want *want, const uint32_t *nap_ns)
{
	struct seat s = {
		.want = want, .word = &seat_word, .nap_ns = NAP_LAST_NS + 1, .nap_max_ns = nap_ns};

	shm_wait_begin(&s.w);
	s.w.teller = want->teller;
	s.w.flag = want->flag;
	seat_push(&s);
	for (;;) {
		if (want->flag != NULL)
			s.w.old = shm_flag_get(want->flag);
		if (want->ready(want->arg))
			break;
		if (hall.watcher == NULL)
			hall.watcher = &s;
		if (hall.watcher == &s && (watch(&s) || want->ready(want->arg)))
			continue;
		seat_idle(&s);
	}
	seat_leave(&s);
	via_wait_end(&s.w);
}
