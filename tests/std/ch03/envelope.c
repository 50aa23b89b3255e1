// SPDX-License-Identifier: BSD-3-Clause
/* RUN np=3 */
/* MPI-5.0 3.2.3, 3.2.4, 3.2.5: a receive takes the message whose source, tag and communicator it
 * names, or any with wildcards; the status says which it was. */
#include "tests/check.h"

enum { LOW = 0, HIGH = 9 };

static MPI_Comm dup;

/* Every rank but 0 sends its number with two tags on two communicators. */
static void envelope_sender(void)
{
	int x = check_rank;

	OK(MPI_Send(&x, 1, MPI_INT, 0, LOW, MPI_COMM_WORLD));
	OK(MPI_Send(&x, 1, MPI_INT, 0, HIGH, MPI_COMM_WORLD));
	OK(MPI_Send(&x, 1, MPI_INT, 0, LOW, dup));
}

static void envelope_take(MPI_Comm comm, int source, int tag, int from, int with)
{
	MPI_Status s = {.MPI_SOURCE = -5, .MPI_TAG = -5};
	int x = -1, n;

	OK(MPI_Recv(&x, 1, MPI_INT, source, tag, comm, &s));
	OK(MPI_Get_count(&s, MPI_INT, &n));
	CHECK(n == 1 && x == s.MPI_SOURCE);
	CHECK(from == MPI_ANY_SOURCE ? s.MPI_SOURCE == 1 || s.MPI_SOURCE == 2
				     : s.MPI_SOURCE == from);
	CHECK(s.MPI_TAG == with);
}

int main(int argc, char **argv)
{
	int *ub, flag, x = 7;

	check_init(&argc, &argv);
	OK(MPI_Comm_dup(MPI_COMM_WORLD, &dup));
	OK(MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &ub, &flag));
	CHECK(flag && *ub >= 32767);
	if (check_rank != 0) {
		envelope_sender();
	} else {
		envelope_take(dup, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_ANY_SOURCE, LOW);
		envelope_take(MPI_COMM_WORLD, 2, HIGH, 2, HIGH);
		envelope_take(MPI_COMM_WORLD, MPI_ANY_SOURCE, HIGH, 1, HIGH);
		envelope_take(MPI_COMM_WORLD, 1, MPI_ANY_TAG, 1, LOW);
		envelope_take(dup, MPI_ANY_SOURCE, LOW, MPI_ANY_SOURCE, LOW);
		envelope_take(MPI_COMM_WORLD, MPI_ANY_SOURCE, MPI_ANY_TAG, 2, LOW);
	}
	/* The largest tag is a tag. */
	OK(MPI_Barrier(MPI_COMM_WORLD));
	if (check_rank == 1)
		OK(MPI_Send(&x, 1, MPI_INT, 0, *ub, MPI_COMM_WORLD));
	if (check_rank == 0) {
		MPI_Status s;

		x = 0;
		OK(MPI_Recv(&x, 1, MPI_INT, 1, MPI_ANY_TAG, MPI_COMM_WORLD, &s));
		CHECK(x == 7 && s.MPI_TAG == *ub);
	}
	OK(MPI_Comm_free(&dup));
	MPI_Finalize();
	return 0;
}
