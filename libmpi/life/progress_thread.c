// SPDX-License-Identifier: BSD-3-Clause
/* progress_thread.c - see progress_thread.h.
 *
 *      role    WATCH ─── the lookout sees an idle CPU and a program outside ────> HELP
 *               ^                                                                  │
 *               └──────── nothing more moves, or the program has called ───────────┘
 *
 * Invariants
 *  - One of the two threads runs at a time: the lookout while `role' is WATCH, the helper while it
 *    is HELP.  The other sleeps on `role'.
 *  - The helper has a claim on the lock (haft_help_begin) while it runs, and the lock during a
 *    pass.  Calls that count references have the lock, too, so counts stay plain. */
#include "libmpi/life/progress_thread.h"

#include "libmpi/core/clock.h"
#include "libmpi/core/err.h"
#include "libmpi/core/library_lock.h"
#include "libmpi/core/setting.h"
#include "libmpi/core/thread_start.h"
#include "libmpi/p2p/p2p.h"
#include "libmpi/via/via.h"
#include <errno.h>
#include <mpi.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>

/* A poll reads a line that each call of the program writes: 0.1 us of every POLL_NS. */
#define POLL_NS      10000u     /* between two polls while the program calls, or messages move */
#define ACTIVE_NS    200000u    /* and so long afterwards; then naps */
#define NAP_FIRST_NS 50000u     /* they are doubled */
#define NAP_LAST_NS  1000000u   /* the end of a nap costs an idle CPU about 5 us */
#define WANTED_NS    100000000u /* so long after its last request the program may begin another */
#define IN_VAIN_NS   200000u    /* of passes that move nothing, and of the yields in between */

enum progress_role { WATCH, HELP, STOP };

static struct {
	pthread_t lookout, helper;
	bool runs;                            /* under the library's lock */
	_Atomic uint32_t role;                /* enum progress_role */
	int moved;                            /* while the helper ran last */
	const volatile uint32_t *program_cpu; /* of the first thread; NULL: life_own_cpu */
} thread;

/* --- the helper ----------------------------------------------------------------------------- */

/* One pass.  -1: the program has the lock, or waits in MPI. */
static int helper_pass(void)
{
	int moved;

	if (!haft_trylock())
		return -1;
	moved = p2p_progress_help();
	haft_unlock();
	return moved;
}

/* Makes passes until nothing moves any more or the program calls.  After one in vain it yields: a
 * rank that waits for it on this CPU comes soon back, one that computes ends this.  Returns how
 * much has moved. */
static int helper_serve(void)
{
	uint32_t calls = haft_program_calls();
	uint64_t last_ns = clock_now_ns();
	int moved = 0, n;

	if (!haft_help_begin(calls))
		return 0;
	while (haft_program_calls() == calls && (n = helper_pass()) >= 0) {
		if (n > 0) {
			moved += n;
			last_ns = clock_now_ns();
			continue;
		}
		sched_yield();
		if (clock_now_ns() - last_ns > IN_VAIN_NS)
			break;
	}
	haft_help_end();
	return moved;
}

/* Changes the role, unless MPI ends. */
static void role_pass(uint32_t from, uint32_t to)
{
	if (atomic_compare_exchange_strong(&thread.role, &from, to))
		haft_futex_wake(&thread.role, 2);
}

static uint32_t role_await_change(uint32_t from)
{
	while (atomic_load(&thread.role) == from)
		haft_futex_wait(&thread.role, from, 0);
	return atomic_load(&thread.role);
}

static void *helper_main(void *arg)
{
	(void)arg;
	while (role_await_change(WATCH) != STOP) {
		thread.moved = helper_serve();
		role_pass(HELP, WATCH);
	}
	return NULL;
}

/* --- the lookout ---------------------------------------------------------------------------- */

/* Where a system refuses it, naps alone keep the lookout from disturbing. */
static void lookout_begin(void)
{
	const struct sched_param none = {0};
	const unsigned long slack_ns = 1000;

	sched_setscheduler(0, SCHED_IDLE, &none);
	prctl(PR_SET_TIMERSLACK, slack_ns, 0, 0, 0);
}

/* Until the next poll, or STOP. */
static void lookout_pause(uint32_t nap_ns)
{
	uint64_t until;

	if (nap_ns != 0) {
		haft_futex_wait(&thread.role, WATCH, nap_ns);
		return;
	}
	until = clock_now_ns() + POLL_NS;
	do {
		sched_yield();
	} while (clock_now_ns() < until);
}

/* Leaves the CPU of the program, if it may use another one: the kernel does not always move a
 * thread of its class from a busy CPU to one that becomes idle.  The mask is as before afterwards.
 * Where a system does not tell on which CPU another thread is, the lookout stays. */
