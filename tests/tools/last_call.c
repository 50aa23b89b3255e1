// SPDX-License-Identifier: BSD-3-Clause
/* last_call.c - the last collective call before MPI_Finalize: rank 0 gives argv[2] elements of 4
 * bytes, the others argv[3].  argv[1] names the call, argv[4] its communicator: world, dup, or
 * freed, a dup that is freed after the call.  reduce_bcast: those with 2000 elements call
 * MPI_Reduce, the others MPI_Bcast.  argv[5]: the last rank is the root: last_call.sh. */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 2000, MANY = 16 };

static int in[MOST * MANY], out[MOST * MANY], n, root;
static MPI_Comm c = MPI_COMM_WORLD;

#define RED in, out, n, MPI_INT, MPI_SUM
#define TO  in, n, MPI_INT, out, n, MPI_INT

static void last_blocking(const char *name)
{
	if (strcmp(name, "reduce") == 0)
		MPI_Reduce(RED, root, c);
	else if (strcmp(name, "allreduce") == 0)
		MPI_Allreduce(RED, c);
	else if (strcmp(name, "scan") == 0)
		MPI_Scan(RED, c);
	else if (strcmp(name, "reduce_scatter") == 0)
		MPI_Reduce_scatter_block(RED, c);
	else if (strcmp(name, "bcast") == 0)
		MPI_Bcast(in, n, MPI_INT, root, c);
	else if (strcmp(name, "gather") == 0)
		MPI_Gather(TO, root, c);
	else if (strcmp(name, "scatter") == 0)
		MPI_Scatter(TO, root, c);
	else if (strcmp(name, "allgather") == 0)
		MPI_Allgather(TO, c);
	else if (strcmp(name, "alltoall") == 0)
		MPI_Alltoall(TO, c);
	else if (strcmp(name, "reduce_bcast") == 0 && n == MOST) /* in both it leaves at once */
		MPI_Reduce(in, out, 1, MPI_INT, MPI_SUM, root, c);
	else if (strcmp(name, "reduce_bcast") == 0)
		MPI_Bcast(in, 1, MPI_INT, root, c);
	else
		MPI_Abort(MPI_COMM_WORLD, 99);
}

static void last_nonblocking(const char *name)
{
	MPI_Request r = MPI_REQUEST_NULL;

	if (strcmp(name, "ireduce") == 0)
		MPI_Ireduce(RED, root, c, &r);
	else if (strcmp(name, "iscan") == 0)
		MPI_Iscan(RED, c, &r);
	else if (strcmp(name, "ibcast") == 0)
		MPI_Ibcast(in, n, MPI_INT, root, c, &r);
	else if (strcmp(name, "igather") == 0)
		MPI_Igather(TO, root, c, &r);
	else if (strcmp(name, "ialltoall") == 0)
		MPI_Ialltoall(TO, c, &r);
	else
		MPI_Abort(MPI_COMM_WORLD, 99);
	MPI_Wait(&r, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv)
{
	int rank, size;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	n = atoi(argv[rank == 0 ? 2 : 3]);
	root = argc > 5 ? size - 1 : 0;
	if (n > MOST || size > MANY)
		MPI_Abort(MPI_COMM_WORLD, 99);
	if (strcmp(argv[4], "world") != 0)
		MPI_Comm_dup(MPI_COMM_WORLD, &c);
	if (argv[1][0] == 'i')
		last_nonblocking(argv[1]);
	else
		last_blocking(argv[1]);
	if (strcmp(argv[4], "freed") == 0)
		MPI_Comm_free(&c);
	MPI_Finalize();
	return 0;
}
