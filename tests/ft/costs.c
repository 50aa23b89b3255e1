// SPDX-License-Identifier: BSD-3-Clause
/* RUN np=4,7 env="HAFT_FT=yes HAFT_COLL=p2p" */
/* costs.c - what agree, revoke, shrink and replace take, beside a barrier by messages and a message
 * to a rank that sleeps.  Prints the medians; ../../libmpi/ft/PERF.md has figures.
 *
 * A revocation is heard when the receive of a member fails.  All processes are on one machine, so
 * their clocks are one.  Beside it stands a bare tree: the same processes sleep, each on a futex of
 * its own, and each that is woken wakes those that it would tell (libmpi/ft/flood.h). */
#include "tests/ft/ft.h"
#include <linux/futex.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>

#define ROUNDS   200
#define FEW      15
#define PAUSE_US 20000 /* then the others sleep */

static double us(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e6 + (double)t.tv_nsec * 1e-3;
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

static double median(double *v, int n)
{
	qsort(v, (size_t)n, sizeof(*v), compare);
	return v[n / 2];
}

/* A message from rank 0 to another one, each time to the next of FEW, which sleeps in its receive.
 * One alone may share rank 0's processor, or not. */
static double one_way(void)
{
	double v[FEW], took, sent = 0;

	for (int i = 0; i < FEW; i++) {
		int to = 1 + i * (check_size - 1) / FEW;

		OK(MPI_Barrier(MPI_COMM_WORLD));
		took = 0;
		if (check_rank == 0) {
			usleep(PAUSE_US);
			sent = us();
			OK(MPI_Send(&sent, 1, MPI_DOUBLE, to, 1, MPI_COMM_WORLD));
		} else if (check_rank == to) {
			OK(MPI_Recv(&sent, 1, MPI_DOUBLE, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
			took = us() - sent;
		}
		OK(MPI_Allreduce(&took, &v[i], 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD));
	}
	return median(v, FEW);
}

static double barrier_cost(MPI_Comm c)
{
	double v[ROUNDS];

	for (int i = 0; i < ROUNDS; i++) {
		v[i] = us();
		OK(MPI_Barrier(c));
		v[i] = us() - v[i];
	}
	return median(v, ROUNDS);
}

static double agree_cost(MPI_Comm c)
{
	double v[ROUNDS];

	for (int i = 0; i < ROUNDS; i++) {
		int flag = ~0;

		v[i] = us();
		OK(MPIX_Comm_agree(c, &flag));
		v[i] = us() - v[i];
		CHECK(flag == ~0);
	}
	return median(v, ROUNDS);
}

/* A member of c has failed. */
static double shrink_cost(MPI_Comm c)
{
	double v[ROUNDS];
	MPI_Comm next;

	for (int i = 0; i < ROUNDS; i++) {
		v[i] = us();
		OK(MPIX_Comm_shrink(c, &next));
		v[i] = us() - v[i];
		OK(MPI_Comm_free(&next));
	}
	return median(v, ROUNDS);
}

/* From the call of rank 0 until the last member has heard, while all wait in a receive. */
static double revoke_cost(void)
{
	double v[FEW], heard, from, last;
	int n = 0;
	MPI_Comm c;

	for (int i = 0; i < FEW; i++) {
		OK(MPI_Comm_dup(MPI_COMM_WORLD, &c));
		OK(MPI_Barrier(c));
		from = 0;
		if (check_rank == 0) {
			usleep(PAUSE_US);
			from = us();
			OK(MPIX_Comm_revoke(c));
		} else {
			CHECK(MPI_Recv(&n, 1, MPI_INT, 0, 3, c, MPI_STATUS_IGNORE) ==
				MPIX_ERR_REVOKED);
		}
		heard = us();
		usleep(PAUSE_US); /* the work of those that have heard is none of it */
		OK(MPI_Allreduce(&heard, &last, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD));
		v[i] = last - from;
		OK(MPI_Comm_free(&c));
	}
	return median(v, FEW);
}

/* A process that sleeps in the bare tree: a line of its own. */
struct sleeper {
	_Alignas(128) _Atomic uint32_t turn;
	int step; /* it wakes those at distances below 1 << step */
};

static void bare_wake(struct sleeper *all, int step, uint32_t turn)
{
	for (int k = step; k-- > 0;) {
		int to = check_rank + (1 << k);

		if (to >= check_size)
			continue;
		all[to].step = k;
		atomic_store(&all[to].turn, turn);
		syscall(SYS_futex, &all[to].turn, FUTEX_WAKE, 1, NULL, NULL, 0);
	}
}

/* From the first wake of rank 0 until the last process has woken the others. */
static double bare_cost(void)
{
	double v[FEW], heard, from, last;
	struct sleeper *mine, *all;
	MPI_Aint size;
	int unit;
	MPI_Win w;

	OK(MPI_Win_allocate_shared(
		sizeof(*mine), 1, MPI_INFO_NULL, MPI_COMM_WORLD, (void *)&mine, &w));
	OK(MPI_Win_shared_query(w, 0, &size, &unit, (void *)&all));
	atomic_store(&mine->turn, 0);
	for (uint32_t i = 0; i < FEW; i++) {
		OK(MPI_Barrier(MPI_COMM_WORLD));
		from = 0;
		if (check_rank == 0) {
			usleep(PAUSE_US);
			from = us();
			mine->step = 31 - __builtin_clz((unsigned)check_size * 2 - 1);
		}
		while (check_rank > 0 && atomic_load(&mine->turn) == i)
			syscall(SYS_futex, &mine->turn, FUTEX_WAIT, i, NULL, NULL, 0);
		bare_wake(all, mine->step, i + 1);
		heard = us();
		usleep(PAUSE_US);
		OK(MPI_Allreduce(&heard, &last, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD));
		v[i] = last - from;
	}
	OK(MPI_Win_free(&w));
	return median(v, FEW);
}

int main(int argc, char **argv)
{
	double shrink, replace, latency, barrier, agree, revoke, bare;
	int flag = 1;
	MPI_Comm c, next;

	ft_init(&argc, &argv);
	MPI_Comm_get_parent(&c);
	if (c != MPI_COMM_NULL) {
		OK(MPIX_Comm_replace(MPI_COMM_NULL, NULL, NULL, MPI_INFO_NULL, &next));
		OK(MPI_Comm_free(&next));
		MPI_Finalize();
		return check_end();
	}
	latency = one_way();
	OK(MPI_Comm_dup(MPI_COMM_WORLD, &c));
	barrier = barrier_cost(c);
	agree = agree_cost(c);
	bare = check_has_remote() ? 0 : bare_cost(); /* its processes share memory */
	revoke = revoke_cost();
	OK(MPIX_Comm_agree(MPI_COMM_WORLD, &flag)); /* also if it dies before all have returned */
	if (check_rank == check_size / 2)
		ft_die();
	ft_await_failures(1);
	shrink = shrink_cost(c);
	replace = us();
	OK(MPIX_Comm_replace(c, argv[0], MPI_ARGV_NULL, MPI_INFO_NULL, &next));
	replace = us() - replace;
	if (check_rank == 0)
		printf("%d ranks: message %.1f us, barrier %.1f us, agree %.1f us (%.2f), "
		       "revoke %.1f us (%.1f messages, %.2f bare trees of %.1f us), "
		       "shrink %.1f us (%.2f agrees), "
		       "replace %.2f ms\n",
			check_size, latency, barrier, agree, agree / barrier, revoke,
			revoke / latency, revoke / bare, bare, shrink, shrink / agree,
			replace / 1000);
	OK(MPI_Comm_free(&c));
	OK(MPI_Comm_free(&next));
	MPI_Finalize();
	return check_end();
}
