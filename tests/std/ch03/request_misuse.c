// SPDX-License-Identifier: BSD-3-Clause
/* RUN np=1 */
/* MPI-5.0 3.8.4, 3.7.3: MPI_Cancel takes a send or a receive, not the two of MPI_Isendrecv,
 * whatever has completed of them; MPI_Request_free does not take an active partitioned operation,
 * complete or not */
#include "tests/check.h"

/* source and dest: MPI_PROC_NULL or this process; in both orders one half may be over. */
static void cancel_combined(int dest, int source)
{
	int out = 7, in = 0, flag;
	MPI_Request r;
	MPI_Status s;

	OK(MPI_Isendrecv(&out, 1, MPI_INT, dest, 1, &in, 1, MPI_INT, source, 2, MPI_COMM_SELF, &r));
	FAILS(MPI_ERR_REQUEST, "combined send and receive", MPI_Cancel(&r));
	if (source != MPI_PROC_NULL)
		OK(MPI_Send(&out, 1, MPI_INT, 0, 2, MPI_COMM_SELF));
	OK(MPI_Wait(&r, &s));
	OK(MPI_Test_cancelled(&s, &flag));
	CHECK(!flag && (source == MPI_PROC_NULL || in == 7));
	if (dest != MPI_PROC_NULL)
		OK(MPI_Recv(&in, 1, MPI_INT, 0, 1, MPI_COMM_SELF, &s));
}

static void free_partitioned(void)
{
	int out[2] = {1, 2}, in[2] = {0, 0};
	MPI_Request r[2];

	OK(MPI_Psend_init(out, 2, 1, MPI_INT, 0, 3, MPI_COMM_SELF, MPI_INFO_NULL, &r[0]));
	OK(MPI_Precv_init(in, 2, 1, MPI_INT, 0, 3, MPI_COMM_SELF, MPI_INFO_NULL, &r[1]));
	OK(MPI_Startall(2, r));
	FAILS(MPI_ERR_REQUEST, "partitioned operation cannot be freed", MPI_Request_free(&r[0]));
	OK(MPI_Pready_range(0, 1, r[0]));
	FAILS(MPI_ERR_REQUEST, "partitioned operation cannot be freed", MPI_Request_free(&r[0]));
	FAILS(MPI_ERR_REQUEST, "partitioned operation cannot be freed", MPI_Request_free(&r[1]));
	OK(MPI_Waitall(2, r, MPI_STATUSES_IGNORE));
	CHECK(in[0] == 1 && in[1] == 2);
	OK(MPI_Request_free(&r[0]));
	OK(MPI_Request_free(&r[1]));
}

int main(int argc, char **argv)
{
	check_init(&argc, &argv);
	MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
	cancel_combined(0, 0);
	cancel_combined(MPI_PROC_NULL, 0);
	cancel_combined(0, MPI_PROC_NULL);
	cancel_combined(MPI_PROC_NULL, MPI_PROC_NULL);
	free_partitioned();
	MPI_Finalize();
	return 0;
}
