// SPDX-License-Identifier: BSD-3-Clause
/*
 * app_task.c - tasks of unequal length, by a master and from a pool.
 *
 *	master	rank 0 receives results from any source with any tag, and sends the next task; the
 *		tag of a result is its task
 *	pool	every rank takes the next number by MPI_Fetch_and_op on a window of rank 0
 *
 * The result of a task is a function of its number; the sum over all tasks shows that each was done
 * once.
 *
 * The master's bare run is a master with workers, too: they ask and answer in desks, lines of
 * shared memory, and yield until there is something.
 */
#include "tests/bench/app.h"

#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum {
	TASKS = 96,
	UNIT = 4000, /* multiplications: some 10 us */
	UNITS = 8,   /* a task has 1 to so many */
	RESULT = 64, /* doubles that a worker sends back */
	NO_TASK = TASKS,
	LINE = 64
};

/* Of a worker in a bare run; that of rank 0 is the barrier's. */
struct desk {
	_Alignas(LINE) double result[RESULT];
	_Atomic int asked; /* how often, by the worker */
	_Alignas(LINE) _Atomic int answered;
	int task;
};

struct tasks {
	const struct app *a;
	MPI_Win win;
	uint64_t *counter; /* of rank 0, in its window */
	uint64_t base;     /* the first task of this run, as the counter counts */
	MPI_Win bare_win;
	struct desk *desks; /* of all ranks, at rank 0 */
	int *seen;          /* questions that the master has answered, of each rank */
};

/* The work: a chain of multiplications that no compiler shortens. */
static double task_run(int number)
{
	uint64_t x = (uint64_t)number * 2 + 1;
	int n = (1 + number * 5 % UNITS) * UNIT;

	for (int i = 0; i < n; i++)
		x = x * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (double)(x >> 40);
}

/* The tasks of one of several ranks, assigned beforehand: the work of a bare run. */
static double share(int which, int of)
{
	double sum = 0;

	for (int t = which; t < TASKS; t += of)
		sum += task_run(t);
	return sum;
}

static double master(const struct tasks *s)
{
	double sum = 0, result[RESULT];
	int next = 0, workers = s->a->size - 1;

	for (int left = workers; left > 0;) {
		MPI_Status status;
		MPI_Recv(result, RESULT, MPI_DOUBLE, MPI_ANY_SOURCE, MPI_ANY_TAG, s->a->comm,
			&status);
		if (status.MPI_TAG != NO_TASK) {
			if (result[0] != result[RESULT - 1] || result[1] != status.MPI_TAG)
				bench_fail(
					s->a->b, "master: bad result of task %d", status.MPI_TAG);
			sum += result[0];
		}
		left -= next >= TASKS;
		int give = next < TASKS ? next++ : NO_TASK;
		MPI_Send(&give, 1, MPI_INT, status.MPI_SOURCE, BENCH_TAG, s->a->comm);
	}
	return sum;
}

static void task_worker(const struct tasks *s)
{
	double result[RESULT] = {0};
	int number = NO_TASK;

	for (;;) {
		MPI_Send(result, RESULT, MPI_DOUBLE, 0, number, s->a->comm);
		MPI_Recv(&number, 1, MPI_INT, 0, BENCH_TAG, s->a->comm, MPI_STATUS_IGNORE);
		if (number == NO_TASK)
			return;
		result[0] = result[RESULT - 1] = task_run(number);
		result[1] = number;
	}
}

/* The next worker that has asked, after `last'. */
static int bare_any_source(const struct tasks *s, int last)
{
	int workers = s->a->size - 1;

	for (;; app_wait_bare(s->a))
		for (int i = 0; i < workers; i++) {
			int w = 1 + (last + i) % workers;
			if (atomic_load_explicit(&s->desks[w].asked, memory_order_acquire) !=
				s->seen[w])
				return w;
		}
}

static double bare_master(const struct tasks *s)
{
	double sum = 0, result[RESULT];
	int next = 0, w = 1;

	for (int left = s->a->size - 1; left > 0;) {
		w = bare_any_source(s, w);
		struct desk *d = &s->desks[w];
		memcpy(result, d->result, sizeof(result));
		sum += result[0];
		left -= next >= TASKS;
		d->task = next < TASKS ? next++ : NO_TASK;
		atomic_store_explicit(&d->answered, ++s->seen[w], memory_order_release);
	}
	return sum;
}