static void lookout_step_aside(void)
{
	int cpu = sched_getcpu();
	cpu_set_t all, others;

	if (thread.program_cpu == NULL || cpu < 0 || (int)*thread.program_cpu != cpu ||
		sched_getaffinity(0, sizeof(all), &all) != 0)
		return;
	others = all;
	CPU_CLR((size_t)cpu, &others);
	if (CPU_COUNT(&others) == 0 || sched_setaffinity(0, sizeof(others), &others) != 0)
		return;
	sched_setaffinity(0, sizeof(all), &all);
}

/* Lets the helper work.  Returns how much has moved. */
static int lookout_call(void)
{
	role_pass(WATCH, HELP);
	return role_await_change(HELP) == WATCH ? thread.moved : 0;
}

/* Does a request need help?  Until WANTED_NS after the last one the lookout looks again and again,
 * then it sleeps.  False: it has to look anew. */
static bool lookout_is_needed(uint64_t *last_ns)
{
	if (haft_help_is_needed()) {
		*last_ns = clock_now_ns();
		return true;
	}
	if (clock_now_ns() - *last_ns < WANTED_NS) {
		lookout_step_aside();
		lookout_pause(0);
	} else {
		haft_help_await(&thread.role, WATCH);
	}
	return false;
}

static void *lookout_main(void *arg)
{
	uint32_t seen = haft_program_calls(), nap_ns = 0;
	uint64_t last_ns = clock_now_ns(); /* a call, or a message that has moved */
	uint64_t needed_ns = last_ns;

	(void)arg;
	lookout_begin();
	while (atomic_load(&thread.role) != STOP) {
		uint32_t calls;
		bool stays;

		if (!lookout_is_needed(&needed_ns))
			continue;
		calls = haft_program_calls();
		stays = calls == seen;
		lookout_step_aside();
		seen = calls;
		if (stays && calls % 2 == 0)
			stays = lookout_call() == 0;
		if (!stays) {
			last_ns = clock_now_ns();
			nap_ns = 0;
		} else if (calls % 2 != 0 && nap_ns >= NAP_LAST_NS) {
			haft_program_await(calls);
		} else if (nap_ns != 0 || clock_now_ns() - last_ns > ACTIVE_NS) {
			nap_ns = nap_ns == 0 ? NAP_FIRST_NS : nap_ns * 2;
			nap_ns = nap_ns < NAP_LAST_NS ? nap_ns : NAP_LAST_NS;
		}
		lookout_pause(nap_ns);
	}
	return NULL;
}

/* --- start and end -------------------------------------------------------------------------- */

static int progress_refused(int err)
{
	return haft_err(MPI_ERR_OTHER, "no thread for HAFT_PROGRESS=thread: %s", strerror(err));
}

/* Without the barrier no helper may claim the lock.  It registers the process, which takes 10 ms
 * once there are threads.  False: the kernel has none, and the first rank of each host says so,
 * once in its life. */
static bool progress_possible(void)
{
	static bool said;

	if (haft_barrier_all())
		return true;
	if (!said && via.seat <= 0)
		fprintf(stderr,
			"haft: rank %d: HAFT_PROGRESS=thread does nothing here, as this system has "
			"no membarrier: %s\n",
			haft_life.rank, strerror(errno));
	said = true;
	return false;
}

HAFT_START int life_progress_start(void)
{
	int err;

	if (thread.runs || haft_setting_get(SETTING_PROGRESS) == 0 || !progress_possible())
		return 0;
	thread.program_cpu = life_own_cpu();
	via_helper_start();
	atomic_store(&thread.role, WATCH);
	err = haft_thread_start(&thread.helper, NULL, helper_main, NULL);
	if (err != 0) {
		via_helper_stop();
		return progress_refused(err);
	}
	err = haft_thread_start(&thread.lookout, NULL, lookout_main, NULL);
	if (err != 0) {
		atomic_store(&thread.role, STOP);
		haft_futex_wake(&thread.role, 2);
		pthread_join(thread.helper, NULL);
		via_helper_stop();
		return progress_refused(err);
	}
	haft_helper_set(true);
	p2p_helper_tell();
	thread.runs = true;
	return 0;
}

HAFT_START void life_progress_stop(void)
{
	bool had;

	if (!thread.runs)
		return;
	had = haft_user_begin();
	atomic_store(&thread.role, STOP);
	haft_futex_wake(&thread.role, 2);
	haft_program_await_end();
	haft_help_await_end();
	pthread_join(thread.lookout, NULL);
	pthread_join(thread.helper, NULL);
	haft_helper_set(false);
	p2p_helper_tell();
	via_helper_stop();
	haft_user_end(had);
	thread.runs = false;
}
