// SPDX-License-Identifier: BSD-3-Clause
/* RUN np=1,2,5,16 env="HAFT_COLL=p2p" */
/* RUN np=2,5 env="HAFT_COLL=p2p HAFT_VIA=net" */
/* MPI-5.0 11.2: MPI_Init exchanges no message between ranks: the launcher's map says all that they
 * need.  The first barrier costs each rank at most log2(n) messages, rounded up, or by sockets
 * three for each step of radix 4, and the first MPI_Comm_dup at most four times as many. */
#include "libmpi/via/via.h"
#include "tests/check.h"

static uint64_t init_messages(void)
{
	uint64_t n = via.shm->count.put;

	return via.net != NULL ? n + net_counts(via.net)->put : n;
}

int main(int argc, char **argv)
{
	uint64_t before;
	unsigned lg = 0;
	MPI_Comm dup;

	check_init(&argc, &argv);
	expect_eq(init_messages(), 0);
	while (1 << lg < check_size)
		lg++;
	if (via.net != NULL)
		lg = 3 * ((lg + 1) / 2);
	OK(MPI_Barrier(MPI_COMM_WORLD));
	before = init_messages();
	expect(before <= lg);
	OK(MPI_Comm_dup(MPI_COMM_WORLD, &dup));
	expect(init_messages() - before <= 4 * lg);
	OK(MPI_Comm_free(&dup));
	MPI_Finalize();
	return check_end();
}
