// SPDX-License-Identifier: BSD-3-Clause
/* library_lock.c - a mutex of one word: fast without contention, fair to threads that sleep.
 *
 *     FREE ── lock ──> TAKEN ── another waits ──> WANTED ── unlock ──> FREE, and one is woken
 *                                                    └── unlock, one starves ──> KEPT, and one is
 *                                                                                woken
 *
 * A thread starves when it was woken and found the lock taken again.  From then on the lock is not
 * freed but KEPT: only a thread that was woken may take it.  So the lock usually passes to a thread
 * that is running, without a context switch, and no thread is overtaken twice. */
#include "libmpi/core/library_lock.h"

#include "libmpi/core/objects.h"
#include <limits.h>
#include <sched.h>

enum { FREE, TAKEN, WANTED, KEPT };

#define LOCK_POLLS 100 /* polls of a taken lock before sleeping: it is held for some 100 ns */
#define COURTESY   64  /* yields of haft_lock_to_poll to queued threads: at most about 100 us */

static struct {
	_Atomic uint32_t word;
	_Atomic uint32_t waiting;  /* threads that wait for it */
	_Atomic uint32_t starving; /* those of them that were woken in vain */
} lock;

static _Atomic uint32_t program_unseen;

/* Of a program with a helper.  A line of its own: the helper reads it. */
static struct {
	_Alignas(64) _Atomic uint32_t calls; /* begun and ended; written by the program alone */
	_Atomic uint32_t claimed;            /* by the helper */
	_Atomic uint32_t awaited;            /* the helper sleeps until `calls' changes */
	_Atomic uint32_t serves;             /* requests need the helper: the gate has HELPER */
	_Atomic uint32_t rests;              /* the helper sleeps until it serves */
	_Atomic uint32_t *shown;             /* a copy of `calls' for other processes; 0: rests */
	int needs;                           /* requests that need it */
} program = {.shown = &program_unseen};

/* This thread has the lock from haft_lock_program: free of claims, or as threads take it. */
static __thread bool lock_by_program, lock_counted;
__thread bool haft_locked;
__thread int haft_user_depth;
__thread bool haft_help_late;
bool haft_helper;
int (*haft_lock_ready_hook)(_Atomic uint32_t *words[], int max);
_Atomic(void *) haft_lock_deferred;
void (*haft_lock_deferred_hook)(void);

/* Sequentially consistent, as is the unlock.  A thread that fails here has put its deferred work on
 * the stack before the unlock that looks for it. */
static bool lock_try(uint32_t from, uint32_t to)
{
	return atomic_compare_exchange_strong(&lock.word, &from, to);
}

static bool lock_spin(void)
{
	for (int i = 0; i < LOCK_POLLS; i++) {
		if (atomic_load_explicit(&lock.word, memory_order_relaxed) == FREE &&
			lock_try(FREE, TAKEN))
			return true;
	}
	return false;
}

/* Sleeps until it has the lock.  Takes it as WANTED, because other threads may sleep, too. */
static void lock_sleep(void)
{
	bool woken = false, starves = false;

	for (;;) {
		uint32_t v = atomic_load_explicit(&lock.word, memory_order_relaxed);

		if (v == FREE || (v == KEPT && woken)) {
			if (lock_try(v, WANTED))
				break;
			continue;
		}
		if (v == TAKEN && !lock_try(TAKEN, WANTED))
			continue;
		if (woken && !starves) {
			starves = true;
			atomic_fetch_add_explicit(&lock.starving, 1, memory_order_relaxed);
		}
		haft_futex_wait(&lock.word, v == TAKEN ? WANTED : v, 0);
		woken = true;
	}
	if (starves)
		atomic_fetch_sub_explicit(&lock.starving, 1, memory_order_relaxed);
}

static void lock_slow(void)
{
	atomic_fetch_add_explicit(&lock.waiting, 1, memory_order_relaxed);
	if (!lock_spin())
		lock_sleep();
	atomic_fetch_sub_explicit(&lock.waiting, 1, memory_order_relaxed);
}

HAFT_START void haft_lock(void)
{
	must(!haft_locked);
	if (unlikely(!lock_try(FREE, TAKEN)))
		lock_slow();
	haft_locked = true;
}

bool haft_trylock(void)
{
	haft_locked = lock_try(FREE, TAKEN);
	return haft_locked;
}

bool haft_lock_wanted(void)
{
	return atomic_load_explicit(&lock.waiting, memory_order_relaxed) != 0;
}

