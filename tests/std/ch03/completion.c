// SPDX-License-Identifier: BSD-3-Clause
/* RUN np=2 */
/* MPI-5.0 3.7.1, 3.7.3 to 3.7.6: Wait, Test, their any, some and all forms, Request_free and
 * Request_get_status. */
#include "tests/check.h"

#define N 12

static int in[N], out[N];
static MPI_Request r[N];

/* Rank 0 posts N receives with tags 0..N-1, the others null; rank 1 sends when it is told, in
 * reverse. */
static void completion_post(void)
{
	for (int i = 0; i < N; i++) {
		in[i] = -1;
		out[i] = 100 + i;
		r[i] = MPI_REQUEST_NULL;
		if (check_rank == 0 && i % 4 != 3)
			OK(MPI_Irecv(&in[i], 1, MPI_INT, 1, i, MPI_COMM_WORLD, &r[i]));
	}
	OK(MPI_Barrier(MPI_COMM_WORLD));
	for (int i = N - 1; i >= 0 && check_rank == 1; i--) {
		if (i % 4 != 3)
			OK(MPI_Send(&out[i], 1, MPI_INT, 0, i, MPI_COMM_WORLD));
	}
}

static void completion_arrived(void)
{
	for (int i = 0; i < N && check_rank == 0; i++)
		CHECK(in[i] == (i % 4 == 3 ? -1 : 100 + i) && r[i] == MPI_REQUEST_NULL);
	OK(MPI_Barrier(MPI_COMM_WORLD));
}

static void completion_any(int test)
{
	int seen = 0, index = 0, flag;
	MPI_Status s;

	completion_post();
	while (check_rank == 0 && seen < N - N / 4) {
		flag = 1;
		if (test)
			OK(MPI_Testany(N, r, &index, &flag, &s));
		else
			OK(MPI_Waitany(N, r, &index, &s));
		if (!flag) {
			CHECK(index == MPI_UNDEFINED);
			continue;
		}
		CHECK(index >= 0 && index < N && s.MPI_TAG == index && s.MPI_SOURCE == 1);
		CHECK(in[index] == 100 + index);
		seen++;
	}
	completion_arrived();
	OK(MPI_Waitany(N, r, &index, &s)); /* only null requests are left */
	CHECK(index == MPI_UNDEFINED && s.MPI_SOURCE == MPI_ANY_SOURCE);
	OK(MPI_Testany(N, r, &index, &flag, &s));
	CHECK(index == MPI_UNDEFINED && flag);
}

static void completion_some(int test)
{
	int seen = 0, n, idx[N];
	MPI_Status s[N];

	completion_post();
	while (check_rank == 0 && seen < N - N / 4) {
		if (test)
			OK(MPI_Testsome(N, r, &n, idx, s));
		else
			OK(MPI_Waitsome(N, r, &n, idx, s));
		CHECK(n >= (test ? 0 : 1) && n <= N);
		for (int i = 0; i < n; i++)
			CHECK(s[i].MPI_TAG == idx[i] && in[idx[i]] == 100 + idx[i]);
		seen += n;
	}
	completion_arrived();
	OK(MPI_Waitsome(N, r, &n, idx, s));
	CHECK(n == MPI_UNDEFINED);
	OK(MPI_Testsome(N, r, &n, idx, s));
	CHECK(n == MPI_UNDEFINED);
}

static void completion_all(int test)
{
	MPI_Status s[N];
	int flag = 0;

	completion_post();
	while (test && !flag)
		OK(MPI_Testall(N, r, &flag, s));
	if (!test)
		OK(MPI_Waitall(N, r, s));
	for (int i = 0; i < N && check_rank == 0; i++)
		CHECK(s[i].MPI_TAG == (i % 4 == 3 ? MPI_ANY_TAG : i));
	completion_arrived();
}

static void completion_freed(void)
{
	static char big[400000];
	MPI_Request q;
	MPI_Status s;
	int flag = 0;

	if (check_rank == 1) {
		check_fill(big, sizeof(big), 3);
		OK(MPI_Isend(big, sizeof(big), MPI_BYTE, 0, 1, MPI_COMM_WORLD, &q));
		OK(MPI_Request_free(&q));
		CHECK(q == MPI_REQUEST_NULL);
	}
	OK(MPI_Barrier(MPI_COMM_WORLD));
	if (check_rank == 0) {
		OK(MPI_Irecv(big, sizeof(big), MPI_BYTE, 1, 1, MPI_COMM_WORLD, &q));
		while (!flag)
			OK(MPI_Request_get_status(q, &flag, &s));
		CHECK(q != MPI_REQUEST_NULL && s.MPI_TAG == 1);
		CHECK(check_wrong(big, sizeof(big), 3) < 0);
		OK(MPI_Wait(&q, MPI_STATUS_IGNORE));
	}
	OK(MPI_Barrier(MPI_COMM_WORLD));
}

int main(int argc, char **argv)
{
	check_init(&argc, &argv);
	for (int test = 0; test < 2; test++) {
		completion_any(test);
		completion_some(test);
		completion_all(test);
	}
	completion_freed();
	MPI_Finalize();
	return 0;
}
