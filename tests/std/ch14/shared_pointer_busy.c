// SPDX-License-Identifier: BSD-3-Clause
/* RUN np=3 */
/* RUN np=3 env="HAFT_VIA=net" */
/* MPI-5.0 14.4.1, 14.4.4, 14.6.3: a noncollective access at the shared pointer completes
 * whatever the other processes do.  Rank 0 computes, without a call of MPI, until all others
 * have made theirs. */
#include "tests/std/ch14/file_name.h"

#include <time.h>
#include <unistd.h>

enum { PARTS = 40, PATIENCE_S = 60 };

static MPI_File f;
static char done[600];

/* The other ranks tell by a file, not by MPI. */
static void pointer_compute(void)
{
	time_t begin = time(NULL);

	while (access(done, F_OK) != 0 && time(NULL) - begin < PATIENCE_S)
		;
	expect(access(done, F_OK) == 0);
}

static void access_parts(void)
{
	MPI_Offset at, before = -1;
	MPI_Request r;
	int x = check_rank;

	for (int i = 0; i < PARTS; i++) {
		OK(MPI_File_write_shared(f, &x, 1, MPI_INT, MPI_STATUS_IGNORE));
		OK(MPI_File_get_position_shared(f, &at));
		expect(at > before && at > i);
		before = at;
		OK(MPI_File_iwrite_shared(f, &x, 1, MPI_INT, &r));
		OK(MPI_Wait(&r, MPI_STATUS_IGNORE));
	}
}

int main(int argc, char **argv)
{
	int n[64] = {0}, x;
	MPI_Comm others;
	FILE *mark;

	check_init(&argc, &argv);
	CHECK(check_size <= 64);
	f = file_new(MPI_COMM_WORLD, file_name("busy"));
	snprintf(done, sizeof(done), "%s.done", file_name("busy"));
	OK(MPI_File_set_view(f, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL));
	OK(MPI_Comm_split(MPI_COMM_WORLD, check_rank > 0, 0, &others));
	if (check_rank == 0) {
		pointer_compute();
	} else {
		access_parts();
		OK(MPI_Barrier(others));
		mark = check_rank == 1 ? fopen(done, "w") : NULL;
		if (mark != NULL)
			fclose(mark);
	}
	OK(MPI_File_sync(f));
	OK(MPI_Barrier(MPI_COMM_WORLD));
	for (int i = 0; i < 2 * PARTS * (check_size - 1); i++) {
		OK(MPI_File_read_at(f, i, &x, 1, MPI_INT, MPI_STATUS_IGNORE));
		CHECK(x > 0 && x < check_size);
		n[x]++;
	}
	for (int r = 1; r < check_size; r++)
		expect_eq(n[r], 2 * PARTS);
	OK(MPI_Comm_free(&others));
	OK(MPI_File_close(&f));
	if (check_rank == 0)
		remove(done);
	MPI_Finalize();
	return check_end();
}
