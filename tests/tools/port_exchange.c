// SPDX-License-Identifier: BSD-3-Clause
/* port_exchange.c - two jobs connect through a port whose name is in a file: for two_users.sh.
 *
 *   port_exchange serve FILE    writes the name of a port, accepts a client
 *   port_exchange call FILE     connects to it
 *
 * Both sides exchange a short message and a long one each way, and say who they are. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LONG (1 << 20)

static int job_exchange(MPI_Comm c)
{
	static int out[LONG], in[LONG];
	int rank, size, bad = 0;

	MPI_Comm_rank(c, &rank);
	MPI_Comm_remote_size(c, &size);
	for (int i = 0; i < LONG; i++)
		out[i] = rank + i;
	for (int n = 1; n > 0; n = n == 1 ? LONG : 0)
		for (int r = 0; r < size; r++) {
			memset(in, 0, sizeof(in));
			MPI_Sendrecv(out, n, MPI_INT, (rank + r) % size, n, in, n, MPI_INT,
				(rank - r + size) % size, n, c, MPI_STATUS_IGNORE);
			bad += in[0] != (rank - r + size) % size || in[n - 1] != in[0] + n - 1;
		}
	return bad;
}

int main(int argc, char **argv)
{
	char port[MPI_MAX_PORT_NAME] = "";
	int rank, bad;
	FILE *f;
	MPI_Comm c;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	if (strcmp(argv[1], "serve") == 0) {
		if (rank == 0) {
			MPI_Open_port(MPI_INFO_NULL, port);
			f = fopen(argv[2], "w");
			fprintf(f, "%s\n", port);
			fclose(f);
		}
		MPI_Comm_accept(port, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &c);
	} else {
		f = fopen(argv[2], "r");
		if (f == NULL || fgets(port, sizeof(port), f) == NULL)
			MPI_Abort(MPI_COMM_WORLD, 3);
		port[strcspn(port, "\n")] = '\0';
		fclose(f);
		MPI_Comm_connect(port, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &c);
	}
	bad = job_exchange(c);
	MPI_Comm_disconnect(&c);
	if (rank == 0)
		printf("%s: user %d: %s\n", argv[1], (int)getuid(), bad == 0 ? "good" : "wrong");
	MPI_Finalize();
	return bad;
}
