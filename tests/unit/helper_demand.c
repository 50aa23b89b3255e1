// SPDX-License-Identifier: BSD-3-Clause
/* RUN np=1 */
/* With HAFT_PROGRESS=thread the lookout rests unless requests begin: MPI_Isend, MPI_Irecv and
 * MPI_Start of a persistent one say so, each time; calls that block do not. */
#include "libmpi/p2p/p2p.h"
#include "tests/check.h"
#include <mpi.h>

static int out, in;

static void demand_more(const char *call, uint32_t *before)
{
	uint32_t now = p2p_demand();

	expect(now - *before >= 4); /* of both requests */
	if (now - *before < 4)
		fprintf(stderr, "%s: demand %u, before %u\n", call, now, *before);
	*before = now;
}

int main(int argc, char **argv)
{
	MPI_Request r[2], kept[2];
	uint32_t before;

	MPI_Init(&argc, &argv);
	before = p2p_demand();
	MPI_Irecv(&in, 1, MPI_INT, 0, 0, MPI_COMM_SELF, &r[0]);
	MPI_Isend(&out, 1, MPI_INT, 0, 0, MPI_COMM_SELF, &r[1]);
	MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
	demand_more("MPI_Isend", &before);
	MPI_Recv_init(&in, 1, MPI_INT, 0, 0, MPI_COMM_SELF, &kept[0]);
	MPI_Send_init(&out, 1, MPI_INT, 0, 0, MPI_COMM_SELF, &kept[1]);
	before = p2p_demand();
	for (int i = 0; i < 3; i++) {
		MPI_Startall(2, kept);
		MPI_Waitall(2, kept, MPI_STATUSES_IGNORE);
		demand_more("MPI_Start", &before);
	}
	for (int i = 0; i < 3; i++)
		MPI_Barrier(MPI_COMM_WORLD);
	expect(p2p_demand() == before);
	MPI_Request_free(&kept[0]);
	MPI_Request_free(&kept[1]);
	MPI_Finalize();
	return check_end();
}
