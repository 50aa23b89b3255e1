// SPDX-License-Identifier: BSD-3-Clause
/* shm_wait.c - waiting that adapts, and wake-ups that cost the sender one load.
 *
 *   unrecorded yield            (only if slow yields ended the last waits: see below)
 *   pass, pass, pass: spin      (alone on the CPU: a message often comes within a switch's time)
 *   yield, yield, yield         (timed: a fast yield means that no other thread wanted the CPU)
 *   sleep in the futex          (after 4 slow yields or 200 fast ones; after 8 slow ones while all
 *                                ranks of this CPU wait, so that none needs it)
 *
 * A yield gives the CPU to any process that wants it.  One of another job keeps it for
 * milliseconds, and kernels since Linux 6.18 take the rest of the yielder's slice as well.  A
 * sleeper that is woken runs at once instead.  So each rank records, for its CPU, when it gives it
 * up, and one that runs again sees for how long none of the job's ranks had it.  If that was long,
 * no rank yields on this CPU for a time, however many ranks there are.  While another rank of the
 * job computes, it may have had the CPU: then nothing is concluded.
 *
 * Where many ranks share a CPU, the first slow yield ends most waits, and those records cost more
 * than all else of such a wait.  So only one wait in UNRECORDED_WAITS + 1 writes them.  The others
 * begin with an unrecorded yield, which is only timed.  One that took long ends this for
 * UNRECORDED_PAUSE waits: all ranks record their yields then, and stop yielding if they should.  A
 * rank makes unrecorded yields until it has lost the CPU itself, also while others have stopped.
 *
 * The rank's struct shm_tune sets these numbers, and whether it sleeps.  A rank that never sleeps
 * goes on yielding, and shows its wait all the same.
 *
 * The doorbell.  A sender stores its message, then reads the receiver's `sleeping'.  A sleeper
 * stores `sleeping', then looks for messages.  One of the two must see the other's store, which
 * needs a full barrier between store and check on both sides.  While there are CPUs enough, senders
 * have none: the sleeper's membarrier executes one on every CPU that runs a rank.  With more ranks
 * than CPUs, sleeps are many and messages few: then senders fence.  All ranks do the same
 * (head->fence).  Sleeps are bounded all the same (SHM_NAP_MS), so a lost wake-up delays but does
 * not hang.
 *
 * `sleeping' goes from 1 to 0 by exchange: one wake for one sleep, however many senders. */
#include <limits.h>
#include <sched.h>
#include "libshm/shm_inner.h"
#include "libshm/ticks.h"

#define SPINS_OVERSUB    50   /* other processes want our CPU, but each rank may have its own */
#define SPINS_LOST       600  /* before a sleep without yields: about as long as a wake-up takes */
#define SPINS_BRIEF      400  /* of a brief wait, about 10 us */
#define SPIN_RETRY       8    /* after so many failures in a row, such spinning is tried seldom */
#define SPIN_RETRY_EVERY 16   /* then in one wait of so many */
#define YIELDS_SLOW      4    /* then other threads need the CPU more ... */
#define YIELDS_SLOW_IDLE 8    /* ... but not while all ranks of this CPU wait */
#define YIELDS_BRIEF     20   /* of a brief wait, about 10 us */
#define YIELD_SLOW_NS    1600 /* a yield that took longer: another thread ran */
#define YIELD_LOST_NS    500000u  /* longer: a process that computes had the CPU for its slice */
#define YIELD_LOST_AGAIN 2        /* twice within so many times as long ... */
#define YIELD_LOST_TIMES 64       /* ... then no yields for so many times as long ... */
#define YIELD_LOST_MAX_S 2        /* ... but not longer: a process may have been stopped */
#define TICKS_GUESS      3        /* a nanosecond, until they are measured */
#define TICKS_POLL_NS    50000u   /* between clock reads of a CPU's ranks while yields are slow */
#define TICKS_LEAST_NS   1000000u /* so long a time measures a tick well enough */
#define BURST_LONG       6        /* slow yields: a rank whose CPU burst is so long has work ... */
#define BURST_LONG_MORE  16       /* ... and so have that many after it */
#define NO_SPIN_WAITS    32       /* waits without spinning after a slow yield */
#define UNRECORDED_WAITS MEAN_OR(2, 15) /* so many begin with one, after slow yields */
#define UNRECORDED_PAUSE MEAN_OR(3, 64) /* waits without one, after one that lost the CPU */
#define NAP_OVERSUB      8              /* so many ranks a CPU make naps longer, see nap_stretch */
#define NAP_FIRST_NS     10000000u      /* naps grow from here */
#define NAP_FIRST_MANY   2        /* times that, if naps are stretched: a start takes as long */
#define NAP_SHORT_NS     1000000u /* from here if no wake-up is certain ... */
#define NAP_SHORT_MAX    4000000u /* ... such as for room in an inbox, which rings no doorbell */
#define NAP_POLL_NS      50000u   /* of a program that polls, where yields lose the CPU */
#define NAP_MAX_NS       (SHM_NAP_MS * 1000000u)
#define REDESCRIBE_NS    UINT64_C(2000000000) /* between two descriptions of one sleep */

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

