// SPDX-License-Identifier: BSD-3-Clause
/* more_c.c - C's side of more.f90. */
#include <mpi.h>

void c_statuses(MPI_Fint *f, MPI_F08_status *f08);
int c_ignores(MPI_F08_status *one, MPI_F08_status *many);

/* To C, changed there, and back. */
void c_statuses(MPI_Fint *f, MPI_F08_status *f08)
{
	MPI_Status status;

	MPI_Status_f2c(f, &status);
	status.MPI_TAG++;
	MPI_Status_c2f(&status, f);
	MPI_Status_f082c(f08, &status);
	status.MPI_TAG += 2;
	MPI_Status_c2f08(&status, f08);
}

int c_ignores(MPI_F08_status *one, MPI_F08_status *many)
{
	return one == MPI_F08_STATUS_IGNORE && many == MPI_F08_STATUSES_IGNORE &&
	       (MPI_Fint *)one == MPI_F_STATUS_IGNORE;
}
