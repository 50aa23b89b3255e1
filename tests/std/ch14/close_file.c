// SPDX-License-Identifier: BSD-3-Clause
/* RUN np=1,3 */
/* MPI-5.0 14.2.2, 14.4.5, 14.6.1: MPI_File_close in many states: split accesses, other ranks'
 * data, the hints haft_commit and haft_sync. */
#include "tests/std/ch14/file_name.h"
#include <sys/stat.h>
#include <unistd.h>

static bool exists(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0;
}

static MPI_Info info_of(const char *key, const char *value)
{
	MPI_Info info;

	OK(MPI_Info_create(&info));
	OK(MPI_Info_set(info, key, value));
	return info;
}

/* A file that is replaced as a whole: until close the old one is there. */
static void commit(const char *path)
{
	MPI_Info info = info_of("haft_commit", "replace");
	char text[16] = "";
	MPI_Offset size;
	MPI_File f;

	f = file_create(MPI_COMM_WORLD, path, 0);
	if (check_rank == 0)
		OK(MPI_File_write(f, "old content", 11, MPI_CHAR, MPI_STATUS_IGNORE));
	OK(MPI_File_close(&f));
	OK(MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_CREATE | MPI_MODE_WRONLY, info, &f));
	OK(MPI_File_get_size(f, &size));
	expect_eq(size, 0);
	OK(MPI_Barrier(MPI_COMM_WORLD));
	OK(MPI_File_write_at_all(f, 0, "new", 3, MPI_CHAR, MPI_STATUS_IGNORE));
	if (check_rank == 0) {
		FILE *old = fopen(path, "r");

		expect(old != NULL && fread(text, 1, 11, old) == 11);
		expect(strcmp(text, "old content") == 0);
		if (old != NULL)
			fclose(old);
	}
	OK(MPI_File_close(&f));
	OK(MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_RDONLY, MPI_INFO_NULL, &f));
	OK(MPI_File_get_size(f, &size));
	expect_eq(size, 3);
	OK(MPI_File_close(&f));
	FAILS(MPI_ERR_FILE_EXISTS, "exists",
		MPI_File_open(MPI_COMM_WORLD, path,
			MPI_MODE_CREATE | MPI_MODE_EXCL | MPI_MODE_WRONLY, info, &f));
	OK(MPI_Info_free(&info));
	file_delete(path);
}

/* The path was relative, and the directory has changed. */
static void delete_elsewhere(void)
{
	MPI_File f;

	if (getenv("TMPDIR") != NULL)
		CHECK(chdir(getenv("TMPDIR")) == 0);
	OK(MPI_File_open(MPI_COMM_WORLD, "gone",
		MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, &f));
	expect(exists("gone"));
	CHECK(chdir("/") == 0);
	OK(MPI_File_close(&f));
	expect(!exists(file_name("gone")));
}

static void close_split(const char *path)
{
	MPI_File f = file_new(MPI_COMM_WORLD, path);
	MPI_Status s;
	char a[8] = "abcdefg", b[8];

	FAILS(MPI_ERR_OTHER, "no split", MPI_File_write_all_end(f, a, &s));
	OK(MPI_File_write_at_all_begin(f, 8 * check_rank, a, 8, MPI_CHAR));
	FAILS(MPI_ERR_OTHER, "active", MPI_File_write_all_begin(f, b, 8, MPI_CHAR));
	FAILS(MPI_ERR_OTHER, "active", MPI_File_write_all(f, b, 8, MPI_CHAR, &s));
	FAILS(MPI_ERR_OTHER, "another function", MPI_File_write_all_end(f, a, &s));
	FAILS(MPI_ERR_OTHER, "buffer", MPI_File_write_at_all_end(f, b, &s));
	OK(MPI_File_read_at(f, 0, b, 0, MPI_CHAR, &s)); /* an independent access is allowed */
	OK(MPI_File_write_at_all_end(f, a, &s));
	expect_eq(file_bytes(&s), 8);
	OK(MPI_File_read_at_all_begin(f, 8 * check_rank, b, 8, MPI_CHAR));
	OK(MPI_File_read_at_all_end(f, b, &s));
	expect(memcmp(a, b, 8) == 0);
	OK(MPI_File_read_at_all_begin(f, 8 * check_rank, b, 8, MPI_CHAR));
	FAILS(MPI_ERR_OTHER, "split", MPI_File_close(&f));
	expect(f == MPI_FILE_NULL);
}

/* Close brings data to the device, if it is asked to; a group is a new one each time. */
static void close_rest(const char *path)
{
	MPI_Info info = info_of("haft_sync", "close");
	MPI_Group a, b, world;
	MPI_Comm sub;
	MPI_File f;
	int same, flag;

	OK(MPI_Comm_dup(MPI_COMM_WORLD, &sub));
	OK(MPI_File_open(sub, path, MPI_MODE_CREATE | MPI_MODE_RDWR, info, &f));
	OK(MPI_Comm_free(&sub)); /* the file has a communicator of its own */
	OK(MPI_Info_free(&info));
	OK(MPI_File_get_group(f, &a));
	OK(MPI_File_get_group(f, &b));
	OK(MPI_Comm_group(MPI_COMM_WORLD, &world));
	OK(MPI_Group_compare(a, world, &same));
	expect_eq(same, MPI_IDENT);
	OK(MPI_Group_free(&a));
	OK(MPI_Group_free(&b));
	OK(MPI_Group_free(&world));
	OK(MPI_File_get_atomicity(f, &flag));
	expect_eq(flag, 0);
	if (check_size > 1)
		FAILS(MPI_ERR_NOT_SAME, "flag", MPI_File_set_atomicity(f, check_rank == 0));
	OK(MPI_File_set_atomicity(f, 1));
	OK(MPI_File_get_atomicity(f, &flag));
	expect_eq(flag, 1);
	OK(MPI_File_write_at_all(f, check_rank, "x", 1, MPI_CHAR, MPI_STATUS_IGNORE));
	OK(MPI_File_close(&f));
	file_delete(path);
}

int main(int argc, char **argv)
{
	check_init(&argc, &argv);
	commit(file_name("replaced"));
	close_split(file_name("split"));
	close_rest(file_name("rest"));
	delete_elsewhere();
	MPI_Finalize();
	return check_end();
}