HAFT_START void shm_poll_word_set(struct shm *s, const _Atomic uint32_t *word)
{
	static const _Atomic uint32_t none;

	s->poll_word = word != NULL ? word : &none;
	s->poll_word_seen = atomic_load_explicit(s->poll_word, memory_order_relaxed);
}

/* Has the poll word not changed since the last pass? */
static bool poll_word_unchanged(const struct shm *s)
{
	return atomic_load_explicit(s->poll_word, memory_order_relaxed) == s->poll_word_seen;
}

_Atomic uint32_t *shm_calls(struct shm *s)
{
	return &s->in->record->calls;
}

bool shm_computes(const struct shm *s, int rank)
{
	const struct wait_record *all = seg_at(s->seg, s->seg->head->record);
	uint32_t n = atomic_load_explicit(&all[rank * WAIT_RECORDS].calls, memory_order_relaxed);

	return n != 0 && n % 2 == 0;
}

/* Wakes the sleepers of a futex word, or notes that they are to be woken. */
static void wake_sleepers(struct shm *s, _Atomic uint32_t *word)
{
	struct shm_private *in = s->in;

	s->count.wakes++;
	if (in->deferred.on && in->deferred.n < SHM_DEFERRED_MAX)
		in->deferred.word[in->deferred.n++] = word;
	else
		shm_os_wake(word, INT_MAX);
}

void shm_wakes_issue(struct shm *s)
{
	struct shm_private *in = s->in;

	for (int i = 0; i < in->deferred.n; i++)
		shm_os_wake(in->deferred.word[i], INT_MAX);
	in->deferred.n = 0;
}

void shm_wakes_defer(struct shm *s)
{
	s->in->deferred.on = true;
}

int shm_wakes_take(struct shm *s, _Atomic uint32_t *words[])
{
	struct shm_private *in = s->in;
	int n = in->deferred.n;

	memcpy(words, in->deferred.word, (size_t)n * sizeof(in->deferred.word[0]));
	in->deferred.n = 0;
	in->deferred.on = false;
	return n;
}

HAFT_HOT void shm_wake(struct shm *s, int rank)
{
	struct shm_doorbell *d = &s->in->doorbell[rank];
	uint32_t was = atomic_exchange_explicit(&d->sleeping, SLEEP_NONE, memory_order_acq_rel);

	if (was == SLEEP_NONE)
		return;
	if (was == SLEEP_FUTEX) {
		wake_sleepers(s, &d->sleeping);
		return;
	}
	s->count.wakes++;
	if (s->in->sleep_ops.ring != NULL)
		s->in->sleep_ops.ring(s->in->sleep_ops.arg, rank);
}

void shm_watch(struct shm *s, const _Atomic uint64_t *word, uint64_t seen)
{
	shm_wait_for_room(s, word, seen);
}

void shm_wake_own(struct shm *s)
{
	struct shm_doorbell *d = &s->in->doorbell[s->me];
	uint32_t was;

	shm_fence(); /* the store before the check; the sleeper's is in sleep_announce */
	if (atomic_load_explicit(&d->sleeping, memory_order_relaxed) == SLEEP_NONE)
		return;
	was = atomic_exchange_explicit(&d->sleeping, SLEEP_NONE, memory_order_acq_rel);
	if (was == SLEEP_FUTEX)
		shm_os_wake(&d->sleeping, INT_MAX);
	else if (was != SLEEP_NONE && s->in->sleep_ops.ring != NULL)
		s->in->sleep_ops.ring(s->in->sleep_ops.arg, s->me);
}

