// SPDX-License-Identifier: BSD-3-Clause
/* helper.c - see helper.h.
 *
 * Invariants
 *  - The helper is asleep only under its mutex, and then it has nothing of the library's.
 *  - helper.admits: this file has admitted threads; only it takes that back, while the helper is
 *    asleep. */
#include "libmpi/io/helper.h"

#include "libmpi/core/library_lock.h"
#include "libmpi/core/num.h"
#include "libmpi/core/setting.h"
#include "libmpi/io/work.h"
#include "libmpi/p2p/p2p.h"
#include "libmpi/via/via.h"
#include "libmpi/core/thread_start.h"
#include <pthread.h>
#include <time.h>

/* A program that waits at once finds its access done before the helper is awake. */
#define HELPER_NAP_NS     100000
#define HELPER_NAP_MIN_NS 10000 /* after a pass that has moved something; then doubled */
#define HELPER_NAP_MAX_NS 500000

int io_helper_kept_off;

static struct {
	/* under `mutex' */
	pthread_mutex_t mutex;
	pthread_cond_t wanted_cond;
	bool wanted, asleep, stop;
	/* under the library's lock */
	pthread_t thread;
	bool runs, admits;
	int (*pass)(void);
	bool (*pending)(void);
} helper = {.mutex = PTHREAD_MUTEX_INITIALIZER, .wanted_cond = PTHREAD_COND_INITIALIZER};

/* --- the thread ----------------------------------------------------------------------------- */

/* One pass, unless a thread of the program waits in MPI: that one makes progress of all kinds, and
 * must get what arrives.  Returns how much has moved. */
static int helper_pass(void)
{
	if (via_is_waiting() || io_helper_kept_off > 0)
		return 0;
	return p2p_progress_beside(helper.pass);
}

/* Runs accesses until none is left. */
static void helper_run(void)
{
	struct timespec nap = {.tv_nsec = HELPER_NAP_NS};

	for (;;) {
		int moved = 0;

		nanosleep(&nap, NULL);
		haft_lock();
		while (helper.pending() && !haft_lock_wanted() && helper_pass() > 0)
			moved++;
		if (!helper.pending()) {
			haft_unlock();
			return;
		}
		haft_unlock();
		nap.tv_nsec =
			moved > 0 ? HELPER_NAP_MIN_NS : num_min(nap.tv_nsec * 2, HELPER_NAP_MAX_NS);
	}
}

/* Sleeps until it is wanted.  False: it ends. */
static bool helper_sleep(void)
{
	bool go_on;

	pthread_mutex_lock(&helper.mutex);
	helper.asleep = true;
	while (!helper.wanted && !helper.stop)
		pthread_cond_wait(&helper.wanted_cond, &helper.mutex);
	helper.asleep = helper.wanted = false;
	go_on = !helper.stop;
	pthread_mutex_unlock(&helper.mutex);
	return go_on;
}

static void *helper_main(void *arg)
{
	while (helper_sleep())
		helper_run();
	return arg;
}

static void helper_stop(void)
{
	bool had;

	if (!helper.runs)
		return;
	pthread_mutex_lock(&helper.mutex);
	helper.stop = true;
	pthread_cond_signal(&helper.wanted_cond);
	pthread_mutex_unlock(&helper.mutex);
	had = haft_user_begin();
	pthread_join(helper.thread, NULL);
	haft_user_end(had);
	helper.runs = helper.stop = false;
	io_helper_rest();
}

static bool helper_start(void)
{
	if (helper.runs)
		return true;
	if (haft_setting_get(SETTING_IO_THREADS) == 0 || haft_setting_get(SETTING_PROGRESS) != 0)
		return false;
	helper.asleep = true;
	helper.runs = haft_thread_start(&helper.thread, NULL, helper_main, NULL) == 0;
	if (helper.runs)
		io_threads_end_with(helper_stop);
	return helper.runs;
}

/* --- for the program's threads -------------------------------------------------------------- */

void io_helper_want(int (*pass)(void), bool (*pending)(void))
{
	helper.pass = pass;
	helper.pending = pending;
	if (!helper_start())
		return;
	if (!haft_threads_enabled()) {
		helper.admits = true;
		haft_threads_enable();
		via_threads_start();
		if (!haft_locked)
			haft_lock(); /* for the rest of this call */
	}
	pthread_mutex_lock(&helper.mutex);
	helper.wanted = true;
	pthread_cond_signal(&helper.wanted_cond);
	pthread_mutex_unlock(&helper.mutex);
}

void io_helper_rest(void)
{
	bool asleep;

	if (!helper.admits || haft_life.user_threads || haft_setting_get(SETTING_PROGRESS) != 0)
		return;
	pthread_mutex_lock(&helper.mutex);
	asleep = (helper.asleep && !helper.wanted) || !helper.runs;
	pthread_mutex_unlock(&helper.mutex);
	if (!asleep)
		return;
	helper.admits = false;
	if (haft_locked)
		haft_unlock();
	via_threads_stop();
	haft_threads_disable();
}
