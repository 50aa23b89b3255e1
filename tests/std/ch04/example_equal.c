// SPDX-License-Identifier: BSD-3-Clause
/* RUN np=2 */
/* MPI-5.0 4.2: the first example of the chapter: equal partitions, one thread */
#include "tests/check.h"

#include <mpi.h>

enum { PARTITIONS = 8, COUNT = 5 };

int main(int argc, char **argv)
{
	double message[PARTITIONS * COUNT] = {0};
	MPI_Request request;
	int rank, flag = 0;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	if (rank == 0)
		expect_ok(MPI_Psend_init(message, PARTITIONS, COUNT, MPI_DOUBLE, 1, 1,
			MPI_COMM_WORLD, MPI_INFO_NULL, &request));
	else
		expect_ok(MPI_Precv_init(message, PARTITIONS, COUNT, MPI_DOUBLE, 0, 1,
			MPI_COMM_WORLD, MPI_INFO_NULL, &request));
	expect_ok(MPI_Start(&request));
	for (int i = 0; rank == 0 && i < PARTITIONS; i++) {
		for (int j = 0; j < COUNT; j++)
			message[i * COUNT + j] = i * COUNT + j;
		expect_ok(MPI_Pready(i, request));
	}
	while (!flag)
		expect_ok(MPI_Test(&request, &flag, MPI_STATUS_IGNORE));
	expect_ok(MPI_Request_free(&request));
	for (int i = 0; i < PARTITIONS * COUNT; i++)
		expect(message[i] == i);
	MPI_Finalize();
	return check_end();
}
