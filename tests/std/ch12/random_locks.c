/* SPDX-License-Identifier: BSD-3-Clause */
/* RUN np=8 time=120 */
/* MPI-5.0 12.5.3: locks of random kinds on random targets; an exclusive holder is alone, and all go
 * on.  LOCKS=N in the environment: N rounds, to be run for longer. */
#include "tests/check.h"
#include <sched.h>
#include <stdlib.h>

enum { ROUNDS = 1000 };

static MPI_Win win;
static int *mem; /* readers now, writers now, sum of the writers */
static int64_t writes;
static unsigned seed;

static unsigned locks_draw(unsigned n)
{
	seed = seed * 1103515245u + 12345u;
	return (seed >> 16) % n;
}

/* Adds to a count of the target; returns the old value. */
static int locks_add(int rank, int at, int n)
{
	int old;

	OK(MPI_Fetch_and_op(&n, &old, MPI_INT, rank, at, MPI_SUM, win));
	OK(MPI_Win_flush(rank, win));
	return old;
}

/* With fewer CPUs than processes others seldom meet a lock taken, unless its holder lets them
 * run. */
static void linger(void)
{
	if (locks_draw(4) == 0)
		sched_yield();
}

static void locks_alone(int rank)
{
	int sum;

	OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, rank, 0, win));
	CHECK(locks_add(rank, 1, 1) == 0);
	CHECK(locks_add(rank, 0, 0) == 0);
	OK(MPI_Get(&sum, 1, MPI_INT, rank, 2, 1, MPI_INT, win));
	OK(MPI_Win_flush(rank, win));
	sum++;
	linger();
	OK(MPI_Put(&sum, 1, MPI_INT, rank, 2, 1, MPI_INT, win));
	CHECK(locks_add(rank, 1, -1) == 1);
	OK(MPI_Win_unlock(rank, win));
	writes++;
}

static void locks_look(int rank)
{
	locks_add(rank, 0, 1);
	linger();
	CHECK(locks_add(rank, 1, 0) == 0);
	locks_add(rank, 0, -1);
}

static void one_round(void)
{
	int rank = (int)locks_draw(locks_draw(2) != 0 ? 2 : (unsigned)check_size);

	switch (locks_draw(8)) {
	case 0:
		OK(MPI_Win_lock_all(0, win));
		locks_look(rank);
		OK(MPI_Win_unlock_all(win));
		break;
	case 1:
	case 2:
	case 3: locks_alone(rank); break;
	default:
		OK(MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, win));
		locks_look(rank);
		OK(MPI_Win_unlock(rank, win));
	}
}

static void exclusion(void)
{
	const char *words = getenv("LOCKS");
	int rounds = words != NULL ? atoi(words) : ROUNDS;
	int64_t sum, all;

	seed = (unsigned)check_rank * 7919u + 1;
	for (int i = 0; i < rounds; i++)
		one_round();
	OK(MPI_Barrier(MPI_COMM_WORLD));
	CHECK(mem[0] == 0);
	CHECK(mem[1] == 0);
	sum = mem[2];
	OK(MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD));
	OK(MPI_Allreduce(&writes, &all, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD));
	CHECK(sum == all);
}

int main(int argc, char **argv)
{
	check_init(&argc, &argv);
	OK(MPI_Win_allocate(
		3 * (MPI_Aint)sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &mem, &win));
	mem[0] = mem[1] = mem[2] = 0;
	OK(MPI_Barrier(MPI_COMM_WORLD));
	exclusion();
	OK(MPI_Win_free(&win));
	MPI_Finalize();
	return 0;
}
