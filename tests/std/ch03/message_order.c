// SPDX-License-Identifier: BSD-3-Clause
/* RUN np=2,4 */
/* MPI-5.0 3.5: messages do not overtake, whatever their size, and receives match in the order of
 * posting. */
#include "tests/check.h"

#define N 400

static long order_length(int i)
{
	static const long mix[] = {0, 4, 48, 49, 5000, 17000, 70000};

	return mix[i % 7];
}

/* All ranks but 0 send N numbered messages with one tag; 0 takes them by wildcards. */
static void order_wild(char *buf)
{
	int next[64] = {0};

	if (check_rank != 0) {
		for (int i = 0; i < N; i++) {
			memcpy(buf, &i, sizeof(i));
			OK(MPI_Send(buf, (int)(order_length(i) < 4 ? 4 : order_length(i)), MPI_BYTE,
				0, i % 3, MPI_COMM_WORLD));
		}
		return;
	}
	for (int k = 0; k < N * (check_size - 1); k++) {
		MPI_Status s;
		int i;

		OK(MPI_Recv(buf, 80000, MPI_BYTE, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &s));
		memcpy(&i, buf, sizeof(i));
		CHECK(i == next[s.MPI_SOURCE] && s.MPI_TAG == i % 3);
		next[s.MPI_SOURCE]++;
	}
}

/* Receives posted in a mixed order of exact and wildcard keys: the first that fits gets it. */
static void order_mixed(void)
{
	static const int tags[] = {5, MPI_ANY_TAG, 5, 6, MPI_ANY_TAG, 5};
	static const int sent[] = {5, 5, 6, 5, 5, 6};
	static const int want[] = {0, 1, 3, 2, 4, 5}; /* which receive gets the k-th message */
	int got[6], last = check_size - 1;
	MPI_Request r[6];

	if (check_rank == 0) {
		for (int i = 0; i < 6; i++)
			OK(MPI_Irecv(&got[i], 1, MPI_INT, i % 2 ? last : MPI_ANY_SOURCE,
				i == 5 ? 6 : tags[i], MPI_COMM_WORLD, &r[i]));
		OK(MPI_Barrier(MPI_COMM_WORLD));
		OK(MPI_Waitall(6, r, MPI_STATUSES_IGNORE));
		for (int k = 0; k < 6; k++)
			CHECK(got[want[k]] == k);
		return;
	}
	OK(MPI_Barrier(MPI_COMM_WORLD));
	for (int k = 0; k < 6 && check_rank == last; k++)
		OK(MPI_Send(&k, 1, MPI_INT, 0, sent[k], MPI_COMM_WORLD));
}

int main(int argc, char **argv)
{
	char *buf = calloc(1, 80000);

	check_init(&argc, &argv);
	CHECK(buf != NULL);
	order_wild(buf);
	OK(MPI_Barrier(MPI_COMM_WORLD));
	order_mixed();
	free(buf);
	MPI_Finalize();
	return 0;
}