/* Which of the ranks that sleep by shm_sleep_ops wait for this flag is not known: all are woken. */
HAFT_HOT void shm_flag_wake(struct shm *s, struct shm_flag *f)
{
	uint32_t sleepers = atomic_load_explicit(&f->sleepers, memory_order_relaxed);

	if (sleepers % SHM_OPS_SLEEPER != 0)
		wake_sleepers(s, &f->value);
	for (int i = 0, n = shm_seg_seats_end(s->seg); sleepers >= SHM_OPS_SLEEPER && i < n; i++)
		if (atomic_load_explicit(&s->in->doorbell[i].sleeping, memory_order_relaxed) ==
			SLEEP_OPS)
			shm_wake(s, i);
}

HAFT_START void shm_sleep_ops_set(struct shm *s, const struct shm_sleep_ops *ops)
{
	s->in->sleep_ops = *ops;
	s->seg->sleep_ops = *ops;
}

/* Would the next pass find anything? */
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
	if (shm_event_new(s) || (!w->flag_only && wait_has_input(s)))
		return true;
	return w->ready != NULL && w->ready(w->arg);
}

void shm_lock_hooks_set(struct shm *s, shm_lock_hook_fn *release, shm_lock_hook_fn *retake)
{
	s->in->release = release;
	s->in->retake = retake;
	s->unrecorded = 0;
}

/* Lets other threads of this rank call; then no longer. */
static void lock_release(const struct shm *s, struct shm_wait *w)
{
	if (unlikely(s->in->release != NULL))
		s->in->release(w);
}

static void lock_retake(const struct shm *s, struct shm_wait *w)
{
	if (unlikely(s->in->retake != NULL))
		s->in->retake(w);
}

/* Writes a record between two steps of its seq.  description NULL: a sleep begins, which is not
 * described yet. */
static void wait_record_write(struct wait_record *p, const struct shm_wait *w,
	const uint64_t description[SHM_DESCRIPTION_LEN / 8])
{
	static const uint64_t empty[SHM_DESCRIPTION_LEN / 8];
	const uint64_t *word = description != NULL ? description : empty;
	uint32_t seq = atomic_load_explicit(&p->seq, memory_order_relaxed);

	atomic_store_explicit(&p->seq, seq + 1, memory_order_relaxed);
	shm_fence();
	if (description == NULL) {
		atomic_store_explicit(&p->cpu, shm_os_cpu(), memory_order_relaxed);
		atomic_store_explicit(&p->since_ns, w->begin_ns, memory_order_relaxed);
		atomic_store_explicit(&p->still_ns, shm_os_now(), memory_order_relaxed);
	}
	for (size_t i = 0; i < countof(p->description); i++)
		atomic_store_explicit(&p->description[i], word[i], memory_order_relaxed);
	atomic_store_explicit(&p->waiting, 1, memory_order_relaxed);
	atomic_store_explicit(&p->seq, seq + 2, memory_order_release);
}

/* Shows the wait of a standby thread, if there is a record for it. */
static void standby_show(struct shm *s, struct shm_wait *w)
{
	uint64_t description[SHM_DESCRIPTION_LEN / 8] = {0};
	int k = 1;

	while (k < WAIT_RECORDS &&
		atomic_load_explicit(&s->in->record[k].waiting, memory_order_relaxed))
		k++;
	if (k == WAIT_RECORDS || w->describer == NULL)
		return;
	w->describer->describe(w->describer, description);
	atomic_store_explicit(&s->in->record[k].since_ns, w->begin_ns, memory_order_relaxed);
	wait_record_write(&s->in->record[k], w, description);
	w->standby_record = k;
}

static void standby_hide(struct shm *s, struct shm_wait *w)
{
	if (w->standby_record == 0)
		return;
	atomic_store_explicit(&s->in->record[w->standby_record].waiting, 0, memory_order_relaxed);
	w->standby_record = 0;
}

/* Shows that this rank sleeps. */
static void wait_show(struct shm *s, struct shm_wait *w)
{
	standby_hide(s, w);
	if (w->begin_ns == 0)
		w->begin_ns = shm_os_now();
	w->described = false;
	s->in->shown = w;
	wait_record_write(s->in->record, w, NULL);
}

/* By how much naps are longer where ranks are many.  The end of a nap costs a CPU two switches and
 * a pass, up to 0.1 ms: 1,000 ranks that wake 20 times a second leave two CPUs no time for work. */
static uint64_t nap_stretch(const struct shm_seg *seg)
{
	uint32_t ranks_per_cpu = shm_seg_ranks_per_cpu(seg);

	return ranks_per_cpu > NAP_OVERSUB ? ranks_per_cpu / NAP_OVERSUB : 1;
}

