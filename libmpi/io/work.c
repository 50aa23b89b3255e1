// SPDX-License-Identifier: BSD-3-Clause
/* work.c - see work.h.
 *
 *      queue      under a mutex, with a condition for sleeping workers
 *      finished   a stack that workers push and progress takes as a whole: no lock
 *
 * Invariants
 *  - `pending' counts work that was started and is not over; the hook looks at nothing else while
 *    it is 0.
 *  - A worker touches `finished' and `ended', and what run touches; nothing else of MPI.
 *  - A sleep of the MPI thread does not begin once `ended' has changed (p2p_progress_watch). */
#include "libmpi/io/work.h"

#include "libmpi/core/library_lock.h"
#include "libmpi/core/process_state.h"
#include "libmpi/core/setting.h"
#include "libmpi/p2p/p2p.h"
#include "libmpi/core/thread_start.h"
#include <pthread.h>
#include <stdatomic.h>

#define WORK_THREADS_MAX 64
#define WORK_STOPS       3 /* workers, the pointer's thread, the helper */

static void (*work_stops[WORK_STOPS])(void); /* under the library's lock */

static struct {
	/* under `mutex' */
	pthread_mutex_t mutex;
	pthread_cond_t wanted;
	struct io_work *head, *tail;
	int idle; /* threads that wait for work */
	bool stop;
	/* under the library's lock */
	pthread_t thread[WORK_THREADS_MAX];
	int nthreads;
	int64_t pending;
	/* any thread */
	_Atomic(struct io_work *) finished;
	_Atomic uint64_t ended;
} work = {.mutex = PTHREAD_MUTEX_INITIALIZER, .wanted = PTHREAD_COND_INITIALIZER};

/* The next work; NULL: there will be none.  Under the mutex, which it gives up while it waits. */
static struct io_work *work_take(void)
{
	struct io_work *w;

	while (work.head == NULL && !work.stop) {
		work.idle++;
		pthread_cond_wait(&work.wanted, &work.mutex);
		work.idle--;
	}
	w = work.head;
	if (w == NULL)
		return NULL;
	work.head = w->next;
	if (work.head == NULL)
		work.tail = NULL;
	return w;
}

/* Tells the MPI thread.  Release: it sees what run has stored. */
static void work_finish(struct io_work *w)
{
	struct io_work *top = atomic_load_explicit(&work.finished, memory_order_relaxed);

	do
		w->next = top;
	while (!atomic_compare_exchange_weak_explicit(
		&work.finished, &top, w, memory_order_release, memory_order_relaxed));
	atomic_fetch_add_explicit(&work.ended, 1, memory_order_release);
	p2p_progress_wake();
}

static void *work_main(void *arg)
{
	struct io_work *w;

	pthread_mutex_lock(&work.mutex);
	while ((w = work_take()) != NULL) {
		pthread_mutex_unlock(&work.mutex);
		w->run(w);
		work_finish(w);
		pthread_mutex_lock(&work.mutex);
	}
	pthread_mutex_unlock(&work.mutex);
	return arg;
}

/* Ends the threads, when nothing is under way. */
static void work_stop(void)
{
	bool had;

	if (work.nthreads == 0)
		return;
	pthread_mutex_lock(&work.mutex);
	work.stop = true;
	pthread_cond_broadcast(&work.wanted);
	pthread_mutex_unlock(&work.mutex);
	had = haft_user_begin();
	while (work.nthreads > 0)
		pthread_join(work.thread[--work.nthreads], NULL);
	haft_user_end(had);
	work.stop = false;
}

static void work_stop_all(void)
{
	for (int i = 0; i < WORK_STOPS && work_stops[i] != NULL; i++)
		work_stops[i]();
}

void io_threads_end_with(void (*stop)(void))
{
	int i = 0;

	haft_threads_stop_hook = work_stop_all;
	while (i < WORK_STOPS && work_stops[i] != NULL && work_stops[i] != stop)
		i++;
	if (ALWAYS(i < WORK_STOPS))
		work_stops[i] = stop;
}

/* Makes one more thread, if that is allowed and possible. */
static void work_thread_add(void)
{
	int64_t most = haft_setting_get(SETTING_IO_THREADS);

	if (work.nthreads >= (most < WORK_THREADS_MAX ? most : WORK_THREADS_MAX))
		return;
	if (haft_thread_start(&work.thread[work.nthreads], NULL, work_main, NULL) == 0)
		work.nthreads++;
	io_threads_end_with(work_stop);
}

/* The finished work, in the order in which it ended. */
static struct io_work *work_collect(void)
{
	struct io_work *w = atomic_exchange_explicit(&work.finished, NULL, memory_order_acquire);
	struct io_work *first = NULL;

	while (w != NULL) {
		struct io_work *next = w->next;

		w->next = first;
		first = w;
		w = next;
	}
	return first;
}

/* Progress: ends finished accesses.  Returns how much. */
int io_work_progress(void)
{
	uint64_t seen;
	int n = 0;

	if (work.pending == 0)
		return 0;
	seen = atomic_load_explicit(&work.ended, memory_order_relaxed);
	for (struct io_work *w = work_collect(), *next; w != NULL; w = next, n++) {
		next = w->next;
		work.pending--;
		w->over(w);
	}
	if (n == 0)
		p2p_progress_watch(&work.ended, seen);
	return n;
}

static void work_push(struct io_work *w)
{
	w->next = NULL;
	if (work.tail != NULL)
		work.tail->next = w;
	else
		work.head = w;
	work.tail = w;
	pthread_cond_signal(&work.wanted);
}

void io_work_start(struct io_work *w)
{
	bool busy;

	p2p_progress_hook(io_work_progress);
	pthread_mutex_lock(&work.mutex);
	busy = work.idle == 0 || work.head != NULL;
	pthread_mutex_unlock(&work.mutex);
	if (busy)
		work_thread_add();
	work.pending++;
	if (work.nthreads == 0) {
		bool had = haft_user_begin();

		w->run(w);
		work_finish(w);
		haft_user_end(had);
		return;
	}
	pthread_mutex_lock(&work.mutex);
	work_push(w);
	pthread_mutex_unlock(&work.mutex);
}
