// SPDX-License-Identifier: BSD-3-Clause
/* RUN np=2,4,7,16 time=120 */
/* RUN np=4,7 env="HAFT_VIA=net" time=120 */
/* MPI-5.0 3.5, 3.7: random traffic between all pairs, thousands of messages under way; nothing is
 * lost, mixed up or doubled. */
#include "tests/check.h"

#define ROUNDS 6
#define EACH   40 /* messages a pair and round */

static unsigned char *arena;
static MPI_Request *reqs;
static MPI_Status *stats;

/* Length of message k from a to b in a round: mostly small, sometimes large. */
static long random_length(int round, int a, int b, int k)
{
	unsigned x = (unsigned)(round * 7919 + a * 104729 + b * 1299709 + k * 15485863);
	unsigned v = check_random(&x);

	return v % 16 == 0 ? (long)(check_random(&x) % 90000) : (long)(check_random(&x) % 300);
}

static void one_round(int round, int posted_first)
{
	int n = 0, got;
	long at = 0;

	for (int pass = 0; pass < 2; pass++) {
		int recv = pass == (posted_first ? 0 : 1);

		for (int i = 0; i < EACH * check_size; i++) {
			int k = i / check_size, p = i % check_size;
			long len = recv ? random_length(round, p, check_rank, k)
					: random_length(round, check_rank, p, k);

			if (recv) {
				OK(MPI_Irecv(arena + at, (int)len, MPI_BYTE, p, k % 5,
					MPI_COMM_WORLD, &reqs[n++]));
			} else {
				check_fill(arena + at, len, round + p + k * 3);
				OK(MPI_Isend(arena + at, (int)len, MPI_BYTE, p, k % 5,
					MPI_COMM_WORLD, &reqs[n++]));
			}
			at += len;
		}
	}
	OK(MPI_Waitall(n, reqs, stats));
	at = 0;
	n = 0;
	if (!posted_first) {
		for (int k = 0; k < EACH; k++) {
			for (int p = 0; p < check_size; p++, n++)
				at += random_length(round, check_rank, p, k);
		}
	}
	for (int k = 0; k < EACH; k++) {
		for (int p = 0; p < check_size; p++, n++) {
			long len = random_length(round, p, check_rank, k);

			OK(MPI_Get_count(&stats[n], MPI_BYTE, &got));
			CHECK(got == len && stats[n].MPI_SOURCE == p && stats[n].MPI_TAG == k % 5);
			CHECK(check_wrong(arena + at, len, round + check_rank + k * 3) < 0);
			at += len;
		}
	}
}

int main(int argc, char **argv)
{
	size_t n;

	check_init(&argc, &argv);
	n = 2 * EACH * (size_t)check_size;
	arena = malloc(n * 12000 + 200000);
	reqs = malloc(n * sizeof(*reqs));
	stats = malloc(n * sizeof(*stats));
	CHECK(arena != NULL && reqs != NULL && stats != NULL);
	for (int round = 0; round < ROUNDS; round++)
		one_round(round, round % 2);
	free(arena);
	free(reqs);
	free(stats);
	MPI_Finalize();
	return 0;
}
