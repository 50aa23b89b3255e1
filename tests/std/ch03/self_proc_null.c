// SPDX-License-Identifier: BSD-3-Clause
/* RUN np=1,2 */
/* MPI-5.0 3.2.7, 3.7.2, 3.10: messages to oneself, MPI_PROC_NULL, MPI_COMM_SELF, Sendrecv. */
#include "tests/check.h"

static void to_self(MPI_Comm comm, int me)
{
	static unsigned char out[300000], in[300000];
	MPI_Request r;
	MPI_Status s;
	int count;

	for (int n = 0; n <= 300000; n = n * 3 + 1) {
		check_fill(out, n, n);
		memset(in, 0, sizeof(in));
		OK(MPI_Irecv(in, n, MPI_BYTE, MPI_ANY_SOURCE, 9, comm, &r));
		OK(MPI_Send(out, n, MPI_BYTE, me, 9, comm));
		OK(MPI_Wait(&r, &s));
		OK(MPI_Get_count(&s, MPI_BYTE, &count));
		CHECK(count == n && s.MPI_SOURCE == me && check_wrong(in, n, n) < 0);
		memset(in, 0, sizeof(in));
		OK(MPI_Send(out, n, MPI_BYTE, me, 10, comm)); /* before the receive */
		OK(MPI_Recv(in, n, MPI_BYTE, me, 10, comm, MPI_STATUS_IGNORE));
		CHECK(check_wrong(in, n, n) < 0);
		memset(in, 0, sizeof(in));
		OK(MPI_Sendrecv(out, n, MPI_BYTE, me, 1, in, n, MPI_BYTE, me, 1, comm, &s));
		CHECK(check_wrong(in, n, n) < 0);
	}
}

static void self_nobody(void)
{
	int x = 5, flag = 0, count;
	MPI_Request r;
	MPI_Status s;

	OK(MPI_Send(&x, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD));
	OK(MPI_Recv(&x, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &s));
	OK(MPI_Get_count(&s, MPI_INT, &count));
	CHECK(x == 5 && count == 0 && s.MPI_SOURCE == MPI_PROC_NULL && s.MPI_TAG == MPI_ANY_TAG);
	OK(MPI_Irecv(&x, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &r));
	OK(MPI_Test(&r, &flag, &s));
	CHECK(flag && r == MPI_REQUEST_NULL && s.MPI_SOURCE == MPI_PROC_NULL);
	OK(MPI_Wait(&r, &s)); /* null request: the empty status */
	OK(MPI_Get_count(&s, MPI_INT, &count));
	CHECK(s.MPI_SOURCE == MPI_ANY_SOURCE && s.MPI_TAG == MPI_ANY_TAG && count == 0);
	OK(MPI_Sendrecv(&x, 1, MPI_INT, MPI_PROC_NULL, 0, &x, 1, MPI_INT, MPI_PROC_NULL, 0,
		MPI_COMM_WORLD, &s));
	CHECK(s.MPI_SOURCE == MPI_PROC_NULL);
	OK(MPI_Probe(MPI_PROC_NULL, 3, MPI_COMM_WORLD, &s));
	CHECK(s.MPI_SOURCE == MPI_PROC_NULL);
}

static void self_ring(void)
{
	int next = (check_rank + 1) % check_size, prev = (check_rank + check_size - 1) % check_size;
	static double out[20000], in[20000];
	MPI_Status s;
	int count;

	for (int n = 1; n <= 20000; n *= 5) {
		for (int i = 0; i < n; i++)
			out[i] = check_rank * 1e6 + i;
		OK(MPI_Sendrecv(out, n, MPI_DOUBLE, next, 2, in, 20000, MPI_DOUBLE, prev, 2,
			MPI_COMM_WORLD, &s));
		OK(MPI_Get_count(&s, MPI_DOUBLE, &count));
		CHECK(count == n && s.MPI_SOURCE == prev);
		for (int i = 0; i < n; i++)
			CHECK(in[i] == prev * 1e6 + i);
		OK(MPI_Sendrecv_replace(out, n, MPI_DOUBLE, next, 3, prev, 3, MPI_COMM_WORLD, &s));
		for (int i = 0; i < n; i++)
			CHECK(out[i] == prev * 1e6 + i);
	}
}

int main(int argc, char **argv)
{
	check_init(&argc, &argv);
	to_self(MPI_COMM_WORLD, check_rank);
	to_self(MPI_COMM_SELF, 0);
	self_nobody();
	self_ring();
	MPI_Finalize();
	return 0;
}
