// SPDX-License-Identifier: BSD-3-Clause
/* access_thread.c - see access_thread.h.
 *
 * Invariants
 *  - The thread is asleep only under its mutex, and then it has nothing of the library's.
 *  - access_thread.admits: this file has admitted threads; only it takes that back, while the
 *    thread is asleep. */
#include "libmpi/io/access_thread.h"

#include "libmpi/core/library_lock.h"
#include "libmpi/core/num.h"
#include "libmpi/core/setting.h"
#include "libmpi/io/work.h"
#include "libmpi/p2p/p2p.h"
#include "libmpi/via/via.h"
#include "libmpi/core/thread_start.h"
#include <pthread.h>
#include <time.h>

/* A program that waits at once finds its access done before the access thread is awake. */
#define ACCESS_THREAD_NAP_NS     100000
#define ACCESS_THREAD_NAP_MIN_NS 10000 /* after a pass that has moved something; then doubled */
#define ACCESS_THREAD_NAP_MAX_NS 500000

int io_access_thread_kept_off;

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
} access_thread = {.mutex = PTHREAD_MUTEX_INITIALIZER, .wanted_cond = PTHREAD_COND_INITIALIZER};

/* --- the thread ----------------------------------------------------------------------------- */

/* One pass, unless a thread of the program waits in MPI: that one makes progress of all kinds, and
 * must get what arrives.  Returns how much has moved. */
static int access_thread_pass(void)
{
	if (via_is_waiting() || io_access_thread_kept_off > 0)
		return 0;
	return p2p_progress_beside(access_thread.pass);
}

/* Runs accesses until none is left. */
static void access_thread_run(void)
{
	struct timespec nap = {.tv_nsec = ACCESS_THREAD_NAP_NS};

	for (;;) {
		int moved = 0;

		nanosleep(&nap, NULL);
		haft_lock();
		while (access_thread.pending() && !haft_lock_wanted() && access_thread_pass() > 0)
			moved++;
		if (!access_thread.pending()) {
			haft_unlock();
			return;
		}
		haft_unlock();
		nap.tv_nsec = moved > 0 ? ACCESS_THREAD_NAP_MIN_NS
					: num_min(nap.tv_nsec * 2, ACCESS_THREAD_NAP_MAX_NS);
	}
}

/* Sleeps until it is wanted.  False: it ends. */
static bool access_thread_sleep(void)
{
	bool go_on;

	pthread_mutex_lock(&access_thread.mutex);
	access_thread.asleep = true;
	while (!access_thread.wanted && !access_thread.stop)
		pthread_cond_wait(&access_thread.wanted_cond, &access_thread.mutex);
	access_thread.asleep = access_thread.wanted = false;
	go_on = !access_thread.stop;
	pthread_mutex_unlock(&access_thread.mutex);
	return go_on;
}

static void *access_thread_main(void *arg)
{
	while (access_thread_sleep())
		access_thread_run();
	return arg;
}

static void access_thread_stop(void)
{
	bool had;

	if (!access_thread.runs)
		return;
	pthread_mutex_lock(&access_thread.mutex);
	access_thread.stop = true;
	pthread_cond_signal(&access_thread.wanted_cond);
	pthread_mutex_unlock(&access_thread.mutex);
	had = haft_user_begin();
	pthread_join(access_thread.thread, NULL);
	haft_user_end(had);
	access_thread.runs = access_thread.stop = false;
	io_access_thread_rest();
}

static bool access_thread_start(void)
{
	if (access_thread.runs)
		return true;
	if (haft_setting_get(SETTING_IO_THREADS) == 0 || haft_setting_get(SETTING_PROGRESS) != 0)
		return false;
	access_thread.asleep = true;
	access_thread.runs =
		haft_thread_start(&access_thread.thread, NULL, access_thread_main, NULL) == 0;
	if (access_thread.runs)
		io_threads_end_with(access_thread_stop);
	return access_thread.runs;
}

/* --- for the program's threads -------------------------------------------------------------- */

void io_access_thread_want(int (*pass)(void), bool (*pending)(void))
{
	access_thread.pass = pass;
	access_thread.pending = pending;
	if (!access_thread_start())
		return;
	if (!haft_threads_enabled()) {
		access_thread.admits = true;
		haft_threads_enable();
		via_threads_start();
		if (!haft_locked)
			haft_lock(); /* for the rest of this call */
	}
	pthread_mutex_lock(&access_thread.mutex);
	access_thread.wanted = true;
	pthread_cond_signal(&access_thread.wanted_cond);
	pthread_mutex_unlock(&access_thread.mutex);
}

void io_access_thread_rest(void)
{
	bool asleep;

	if (!access_thread.admits || haft_life.user_threads ||
		haft_setting_get(SETTING_PROGRESS) != 0)
		return;
	pthread_mutex_lock(&access_thread.mutex);
	asleep = (access_thread.asleep && !access_thread.wanted) || !access_thread.runs;
	pthread_mutex_unlock(&access_thread.mutex);
	if (!asleep)
		return;
	access_thread.admits = false;
	if (haft_locked)
		haft_unlock();
	via_threads_stop();
	haft_threads_disable();
}
