// SPDX-License-Identifier: BSD-3-Clause
/* queues.c - rank 0 has known messages in each queue, says so by a file, and waits: queues.sh looks
 * at it through gdb and through libhaft-mqs.so. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static MPI_Comm ocean;
static MPI_Datatype column;
static MPI_Request receive, wild, send, persistent;
static MPI_Status status;
static MPI_Win window;

/* Rank 1 sends what rank 0 does not receive. */
static void queue_give(void)
{
	static int three[3];

	MPI_Send(three, 3, MPI_INT, 0, 9, ocean);
	MPI_Send(three, 1, MPI_INT, 0, 5, MPI_COMM_WORLD);
}

static void queue_fill(void)
{
	static double hundred[100000], four[4];
	static int one, flag;

	MPI_Irecv(four, 4, MPI_DOUBLE, 1, 7, ocean, &receive);
	MPI_Irecv(&one, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_SELF, &wild);
	MPI_Isend(hundred, 100000, MPI_DOUBLE, 1, 3, ocean, &send);
	MPI_Send_init(&one, 1, MPI_INT, 1, 4, ocean, &persistent);
	while (flag == 0)
		MPI_Iprobe(1, 9, ocean, &flag, MPI_STATUS_IGNORE);
	MPI_Recv(&one, 1, MPI_INT, 1, 5, MPI_COMM_WORLD, &status);
}

int main(int argc, char **argv)
{
	static int room[8];
	int rank;
	FILE *f;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_dup(MPI_COMM_WORLD, &ocean);
	MPI_Comm_set_name(ocean, "ocean");
	MPI_Type_vector(2, 1, 4, MPI_INT, &column);
	MPI_Type_set_name(column, "column");
	MPI_Win_create(room, sizeof(room), 4, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
	MPI_Win_set_name(window, "lagoon");
	if (rank == 0)
		queue_fill();
	else
		queue_give();
	if (rank == 0 && argc > 1) {
		f = fopen(argv[1], "w");
		fprintf(f, "%d\n", (int)getpid());
		fclose(f);
	}
	MPI_Recv(NULL, 0, MPI_INT, 1 - rank, 77, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	MPI_Finalize();
	return 0;
}
