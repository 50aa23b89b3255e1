// SPDX-License-Identifier: BSD-3-Clause
/* RUN np=2 */
/* MPI-5.0 3.4, 3.7.2, 3.7.5, 3.7.6: ready sends to receives that are posted; MPI_Request_get_status
 * of several requests leaves them as they are. */
#include "tests/check.h"

enum { N = 4, BIG = 100000 };

int main(int argc, char **argv)
{
	static int x[N][BIG];
	MPI_Request r[N];
	MPI_Status s[N];
	int count = 0, index[N], flag;

	check_init(&argc, &argv);
	for (int i = 0; i < N; i++) {
		r[i] = MPI_REQUEST_NULL;
		if (check_rank == 1)
			OK(MPI_Irecv(x[i], i < 2 ? 1 : BIG, MPI_INT, 0, i, MPI_COMM_WORLD, &r[i]));
	}
	OK(MPI_Barrier(MPI_COMM_WORLD));
	if (check_rank == 0) {
		for (int i = 0; i < N; i++)
			for (int k = 0; k < BIG; k++)
				x[i][k] = 7 * i + k;
		OK(MPI_Rsend(x[0], 1, MPI_INT, 1, 0, MPI_COMM_WORLD));
		OK(MPI_Irsend(x[1], 1, MPI_INT, 1, 1, MPI_COMM_WORLD, &r[1]));
		OK(MPI_Rsend(x[2], BIG, MPI_INT, 1, 2, MPI_COMM_WORLD));
		OK(MPI_Irsend(x[3], BIG, MPI_INT, 1, 3, MPI_COMM_WORLD, &r[3]));
		OK(MPI_Waitall(N, r, MPI_STATUSES_IGNORE));
	} else {
		while (count < N)
			OK(MPI_Request_get_status_some(N, r, &count, index, s));
		for (int i = 0; i < N; i++)
			CHECK(r[i] != MPI_REQUEST_NULL && s[i].MPI_TAG == index[i]);
		OK(MPI_Request_get_status_all(N, r, &flag, s));
		CHECK(flag && s[3].MPI_TAG == 3);
		OK(MPI_Request_get_status_any(N, r, &count, &flag, s));
		CHECK(flag && s[0].MPI_TAG == count);
		OK(MPI_Waitall(N, r, s));
		for (int i = 0; i < N; i++)
			CHECK(x[i][0] == 7 * i && (i < 2 || x[i][BIG - 1] == 7 * i + BIG - 1));
		OK(MPI_Request_get_status_some(N, r, &count, index, s));
		CHECK(count == MPI_UNDEFINED);
	}
	MPI_Finalize();
	return 0;
}
