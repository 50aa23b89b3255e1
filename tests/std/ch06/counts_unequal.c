// SPDX-License-Identifier: BSD-3-Clause
/* RUN np=2,3,9 env="HAFT_COLL=shm|p2p" */
/* RUN np=2,3,9 env="HAFT_CHECK=coll" */
/* MPI-5.0 6.10.2: all members of a reduce_scatter give equal lists of counts.  If one gives another
 * list of an equal sum, rank 0, whose block has another length there, has an error, and none
 * waits.  Where ranks 0 and 1 are on one of several hosts, and their host reduces the blocks of
 * both together, only HAFT_CHECK=coll sees more than the sum of their counts. */
#include "tests/check.h"

enum { LONGEST = 100000 };

static bool together; /* ranks 0 and 1, without others */

/* All blocks have `count' ints; at rank 1 that of rank 0 has one more, and its own one less. */
static void counts_unequal(int count)
{
	int *counts = malloc((size_t)check_size * sizeof(int)),
	    *in = calloc(LONGEST + 1, sizeof(int));
	int *out = calloc((size_t)check_size * LONGEST, sizeof(int)), err;
	MPI_Comm c;

	OK(MPI_Comm_dup(MPI_COMM_WORLD, &c));
	for (int i = 0; i < check_size; i++)
		counts[i] = count;
	counts[0] += check_rank == 1;
	counts[1] -= check_rank == 1;
	err = MPI_Reduce_scatter(out, in, counts, MPI_INT, MPI_SUM, c);
	if (check_rank == 0 && (err != 0 || !together))
		FAILS(MPI_ERR_COUNT, "MPI_Reduce_scatter", err);
	OK(MPI_Barrier(MPI_COMM_WORLD));
	free(counts);
	free(in);
	free(out);
}

int main(int argc, char **argv)
{
	bool remote;

	check_init(&argc, &argv);
	remote = check_has_remote();
	check_local(1, &together);
	together = together && remote && getenv("HAFT_CHECK") == NULL;
	OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
	counts_unequal(1);
	counts_unequal(200);
	counts_unequal(3000);
	counts_unequal(LONGEST);
	MPI_Finalize();
	return check_end();
}
