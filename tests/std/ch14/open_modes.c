// SPDX-License-Identifier: BSD-3-Clause
/* RUN np=1,3 */
/* RUN np=2 env="HAFT_VIA=net" */
/* MPI-5.0 14.2.1: access modes: which are refused, and the effect of the others. */
#include "tests/std/ch14/file_name.h"

static const char *path;

static int mode_open_with(int amode, MPI_File *f)
{
	return MPI_File_open(MPI_COMM_WORLD, path, amode, MPI_INFO_NULL, f);
}

static void mode_refused(void)
{
	MPI_File f = MPI_FILE_NULL;

	FAILS(MPI_ERR_AMODE, "exactly one", mode_open_with(MPI_MODE_CREATE, &f));
	FAILS(MPI_ERR_AMODE, "exactly one", mode_open_with(MPI_MODE_RDONLY | MPI_MODE_RDWR, &f));
	FAILS(MPI_ERR_AMODE, "MPI_MODE_RDONLY",
		mode_open_with(MPI_MODE_RDONLY | MPI_MODE_CREATE, &f));
	FAILS(MPI_ERR_AMODE, "MPI_MODE_RDONLY",
		mode_open_with(MPI_MODE_RDONLY | MPI_MODE_EXCL, &f));
	FAILS(MPI_ERR_AMODE, "SEQUENTIAL", mode_open_with(MPI_MODE_RDWR | MPI_MODE_SEQUENTIAL, &f));
	FAILS(MPI_ERR_AMODE, "bits", mode_open_with(MPI_MODE_RDWR | 1 << 20, &f));
	expect(f == MPI_FILE_NULL);
	if (check_size > 1) {
		int amode = check_rank == 1 ? MPI_MODE_RDWR : MPI_MODE_WRONLY;

		FAILS(MPI_ERR_NOT_SAME, "amode", mode_open_with(amode | MPI_MODE_CREATE, &f));
	}
}

/* MPI_MODE_EXCL counts for the open of all ranks, not for each. */
static void exclusive(void)
{
	int amode = MPI_MODE_RDWR | MPI_MODE_CREATE | MPI_MODE_EXCL, got;
	char c = 'x';
	MPI_File f;

	OK(mode_open_with(amode, &f));
	OK(MPI_File_get_amode(f, &got));
	expect_eq(got, amode);
	if (check_rank == 0)
		OK(MPI_File_write_at(f, 9, &c, 1, MPI_CHAR, MPI_STATUS_IGNORE));
	OK(MPI_File_close(&f));
	expect(f == MPI_FILE_NULL);
	FAILS(MPI_ERR_FILE_EXISTS, path, mode_open_with(amode, &f));
}

/* Opening for writing does not cut the file off; MPI_MODE_APPEND puts both pointers at its end. */
static void existing(void)
{
	MPI_Offset size, at;
	MPI_File f;

	OK(mode_open_with(MPI_MODE_WRONLY | MPI_MODE_CREATE | MPI_MODE_APPEND, &f));
	OK(MPI_File_get_size(f, &size));
	expect_eq(size, 10);
	OK(MPI_File_get_position(f, &at));
	expect_eq(at, 10);
	OK(MPI_File_get_position_shared(f, &at));
	expect_eq(at, 10);
	OK(MPI_File_close(&f));
	OK(mode_open_with(MPI_MODE_RDONLY, &f));
	OK(MPI_File_get_position(f, &at));
	expect_eq(at, 0);
	OK(MPI_File_close(&f));
}

/* Each rank reads or writes only as the mode permits. */
static void mode_one_way(void)
{
	MPI_Status s;
	MPI_File f;
	char c = 0;

	OK(mode_open_with(MPI_MODE_RDONLY, &f));
	FAILS(MPI_ERR_READ_ONLY, "MPI_MODE_RDONLY", MPI_File_write(f, &c, 1, MPI_CHAR, &s));
	FAILS(MPI_ERR_READ_ONLY, "MPI_MODE_RDONLY", MPI_File_write_all(f, &c, 1, MPI_CHAR, &s));
	FAILS(MPI_ERR_READ_ONLY, "MPI_MODE_RDONLY", MPI_File_set_size(f, 4));
	OK(MPI_File_sync(f));
	OK(MPI_File_close(&f));
	OK(mode_open_with(MPI_MODE_WRONLY, &f));
	FAILS(MPI_ERR_ACCESS, "MPI_MODE_WRONLY", MPI_File_read(f, &c, 1, MPI_CHAR, &s));
	OK(MPI_File_close(&f));
}

static void deleted_on_close(void)
{
	MPI_File f;

	OK(mode_open_with(MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, &f));
	OK(MPI_File_close(&f));
	FAILS(MPI_ERR_NO_SUCH_FILE, path, mode_open_with(MPI_MODE_RDWR, &f));
	FAILS(MPI_ERR_NO_SUCH_FILE, path, MPI_File_delete(path, MPI_INFO_NULL));
}

int main(int argc, char **argv)
{
	check_init(&argc, &argv);
	path = file_name("modes");
	if (check_rank == 0)
		MPI_File_delete(path, MPI_INFO_NULL);
	MPI_Barrier(MPI_COMM_WORLD);
	mode_refused();
	exclusive();
	existing();
	mode_one_way();
	deleted_on_close();
	MPI_Finalize();
	return check_end();
}