/* If the wait has become a long one: shows its description, and from time to time again: it may
 * wait for other ranks by now.  Where ranks are many, a wait is long later: each rank walks its
 * stack for a description, and all ranks of such a job do so in MPI_Finalize. */
static void wait_describe(struct shm *s, struct shm_wait *w)
{
	uint64_t description[SHM_DESCRIPTION_LEN / 8] = {0}, now = shm_os_now();
	uint64_t long_ns = SHM_DESCRIBE_MS * UINT64_C(1000000) * nap_stretch(s->seg);

	if (now - w->begin_ns < long_ns)
		return;
	if (w->described && now - w->described_ns < REDESCRIBE_NS * nap_stretch(s->seg))
		return;
	w->described = true;
	w->described_ns = now;
	if (w->describer == NULL)
		return;
	w->describer->describe(w->describer, description);
	wait_record_write(s->in->record, w, description);
}

/* Shows that this rank no longer sleeps. */
static void wait_hide(struct shm *s, const struct shm_wait *w)
{
	if (s->in->shown != w)
		return;
	s->in->shown = NULL;
	atomic_store_explicit(&s->in->record->waiting, 0, memory_order_relaxed);
}

/* The word, or words, or function of the user, that a sleep waits for. */
enum sleep_how {
	SLEEP_ON_FLAG,     /* the flag alone: frames do not end the sleep */
	SLEEP_ON_DOORBELL, /* the doorbell; there is no flag */
	SLEEP_ON_BOTH,     /* both, by futex_waitv */
	SLEEP_ON_EITHER,   /* both, without futex_waitv: on the doorbell, in short naps */
	SLEEP_BY_OPS,      /* struct shm_sleep_ops */
};

static enum sleep_how sleep_how(const struct shm *s, const struct shm_wait *w)
{
	if (w->flag_only)
		return SLEEP_ON_FLAG;
	if (s->in->sleep_ops.sleep != NULL)
		return SLEEP_BY_OPS;
	if (w->flag == NULL)
		return SLEEP_ON_DOORBELL;
	return shm_os_sleep_two() ? SLEEP_ON_BOTH : SLEEP_ON_EITHER;
}

/* The longest time for this sleep, ns.  It doubles with each sleep that a timeout ends, and is
 * short where no wake-up is certain. */
static uint64_t nap_limit(const struct shm *s, const struct shm_wait *w, enum sleep_how how)
{
	struct shm_private *in = s->in;
	bool uncertain = in->short_nap || in->no_membarrier || how == SLEEP_ON_EITHER;
	uint64_t stretch = nap_stretch(s->seg), ns = in->nap_ns, ops;
	uint64_t most = (uncertain ? NAP_SHORT_MAX : NAP_MAX_NS) * stretch;

	if (ns == 0)
		ns = (uncertain ? NAP_SHORT_NS : NAP_FIRST_NS) * stretch *
		     (stretch > 1 ? NAP_FIRST_MANY : 1);
	in->nap_ns = 2 * ns;
	if (ns > most)
		ns = most;
	if (how == SLEEP_BY_OPS && (ops = in->sleep_ops.most(in->sleep_ops.arg)) < ns)
		ns = ops;
	return w->nap_ns != 0 && w->nap_ns < ns ? w->nap_ns : ns;
}

/* The sleep itself.  True: a timeout ended it. */
static bool sleep_now(struct shm *s, struct shm_wait *w, enum sleep_how how, uint64_t ns)
{
	struct shm_private *in = s->in;
	_Atomic uint32_t *word = &in->doorbell[s->me].sleeping;

	switch (how) {
	case SLEEP_ON_FLAG: return shm_os_sleep(&w->flag->value, w->old, NULL, 0, ns);
	case SLEEP_BY_OPS: return in->sleep_ops.sleep(in->sleep_ops.arg, ns);
	case SLEEP_ON_BOTH: return shm_os_sleep(word, SLEEP_FUTEX, &w->flag->value, w->old, ns);
	default: return shm_os_sleep(word, SLEEP_FUTEX, NULL, 0, ns);
	}
}

/* Announces the sleep: later stores by other ranks wake this one, earlier stores are visible. */
static void sleep_announce(struct shm *s, struct shm_wait *w, enum sleep_how how)
{
	struct shm_private *in = s->in;

	if (w->flag != NULL)
		atomic_fetch_add_explicit(&w->flag->sleepers,
			how == SLEEP_BY_OPS ? SHM_OPS_SLEEPER : 1, memory_order_seq_cst);
	if (how != SLEEP_ON_FLAG) {
		atomic_store_explicit(&in->doorbell[s->me].sleeping,
			how == SLEEP_BY_OPS ? SLEEP_OPS : SLEEP_FUTEX, memory_order_relaxed);
		in->listening = w;
	}
	shm_fence_all(s);
}

