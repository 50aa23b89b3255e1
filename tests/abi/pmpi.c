/* SPDX-License-Identifier: BSD-3-Clause */
/* RUN np=2 */
/* MPI-5.0 15.2.1: a program may define MPI_X itself and go on with PMPI_X; the library's own use of
 * calls inside the library do not come by here. */
#include "tests/check.h"

#include <mpi.h>

static int sends, recvs;

int MPI_Send(const void *buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm)
{
	sends++;
	return PMPI_Send(buf, count, datatype, dest, tag, comm);
}

int MPI_Recv_c(void *buf, MPI_Count count, MPI_Datatype datatype, int source, int tag,
	MPI_Comm comm, MPI_Status *status)
{
	recvs++;
	return PMPI_Recv_c(buf, count, datatype, source, tag, comm, status);
}

int main(int argc, char **argv)
{
	int rank, x = 0, sum = 0;

	expect_ok(MPI_Init(&argc, &argv));
	expect_ok(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
	if (rank == 0) {
		x = 42;
		expect_ok(MPI_Send(&x, 1, MPI_INT, 1, 3, MPI_COMM_WORLD));
	} else {
		expect_ok(MPI_Recv_c(&x, 1, MPI_INT, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
		expect_eq(x, 42);
	}
	expect_ok(PMPI_Allreduce(&x, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
	expect_eq(sum, 84);
	expect_eq(sends, rank == 0);
	expect_eq(recvs, rank == 1);
	MPI_Finalize();
	return check_end();
}
