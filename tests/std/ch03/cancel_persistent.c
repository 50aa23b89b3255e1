// SPDX-License-Identifier: BSD-3-Clause
/* RUN np=2 */
/* RUN np=2 env="HAFT_VIA=net" time=120 */
/* MPI-5.0 3.8.4: a persistent send that is cancelled ends without its receiver, and starts again;
 * messages not cancelled are received */
#include "tests/check.h"

#include <mpi.h>

enum { MANY = 100000, STARTS = 3 };

static int buf[MANY];

static void persistent_send(int count, int sync)
{
	MPI_Request r;
	MPI_Status s;
	int flag, sent[STARTS];

	if (sync)
		expect_ok(MPI_Ssend_init(buf, count, MPI_INT, 1, 3, MPI_COMM_WORLD, &r));
	else
		expect_ok(MPI_Send_init(buf, count, MPI_INT, 1, 3, MPI_COMM_WORLD, &r));
	for (int i = 0; i < STARTS; i++) {
		buf[0] = buf[count - 1] = i;
		expect_ok(MPI_Start(&r));
		expect_ok(MPI_Cancel(&r));
		expect_ok(MPI_Wait(&r, &s)); /* not received yet */
		expect_ok(MPI_Test_cancelled(&s, &flag));
		expect(flag || !sync);
		sent[i] = !flag;
	}
	buf[0] = buf[count - 1] = -1;
	expect_ok(MPI_Send(sent, STARTS, MPI_INT, 1, 4, MPI_COMM_WORLD));
	expect_ok(MPI_Request_free(&r));
}

static void receive(int count)
{
	int sent[STARTS] = {0};

	expect_ok(MPI_Recv(sent, STARTS, MPI_INT, 0, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
	for (int i = 0; i < STARTS; i++) {
		if (!sent[i])
			continue;
		expect_ok(MPI_Recv(buf, count, MPI_INT, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
		expect_eq(buf[0], i);
		expect_eq(buf[count - 1], i);
	}
}

int main(int argc, char **argv)
{
	int rank;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	for (int sync = 0; sync < 2; sync++) {
		for (int count = 1; count <= MANY; count = count == 1 ? MANY : MANY + 1) {
			if (rank == 0)
				persistent_send(count, sync);
			else
				receive(count);
		}
	}
	MPI_Finalize();
	return check_end();
}