static void sleep_withdraw(struct shm *s, struct shm_wait *w, enum sleep_how how)
{
	struct shm_private *in = s->in;

	if (how != SLEEP_ON_FLAG && in->listening == w) {
		atomic_store_explicit(
			&in->doorbell[s->me].sleeping, SLEEP_NONE, memory_order_relaxed);
		in->listening = NULL;
	}
	if (w->flag != NULL)
		atomic_fetch_sub_explicit(&w->flag->sleepers,
			how == SLEEP_BY_OPS ? SHM_OPS_SLEEPER : 1, memory_order_relaxed);
}

/* Sleeps, unless the wait is over by now.  True: a timeout ended the sleep. */
static bool sleep_once(struct shm *s, struct shm_wait *w)
{
	enum sleep_how how = sleep_how(s, w);
	bool timed = false;
	uint64_t ns;

	sleep_announce(s, w, how);
	if (!wait_over(s, w)) {
		s->count.sleeps++;
		ns = nap_limit(s, w, how);
		lock_release(s, w);
		timed = sleep_now(s, w, how, ns);
		lock_retake(s, w);
	}
	sleep_withdraw(s, w, how);
	return timed;
}

bool shm_must_fence(const struct shm *s)
{
	return s->fence || s->in->no_membarrier;
}

void shm_fence_all(const struct shm *s)
{
	shm_fence();
	if (!s->fence)
		shm_os_barrier();
}

/* Before a sleep of a standby thread: a wait that only timeouts have interrupted for long is
 * shown. */
static void standby_update(struct shm *s, struct shm_wait *w)
{
	uint64_t now = shm_os_now();

	if (w->begin_ns == 0)
		w->begin_ns = now;
	if (!w->nap)
		standby_hide(s, w);
	else if (w->standby_record == 0 && s->in->shown != w &&
		 now - w->begin_ns > SHM_DESCRIBE_MS * UINT64_C(1000000))
		standby_show(s, w);
}

/* Sleeps while another thread of this rank listens at the doorbell. */
static void sleep_standby(struct shm *s, struct shm_wait *w)
{
	struct shm_private *in = s->in;
	bool two = w->flag != NULL && shm_os_sleep_two();
	uint64_t ns = w->flag != NULL && (!two || in->no_membarrier) ? NAP_SHORT_MAX : NAP_MAX_NS;

	ns *= nap_stretch(s->seg);
	if (w->nap_ns != 0 && w->nap_ns < ns)
		ns = w->nap_ns;
	standby_update(s, w);
	if (w->flag != NULL) {
		atomic_fetch_add_explicit(&w->flag->sleepers, 1, memory_order_seq_cst);
		shm_fence_all(s);
	}
	w->nap = false;
	if (w->flag == NULL || shm_flag_get(w->flag) == w->old) {
		s->count.sleeps++;
		lock_release(s, w);
		w->nap = shm_os_sleep(
			w->standby, w->standby_old, two ? &w->flag->value : NULL, w->old, ns);
		lock_retake(s, w);
	}
	if (w->flag != NULL)
		atomic_fetch_sub_explicit(&w->flag->sleepers, 1, memory_order_relaxed);
}

static uint64_t yield_slow_ticks(const struct shm_private *in)
{
	return in->ticks.slow != 0 ? in->ticks.slow : TICKS_GUESS * YIELD_SLOW_NS;
}

static uint64_t yield_lost_most(const struct shm_private *in)
{
	return yield_slow_ticks(in) * (YIELD_LOST_MAX_S * UINT64_C(1000000000) / YIELD_SLOW_NS);
}

/* Has a yield lost this CPU, so that none may be at `ticks'? */
HAFT_HOT static inline bool cpu_yields_suspended(
	const struct shm_private *in, const struct spread_cpu *cpu, uint64_t ticks)
{
	uint64_t left = atomic_load_explicit(&cpu->yield_again, memory_order_relaxed) - ticks;

	return left != 0 && left <= yield_lost_most(in);
}

/* The rank gives its CPU up at `now', which ends its CPU burst.  Was that a long one?  If much
 * longer, another process may have had the CPU. */
