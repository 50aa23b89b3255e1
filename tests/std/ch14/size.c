// SPDX-License-Identifier: BSD-3-Clause
/* RUN np=1,2 */
/* MPI-5.0 14.2.4 to 14.2.6: MPI_File_set_size, MPI_File_preallocate, MPI_File_get_size. */
#include "tests/std/ch14/file_name.h"
#include <sys/stat.h>

static MPI_Offset file_size_of(MPI_File f)
{
	MPI_Offset size;

	OK(MPI_File_get_size(f, &size));
	return size;
}

int main(int argc, char **argv)
{
	const char *path;
	char data[100];
	MPI_Offset at;
	struct stat st;
	MPI_File f;

	check_init(&argc, &argv);
	path = file_name("sizes");
	f = file_new(MPI_COMM_WORLD, path);
	expect_eq(file_size_of(f), 0);
	OK(MPI_Barrier(MPI_COMM_WORLD));
	check_fill(data, 100, 1);
	if (check_rank == 0)
		OK(MPI_File_write_at(f, 0, data, 100, MPI_BYTE, MPI_STATUS_IGNORE));
	OK(MPI_File_seek(f, 70, MPI_SEEK_SET));
	OK(MPI_File_set_size(f, 50));
	expect_eq(file_size_of(f), 50);
	OK(MPI_File_get_position(f, &at));
	expect_eq(at, 70); /* pointers stay, also behind the end */
	OK(MPI_File_set_size(f, 1000));
	expect_eq(file_size_of(f), 1000);
	OK(MPI_File_preallocate(f, 500)); /* never makes it shorter */
	expect_eq(file_size_of(f), 1000);
	OK(MPI_File_preallocate(f, 1 << 20));
	expect_eq(file_size_of(f), 1 << 20);
	expect(stat(path, &st) == 0 && st.st_blocks >= (1 << 20) / 512);
	OK(MPI_File_read_at_all(f, 0, data, 100, MPI_BYTE, MPI_STATUS_IGNORE));
	expect_eq(check_wrong(data, 50, 1), -1);
	expect(data[50] == 0 && data[99] == 0);
	FAILS(MPI_ERR_ARG, "-1", MPI_File_set_size(f, -1));
	FAILS(MPI_ERR_ARG, "-1", MPI_File_preallocate(f, -1));
	if (check_size > 1) {
		FAILS(MPI_ERR_NOT_SAME, "size", MPI_File_set_size(f, check_rank));
		FAILS(MPI_ERR_NOT_SAME, "size", MPI_File_preallocate(f, check_rank));
	}
	expect_eq(file_size_of(f), 1 << 20);
	OK(MPI_File_close(&f));
	MPI_Finalize();
	return check_end();
}
