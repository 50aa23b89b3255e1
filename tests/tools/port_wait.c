// SPDX-License-Identifier: BSD-3-Clause
/* port_wait.c - rank 0 waits for a client that never comes; other ranks wait for rank 0. */
#include <mpi.h>
#include <stddef.h>

int main(int argc, char **argv)
{
	char port[MPI_MAX_PORT_NAME];
	MPI_Comm c;
	int rank;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Open_port(MPI_INFO_NULL, port);
	if (rank == 0)
		MPI_Comm_accept(port, MPI_INFO_NULL, 0, MPI_COMM_SELF, &c);
	else
		MPI_Recv(NULL, 0, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	MPI_Finalize();
	return 0;
}