static void bare_worker(const struct tasks *s)
{
	struct desk *d = &s->desks[s->a->rank];
	int asked = atomic_load(&d->asked);
	double result[RESULT] = {0};

	for (;;) {
		memcpy(d->result, result, sizeof(result));
		atomic_store_explicit(&d->asked, ++asked, memory_order_release);
		while (atomic_load_explicit(&d->answered, memory_order_acquire) != asked)
			app_wait_bare(s->a);
		if (d->task == NO_TASK)
			return;
		result[0] = result[RESULT - 1] = task_run(d->task);
	}
}

static void bare_barrier(const struct tasks *s)
{
	_Atomic int *arrived = &s->desks[0].asked, *left = &s->desks[0].answered;
	int before = atomic_load(left);

	if (atomic_fetch_add(arrived, 1) == s->a->size - 1) {
		atomic_store(arrived, 0);
		atomic_fetch_add(left, 1);
	}
	while (atomic_load(left) == before)
		app_wait_bare(s->a);
}

static double bare_run(const struct tasks *s)
{
	double sum = 0;

	if (s->a->rank == 0)
		sum = bare_master(s);
	else
		bare_worker(s);
	bare_barrier(s);
	return sum;
}

static double master_run(void *state)
{
	const struct tasks *s = state;
	int rank = s->a->rank, size = s->a->size;
	double sum = 0;

	if (size == 1)
		return share(0, 1);
	if (s->a->silent)
		return bare_run(s);
	if (rank == 0)
		sum = master(s);
	else
		task_worker(s);
	MPI_Barrier(s->a->comm); /* a message of the next run would look like one of this */
	return sum;
}

static double pool_run(void *state)
{
	struct tasks *s = state;
	const uint64_t one = 1;
	double sum = 0;

	if (s->a->silent)
		return share(s->a->rank, s->a->size);
	for (;;) {
		uint64_t got;
		MPI_Fetch_and_op(&one, &got, MPI_UINT64_T, 0, 0, MPI_SUM, s->win);
		MPI_Win_flush(0, s->win);
		if (got - s->base >= TASKS)
			break;
		sum += task_run((int)(got - s->base));
	}
	s->base += TASKS + (uint64_t)s->a->size; /* each rank has taken one number too many */
	return app_sum(s->a, sum);
}

static void desks_make(struct tasks *s)
{
	int size = s->a->size, unit;
	MPI_Aint bytes = s->a->rank == 0 ? (MPI_Aint)(size * (int)sizeof(struct desk) + LINE) : 0;
	char *base;

	MPI_Win_allocate_shared(bytes, 1, MPI_INFO_NULL, s->a->comm, (void *)&base, &s->bare_win);
	MPI_Win_shared_query(s->bare_win, 0, &bytes, &unit, (void *)&base);
	s->desks = (struct desk *)(base + (LINE - (uintptr_t)base % LINE) % LINE);
	s->seen = bench_alloc(s->a->b, (size_t)size * sizeof(*s->seen));
	if (s->a->rank == 0)
		memset(s->desks, 0, (size_t)size * sizeof(*s->desks));
}

static void *tasks_make(const struct app *a)
{
	struct tasks *s = bench_alloc(a->b, sizeof(*s));
	const MPI_Aint page = 4096; /* see win.c */

	s->a = a;
	MPI_Win_allocate(
		page, sizeof(*s->counter), MPI_INFO_NULL, a->comm, (void *)&s->counter, &s->win);
	MPI_Win_lock_all(0, s->win);
	*s->counter = 0;
	desks_make(s);
	MPI_Win_sync(s->win);
	MPI_Barrier(a->comm);
	return s;
}

static void tasks_drop(void *state)
{
	struct tasks *s = state;

	MPI_Win_unlock_all(s->win);
	MPI_Win_free(&s->win);
	MPI_Win_free(&s->bare_win);
	free(s->seen);
	free(s);
}

void app_master(struct bench *b, const struct bench_row *row)
{
	static const struct app_kernel kernel = {tasks_make, master_run, tasks_drop, 1};

	app_measure(b, row, &kernel);
}

void app_pool(struct bench *b, const struct bench_row *row)
{
	static const struct app_kernel kernel = {tasks_make, pool_run, tasks_drop, 0};

	app_measure(b, row, &kernel);
}
