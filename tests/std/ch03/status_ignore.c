// SPDX-License-Identifier: BSD-3-Clause
/* RUN np=2 */
/* MPI-5.0 3.2.6: MPI_STATUS_IGNORE and MPI_STATUSES_IGNORE stand for a status wherever one is
 * returned; the call does the rest as usual. */
#include "tests/check.h"

enum { TAG = 3, N = 4 };

static void ignore_receiver(void)
{
	MPI_Request r[N];
	MPI_Message m;
	int x[N], flag = 0, index[N], n;

	OK(MPI_Recv(x, 1, MPI_INT, 0, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
	CHECK(x[0] == 1);
	OK(MPI_Probe(0, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
	OK(MPI_Mprobe(0, TAG, MPI_COMM_WORLD, &m, MPI_STATUS_IGNORE));
	OK(MPI_Mrecv(x, 1, MPI_INT, &m, MPI_STATUS_IGNORE));
	CHECK(x[0] == 2);
	OK(MPI_Sendrecv(
		&n, 0, MPI_INT, 0, TAG, x, 1, MPI_INT, 0, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
	CHECK(x[0] == 3);
	for (int i = 0; i < N; i++)
		OK(MPI_Irecv(&x[i], 1, MPI_INT, 0, TAG + i, MPI_COMM_WORLD, &r[i]));
	OK(MPI_Wait(&r[0], MPI_STATUS_IGNORE));
	while (!flag)
		OK(MPI_Test(&r[1], &flag, MPI_STATUS_IGNORE));
	OK(MPI_Waitany(N, r, &n, MPI_STATUS_IGNORE));
	CHECK(n == 2 || n == 3);
	OK(MPI_Waitsome(N, r, &n, index, MPI_STATUSES_IGNORE));
	OK(MPI_Waitall(N, r, MPI_STATUSES_IGNORE));
	for (int i = 0; i < N; i++)
		CHECK(x[i] == 10 + i && r[i] == MPI_REQUEST_NULL);
}

static void ignore_sender(void)
{
	int x;

	for (x = 1; x <= 2; x++)
		OK(MPI_Send(&x, 1, MPI_INT, 1, TAG, MPI_COMM_WORLD));
	OK(MPI_Sendrecv(&x, 1, MPI_INT, 1, TAG, NULL, 0, MPI_INT, 1, TAG, MPI_COMM_WORLD,
		MPI_STATUS_IGNORE));
	for (int i = 0; i < N; i++) {
		x = 10 + i;
		OK(MPI_Send(&x, 1, MPI_INT, 1, TAG + i, MPI_COMM_WORLD));
	}
}

int main(int argc, char **argv)
{
	check_init(&argc, &argv);
	if (check_rank == 0)
		ignore_sender();
	else
		ignore_receiver();
	MPI_Finalize();
	return 0;
}
