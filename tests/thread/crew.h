// SPDX-License-Identifier: BSD-3-Clause
/* crew.h - a crew of threads in each rank: crew_run starts n threads with their numbers and joins
 * them; crew_init starts MPI with MPI_THREAD_MULTIPLE. */
#ifndef TESTS_CREW_H
#define TESTS_CREW_H

#include "tests/check.h"

#include <pthread.h>

#define CREW_MAX 64

struct crewman {
	pthread_t thread;
	int id;
	void (*work)(int id);
};

static inline void *crew_start(void *arg)
{
	struct crewman *m = arg;

	m->work(m->id);
	return NULL;
}

/* work(0) .. work(n-1), side by side. */
static inline void crew_run(int n, void (*work)(int id))
{
	struct crewman crew[CREW_MAX];

	for (int i = 0; i < n; i++) {
		crew[i] = (struct crewman){.id = i, .work = work};
		CHECK(pthread_create(&crew[i].thread, NULL, crew_start, &crew[i]) == 0);
	}
	for (int i = 0; i < n; i++)
		CHECK(pthread_join(crew[i].thread, NULL) == 0);
}

static inline void crew_init(int *argc, char ***argv)
{
	int provided = -1;

	CHECK(MPI_Init_thread(argc, argv, MPI_THREAD_MULTIPLE, &provided) == MPI_SUCCESS);
	CHECK(provided == MPI_THREAD_MULTIPLE);
	MPI_Comm_rank(MPI_COMM_WORLD, &check_rank);
	MPI_Comm_size(MPI_COMM_WORLD, &check_size);
}

/* A cheap generator of numbers for each thread. */
static inline unsigned crew_random(unsigned *seed)
{
	*seed = *seed * 1664525u + 1013904223u;
	return *seed >> 8;
}

#endif
