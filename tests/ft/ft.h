// SPDX-License-Identifier: BSD-3-Clause
/* ft.h - what tests of failures share: a death, and waiting until it is known. */
#ifndef TESTS_FT_FT_H
#define TESTS_FT_FT_H

#include "tests/check.h"
#include <mpi-ext.h>
#include <signal.h>
#include <unistd.h>

/* MPI_Init; errors are returned. */
static inline void ft_init(int *argc, char ***argv)
{
	check_init(argc, argv);
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
}

static inline void ft_die(void)
{
	raise(SIGKILL);
}

/* By all members: rank 0 dies when none waits for it; after a barrier one might. */
static inline void ft_root_dies(MPI_Comm c)
{
	int rank, n;

	MPI_Comm_rank(c, &rank);
	MPI_Comm_size(c, &n);
	if (rank != 0) {
		OK(MPI_Send(NULL, 0, MPI_BYTE, 0, 0, c));
		return;
	}
	for (int i = 1; i < n; i++)
		OK(MPI_Recv(NULL, 0, MPI_BYTE, i, 0, c, MPI_STATUS_IGNORE));
	ft_die();
}

/* How many members of the communicator are known to have failed. */
static inline int ft_failures(MPI_Comm c)
{
	MPI_Group g;
	int n;

	MPIX_Comm_get_failed(c, &g);
	MPI_Group_size(g, &n);
	if (g != MPI_GROUP_EMPTY)
		MPI_Group_free(&g);
	return n;
}

static inline void ft_await_failures(int n)
{
	while (ft_failures(MPI_COMM_WORLD) < n)
		usleep(1000);
}

#endif
