// SPDX-License-Identifier: BSD-3-Clause
/* RUN np=2,3 */
/* RUN np=3 env="HAFT_VIA=net" time=120 */
/* MPI-5.0 3.2.1, 3.2.4: every size around each change of protocol arrives whole, expected and
 * unexpected. */
#include "tests/check.h"

#define GUARD 64

static const long sizes[] = {0, 1, 7, 8, 47, 48, 49, 63, 64, 95, 96, 97, 1000, 4095, 4096, 8191,
	8192, 16383, 16384, 16385, 65535, 65536, 65537, 262143, 262144, 262145, 1 << 20,
	(1 << 20) + 13, 5000000};
#define SIZES (int)(sizeof(sizes) / sizeof(sizes[0]))

static void size_pass(int late, unsigned char *buf)
{
	int next = (check_rank + 1) % check_size, prev = (check_rank + check_size - 1) % check_size;

	for (int i = 0; i < SIZES; i++) {
		long n = sizes[i];
		unsigned char *in = buf + n + GUARD;
		MPI_Request r[2];
		MPI_Status s[2];
		int got;

		check_fill(buf, n, i + check_rank);
		memset(in, 0xee, (size_t)n + GUARD);
		if (!late)
			OK(MPI_Irecv(in, (int)n + GUARD, MPI_BYTE, prev, i, MPI_COMM_WORLD, &r[0]));
		OK(MPI_Isend(buf, (int)n, MPI_BYTE, next, i, MPI_COMM_WORLD, &r[1]));
		if (late) {
			OK(MPI_Barrier(MPI_COMM_WORLD));
			OK(MPI_Irecv(in, (int)n + GUARD, MPI_BYTE, prev, i, MPI_COMM_WORLD, &r[0]));
		}
		OK(MPI_Waitall(2, r, s));
		CHECK(r[0] == MPI_REQUEST_NULL && r[1] == MPI_REQUEST_NULL);
		OK(MPI_Get_count(&s[0], MPI_BYTE, &got));
		CHECK(got == n && s[0].MPI_SOURCE == prev && s[0].MPI_TAG == i);
		CHECK(check_wrong(in, n, i + prev) < 0);
		CHECK(in[n] == 0xee && in[n + GUARD - 1] == 0xee);
	}
}

int main(int argc, char **argv)
{
	unsigned char *buf = malloc(2 * (5000000 + GUARD));

	check_init(&argc, &argv);
	CHECK(buf != NULL);
	size_pass(0, buf);
	size_pass(1, buf);
	free(buf);
	MPI_Finalize();
	return 0;
}
