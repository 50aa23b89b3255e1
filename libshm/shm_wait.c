// SPDX-License-Identifier: BSD-3-Clause
/* shm_wait.c - waiting that adapts, and waking that costs the sender nothing.
 *
 *   pass, pass, pass: spin      (alone on the CPU: what we wait for comes within a switch's time)
 *   yield, yield, yield         (timed: a fast one means nobody else wanted the CPU)
 *   sleep in the futex          (after 4 slow yields or 200 fast ones)
 *
 * How many, and whether at all, is the rank's struct shm_tune: who never sleeps goes on yielding,
 * and says all the same what he waits for.
 *
 * The bell.  A sender stores its message, then looks at the receiver's `sleeping'.  A sleeper
 * stores `sleeping', then looks for messages.  One of the two must see the other's store, which
 * needs a full barrier between store and look on both sides.  While there are CPUs enough, senders
 * have none: the sleeper's membarrier makes one happen on every CPU that runs one of us.  With more
 * ranks than CPUs sleeps are many and messages few: then senders fence.  All ranks do the same
 * (head->fence). Sleeps are bounded all the same (SHM_NAP_MS), so that nothing can be lost for
 * ever.
 *
 * `sleeping' goes from 1 to 0 by exchange: one wake for one sleep, however many senders. */
#include <limits.h>
#include <sched.h>
#include "libshm/shm_inner.h"

#define SPINS_OVERSUB    50   /* others want our CPU, but each of us may have one of his own */
#define SPIN_RETRY       8    /* so many failures in a row, and such spinning is tried seldom */
#define SPIN_RETRY_EVERY 16   /* one wait of so many */
#define YIELDS_SLOW      4    /* then others need it more */
#define YIELD_SLOW_NS    1600 /* a yield took longer: somebody else ran */
#define OVERSUB_WAITS    32   /* waits without spinning after a slow yield */
#define NAP_FIRST_NS     10000000u /* naps grow from here */
#define NAP_SHORT_NS     1000000u  /* from here if no wake-up is certain ... */
#define NAP_SHORT_MAX    4000000u  /* ... or room in an inbox is awaited, which rings no bell */
#define NAP_MAX_NS       (SHM_NAP_MS * 1000000u)

void shm_wait_for_room(struct shm *s, const _Atomic uint64_t *word, uint64_t seen)
{
	struct shm_private *in = s->in;

	if (word == NULL || in->nwatches == ROOM_WATCHES) {
		in->short_nap = true;
		return;
	}
	for (int i = 0; i < in->nwatches; i++)
		if (in->watch[i].word == word) {
			in->watch[i].seen = seen;
			return;
		}
	in->watch[in->nwatches++] = (struct room_watch){word, seen};
}

void shm_poll_word_set(struct shm *s, const _Atomic uint32_t *word)
{
	static const _Atomic uint32_t none;

	s->note = word != NULL ? word : &none;
	s->noted = atomic_load_explicit(s->note, memory_order_relaxed);
}

/* Is there nothing but the flag to look at? */
static bool poll_word_unchanged(const struct shm *s)
{
	return atomic_load_explicit(s->note, memory_order_relaxed) == s->noted;
}

void shm_wake(struct shm *s, int rank)
{
	struct shm_doorbell *d = &s->in->door[rank];
	uint32_t was = atomic_exchange_explicit(&d->sleeping, SLEEP_NONE, memory_order_acq_rel);

	if (was == SLEEP_NONE)
		return;
	s->count.wakes++;
	if (was == SLEEP_FUTEX)
		shm_os_wake(&d->sleeping, INT_MAX);
	else if (s->in->bell.ring != NULL)
		s->in->bell.ring(s->in->bell.arg, rank);
}

/* Who sleeps by the bell because of a flag is not known: all who sleep so look. */
void shm_flag_wake(struct shm *s, struct shm_flag *f)
{
	uint32_t sleepers = atomic_load_explicit(&f->sleepers, memory_order_relaxed);

	if (sleepers % SHM_OPS_SLEEPER != 0) {
		s->count.wakes++;
		shm_os_wake(&f->value, INT_MAX);
	}
	for (int i = 0; sleepers >= SHM_OPS_SLEEPER && i < s->nranks; i++)
		if (atomic_load_explicit(&s->in->door[i].sleeping, memory_order_relaxed) ==
			SLEEP_OPS)
			shm_wake(s, i);
}

void shm_sleep_ops_set(struct shm *s, const struct shm_sleep_ops *bell)
{
	s->in->bell = *bell;
	s->seg->bell = *bell;
}

