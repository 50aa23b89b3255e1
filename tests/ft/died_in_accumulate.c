// SPDX-License-Identifier: BSD-3-Clause
/* RUN np=3 env="HAFT_FT=yes HAFT_RMA=auto|msg|vm" args="many|few|bytes|private" */
/* ULFM, windows: a call on a window waits for no process that has failed.
 *
 * died_in_accumulate.c - rank 2 dies in the middle of an accumulate: the end of its origin buffer
 * is not mapped.  It has then excluded the others from the target's memory.
 *
 *      many     so many elements that they are combined without atomic instructions
 *      few      elements that are combined by atomic instructions, which `many' must wait for
 *      bytes    a type that is combined under a lock
 *      private  likewise, in memory of MPI_Win_create
 *
 * The others accumulate to the same place until they hear of it. */
#include "tests/ft/ft.h"
#include <sys/mman.h>
#include <sys/resource.h>

#define DEAD  2
#define N     16384 /* elements, 4 bytes each */
#define FEW   2000
#define PAGES 65536 /* bytes: whole pages of any size */

static int one[N], memory[N], *base = memory;
static MPI_Win w;

static bool accumulate_is(char **argv, const char *kind)
{
	return strcmp(argv[1], kind) == 0;
}

static int accumulate(const void *from, int n, bool bytes)
{
	if (bytes)
		return MPI_Accumulate(from, 4 * n, MPI_BYTE, 0, 0, 4 * n, MPI_BYTE, MPI_REPLACE, w);
	return MPI_Accumulate(from, n, MPI_INT, 0, 0, n, MPI_INT, MPI_SUM, w);
}

/* Where n elements begin that end behind the last mapped page. */
static const int *accumulate_cut(int n)
{
	char *p = mmap(NULL, 2 * PAGES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	CHECK(p != MAP_FAILED && mprotect(p + PAGES, PAGES, PROT_NONE) == 0);
	return (const int *)(const void *)(p + PAGES) - n / 2;
}

int main(int argc, char **argv)
{
	bool bytes, own;
	int err, n;

	ft_init(&argc, &argv);
	own = accumulate_is(argv, "private");
	bytes = accumulate_is(argv, "bytes") || own;
	n = accumulate_is(argv, "few") ? FEW : N;
	if (own)
		OK(MPI_Win_create(memory, sizeof(memory), 4, MPI_INFO_NULL, MPI_COMM_WORLD, &w));
	else
		OK(MPI_Win_allocate(sizeof(memory), 4, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &w));
	MPI_Win_set_errhandler(w, MPI_ERRORS_RETURN);
	OK(MPI_Win_lock_all(0, w));
	if (check_rank == DEAD) {
		for (int i = 0; i < DEAD; i++)
			OK(MPI_Recv(NULL, 0, MPI_INT, i, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
		setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
		accumulate(accumulate_cut(n), n, bytes);
		CHECK(!"it reads memory that is not mapped");
	}
	OK(MPI_Send(NULL, 0, MPI_INT, DEAD, 7, MPI_COMM_WORLD));
	do {
		err = accumulate(one, check_rank == 0 ? N : n, bytes);
		if (err == 0)
			err = accumulate(one, 1, bytes);
		if (err == 0)
			err = MPI_Win_flush(0, w);
	} while (err == 0);
	FAILS(MPIX_ERR_PROC_FAILED, "rank 2", err);
	FAILS(MPIX_ERR_PROC_FAILED, "rank 2", MPI_Win_unlock_all(w));
	OK(MPI_Win_free(&w));
	MPI_Finalize();
	return check_end();
}