HAFT_HOT static inline void cpu_burst_end(struct shm_private *in, uint64_t now)
{
	const uint64_t burst = now - in->ticks.burst_begin, slow = yield_slow_ticks(in);

	if (burst > BURST_LONG * slow && burst < YIELD_LOST_NS / YIELD_SLOW_NS * slow)
		in->work = BURST_LONG_MORE;
	else if (in->work > 0)
		in->work--;
}

/* Gives the CPU up for one sleep.  The words that it watches for room are to be said again. */
static void sleep_off_cpu(struct shm *s, struct shm_wait *w)
{
	struct shm_private *in = s->in;
	const uint64_t before = shm_ticks();
	const struct spread_cpu *cpu = in->cpu;
	const int was = in->counted;

	cpu_burst_end(in, before);
	shm_spread_off_cpu(s, before);
	w->nap = sleep_once(s, w);
	shm_spread_on_cpu(s, 0);
	in->ticks.burst_begin = shm_ticks();
	if (!w->nap && in->work > 0 && was > 0 &&
		!cpu_yields_suspended(in, cpu, in->ticks.burst_begin))
		shm_spread_move_back(s, was - 1);
	in->nwatches = 0;
	in->short_nap = false;
}

HAFT_HOT static __attribute__((noinline)) void sleep_shown(struct shm *s, struct shm_wait *w)
{
	struct shm_private *in = s->in;

	if (!w->nap || in->shown != w)
		wait_show(s, w);
	else if (in->nap_ns > SHM_DESCRIBE_MS * UINT64_C(1000000))
		wait_describe(s, w);
	sleep_off_cpu(s, w);
	/* processes may have come that we never talk to */
	in->oversubscribed = shm_seg_oversubscribed_now(s->seg);
	if (w->nap) {
		s->count.naps++;
		shm_spread_leave(s);
		return;
	}
	if (in->yields_suspended) /* no slow yield checks */
		shm_spread_check(s, shm_os_now());
	in->nap_ns = 0;
	wait_hide(s, w);
}

/* May a wait yield now, at `ticks'?  Not for some time after this CPU was lost by a yield. */
HAFT_HOT static bool yield_allowed(struct shm *s, uint64_t ticks)
{
	s->in->yields_suspended = cpu_yields_suspended(s->in, s->in->cpu, ticks);
	return !s->in->yields_suspended;
}

/* Were so many yields slow that other threads need the CPU more?  Ranks that only wait do not.  The
 * one that they wait for may be behind a rank that computes on another CPU, and a sleep costs more
 * than some yields until it runs. */
HAFT_HOT static bool yields_slow_enough(const struct shm *s, const struct shm_wait *w)
{
	return w->slow >= YIELDS_SLOW && (w->slow >= YIELDS_SLOW_IDLE || !shm_spread_cpu_waits(s));
}

/* Have there been yields enough for a sleep?  A rank that never sleeps shows its wait from here
 * on. */
HAFT_HOT static bool yield_enough(struct shm *s, struct shm_wait *w, uint64_t ticks)
{
	const struct shm_tune *t = &s->in->tune;
	uint32_t most = w->brief && t->yields > YIELDS_BRIEF ? YIELDS_BRIEF : t->yields;

	if (t->sleep == SHM_SLEEP_ALWAYS)
		return true;
	if (yield_allowed(s, ticks) && !yields_slow_enough(s, w) && w->slow + w->fast < most)
		return false;
	if (t->sleep == SHM_SLEEP_AUTO)
		return true;
	if (s->in->shown != w)
		wait_show(s, w);
	else
		wait_describe(s, w);
	return false;
}

/* From time to time, after a slow yield: measures a tick, and looks for a better CPU. */
static __attribute__((noinline)) void yield_check(struct shm *s, uint64_t ticks)
{
	struct shm_private *in = s->in;
	uint64_t now = shm_os_now(), ns = now - in->ticks_first_ns;

	if (in->ticks_first_ns == 0) {
		in->ticks_first = ticks;
		in->ticks_first_ns = now;
	} else if (ns >= TICKS_LEAST_NS) {
		double a_ns = (double)(ticks - in->ticks_first) / (double)ns;

		in->ticks.slow = 1 + (uint64_t)(a_ns * YIELD_SLOW_NS);
	}
	in->ticks.next = ticks + yield_slow_ticks(in) * (TICKS_POLL_NS / YIELD_SLOW_NS) *
					 (1 + shm_seg_ranks_per_cpu(s->seg));
	shm_spread_check(s, now);
}

