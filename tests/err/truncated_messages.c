// SPDX-License-Identifier: BSD-3-Clause
/* RUN np=2 */
/* MPI-5.0 3.2.4, 3.7.5: a message that is too long is an error of its receive, with both lengths in
 * words; bytes behind the buffer stay as they were, the sender and later messages do not notice. */
#include "tests/check.h"

static const int sizes[] = {5, 60, 5000, 40000, 1000000};

static void truncated_one(int n, int late)
{
	static unsigned char buf[1000000];
	char words[MPI_MAX_ERROR_STRING], want[64];
	MPI_Request r[2];
	MPI_Status s[2];
	int len, err, x = 0;

	if (check_rank == 1) {
		check_fill(buf, n, n);
		if (late)
			OK(MPI_Barrier(MPI_COMM_WORLD));
		/* not MPI_Send: it may wait for the receive, which comes after the barrier */
		OK(MPI_Isend(buf, n, MPI_BYTE, 0, 7, MPI_COMM_WORLD, &r[0]));
		OK(MPI_Isend(&n, 1, MPI_INT, 0, 8, MPI_COMM_WORLD, &r[1]));
		if (!late)
			OK(MPI_Barrier(MPI_COMM_WORLD));
		OK(MPI_Waitall(2, r, s));
		return;
	}
	if (!late)
		OK(MPI_Barrier(MPI_COMM_WORLD));
	memset(buf, 0xee, sizeof(buf));
	OK(MPI_Irecv(buf, n / 2, MPI_BYTE, 1, 7, MPI_COMM_WORLD, &r[0]));
	OK(MPI_Irecv(&x, 1, MPI_INT, 1, 8, MPI_COMM_WORLD, &r[1]));
	if (late)
		OK(MPI_Barrier(MPI_COMM_WORLD));
	err = MPI_Waitall(2, r, s);
	OK(MPI_Error_string(err, words, &len));
	CHECK(err == MPI_ERR_IN_STATUS && s[0].MPI_ERROR == MPI_ERR_TRUNCATE);
	CHECK(s[1].MPI_ERROR == MPI_SUCCESS && x == n);
	snprintf(want, sizeof(want), "%d bytes", n);
	CHECK(strstr(words, want) != NULL && strstr(words, "MPI_COMM_WORLD") != NULL);
	CHECK(check_wrong(buf, n / 2, n) < 0 && buf[n / 2] == 0xee);
}

int main(int argc, char **argv)
{
	check_init(&argc, &argv);
	OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
	OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
	for (int i = 0; i < 4; i++) {
		truncated_one(sizes[i], 1);
		truncated_one(sizes[i], 0);
		OK(MPI_Barrier(MPI_COMM_WORLD));
	}
	if (check_rank == 0) {
		FAILS(MPI_ERR_TRUNCATE, "4 bytes",
			MPI_Sendrecv("abcd", 4, MPI_CHAR, 0, 1, &check_size, 0, MPI_CHAR, 0, 1,
				MPI_COMM_SELF, MPI_STATUS_IGNORE));
		FAILS(MPI_ERR_TRUNCATE, "message of 1 byte from",
			MPI_Sendrecv("a", 1, MPI_CHAR, 0, 1, &check_size, 0, MPI_CHAR, 0, 1,
				MPI_COMM_SELF, MPI_STATUS_IGNORE));
		FAILS(MPI_ERR_TRUNCATE, "only 1 byte was posted",
			MPI_Sendrecv("ab", 2, MPI_CHAR, 0, 1, &check_size, 1, MPI_CHAR, 0, 1,
				MPI_COMM_SELF, MPI_STATUS_IGNORE));
	}
	MPI_Finalize();
	return 0;
}
