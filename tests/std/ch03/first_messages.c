// SPDX-License-Identifier: BSD-3-Clause
/* RUN np=2,4,8 */
/* RUN np=4 env="HAFT_VIA=net" */
/* MPI-5.0 3.5: numbered messages between all pairs from the first call on stay in order, also
 * where a transport begins them on another connection than the one that carries the later ones.
 * tests/ofi/tcp_provider.sh runs it over libfabric. */
#include "tests/check.h"

#define N         600 /* messages to each rank: the later connection stands by then */
#define AHEAD     200 /* messages to each rank that wait for their receives */
#define BYTES_MAX 20000
#define RANKS     64

static int *sent[N];
static MPI_Request *reqs;
static int next_of[RANKS];

/* Bytes of message i: most are small, some are long. */
static int first_bytes(int i)
{
	static const int mix[] = {4, 4, 64, 4, 900, 4, 4, 3000};

	return i % 128 == 127 ? BYTES_MAX : mix[i % 8];
}

static void number_send(int i)
{
	int n = i * (check_size - 1);

	sent[i] = calloc(1, (size_t)first_bytes(i));
	CHECK(sent[i] != NULL);
	sent[i][0] = i;
	for (int to = 0; to < check_size; to++)
		if (to != check_rank)
			OK(MPI_Isend(sent[i], first_bytes(i), MPI_BYTE, to, i % 3, MPI_COMM_WORLD,
				&reqs[n++]));
}

/* Receives one message of any rank: it must be the next one of its source. */
static void number_receive(void)
{
	static int in[BYTES_MAX / sizeof(int)];
	MPI_Status s;
	int bytes, i;

	OK(MPI_Recv(in, BYTES_MAX, MPI_BYTE, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &s));
	OK(MPI_Get_count(&s, MPI_BYTE, &bytes));
	i = next_of[s.MPI_SOURCE]++;
	expect_eq(in[0], i);
	expect_eq(s.MPI_TAG, i % 3);
	expect_eq(bytes, first_bytes(i));
}

int main(int argc, char **argv)
{
	check_init(&argc, &argv);
	CHECK(check_size <= RANKS);
	reqs = calloc((size_t)N * (size_t)check_size, sizeof(*reqs));
	CHECK(reqs != NULL);
	for (int i = 0; i < N + AHEAD; i++) {
		if (i < N)
			number_send(i);
		for (int n = i < AHEAD ? 0 : check_size - 1; n > 0; n--)
			number_receive();
	}
	OK(MPI_Waitall(N * (check_size - 1), reqs, MPI_STATUSES_IGNORE));
	for (int i = 0; i < N; i++)
		free(sent[i]);
	free(reqs);
	MPI_Finalize();
	return check_end();
}