/* A yield has ended at `now', and no rank of the job had the CPU for `lost' ticks of it.  If
 * another process had it, and may have it again: no rank yields here for a time.  Where each rank
 * may have a CPU, yields are of little use, and one such is enough; yields among many ranks are
 * worth more than one slice, so the second counts, soon after the first or after the last such
 * time. */
static void yields_suspend(struct shm *s, uint64_t now, uint64_t lost)
{
	const struct shm_private *in = s->in;
	_Atomic uint64_t *again = &in->cpu->yield_again;
	uint64_t most = yield_lost_most(in), last, time = 0;

	if (lost <= yield_slow_ticks(in) * (YIELD_LOST_NS / YIELD_SLOW_NS) ||
		!shm_spread_others_wait(s))
		return;
	lost = lost < most / YIELD_LOST_TIMES ? lost : most / YIELD_LOST_TIMES;
	last = now - atomic_load_explicit(again, memory_order_relaxed);
	if (0 - last <= most) /* another rank has said so meanwhile */
		return;
	if (!in->oversubscribed || last < lost * YIELD_LOST_AGAIN)
		time = lost * YIELD_LOST_TIMES;
	atomic_store_explicit(again, now + time, memory_order_relaxed);
}

/* One yield, which begins at `before'.  True: a slow one, so other threads want the CPU. */
HAFT_HOT static bool yield_timed(struct shm *s, struct shm_wait *w, uint64_t before)
{
	uint64_t after, lost;

	cpu_burst_end(s->in, before);
	shm_spread_off_cpu(s, before);
	lock_release(s, w);
	sched_yield();
	lock_retake(s, w);
	s->count.yields++;
	after = s->in->ticks.burst_begin = shm_ticks();
	lost = shm_spread_on_cpu(s, after);
	if (after - before < yield_slow_ticks(s->in))
		return false;
	s->count.yields_slow++;
	s->in->no_spin = NO_SPIN_WAITS;
	yields_suspend(s, after, lost);
	if (after - s->in->ticks.next < UINT64_MAX / 2)
		yield_check(s, after);
	return true;
}

/* One yield; true: that is enough of them. */
HAFT_HOT static inline bool yield_once(struct shm *s, struct shm_wait *w)
{
	uint64_t before = shm_ticks();

	if (yield_enough(s, w, before))
		return true;
	if (yield_timed(s, w, before))
		w->slow++;
	else
		w->fast++;
	return false;
}

/* A yield lost the CPU for long: all ranks are to record theirs, for yields_suspend. */
static void unrecorded_pause(struct shm *s)
{
	s->unrecorded = 0;
	s->in->unrecorded_pause = UNRECORDED_PAUSE;
}

/* After a wait: may the next ones begin with an unrecorded yield? */
HAFT_HOT static inline void unrecorded_allow(struct shm *s, const struct shm_wait *w)
{
	struct shm_private *in = s->in;

	if (unlikely(in->yields_suspended))
		unrecorded_pause(s);
	else if (in->unrecorded_pause > 0)
		in->unrecorded_pause--;
	else if (in->oversubscribed && w->slow > 0 && in->observer == NULL && in->release == NULL)
		s->unrecorded = UNRECORDED_WAITS;
}

/* After a fast yield the next waits begin without one: they find out whether to spin again. */
HAFT_HOT uint32_t shm_yield_unrecorded(struct shm *s)
{
	const uint64_t slow = yield_slow_ticks(s->in), before = shm_ticks();
	uint64_t ticks;

	cpu_burst_end(s->in, before);
	sched_yield();
	s->in->ticks.burst_begin = shm_ticks();
	ticks = s->in->ticks.burst_begin - before;
	s->count.yields++;
	s->unrecorded--;
	if (unlikely(ticks < slow)) {
		s->unrecorded = 0;
		return 0;
	}
	s->count.yields_slow++;
	if (unlikely(ticks > slow * (YIELD_LOST_NS / YIELD_SLOW_NS)))
		unrecorded_pause(s);
	return 1;
}

void shm_yield(struct shm *s)
{
	uint64_t before = shm_ticks();
	struct shm_wait w;

	shm_wait_begin(&w);
	if (s->in->tune.sleep == SHM_SLEEP_NEVER || yield_allowed(s, before)) {
		yield_timed(s, &w, before);
		return;
	}
	w.nap_ns = NAP_POLL_NS;
	sleep_off_cpu(s, &w);
	s->in->nap_ns = 0;
}

static uint32_t spins_at_most(const struct shm_private *in, uint32_t spins)
{
	return in->tune.spins < spins ? in->tune.spins : spins;
}

