// SPDX-License-Identifier: BSD-3-Clause
/* RUN np=2 */
/* MPI-5.0 3.7.5: an array of requests that has one of them twice is erroneous.  The second entry
 * has an error, and messages afterwards arrive as they should. */
#include "tests/check.h"

enum { KINDS = 4, WINDOW = 16, ROUNDS = 20 };

static int complete(int kind, MPI_Request r[2], MPI_Status *s)
{
	int flag = 0, n = 0, index[2], err = 0;

	switch (kind) {
	case 0: return MPI_Waitall(2, r, s);
	case 1: return MPI_Waitsome(2, r, &n, index, s);
	case 2:
		while (err == 0 && !flag)
			err = MPI_Testall(2, r, &flag, s);
		return err;
	default:
		while (err == 0 && n == 0)
			err = MPI_Testsome(2, r, &n, index, s);
		return err;
	}
}

/* Exchanges messages with new requests: each has a slot of its own. */
static void window(void)
{
	int out[WINDOW], in[WINDOW];
	MPI_Request r[2 * WINDOW];

	for (int k = 0; k < ROUNDS; k++) {
		for (int i = 0; i < WINDOW; i++) {
			out[i] = 100 * k + i;
			OK(MPI_Irecv(&in[i], 1, MPI_INT, 1 - check_rank, i, MPI_COMM_WORLD, &r[i]));
		}
		for (int i = 0; i < WINDOW; i++)
			OK(MPI_Isend(&out[i], 1, MPI_INT, 1 - check_rank, i, MPI_COMM_WORLD,
				&r[WINDOW + i]));
		OK(MPI_Waitall(2 * WINDOW, r, MPI_STATUSES_IGNORE));
		for (int i = 0; i < WINDOW; i++)
			expect_eq(in[i], 100 * k + i);
	}
}

static void twice(int kind, MPI_Status *s, int sender)
{
	int x = 5, class;
	MPI_Request r[2];

	if (check_rank == sender)
		OK(MPI_Isend(&x, 1, MPI_INT, 1 - check_rank, 99, MPI_COMM_WORLD, r));
	else
		OK(MPI_Irecv(&x, 1, MPI_INT, 1 - check_rank, 99, MPI_COMM_WORLD, r));
	r[1] = r[0];
	MPI_Error_class(complete(kind, r, s), &class);
	CHECK(class == MPI_ERR_IN_STATUS || class == MPI_ERR_REQUEST);
	if (s != MPI_STATUSES_IGNORE)
		expect_eq(s[0].MPI_ERROR, MPI_SUCCESS);
	CHECK(r[0] == MPI_REQUEST_NULL);
	expect_eq(x, 5);
	window();
}

int main(int argc, char **argv)
{
	MPI_Status s[2];

	check_init(&argc, &argv);
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
	MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
	window();
	for (int kind = 0; kind < KINDS; kind++)
		for (int sender = 0; sender < 2; sender++) {
			twice(kind, MPI_STATUSES_IGNORE, sender);
			twice(kind, s, sender);
		}
	MPI_Finalize();
	return check_end();
}
