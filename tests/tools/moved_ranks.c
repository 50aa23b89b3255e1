// SPDX-License-Identifier: BSD-3-Clause
/* moved_ranks.c - ranks that move aside stay on the CPUs that they may use: for
 * tests/tools/moved_ranks.sh.
 *
 *      free      all begin on one CPU again and again, until one has moved; masks are as before
 *      bound     the same time, but no rank may move
 *      narrowed  until each rank has another mask than at the start, of one CPU, and a while longer
 *
 * In `free' ranks with odd numbers bind themselves to one CPU for the middle third of the rounds.
 * After each round a rank looks where it runs, and which mask it has. */
#include "tests/check.h"
#include <sched.h>

enum { ROUNDS = 3000, GATHER_EVERY = 50, LONG_S = 30 };

static cpu_set_t start, mask; /* that of the start, and the one that the rank has to have */

static cpu_set_t one_of(const cpu_set_t *set)
{
	cpu_set_t one;
	size_t cpu = 0;

	while (!CPU_ISSET(cpu, set))
		cpu++;
	CPU_ZERO(&one);
	CPU_SET(cpu, &one);
	return one;
}

static void mask_set(const cpu_set_t *to)
{
	mask = *to;
	CHECK(sched_setaffinity(0, sizeof(mask), &mask) == 0);
}

/* On the first of the CPUs that it may use, and free to leave it.  It may lose them meanwhile. */
static void gather(void)
{
	cpu_set_t now, one;

	CHECK(sched_getaffinity(0, sizeof(now), &now) == 0);
	one = one_of(&now);
	sched_setaffinity(0, sizeof(one), &one);
	sched_setaffinity(0, sizeof(now), &now);
}

/* Computes a little, differently long on each rank, and waits for the others. */
static void moved_round_run(int round)
{
	double end = MPI_Wtime() + 1e-5 * (double)((round + check_rank) % 7);

	while (MPI_Wtime() < end)
		;
	OK(MPI_Barrier(MPI_COMM_WORLD));
}

static void stays(void)
{
	int cpu = sched_getcpu();
	cpu_set_t now;

	CHECK(sched_getaffinity(0, sizeof(now), &now) == 0);
	CHECK(CPU_EQUAL(&now, &mask));
	CHECK(cpu >= 0 && CPU_ISSET((size_t)cpu, &mask));
}

/* How often the ranks of the job have moved. */
static long moves(void)
{
	static MPI_T_pvar_session session;
	static MPI_T_pvar_handle handle;
	unsigned long long mine = 0, all = 0;
	int index, level, count;

	if (session == NULL) {
		OK(MPI_T_init_thread(MPI_THREAD_SINGLE, &level));
		OK(MPI_T_pvar_get_index("shm_moves", MPI_T_PVAR_CLASS_COUNTER, &index));
		OK(MPI_T_pvar_session_create(&session));
		OK(MPI_T_pvar_handle_alloc(session, index, NULL, &handle, &count));
		OK(MPI_T_pvar_start(session, handle));
	}
	OK(MPI_T_pvar_read(session, handle, &mine));
	OK(MPI_Allreduce(&mine, &all, 1, MPI_UNSIGNED_LONG_LONG, MPI_SUM, MPI_COMM_WORLD));
	return (long)all;
}

static void run_free(void)
{
	cpu_set_t one = one_of(&start);
	double end = MPI_Wtime() + LONG_S;

	moves(); /* counts from now on */
	for (int i = 0; i < ROUNDS; i++) {
		if (check_rank % 2 == 1 && i == ROUNDS / 3)
			mask_set(&one);
		if (check_rank % 2 == 1 && i == ROUNDS / 3 * 2)
			mask_set(&start);
		moved_round_run(i);
		stays();
	}
	while (moves() == 0 && MPI_Wtime() < end) {
		gather();
		for (int i = 0; i < GATHER_EVERY; i++) {
			moved_round_run(i);
			stays();
		}
	}
	CHECK(moves() > 0);
}

static void run_bound(void)
{
	moves();
	for (int i = 0; i < ROUNDS; i++) {
		moved_round_run(i);
		stays();
	}
	CHECK(moves() == 0);
}

static void run_narrowed(void)
{
	double end = MPI_Wtime() + LONG_S;
	int mine = 0, all = 0;

	for (int i = 0; !all && MPI_Wtime() < end; i++) {
		gather();
		moved_round_run(i);
		CHECK(sched_getaffinity(0, sizeof(mask), &mask) == 0);
		mine = CPU_COUNT(&mask) == 1;
		OK(MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD));
	}
	CHECK(all);
	for (int i = 0; i < ROUNDS; i++) {
		moved_round_run(i);
		stays();
	}
}

int main(int argc, char **argv)
{
	check_init(&argc, &argv);
	CHECK(argc == 2);
	CHECK(sched_getaffinity(0, sizeof(start), &start) == 0);
	mask = start;
	if (strcmp(argv[1], "free") == 0)
		run_free();
	else if (strcmp(argv[1], "bound") == 0)
		run_bound();
	else
		run_narrowed();
	MPI_Finalize();
	return 0;
}