/* Is there anything that the next pass would find? */
static bool wait_has_input(const struct shm *s)
{
	const struct shm_private *in = s->in;

	if (shm_inbox_has_frame(s))
		return true;
	for (int i = 0; i < in->nrings; i++)
		if (shm_ring_has_frame(s, in->ring_src[i]))
			return true;
	for (int i = 0; i < in->npipes_in; i++)
		if (shm_pipe_has_chunk(s, in->pipe_src[i]))
			return true;
	for (int i = 0; i < in->nwatches; i++)
		if (atomic_load_explicit(in->watch[i].word, memory_order_acquire) !=
			in->watch[i].seen)
			return true;
	return false;
}

static bool wait_over(struct shm *s, struct shm_wait *w)
{
	if (w->flag != NULL && shm_flag_get(w->flag) != w->old)
		return true;
	if (shm_seg_aborted(s->seg) || (!w->flag_only && wait_has_input(s)))
		return true;
	return w->ready != NULL && w->ready(w->arg);
}

void shm_lock_hooks_set(struct shm *s, shm_lock_hook_fn *off, shm_lock_hook_fn *on)
{
	s->in->off = off;
	s->in->on = on;
}

/* Other threads of this rank may call now, and no longer. */
static void lock_release(const struct shm *s, struct shm_wait *w)
{
	if (unlikely(s->in->off != NULL))
		s->in->off(w);
}

static void lock_retake(const struct shm *s, struct shm_wait *w)
{
	if (unlikely(s->in->on != NULL))
		s->in->on(w);
}

/* Writes a page between two steps of its seq.  what NULL: a sleep begins, and says nothing yet. */
static void wait_record_write(
	struct wait_record *p, const struct shm_wait *w, const struct shm_what *what)
{
	uint64_t word[countof(p->what)] = {0};
	uint32_t seq = atomic_load_explicit(&p->seq, memory_order_relaxed);

	if (what != NULL)
		memcpy(word, what, sizeof word);
	atomic_store_explicit(&p->seq, seq + 1, memory_order_relaxed);
	shm_fence();
	if (what == NULL) {
		atomic_store_explicit(&p->cpu, shm_os_cpu(), memory_order_relaxed);
		atomic_store_explicit(&p->since_ns, w->begin_ns, memory_order_relaxed);
		atomic_store_explicit(&p->still_ns, shm_os_now(), memory_order_relaxed);
	}
	for (size_t i = 0; i < countof(word); i++)
		atomic_store_explicit(&p->what[i], word[i], memory_order_relaxed);
	atomic_store_explicit(&p->waiting, 1, memory_order_relaxed);
	atomic_store_explicit(&p->seq, seq + 2, memory_order_release);
}

/* Shows beside the one at the door what w waits for, if there is a page for it. */
static void standby_show(struct shm *s, struct shm_wait *w)
{
	struct shm_what what = {.kind = 0};
	int k = 1;

	while (k < WAIT_RECORDS &&
		atomic_load_explicit(&s->in->page[k].waiting, memory_order_relaxed))
		k++;
	if (k == WAIT_RECORDS || w->teller == NULL)
		return;
	w->teller->tell(w->teller, &what);
	atomic_store_explicit(&s->in->page[k].since_ns, w->begin_ns, memory_order_relaxed);
	wait_record_write(&s->in->page[k], w, &what);
	w->beside = k;
}

static void standby_hide(struct shm *s, struct shm_wait *w)
{
	if (w->beside == 0)
		return;
	atomic_store_explicit(&s->in->page[w->beside].waiting, 0, memory_order_relaxed);
	w->beside = 0;
}

/* Shows that we sleep. */
static void wait_show(struct shm *s, struct shm_wait *w)
{
	standby_hide(s, w);
	w->told = false;
	s->in->shown = w;
	wait_record_write(s->in->page, w, NULL);
}

/* The sleep has become a long one: shows what it is for. */
static void wait_describe(struct shm *s, struct shm_wait *w)
{
	struct shm_what what = {.kind = 0};

	w->told = true;
	if (w->teller == NULL)
		return;
	w->teller->tell(w->teller, &what);
	wait_record_write(s->in->page, w, &what);
}

/* We no longer sleep. */
static void wait_hide(struct shm *s, const struct shm_wait *w)
{
	if (s->in->shown != w)
		return;
	s->in->shown = NULL;
	atomic_store_explicit(&s->in->page->waiting, 0, memory_order_relaxed);
}

/* How long this sleep may last, and how the next one will be if nothing comes. */
static uint64_t nap_next(struct shm_private *in, bool weak)
{
	uint64_t most = in->short_nap || weak ? NAP_SHORT_MAX : NAP_MAX_NS;
	uint64_t ns = in->nap_ns;

	if (ns == 0)
		ns = most < NAP_MAX_NS ? NAP_SHORT_NS : NAP_FIRST_NS;
	in->nap_ns = 2 * ns;
	return ns < most ? ns : most;
}

