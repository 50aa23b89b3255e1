// SPDX-License-Identifier: BSD-3-Clause
/* RUN np=1,2,4 */
/* MPI-5.0 11.10.4: MPI_Comm_disconnect waits for pending operations on the communicator, also for
 * operations whose requests were freed. */
#include "tests/check.h"
#include <stdlib.h>

#define LONG 300000 /* ints: too many for an eager message */

int main(int argc, char **argv)
{
	int right, left, one = 0, *out, *in, *kept;
	MPI_Comm c;
	MPI_Request r[4];

	check_init(&argc, &argv);
	right = (check_rank + 1) % check_size;
	left = (check_rank + check_size - 1) % check_size;
	out = malloc(LONG * sizeof(int));
	in = calloc(LONG, sizeof(int));
	kept = calloc(LONG, sizeof(int));
	for (int i = 0; i < LONG; i++)
		out[i] = i + check_rank;
	OK(MPI_Comm_dup(MPI_COMM_WORLD, &c));
	OK(MPI_Irecv(&one, 1, MPI_INT, left, 0, c, &r[0]));
	OK(MPI_Irecv(in, LONG, MPI_INT, left, 1, c, &r[1]));
	OK(MPI_Recv_init(kept, LONG, MPI_INT, left, 2, c, &r[2]));
	OK(MPI_Start(&r[2]));
	for (int i = 0; i < 3; i++)
		OK(MPI_Request_free(&r[i]));
	OK(MPI_Isend(&check_size, 1, MPI_INT, right, 0, c, &r[0]));
	OK(MPI_Isend(out, LONG, MPI_INT, right, 1, c, &r[1]));
	OK(MPI_Isend(out, LONG, MPI_INT, right, 2, c, &r[2]));
	for (int i = 0; i < 3; i++)
		OK(MPI_Request_free(&r[i]));
	OK(MPI_Comm_disconnect(&c));
	CHECK(c == MPI_COMM_NULL);
	CHECK(one == check_size);
	CHECK(in[0] == left && in[LONG - 1] == LONG - 1 + left);
	CHECK(kept[0] == left && kept[LONG - 1] == LONG - 1 + left);
	free(out);
	free(in);
	free(kept);
	MPI_Finalize();
	return 0;
}
