/* SPDX-License-Identifier: BSD-3-Clause */
/* RUN np=2,3 env="HAFT_UNEXPECTED=16M" */
/* MPI-5.0 3.5: a sender that outruns its receiver: 250000 small messages without receives
 * for, while the receiver is busy in MPI with another message.  Memory stays bounded, order and
 * data are kept, and later messages can be received first. */
#include "tests/check.h"

enum { MANY = 250000, SOME = 20000, LAST = 77 };

/* ThreadSanitizer's, if the program has it. */
extern void __tsan_init(void) __attribute__((weak));

/* 16 MiB of messages, and 24 MiB for all else.  ThreadSanitizer has four bytes of its own for each
 * byte that a program touches. */
static long flood_kib(void)
{
	long kib = 40 * 1024 + (check_fabric() ? 32 * 1024 : 0);

	return __tsan_init != NULL ? 5 * kib : kib;
}

/* The most memory that this process has ever had, in KiB. */
static long flood_peak(void)
{
	char line[256];
	long kib = -1;
	FILE *f = fopen("/proc/self/status", "r");

	while (f != NULL && fgets(line, sizeof(line), f) != NULL)
		sscanf(line, "VmHWM: %ld", &kib);
	if (f != NULL)
		fclose(f);
	return kib;
}

/* The receiver waits for the second sender (or itself) while the flood comes in. */
static void flood_blocking(int rank, int size)
{
	int word, more = size > 2 ? 2 : 1;
	long before;

	if (rank == 0) {
		for (int i = 0; i < MANY; i++)
			OK(MPI_Send(&i, 1, MPI_INT, 1, 1, MPI_COMM_WORLD));
		return;
	}
	if (rank == 2) {
		for (int i = 0; i < 100; i++)
			OK(MPI_Recv(&word, 1, MPI_INT, 1, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
		OK(MPI_Send(&rank, 1, MPI_INT, 1, 2, MPI_COMM_WORLD));
		return;
	}
	before = flood_peak();
	for (int i = 0; more == 2 && i < 100; i++) {
		for (int k = 0, flag; k < 3000; k++)
			OK(MPI_Iprobe(2, 2, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE));
		OK(MPI_Send(&i, 1, MPI_INT, 2, 3, MPI_COMM_WORLD));
	}
	if (more == 2)
		OK(MPI_Recv(&word, 1, MPI_INT, 2, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
	for (int i = 0; i < MANY; i++) {
		OK(MPI_Recv(&word, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
		CHECK(word == i);
	}
	CHECK(flood_peak() - before < flood_kib());
}

/* Nonblocking sends never wait: the last message is received first, then all others, in order. */
static void overtaken(int rank)
{
	static int words[SOME];
	static MPI_Request reqs[SOME + 1];
	int word;

	for (int i = 0; i < SOME; i++)
		words[i] = i;
	if (rank == 0) {
		for (int i = 0; i < SOME; i++)
			OK(MPI_Isend(&words[i], 1, MPI_INT, 1, 1, MPI_COMM_WORLD, &reqs[i]));
		OK(MPI_Isend(&words[LAST], 1, MPI_INT, 1, LAST, MPI_COMM_WORLD, &reqs[SOME]));
		OK(MPI_Waitall(SOME + 1, reqs, MPI_STATUSES_IGNORE));
	} else if (rank == 1) {
		OK(MPI_Recv(&word, 1, MPI_INT, 0, LAST, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
		CHECK(word == LAST);
		for (int i = 0; i < SOME; i++) {
			OK(MPI_Recv(&word, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD,
				MPI_STATUS_IGNORE));
			CHECK(word == i);
		}
	}
}

int main(int argc, char **argv)
{
	int rank, size;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	flood_blocking(rank, size);
	overtaken(rank);
	MPI_Finalize();
	return 0;
}
