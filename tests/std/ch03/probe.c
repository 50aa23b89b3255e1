// SPDX-License-Identifier: BSD-3-Clause
/* RUN np=2,3 */
/* RUN np=3 env="HAFT_VIA=net" time=120 */
/* MPI-5.0 3.8.1: Probe and Iprobe see the message that the next receive gets, of any size. */
#include "tests/check.h"

static void probe_one(int bytes, int wild, int nonblocking)
{
	static char buf[200000];
	MPI_Status p, s;
	int n, flag = 0;

	if (check_rank != 0) {
		check_fill(buf, bytes, bytes + check_rank);
		OK(MPI_Send(buf, bytes, MPI_CHAR, 0, 40 + check_rank, MPI_COMM_WORLD));
		return;
	}
	for (int k = 1; k < check_size; k++) {
		int src = wild ? MPI_ANY_SOURCE : k, tag = wild ? MPI_ANY_TAG : 40 + k;

		while (nonblocking && !flag)
			OK(MPI_Iprobe(src, tag, MPI_COMM_WORLD, &flag, &p));
		if (!nonblocking)
			OK(MPI_Probe(src, tag, MPI_COMM_WORLD, &p));
		flag = 0;
		OK(MPI_Get_count(&p, MPI_CHAR, &n));
		CHECK(n == bytes && p.MPI_TAG == 40 + p.MPI_SOURCE);
		OK(MPI_Recv(buf, n, MPI_CHAR, p.MPI_SOURCE, p.MPI_TAG, MPI_COMM_WORLD, &s));
		CHECK(s.MPI_SOURCE == p.MPI_SOURCE);
		CHECK(check_wrong(buf, n, bytes + s.MPI_SOURCE) < 0);
	}
	OK(MPI_Iprobe(MPI_ANY_SOURCE, 999, MPI_COMM_WORLD, &flag, &p));
	CHECK(!flag);
}

int main(int argc, char **argv)
{
	static const int sizes[] = {0, 5, 48, 3000, 20000, 200000};

	check_init(&argc, &argv);
	for (int i = 0; i < 6; i++) {
		for (int k = 0; k < 4; k++) {
			probe_one(sizes[i], k % 2, k / 2);
			OK(MPI_Barrier(MPI_COMM_WORLD));
		}
	}
	MPI_Finalize();
	return 0;
}
