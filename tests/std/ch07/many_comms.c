// SPDX-License-Identifier: BSD-3-Clause
/* RUN np=2 time=120 */
/* MPI-5.0 7.4.2, 7.4.3: many communicators alive at once in little memory; making and freeing them
 * again and again leaves nothing behind.
 *
 *     live [ALIVE [LOOPS]]      `make long-comms' wants 10^6 and 10^7 */
#define SAN_OPTIONS SAN_LEAN
#include "tests/check.h"
#include "tests/san.inc"
#include <sys/prctl.h>

#define EACH_BYTES 512    /* of a rank's own memory: 10^6 on two ranks are within 1 GiB */
#define GROWTH     524288 /* bytes that a loop may add: pools fill up, to less than that */

/* The memory of this process, shared pages by their share: its own, and its part of the segment.
 * Files count for nothing: how many processes share a library is no matter of this one. */
static double many_pss(void)
{
	FILE *f = fopen("/proc/self/smaps_rollup", "r");
	char line[128];
	long kib = 0, sum = 0;

	CHECK(f != NULL);
	while (fgets(line, sizeof(line), f) != NULL) {
		if (sscanf(line, "Pss_Anon: %ld kB", &kib) == 1 ||
			sscanf(line, "Pss_Shmem: %ld kB", &kib) == 1)
			sum += kib;
	}
	fclose(f);
	return (double)sum * 1024;
}

static void alive(int n)
{
	MPI_Comm *c = malloc((size_t)n * sizeof(*c));
	double before, each;
	int x = -1, last[3] = {0, n / 2, n - 1};

	CHECK(c != NULL);
	memset(c, 0, (size_t)n * sizeof(*c));
	before = many_pss();
	for (int i = 0; i < n; i++)
		OK(MPI_Comm_dup(i % 2 ? c[i - 1] : MPI_COMM_WORLD, &c[i]));
	each = (many_pss() - before) / n;
	if (check_rank == 0)
		printf("%d communicators alive: %.0f bytes each\n", n, each);
	CHECK(each < EACH_BYTES * san_times());
	for (int i = 0; i < 3; i++) {
		int out = i * 10 + check_rank;

		OK(MPI_Sendrecv(&out, 1, MPI_INT, 1 - check_rank, 0, &x, 1, MPI_INT, 1 - check_rank,
			0, c[last[i]], MPI_STATUS_IGNORE));
		CHECK(x == i * 10 + 1 - check_rank);
	}
	for (int i = 0; i < n; i++)
		OK(MPI_Comm_free(&c[i]));
	free(c);
}

/* Dups of one parent, and now and then everything else. */
static void many_loop(MPI_Comm parent, int n)
{
	MPI_Comm c;
	MPI_Group g;
	MPI_Request r;

	OK(MPI_Comm_group(parent, &g));
	for (int i = 0; i < n; i++) {
		switch (i % 64) {
		case 0: OK(MPI_Comm_split(parent, 0, 0, &c)); break;
		case 1: OK(MPI_Comm_create(parent, g, &c)); break;
		case 2: OK(MPI_Comm_create_group(parent, g, 1, &c)); break;
		case 3:
			OK(MPI_Comm_idup(parent, &c, &r));
			OK(MPI_Wait(&r, MPI_STATUS_IGNORE));
			break;
		default: OK(MPI_Comm_dup(parent, &c)); break;
		}
		if (i % 1024 == 0)
			OK(MPI_Barrier(c));
		OK(MPI_Comm_free(&c));
	}
	OK(MPI_Group_free(&g));
}

int main(int argc, char **argv)
{
	int n = 20000, loops = 100000;
	double before, grown;
	MPI_Comm parent;

	prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0); /* memory in steps of 4 KiB, not 2 MiB */
	check_init(&argc, &argv);
	if (argc > 1)
		n = atoi(argv[1]);
	if (argc > 2)
		loops = atoi(argv[2]);
	alive(n);
	OK(MPI_Comm_split(MPI_COMM_WORLD, 0, 0, &parent));
	many_loop(parent, loops / 10);
	before = many_pss();
	many_loop(parent, loops);
	OK(MPI_Barrier(parent));
	grown = many_pss() - before;
	if (check_rank == 0)
		printf("%d made and freed: %.0f bytes more\n", loops, grown);
	CHECK(grown < (check_fabric() ? 2 : 1) * san_times() * GROWTH);
	OK(MPI_Comm_free(&parent));
	MPI_Finalize();
	return 0;
}
