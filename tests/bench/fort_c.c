// SPDX-License-Identifier: BSD-3-Clause
/* fort_c.c - C's side of fort.f90: the same calls. */
#include <mpi.h>

void c_calls(int kind, int n, int number);

void c_calls(int kind, int n, int number)
{
	MPI_Comm comm = MPI_Comm_fromint(number);
	MPI_Request req;
	float a[4] = {0};
	int rank;

	for (int i = 0; kind == 1 && i < n; i++)
		MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	for (int i = 0; kind == 2 && i < n; i++)
		MPI_Comm_rank(comm, &rank);
	for (int i = 0; kind == 3 && i < n; i++)
		MPI_Send(a, 4, MPI_REAL, MPI_PROC_NULL, 0, comm);
	for (int i = 0; kind == 4 && i < n; i++) {
		MPI_Isend(a, 4, MPI_REAL, MPI_PROC_NULL, 0, comm, &req);
		MPI_Wait(&req, MPI_STATUS_IGNORE);
	}
}
