// SPDX-License-Identifier: BSD-3-Clause
/* work.c - see work.h.
 *
 *      queue      under a mutex, with a condition for sleeping workers; of all files, of one pipe
 *      finished   a stack that workers push and progress takes as a whole: no lock
 *
 * Invariants
 *  - `pending' counts work that was started and is not over; the hook looks at nothing else while
 *    it is 0.
 *  - A worker touches `finished' and `ended', and the data of run; nothing else of MPI.
 *  - A sleep of the MPI thread does not begin once `ended' has changed (p2p_progress_watch). */
#include "libmpi/io/work.h"

#include "libmpi/core/library_lock.h"
#include "libmpi/core/num.h"
#include "libmpi/core/process_state.h"
#include "libmpi/core/setting.h"
#include "libmpi/p2p/p2p.h"
#include "libmpi/core/thread_start.h"
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

#define WORK_THREADS_MAX 64
#define WORK_NAP_MIN_NS  1000 /* between two looks for work that is ready */
#define WORK_NAP_MAX_NS  1000000
#define WORK_STOPS       3 /* workers, the pointer's thread, the access thread */

static void (*work_stops[WORK_STOPS])(void); /* under the library's lock */

/* Threads and their queue. */
struct io_workers {
	/* under `mutex' */
	pthread_mutex_t mutex;
	pthread_cond_t wanted;
	struct io_work *head, **end; /* where the next one goes */
	int idle;                    /* threads that wait for work */
	bool stop;
	/* under the library's lock */
	int most, nthreads;
	pthread_t thread[];
};

static struct {
	/* under the library's lock */
	struct io_workers *common; /* of all files */
	int64_t pending;
	/* any thread */
	_Atomic(struct io_work *) finished;
	_Atomic uint64_t ended;
} work;

/* Takes the first work that is ready out of the queue; NULL: there is none.  Under the mutex. */
static struct io_work *work_first(struct io_workers *k)
{
	struct io_work **at = &k->head, *w;

	while (*at != NULL && (*at)->ready != NULL && !(*at)->ready(*at))
		at = &(*at)->next;
	w = *at;
	if (w == NULL)
		return NULL;
	*at = w->next;
	if (w->next == NULL)
		k->end = at;
	return w;
}

/* Waits for work; nap_ns: or so long, if there is some that is not ready. */
static void work_wait(struct io_workers *k, int64_t nap_ns)
{
	struct timespec until;

	k->idle++;
	if (k->head == NULL) {
		pthread_cond_wait(&k->wanted, &k->mutex);
	} else {
		clock_gettime(CLOCK_REALTIME, &until);
		until.tv_nsec += nap_ns;
		if (until.tv_nsec >= 1000000000) {
			until.tv_nsec -= 1000000000;
			until.tv_sec++;
		}
		pthread_cond_timedwait(&k->wanted, &k->mutex, &until);
	}
	k->idle--;
}

/* The next work; NULL: there will be none.  Under the mutex, which it gives up while it waits. */
static struct io_work *work_take(struct io_workers *k)
{
	int64_t nap_ns = WORK_NAP_MIN_NS;
	struct io_work *w;

	while ((w = work_first(k)) == NULL && !(k->stop && k->head == NULL)) {
		work_wait(k, nap_ns);
		nap_ns = num_min(2 * nap_ns, WORK_NAP_MAX_NS);
	}
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
	struct io_workers *k = arg;
	struct io_work *w;

	pthread_mutex_lock(&k->mutex);
	while ((w = work_take(k)) != NULL) {
		pthread_mutex_unlock(&k->mutex);
		w->run(w);
		work_finish(w);
		pthread_mutex_lock(&k->mutex);
	}
	pthread_mutex_unlock(&k->mutex);
	return NULL;
}

static struct io_workers *workers_new(int most)
{
	struct io_workers *k = calloc(1, sizeof(*k) + (size_t)most * sizeof(k->thread[0]));

	if (k == NULL)
		return NULL;
	pthread_mutex_init(&k->mutex, NULL);
	pthread_cond_init(&k->wanted, NULL);
	k->end = &k->head;
	k->most = most;
	return k;
}

struct io_workers *io_workers_new(void)
{
	return workers_new(haft_setting_get(SETTING_IO_THREADS) > 0);
}

void io_workers_free(struct io_workers *k)
{
	bool had;

	if (k == NULL)
		return;
	pthread_mutex_lock(&k->mutex);
	k->stop = true;
	pthread_cond_broadcast(&k->wanted);
	pthread_mutex_unlock(&k->mutex);
	had = haft_user_begin();
	while (k->nthreads > 0)
		pthread_join(k->thread[--k->nthreads], NULL);
	haft_user_end(had);
	pthread_cond_destroy(&k->wanted);
	pthread_mutex_destroy(&k->mutex);
	free(k);
}

/* Ends the common threads, when nothing is under way. */
static void work_stop(void)
{
	struct io_workers *k = work.common;

	work.common = NULL;
	io_workers_free(k);
}

static void work_stop_all(void)
{
	for (int i = 0; i < WORK_STOPS && work_stops[i] != NULL; i++)
		work_stops[i]();
}

void io_threads_end_with(void (*stop)(void))
{
	int i = 0;

	haft_life_hooks.threads_stop = work_stop_all;
	while (i < WORK_STOPS && work_stops[i] != NULL && work_stops[i] != stop)
		i++;
	if (ALWAYS(i < WORK_STOPS))
		work_stops[i] = stop;
}

/* Makes one more thread, if that is allowed and possible. */
static void work_thread_add(struct io_workers *k)
{
	if (k->nthreads < k->most &&
		haft_thread_start(&k->thread[k->nthreads], NULL, work_main, k) == 0)
		k->nthreads++;
}

/* The workers of all files; NULL: no memory. */
static struct io_workers *work_common(void)
{
	int64_t most = haft_setting_get(SETTING_IO_THREADS);

	if (work.common == NULL) {
		work.common = workers_new((int)num_min(most, WORK_THREADS_MAX));
		io_threads_end_with(work_stop);
	}
	return work.common;
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

/* Behind all others.  Returns whether a thread is free for it. */
static bool work_push(struct io_workers *k, struct io_work *w)
{
	bool free;

	pthread_mutex_lock(&k->mutex);
	free = k->idle > 0 && k->head == NULL;
	w->next = NULL;
	*k->end = w;
	k->end = &w->next;
	pthread_cond_signal(&k->wanted);
	pthread_mutex_unlock(&k->mutex);
	return free;
}

static bool work_is_ready(void *arg)
{
	const struct io_work *w = arg;

	return w->ready == NULL || w->ready(w);
}

/* Does it here and now. */
static void work_do(struct io_work *w)
{
	static const uint32_t nap_ns = WORK_NAP_MAX_NS;
	const struct p2p_condition ready = {.ready = work_is_ready, .arg = w, .nap_ns = &nap_ns};
	bool had;

	p2p_progress_until(&ready);
	had = haft_user_begin();
	w->run(w);
	work_finish(w);
	haft_user_end(had);
}

void io_work_start(struct io_workers *own, struct io_work *w)
{
	struct io_workers *k = own != NULL ? own : work_common();
	bool first = k != NULL && k->nthreads == 0;

	p2p_progress_hook(io_work_progress);
	work.pending++;
	if (first)
		work_thread_add(k);
	if (k == NULL || k->nthreads == 0)
		work_do(w);
	else if (!work_push(k, w) && !first)
		work_thread_add(k);
}
