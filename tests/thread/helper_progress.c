// SPDX-License-Identifier: BSD-3-Clause
/* RUN np=2,4 env="HAFT_PROGRESS=thread" time=120 */
/* RUN np=2,4 env="HAFT_PROGRESS=thread HAFT_VIA=net" time=120 */
/* RUN np=4 args="all" env="HAFT_PROGRESS=thread" time=120 */
/* MPI-5.0 3.7.4, 6.12: with HAFT_PROGRESS=thread the others complete large messages and nonblocking
 * collectives with rank 0, which has started them and makes no call until each of the others has
 * left a file that says that it is done.  Operators of the program run in the helper.  Meanwhile
 * rank 0 calls often, in rounds, so that its calls and the helper meet; with "all" every rank does
 * that, and no rank waits for marks. */
#include "tests/check.h"

#include <fcntl.h>
#include <unistd.h>

enum { ROUNDS = 10, WORDS = 1 << 20, CALLS = 2000, BLOCK = 1 << 16 };

static bool all_call; /* no marks */
static int *out, *in, *sum, *to;

/* The file by which a rank says that it is done with a round. */
static const char *mark_of(int rank, int round)
{
	static char path[1024];
	const char *dir = getenv("TMPDIR");

	snprintf(path, sizeof(path), "%s/helped.%d.%d", dir != NULL ? dir : ".", rank, round);
	return path;
}

static void helper_mark(int round)
{
	int fd = open(mark_of(check_rank, round), O_CREAT | O_WRONLY, 0600);

	CHECK(fd >= 0);
	close(fd);
}

static void await_marks(int round)
{
	for (int r = 1; r < check_size; r++) {
		while (access(mark_of(r, round), F_OK) != 0)
			usleep(1000);
		unlink(mark_of(r, round));
	}
}

static void larger(void *a, void *b, int *n, MPI_Datatype *type)
{
	int *x = a, *y = b;

	CHECK(*type == MPI_INT);
	for (int i = 0; i < *n; i++)
		y[i] = x[i] > y[i] ? x[i] : y[i];
}

/* Rank 0 exchanges WORDS words with each other rank. */
static int exchange_start(int round, MPI_Request req[])
{
	int n = 0;

	for (int r = 0; r < check_size; r++) {
		if ((check_rank == 0) == (r == 0))
			continue;
		OK(MPI_Irecv(in + (size_t)r * WORDS, WORDS, MPI_INT, r, round, MPI_COMM_WORLD,
			&req[n++]));
		OK(MPI_Isend(out, WORDS, MPI_INT, r, round, MPI_COMM_WORLD, &req[n++]));
	}
	return n;
}

static void exchange_check(int round)
{
	for (int r = 0; r < check_size; r++) {
		const int *words = in + (size_t)r * WORDS;

		if ((check_rank == 0) == (r == 0))
			continue;
		CHECK(words[0] == 100 * round + r && words[WORDS - 1] == 100 * round + r);
	}
}

/* The own block of MPI_Ialltoall is of no other rank: the helper copies it, as it is long. */
static void blocks_await_own(int round)
{
	volatile int *own = to + ((size_t)check_rank + 1) * BLOCK - 1;

	while (*own != 100 * round + check_rank)
		usleep(1000);
}

static void blocks_check(int round)
{
	for (int r = 0; r < check_size; r++) {
		const int *words = to + (size_t)r * BLOCK;

		CHECK(words[0] == 100 * round + r && words[BLOCK - 1] == 100 * round + r);
	}
}

/* Short calls while the helper may work. */
static void call_often(MPI_Request req[], int n)
{
	for (int i = 0; i < CALLS; i++) {
		int flag, value = i, back = -1;

		OK(MPI_Testall(n, req, &flag, MPI_STATUSES_IGNORE));
		OK(MPI_Sendrecv(&value, 1, MPI_INT, 0, 1, &back, 1, MPI_INT, 0, 1, MPI_COMM_SELF,
			MPI_STATUS_IGNORE));
		CHECK(back == i);
	}
}

static void helper_round_run(int round, MPI_Op op)
{
	MPI_Request req[32];
	int n;

	for (int i = 0; i < WORDS; i++)
		out[i] = 100 * round + check_rank;
	n = exchange_start(round, req);
	OK(MPI_Iallreduce(out, sum, 1000, MPI_INT, op, MPI_COMM_WORLD, &req[n++]));
	OK(MPI_Ialltoall(out, BLOCK, MPI_INT, to, BLOCK, MPI_INT, MPI_COMM_WORLD, &req[n++]));
	if (all_call || round % 2 != 0)
		call_often(req, n);
	if (check_rank == 0 && !all_call) {
		await_marks(round);
		blocks_await_own(round);
	}
	OK(MPI_Waitall(n, req, MPI_STATUSES_IGNORE));
	exchange_check(round);
	blocks_check(round);
	CHECK(sum[0] == 100 * round + check_size - 1 && sum[999] == sum[0]);
	if (check_rank != 0 && !all_call)
		helper_mark(round);
}

int main(int argc, char **argv)
{
	MPI_Op op;

	check_init(&argc, &argv);
	all_call = argc > 1;
	out = malloc(WORDS * sizeof(int));
	in = malloc((size_t)check_size * WORDS * sizeof(int));
	sum = malloc(1000 * sizeof(int));
	to = malloc((size_t)check_size * BLOCK * sizeof(int));
	CHECK(out != NULL && in != NULL && sum != NULL && to != NULL);
	OK(MPI_Op_create(larger, 1, &op));
	for (int round = 0; round < ROUNDS; round++)
		helper_round_run(round, op);
	OK(MPI_Op_free(&op));
	free(out);
	free(in);
	free(sum);
	free(to);
	MPI_Finalize();
	return 0;
}
