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
