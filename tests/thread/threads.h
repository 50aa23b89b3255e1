// SPDX-License-Identifier: BSD-3-Clause
/* threads.h - several threads in each rank: threads_run starts n threads with their numbers and
 * joins them; threads_init starts MPI with MPI_THREAD_MULTIPLE. */
#ifndef TESTS_THREADS_H
#define TESTS_THREADS_H

#include "tests/check.h"

#include <pthread.h>

#define THREADS_MAX 64

struct numbered_thread {
	pthread_t thread;
	int id;
	void (*work)(int id);
};

static inline void *threads_start(void *arg)
{
	struct numbered_thread *m = arg;

	m->work(m->id);
	return NULL;
}

/* work(0) .. work(n-1), side by side. */
static inline void threads_run(int n, void (*work)(int id))
{
	struct numbered_thread t[THREADS_MAX];

	for (int i = 0; i < n; i++) {
		t[i] = (struct numbered_thread){.id = i, .work = work};
		CHECK(pthread_create(&t[i].thread, NULL, threads_start, &t[i]) == 0);
	}
	for (int i = 0; i < n; i++)
		CHECK(pthread_join(t[i].thread, NULL) == 0);
}

static inline void threads_init(int *argc, char ***argv)
{
	int provided = -1;

	CHECK(MPI_Init_thread(argc, argv, MPI_THREAD_MULTIPLE, &provided) == MPI_SUCCESS);
	CHECK(provided == MPI_THREAD_MULTIPLE);
	MPI_Comm_rank(MPI_COMM_WORLD, &check_rank);
	MPI_Comm_size(MPI_COMM_WORLD, &check_size);
}

/* A cheap generator of numbers for each thread. */
static inline unsigned threads_random(unsigned *seed)
{
	*seed = *seed * 1664525u + 1013904223u;
	return *seed >> 8;
}

#endif
