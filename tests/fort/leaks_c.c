// SPDX-License-Identifier: BSD-3-Clause
/* leaks_c.c - an info object that C makes in a program of Fortran: leaks.sh. */
#include <mpi.h>

void in_c_(void);
void in_c_(void)
{
	MPI_Info i;

	MPI_Info_create(&i);
}