void haft_lock_to_poll(void)
{
	for (int i = 0; i < COURTESY && haft_lock_wanted(); i++)
		sched_yield();
	haft_lock();
}

/* --- a program with a helper ---------------------------------------------------------------- */

/* For other processes, while the helper serves. */
static void program_tell(uint32_t calls)
{
	atomic_store_explicit(program.shown, calls + 2, memory_order_relaxed);
}

static void program_count(void)
{
	uint32_t n = atomic_load_explicit(&program.calls, memory_order_relaxed) + 1;

	/* Release: the helper that sees an even number sees all of the call. */
	atomic_store_explicit(&program.calls, n, memory_order_release);
	program_tell(n);
}

/* Beside a claim of the helper's. */
static __attribute__((noinline)) void lock_as_thread(void)
{
	haft_lock();
	lock_counted = true;
}

void haft_lock_program(void)
{
	must(!haft_locked);
	program_count();
	atomic_signal_fence(memory_order_seq_cst); /* and haft_barrier_all, by the helper */
	if (likely(atomic_load_explicit(&program.claimed, memory_order_acquire) == 0))
		lock_by_program = haft_locked = true;
	else
		lock_as_thread();
}

/* --- does it serve? ------------------------------------------------------------------------- */

/* From now on the helper may claim.  A call that began while it rested gets the lock before. */
static void help_serve(void)
{
	if (!haft_locked) {
		program_count();
		lock_by_program = haft_locked = true;
	} else {
		program_tell(haft_program_calls());
	}
	haft_gate_set(HAFT_GATE_HELPER);
	atomic_store(&program.serves, 1);
	if (unlikely(atomic_load(&program.rests) != 0))
		haft_help_await_end();
}

void haft_help_need(int n)
{
	program.needs += n;
	if (n <= 0 || !haft_helper || haft_help_is_needed())
		return;
	if (haft_user_depth == 0)
		help_serve();
	else
		haft_help_late = true;
}

void haft_help_catch_up(void)
{
	haft_help_late = false;
	if (haft_helper && program.needs > 0 && !haft_help_is_needed())
		help_serve();
}

bool haft_help_is_needed(void)
{
	return atomic_load_explicit(&program.serves, memory_order_relaxed) != 0;
}

void haft_help_await(const _Atomic uint32_t *word, uint32_t value)
{
	atomic_store(&program.rests, 1);
	if (atomic_load(&program.serves) == 0 && atomic_load(word) == value)
		haft_futex_wait(&program.rests, 1, 0);
	atomic_store(&program.rests, 0);
}

void haft_help_await_end(void)
{
	atomic_store(&program.rests, 0);
	haft_futex_wake(&program.rests, 1);
}

static void help_end(void)
{
	haft_gate_clear(HAFT_GATE_HELPER);
	atomic_store_explicit(program.shown, 0, memory_order_relaxed);
}

/* The program leaves MPI, and no request needs the helper: it rests, unless it is at work. */
static void help_rest(void)
{
	atomic_store_explicit(&program.serves, 0, memory_order_release);
	atomic_signal_fence(memory_order_seq_cst); /* as in haft_lock_program */
	if (atomic_load_explicit(&program.claimed, memory_order_acquire) == 0)
		help_end();
	else
		atomic_store_explicit(&program.serves, 1, memory_order_relaxed);
}

void haft_helper_set(bool is_there)
{
	haft_helper = is_there;
	if (is_there && program.needs > 0 && haft_user_depth == 0)
		help_serve();
	if (is_there)
		return;
	atomic_store(&program.serves, 0);
	help_end();
}

bool haft_leave_program(void)
{
	bool rests = program.needs == 0 && haft_user_depth == 0;

	if (!haft_unlock_program())
		return false;
	if (rests)
		help_rest();
	return true;
}

/* --- the calls of that program -------------------------------------------------------------- */

/* The call is over. */
static void program_leave(void)
{
	program_count();
	atomic_signal_fence(memory_order_seq_cst); /* as in haft_lock_program */
	if (unlikely(atomic_load_explicit(&program.awaited, memory_order_relaxed) != 0))
		haft_program_await_end();
}

void haft_program_show(_Atomic uint32_t *word)
{
	atomic_store_explicit(program.shown, 0, memory_order_relaxed);
	program.shown = word != NULL ? word : &program_unseen;
	if (haft_help_is_needed())
		program_tell(haft_program_calls());
}

uint32_t haft_program_calls(void)
{
	return atomic_load_explicit(&program.calls, memory_order_acquire);
}