static uint32_t spins_oversub(const struct shm_private *in)
{
	return spins_at_most(in, SPINS_OVERSUB);
}

/* How many spins are worth while.  With more ranks than CPUs a spinning rank keeps another from
 * running.  After a yield that lost the CPU, they last about as long as a sleep's wake-up.  If
 * other processes use the CPUs, the peer may run on another CPU just now, or may need ours: recent
 * success decides. */
HAFT_HOT static uint32_t spins_allowed(const struct shm *s)
{
	const struct shm_private *in = s->in;

	if (in->tune.sleep == SHM_SLEEP_ALWAYS)
		return 0;
	if (in->oversubscribed && (in->tune.yields == 0 || in->yields_suspended))
		return 0; /* without yields oversubscription is not noticed */
	if (in->yields_suspended)
		return spins_at_most(in, SPINS_LOST);
	if (in->no_spin == 0)
		return in->tune.spins;
	if (in->oversubscribed)
		return 0;
	return in->retries > 0 || in->waits % SPIN_RETRY_EVERY == 0 ? spins_oversub(in) : 0;
}

HAFT_HOT static inline int wait_idle(struct shm *s, struct shm_wait *w)
{
	if (unlikely(shm_event_new(s)))
		return shm_event_handle(s);
	if (unlikely(w->standby != NULL)) {
		sleep_standby(s, w);
		return shm_seg_aborted(s->seg) ? SHM_ABORTED : 0;
	}
	if (!w->nap) {
		if (w->spins < spins_allowed(s) && !(w->brief && w->spins >= SPINS_BRIEF)) {
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

HAFT_START void shm_wait_observe(struct shm *s, const struct shm_wait_observer *o)
{
	s->in->observer = o;
	s->unrecorded = 0;
}

static __attribute__((noinline)) int wait_idle_observed(struct shm *s, struct shm_wait *w)
{
	const struct shm_wait_observer *o = s->in->observer;
	int e;

	if (w->spins + w->fast + w->slow == 0 && !w->nap)
		o->begin(w);
	e = wait_idle(s, w);
	if (s->in->observer == o) /* the lock was given up meanwhile */
		o->idled(w);
	return e;
}

HAFT_HOT int shm_idle(struct shm *s, struct shm_wait *w)
{
	return likely(s->in->observer == NULL) ? wait_idle(s, w) : wait_idle_observed(s, w);
}

HAFT_HOT void shm_wait_end(struct shm *s, struct shm_wait *w)
{
	struct shm_private *in = s->in;

	if (unlikely(in->observer != NULL))
		in->observer->end(w);
	wait_hide(s, w);
	standby_hide(s, w);
	in->nap_ns = 0;
	in->waits++;
	if (w->slow + w->fast == 0)
		in->retries = SPIN_RETRY;
	else if (w->spins >= spins_oversub(in) && in->retries > 0)
		in->retries--;
	if (w->slow == 0 && in->no_spin > 0)
		in->no_spin--;
	unrecorded_allow(s, w);
}

static bool flag_reached(const struct shm_flag *f, uint32_t want, uint32_t ahead, uint32_t *value)
{
	*value = shm_flag_get(f);
	return shm_flag_reached(*value, want, ahead);
}

HAFT_HOT void shm_flag_spin(struct shm *s, const struct shm_flag *f, uint32_t value)
{
	enum { POLLS = 16 };

	if (spins_allowed(s) == 0)
		return;
	for (int i = 0; i < POLLS && shm_flag_get(f) == value && poll_word_unchanged(s); i++)
		shm_os_relax();
}

HAFT_HOT int shm_flag_wait(struct shm *s, struct shm_flag *f, uint32_t want, uint32_t ahead,
	shm_progress_fn *pass, void *arg, const struct shm_describer *describer)
{
	struct shm_wait w;
	uint32_t value;
	int e = 0;

	if (flag_reached(f, want, ahead, &value))
		return 0;
	shm_wait_begin(&w);
	w.flag = f;
	w.flag_only = pass == NULL;
	w.describer = describer;
	while (e == 0 && !flag_reached(f, want, ahead, &value)) {
		int moved;

		shm_flag_spin(s, f, value);
		w.old = value;
		moved = pass != NULL ? pass(arg) : 0;
		if (moved > 0)
			shm_wait_again(&w);
		else if (moved < 0)
			e = SHM_AGAIN;
		else if (shm_flag_get(f) == value)
			e = shm_idle(s, &w);
	}
	shm_wait_end(s, &w);
	return e;
}