/* The same, and no longer than this waiter and the bell want. */
static uint64_t nap_limit(struct shm_private *in, const struct shm_wait *w, bool weak, bool belled)
{
	uint64_t ns = nap_next(in, weak), most = belled ? in->bell.most(in->bell.arg) : ns;

	if (w->nap_ns != 0 && w->nap_ns < most)
		most = w->nap_ns;
	return ns < most ? ns : most;
}

/* The sleep itself.  True: the clock ended it. */
static bool sleep_now(struct shm *s, struct shm_wait *w, bool belled, bool two, uint64_t ns)
{
	struct shm_private *in = s->in;

	if (w->flag_only)
		return shm_os_sleep(&w->flag->value, w->old, NULL, 0, ns);
	if (belled)
		return in->bell.sleep(in->bell.arg, ns);
	return shm_os_sleep(
		&in->door[s->me].sleeping, SLEEP_FUTEX, two ? &w->flag->value : NULL, w->old, ns);
}

/* Sleeps, unless there is something by now.  True: the clock ended it. */
static bool sleep_once(struct shm *s, struct shm_wait *w)
{
	struct shm_private *in = s->in;
	struct shm_doorbell *d = &in->door[s->me];
	uint64_t ns;
	bool belled = in->bell.sleep != NULL && !w->flag_only;
	bool two = w->flag != NULL && !w->flag_only && !belled && shm_os_sleep_two();
	bool weak = in->weak || (w->flag != NULL && !w->flag_only && !belled && !two);
	bool timed = false;
	uint32_t sleeper = belled ? SHM_OPS_SLEEPER : 1;

	if (w->flag != NULL)
		atomic_fetch_add_explicit(&w->flag->sleepers, sleeper, memory_order_seq_cst);
	if (!w->flag_only) {
		atomic_store_explicit(
			&d->sleeping, belled ? SLEEP_OPS : SLEEP_FUTEX, memory_order_relaxed);
		in->at_door = w;
	}
	shm_fence();
	if (!s->fence)
		shm_os_barrier();
	if (!wait_over(s, w)) {
		s->count.sleeps++;
		ns = nap_limit(in, w, weak, belled);
		lock_release(s, w);
		timed = sleep_now(s, w, belled, two, ns);
		lock_retake(s, w);
	}
	if (!w->flag_only && in->at_door == w) {
		atomic_store_explicit(&d->sleeping, SLEEP_NONE, memory_order_relaxed);
		in->at_door = NULL;
	}
	if (w->flag != NULL)
		atomic_fetch_sub_explicit(&w->flag->sleepers, sleeper, memory_order_relaxed);
	return timed;
}

bool shm_must_fence(const struct shm *s)
{
	return s->fence || s->in->weak;
}

void shm_fence_all(const struct shm *s)
{
	shm_fence();
	if (!s->fence)
		shm_os_barrier();
}

/* Before a sleep aside: a wait that nothing but the clock has interrupted for long is shown. */
static void standby_update(struct shm *s, struct shm_wait *w)
{
	uint64_t now = shm_os_now();

	if (w->begin_ns == 0)
		w->begin_ns = now;
	if (!w->nap)
		standby_hide(s, w);
	else if (w->beside == 0 && s->in->shown != w &&
		 now - w->begin_ns > SHM_DESCRIBE_MS * UINT64_C(1000000))
		standby_show(s, w);
}

/* Sleeps while another thread of this rank is at the door. */
static void sleep_standby(struct shm *s, struct shm_wait *w)
{
	struct shm_private *in = s->in;
	bool two = w->flag != NULL && shm_os_sleep_two();
	uint64_t ns = w->flag != NULL && (!two || in->weak) ? NAP_SHORT_MAX : NAP_MAX_NS;

	if (w->nap_ns != 0 && w->nap_ns < ns)
		ns = w->nap_ns;
	standby_update(s, w);
	if (w->flag != NULL) {
		atomic_fetch_add_explicit(&w->flag->sleepers, 1, memory_order_seq_cst);
		shm_fence();
		if (!s->fence)
			shm_os_barrier();
	}
	w->nap = false;
	if (w->flag == NULL || shm_flag_get(w->flag) == w->old) {
		s->count.sleeps++;
		lock_release(s, w);
		w->nap = shm_os_sleep(
			w->aside, w->aside_old, two ? &w->flag->value : NULL, w->old, ns);
		lock_retake(s, w);
	}
	if (w->flag != NULL)
		atomic_fetch_sub_explicit(&w->flag->sleepers, 1, memory_order_relaxed);
}

static void sleep_shown(struct shm *s, struct shm_wait *w)
{
	struct shm_private *in = s->in;

	if (!w->nap || in->shown != w)
		wait_show(s, w);
	else if (!w->told && in->nap_ns > SHM_DESCRIBE_MS * UINT64_C(1000000))
		wait_describe(s, w);
	w->nap = sleep_once(s, w);
	in->nwatches = 0;
	in->short_nap = false;
	if (w->nap) {
		s->count.naps++;
		return;
	}
	in->nap_ns = 0;
	wait_hide(s, w);
}