void haft_program_await(uint32_t calls)
{
	atomic_store(&program.awaited, 1);
	if (haft_barrier_all() && haft_program_calls() == calls)
		haft_futex_wait(&program.awaited, 1, 0);
	atomic_store(&program.awaited, 0);
}

void haft_program_await_end(void)
{
	atomic_store(&program.awaited, 0);
	haft_futex_wake(&program.awaited, 1);
}

bool haft_help_begin(uint32_t calls)
{
	if (calls % 2 != 0)
		return false;
	atomic_store(&program.claimed, 1);
	if (haft_barrier_all() && atomic_load(&program.serves) != 0 &&
		haft_program_calls() == calls)
		return true;
	haft_help_end();
	return false;
}

void haft_help_end(void)
{
	atomic_store_explicit(&program.claimed, 0, memory_order_release);
}

/* Threads come while the program is in a call: it has the lock as they do from now on. */
static void lock_as_threads(void)
{
	lock_by_program = haft_locked = false;
	lock_as_thread();
}

/* --- the lock of threads -------------------------------------------------------------------- */

bool haft_unlock_program(void)
{
	if (!lock_by_program)
		return false;
	lock_by_program = haft_locked = false;
	program_leave();
	return true;
}

HAFT_START void haft_unlock(void)
{
	_Atomic uint32_t *wake[HAFT_LOCK_WAKES];
	bool keep;
	int n;

	must(haft_locked);
	if (haft_unlock_program())
		return;
	n = haft_lock_ready_hook != NULL ? haft_lock_ready_hook(wake, HAFT_LOCK_WAKES) : 0;
	keep = atomic_load_explicit(&lock.starving, memory_order_relaxed) != 0;
	haft_locked = false;
	if (atomic_exchange(&lock.word, keep ? KEPT : FREE) != TAKEN)
		haft_futex_wake(&lock.word, 1);
	for (int i = 0; i < n; i++)
		haft_futex_wake(wake[i], INT_MAX);
	if (unlikely(lock_counted)) {
		lock_counted = false;
		program_leave();
	}
	if (unlikely(atomic_load(&haft_lock_deferred) != NULL) && haft_trylock()) {
		haft_lock_deferred_hook();
		haft_unlock();
	}
}

void haft_threads_enable(void)
{
	obj_domain_threads(haft_domain, 1);
	haft_gate_set(HAFT_GATE_THREADS);
	if (lock_by_program)
		lock_as_threads();
}

void haft_threads_disable(void)
{
	haft_gate_clear(HAFT_GATE_THREADS);
	obj_domain_threads(haft_domain, 0);
}

/* --- invariants ----------------------------------------------------------------------------- */

/* The word, as far as this thread knows it: with the lock it is the word's only writer, but for
 * TAKEN to WANTED, and the threads that wait can only become more. */
static bool word_valid(void)
{
	uint32_t starving = atomic_load(&lock.starving), waiting = atomic_load(&lock.waiting);
	uint32_t word = atomic_load(&lock.word);

	if (!haft_locked || lock_by_program)
		return word <= KEPT;
	return (word == TAKEN || word == WANTED) && starving <= waiting;
}

/* The number of calls, and the copy that other processes see, while the program is inside. */
static bool calls_valid(void)
{
	uint32_t calls = haft_program_calls(), shown = atomic_load(program.shown);

	if (!lock_by_program && !lock_counted)
		return true;
	return calls % 2 != 0 && shown == (haft_help_is_needed() ? calls + 2 : 0);
}

bool haft_lock_valid(void)
{
	bool claimed = atomic_load(&program.claimed) != 0;
	bool gate = haft_gate_has(HAFT_GATE_HELPER);

	if (!word_valid() || (lock_by_program && lock_counted) || haft_user_depth < 0)
		return false;
	if ((lock_by_program || lock_counted) && !haft_locked)
		return false;
	if (program.needs < 0 || ((claimed || haft_help_is_needed()) && !haft_helper))
		return false;
	return gate == haft_help_is_needed() && calls_valid();
}

void haft_lock_child(void)
{
	atomic_store_explicit(&lock.word, FREE, memory_order_relaxed);
	atomic_store_explicit(&lock.waiting, 0, memory_order_relaxed);
	atomic_store_explicit(&lock.starving, 0, memory_order_relaxed);
	atomic_store_explicit(&program.claimed, 0, memory_order_relaxed);
	haft_locked = lock_by_program = lock_counted = false;
}
