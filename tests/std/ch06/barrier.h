/* SPDX-License-Identifier: BSD-3-Clause */
/* barrier.h - MPI-5.0 6.3: nobody leaves a barrier before everybody has come. */
#ifndef TESTS_CH06_BARRIER_H
#define TESTS_CH06_BARRIER_H

#include "tests/t.h"
#include <mpi.h>
#include <time.h>

#define ROUNDS 40

int main(int argc, char **argv)
{
	double come, gone, last;
	int n, me;

	MPI_Init(&argc, &argv);
	MPI_Comm_size(MPI_COMM_WORLD, &n);
	MPI_Comm_rank(MPI_COMM_WORLD, &me);
	for (int i = 0; i < ROUNDS; i++) {
		if (i % n == me) /* one is late: others sleep */
			nanosleep(&(struct timespec){0, 2000000}, NULL);
		come = MPI_Wtime();
		t_ok(MPI_Barrier(MPI_COMM_WORLD));
		gone = MPI_Wtime(); /* one clock for the node */
		t_ok(MPI_Allreduce(&come, &last, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD));
		t_true(gone >= last);
	}
	t_ok(MPI_Barrier(MPI_COMM_SELF));
	MPI_Finalize();
	return t_end();
}

#endif