/* Have there been yields enough for a sleep?  Who never sleeps shows from here on that he waits. */
static bool yield_enough(struct shm *s, struct shm_wait *w, uint64_t now)
{
	const struct shm_tune *t = &s->in->tune;

	if (t->sleep == SHM_SLEEP_ALWAYS)
		return true;
	if (w->slow < YIELDS_SLOW && w->slow + w->fast < t->yields)
		return false;
	if (t->sleep == SHM_SLEEP_AUTO)
		return true;
	if (s->in->shown != w)
		wait_show(s, w);
	else if (!w->told && now - w->begin_ns > SHM_DESCRIBE_MS * UINT64_C(1000000))
		wait_describe(s, w);
	return false;
}

/* One yield; true: that is enough of them. */
static bool yield_once(struct shm *s, struct shm_wait *w)
{
	uint64_t before = shm_os_now();

	if (w->begin_ns == 0)
		w->begin_ns = before;
	if (yield_enough(s, w, before))
		return true;
	lock_release(s, w);
	sched_yield();
	lock_retake(s, w);
	s->count.yields++;
	if (shm_os_now() - before < YIELD_SLOW_NS) {
		w->fast++;
	} else {
		w->slow++;
		s->count.yields_slow++;
		s->in->crowd = OVERSUB_WAITS;
	}
	return false;
}

static uint32_t spins_oversub(const struct shm_private *in)
{
	return in->tune.spins < SPINS_OVERSUB ? in->tune.spins : SPINS_OVERSUB;
}

/* How long it is worth spinning.  Among more ranks than CPUs who spins keeps others from running.
 * If it is strangers who crowd the CPUs, then our peer may well be on another one just now; or it
 * shares ours with us, and spinning is in its way: what helped lately tells. */
static uint32_t spins_allowed(const struct shm *s)
{
	const struct shm_private *in = s->in;

	if (in->tune.sleep == SHM_SLEEP_ALWAYS || (in->contended && in->tune.yields == 0))
		return 0; /* without yields nobody notices a crowd */
	if (in->crowd == 0)
		return in->tune.spins;
	if (in->contended)
		return 0;
	return in->luck > 0 || in->waits % SPIN_RETRY_EVERY == 0 ? spins_oversub(in) : 0;
}

int shm_idle(struct shm *s, struct shm_wait *w)
{
	if (unlikely(shm_seg_aborted(s->seg)))
		return SHM_ABORTED;
	if (unlikely(w->aside != NULL)) {
		sleep_standby(s, w);
		return shm_seg_aborted(s->seg) ? SHM_ABORTED : 0;
	}
	if (!w->nap) {
		if (w->spins < spins_allowed(s)) {
			w->spins++;
			s->count.spins++;
			lock_release(s, w);
			shm_os_relax();
			lock_retake(s, w);
			return 0;
		}
		if (!yield_once(s, w))
			return 0;
	}
	sleep_shown(s, w);
	return shm_seg_aborted(s->seg) ? SHM_ABORTED : 0;
}

void shm_wait_end(struct shm *s, struct shm_wait *w)
{
	struct shm_private *in = s->in;

	wait_hide(s, w);
	standby_hide(s, w);
	in->nap_ns = 0;
	in->waits++;
	if (w->slow + w->fast == 0)
		in->luck = SPIN_RETRY;
	else if (w->spins >= spins_oversub(in) && in->luck > 0)
		in->luck--;
	if (w->slow == 0 && in->crowd > 0)
		in->crowd--;
}

static bool flag_reached(const struct shm_flag *f, uint32_t want, uint32_t *value)
{
	*value = shm_flag_get(f);
	return (int32_t)(*value - want) >= 0;
}

int shm_flag_wait(struct shm *s, struct shm_flag *f, uint32_t want, shm_progress_fn *pass,
	void *arg, const struct shm_describer *teller)
{
	enum { LOOKS = 16 }; /* a flag is one load; a pass looks at many places */
	struct shm_wait w;
	uint32_t value;
	int e = 0;

	if (flag_reached(f, want, &value))
		return 0;
	shm_wait_begin(&w);
	w.flag = f;
	w.flag_only = pass == NULL;
	w.teller = teller;
	while (e == 0 && !flag_reached(f, want, &value)) {
		for (int i = 0; spins_allowed(s) > 0 && i < LOOKS && shm_flag_get(f) == value &&
				poll_word_unchanged(s);
			i++)
			shm_os_relax();
		w.old = value;
		if (pass != NULL && pass(arg) > 0)
			shm_wait_again(&w);
		else if (shm_flag_get(f) == value)
			e = shm_idle(s, &w);
	}
	shm_wait_end(s, &w);
	return e;
}
