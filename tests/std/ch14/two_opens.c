// SPDX-License-Identifier: BSD-3-Clause
/* RUN np=2,4 */
/* RUN np=2,4 env="HAFT_VIA=net" */
/* MPI-5.0 14.6.1: accesses by several opens of one file to bytes that differ lose none of them,
 * also where a block with holes is written, by an independent or a collective access. */
#include "tests/std/ch14/file_name.h"

enum { RUNS = 4096, RUN = 8, TIMES = 100 };

static char data[RUNS * RUN];

/* Every other run, of an even or an odd number. */
static MPI_File every_other(MPI_Comm comm, const char *path, int odd, int more)
{
	MPI_Datatype run, tile;
	MPI_File f;

	OK(MPI_File_open(comm, path, MPI_MODE_RDWR | MPI_MODE_CREATE | more, MPI_INFO_NULL, &f));
	OK(MPI_Type_contiguous(RUN, MPI_BYTE, &run));
	OK(MPI_Type_create_resized(run, 0, 2 * RUN, &tile));
	OK(MPI_Type_commit(&tile));
	OK(MPI_File_set_view(f, odd * RUN, MPI_BYTE, tile, "native", MPI_INFO_NULL));
	OK(MPI_Type_free(&tile));
	OK(MPI_Type_free(&run));
	return f;
}

/* Writes and reads runs [first, first + n) of the view; returns how many bytes are wrong. */
static int twice_once(MPI_File f, int first, int n, int value, bool all)
{
	int wrong = 0;

	memset(data, value, (size_t)(n * RUN));
	if (all)
		OK(MPI_File_write_at_all(
			f, first * RUN, data, n * RUN, MPI_BYTE, MPI_STATUS_IGNORE));
	else
		OK(MPI_File_write_at(f, first * RUN, data, n * RUN, MPI_BYTE, MPI_STATUS_IGNORE));
	memset(data, 0, sizeof(data));
	OK(MPI_File_read_at(f, first * RUN, data, n * RUN, MPI_BYTE, MPI_STATUS_IGNORE));
	for (int i = 0; i < n * RUN; i++)
		wrong += data[i] != (char)value;
	return wrong;
}

/* All ranks have both files open, and even ranks write by one, odd ranks by the other. */
static void both_open(const char *path)
{
	int n = RUNS / check_size, wrong = 0;
	MPI_File f[2];

	for (int i = 0; i < 2; i++)
		f[i] = every_other(MPI_COMM_WORLD, path, i, 0);
	for (int i = 1; i <= TIMES; i++)
		wrong += twice_once(f[check_rank % 2], check_rank / 2 * n, n, i, false);
	expect_eq(wrong, 0);
	for (int i = 0; i < 2; i++)
		OK(MPI_File_close(&f[i]));
	file_delete(path);
}

/* Halves of the ranks write by all members of their open; one opens and closes all the time. */
static void halves(const char *path, bool reopen)
{
	MPI_Comm half;
	int rank, size, wrong = 0;
	MPI_File f;

	OK(MPI_Comm_split(MPI_COMM_WORLD, check_rank % 2, check_rank, &half));
	OK(MPI_Comm_rank(half, &rank));
	OK(MPI_Comm_size(half, &size));
	f = every_other(half, path, check_rank % 2, 0);
	for (int i = 1; i <= TIMES; i++) {
		if (reopen && check_rank % 2 == 1) {
			OK(MPI_File_close(&f));
			f = every_other(half, path, 1, 0);
		}
		wrong += twice_once(f, rank * (RUNS / size), RUNS / size, i, i % 2 == 0);
	}
	expect_eq(wrong, 0);
	OK(MPI_File_close(&f));
	OK(MPI_Comm_free(&half));
	file_delete(path);
}

int main(int argc, char **argv)
{
	check_init(&argc, &argv);
	both_open(file_name("both"));
	halves(file_name("halves"), false);
	halves(file_name("reopen"), true);
	MPI_Finalize();
	return check_end();
}
