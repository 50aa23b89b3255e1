// SPDX-License-Identifier: BSD-3-Clause
/* RUN np=1,3 */
/* RUN np=2 env="HAFT_VIA=net" */
/* MPI-5.0 14.2.1, 14.2.8: with the hint haft_commit=rename an open has the old contents, mode and
 * size, others see them until the close, and symbolic links stay. */
#include "tests/failing_disk.h"
#include "tests/std/ch14/file_name.h"
#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LONG = 3 << 20, HOLE = 1 << 20, OLD = 20 };

static const char text[] = "0123456789abcdefghij";

static MPI_Info rename_info(const char *value)
{
	MPI_Info info;

	OK(MPI_Info_create(&info));
	OK(MPI_Info_set(info, "haft_commit", value));
	return info;
}

static MPI_File open_commit(const char *path, int amode, const char *value)
{
	MPI_Info info = rename_info(value);
	MPI_File f;

	OK(MPI_File_open(MPI_COMM_WORLD, path, amode, info, &f));
	OK(MPI_Info_free(&info));
	return f;
}

/* Rank 0 makes an old file. */
static void old_file(const char *path, mode_t mode)
{
	if (check_rank == 0) {
		FILE *old = fopen(path, "w");

		CHECK(old != NULL && fwrite(text, 1, OLD, old) == OLD);
		CHECK(fclose(old) == 0 && chmod(path, mode) == 0);
	}
	OK(MPI_Barrier(MPI_COMM_WORLD));
}

static struct stat stat_of(const char *path)
{
	struct stat st = {.st_size = -1};

	CHECK(stat(path, &st) == 0);
	return st;
}

/* Rank 0: the file begins with these bytes, and has so many. */
static void commit_want(const char *path, const char *begin, long size)
{
	char got[OLD + 1] = "";
	FILE *in;

	OK(MPI_Barrier(MPI_COMM_WORLD));
	if (check_rank == 0) {
		in = fopen(path, "r");
		CHECK(in != NULL && fread(got, 1, OLD, in) > 0);
		fclose(in);
		expect(strncmp(got, begin, strlen(begin)) == 0);
		expect_eq(stat_of(path).st_size, size);
	}
	OK(MPI_Barrier(MPI_COMM_WORLD));
}

/* The old bytes are read, some are changed, and the rest and the mode stay. */
static void commit_changed(const char *path, int amode)
{
	char got[OLD + 1] = "";
	MPI_Offset size;
	MPI_Status s;
	MPI_File f;

	old_file(path, 0600);
	f = open_commit(path, amode, "rename");
	OK(MPI_File_get_size(f, &size));
	expect_eq(size, OLD);
	if ((amode & MPI_MODE_RDWR) != 0) {
		OK(MPI_File_read_at_all(f, 0, got, 30, MPI_CHAR, &s));
		expect_eq(file_bytes(&s), OLD);
		expect(strcmp(got, text) == 0);
	}
	OK(MPI_Barrier(MPI_COMM_WORLD));
	if (check_rank == check_size - 1)
		OK(MPI_File_write_at(f, 0, "XY", 2, MPI_CHAR, &s));
	commit_want(path, "0123", OLD);
	OK(MPI_File_close(&f));
	commit_want(path, "XY23456789abcdefghij", OLD);
	if (check_rank == 0)
		expect_eq(stat_of(path).st_mode & 07777, 0600);
	file_delete(path);
}

/* The pointers of an appending open begin at the end of the old contents. */
static void appended(const char *path)
{
	MPI_Offset at;
	MPI_File f;

	old_file(path, 0644);
	f = open_commit(path, MPI_MODE_WRONLY | MPI_MODE_APPEND, "rename");
	OK(MPI_File_get_position(f, &at));
	expect_eq(at, OLD);
	OK(MPI_File_write_ordered(f, "Z", 1, MPI_CHAR, MPI_STATUS_IGNORE));
	OK(MPI_File_close(&f));
	commit_want(path, text, OLD + check_size);
	file_delete(path);
}

/* A link, also one that leads nowhere yet, stays one. */
static void through_link(const char *path, const char *link)
{
	struct stat st;
	MPI_File f;

	old_file(path, 0640);
	if (check_rank == 0)
		CHECK(symlink(strrchr(path, '/') + 1, link) == 0);
	OK(MPI_Barrier(MPI_COMM_WORLD));
	for (int i = 0; i < 2; i++) {
		f = open_commit(link, MPI_MODE_RDWR | MPI_MODE_CREATE, "rename");
		OK(MPI_File_write_at_all(f, 0, "ZZZ", 3, MPI_CHAR, MPI_STATUS_IGNORE));
		OK(MPI_File_close(&f));
		commit_want(path, "ZZZ", i == 0 ? OLD : 3);
		CHECK(lstat(link, &st) == 0);
		expect(S_ISLNK(st.st_mode));
		file_delete(path);
	}
	file_delete(link);
}

/* Holes are no data, and stay. */
static void with_hole(const char *path)
{
	MPI_File f = file_create(MPI_COMM_WORLD, path, 0);
	static char data[HOLE];
	struct stat st, now;
	char c = 1;

	memset(data, 'd', sizeof(data));
	if (check_rank == 0) {
		OK(MPI_File_write_at(f, 0, data, HOLE, MPI_CHAR, MPI_STATUS_IGNORE));
		OK(MPI_File_write_at(f, LONG - 1, "e", 1, MPI_CHAR, MPI_STATUS_IGNORE));
	}
	OK(MPI_File_close(&f));
	st = stat_of(path);
	f = open_commit(path, MPI_MODE_RDWR, "rename");
	OK(MPI_File_read_at(f, HOLE, &c, 1, MPI_CHAR, MPI_STATUS_IGNORE));
	expect_eq(c, 0);
	OK(MPI_File_read_at(f, LONG - 1, &c, 1, MPI_CHAR, MPI_STATUS_IGNORE));
	expect_eq(c, 'e');
	OK(MPI_File_close(&f));
	commit_want(path, "dddd", LONG);
	now = stat_of(path);
	expect(now.st_ino != st.st_ino);
	expect(now.st_blocks <= st.st_blocks);
	file_delete(path);
}

/* Where the hint has nothing to keep; and errors are those of a plain open. */
static void beside(const char *path)
{
	int create = MPI_MODE_RDWR | MPI_MODE_CREATE;
	MPI_Info info = rename_info("rename");
	struct stat st;
	MPI_File f;

	FAILS(MPI_ERR_NO_SUCH_FILE, "ENOENT",
		MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_RDWR, info, &f));
	FAILS(MPI_ERR_BAD_FILE, "EISDIR",
		MPI_File_open(MPI_COMM_WORLD, "/tmp", MPI_MODE_RDWR, info, &f));
	old_file(path, 0600);
	st = stat_of(path);
	OK(MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_RDONLY, info, &f));
	OK(MPI_File_close(&f));
	expect_eq(stat_of(path).st_ino, st.st_ino);
	FAILS(MPI_ERR_FILE_EXISTS, "EEXIST",
		MPI_File_open(MPI_COMM_WORLD, path, create | MPI_MODE_EXCL, info, &f));
	if (!check_has_remote()) {
		f = open_commit("/dev/null", MPI_MODE_WRONLY | MPI_MODE_SEQUENTIAL, "rename");
		OK(MPI_File_write_shared(f, text, OLD, MPI_CHAR, MPI_STATUS_IGNORE));
		OK(MPI_File_close(&f));
	}
	expect(stat("/dev/null", &st) == 0 && S_ISCHR(st.st_mode));
	OK(MPI_File_open(MPI_COMM_WORLD, path, create | MPI_MODE_DELETE_ON_CLOSE, info, &f));
	OK(MPI_File_close(&f));
	expect(stat(path, &st) != 0 && errno == ENOENT);
	OK(MPI_Barrier(MPI_COMM_WORLD));
	OK(MPI_Info_free(&info));
}

/* The call that fails in the last rank, or in all, before the close. */
static int commit_fails(MPI_File f, int what)
{
	enum { SIZE = 100 };
	char data[OLD] = "new";
	MPI_Request r;

	switch (what) {
	case 0:
		return MPI_File_write_at_all(
			f, check_rank * OLD, data, OLD, MPI_CHAR, MPI_STATUS_IGNORE);
	case 1:
		return MPI_File_write_at(
			f, check_rank * OLD, data, OLD, MPI_CHAR, MPI_STATUS_IGNORE);
	case 2:
		OK(MPI_File_iwrite_at_all(f, check_rank * OLD, data, OLD, MPI_CHAR, &r));
		return MPI_Wait(&r, MPI_STATUS_IGNORE);
	case 3:
		OK(MPI_File_iwrite_at(f, check_rank * OLD, data, OLD, MPI_CHAR, &r));
		return MPI_Wait(&r, MPI_STATUS_IGNORE);
	case 4: return MPI_File_set_size(f, SIZE);
	case 5: return MPI_File_sync(f);
	default: return MPI_File_write_at_all(f, 0, data, -check_rank, MPI_CHAR, MPI_STATUS_IGNORE);
	}
}

/* After a failed write of any member, also one that the program does not look at, the close fails
 * at all members, and the old file stays, alone. */
static void poisoned(const char *path, const char *value, int what)
{
	enum { WHATS = 7 };
	const char *words = what < WHATS - 1 ? "not committed, because failed on rank "
					     : "not committed, because ";
	int class = what < WHATS - 1 ? MPI_ERR_NO_SPACE : MPI_ERR_COUNT;
	MPI_File f;

	if (what == WHATS - 1 && check_size == 1)
		return;
	old_file(path, 0600);
	f = open_commit(path, MPI_MODE_WRONLY, value);
	if (what == 5)
		OK(MPI_File_write_at(f, check_rank, "n", 1, MPI_CHAR, MPI_STATUS_IGNORE));
	if (what < WHATS - 1 && check_rank == (what == 4 ? 0 : check_size - 1)) {
		disk_arm(DISK_PWRITE, 1, ENOSPC);
		disk_arm(DISK_TRUNCATE, 1, ENOSPC);
		disk_arm(DISK_SYNC, 1, ENOSPC);
	}
	commit_fails(f, what);
	disk_disarm();
	if (what < WHATS - 1)
		OK(MPI_File_write_at_all(f, 0, "new", 3, MPI_CHAR, MPI_STATUS_IGNORE));
	FAILS(class, words, MPI_File_close(&f));
	expect(f == MPI_FILE_NULL);
	commit_want(path, text, OLD);
	file_delete(path);
}

int main(int argc, char **argv)
{
	check_init(&argc, &argv);
	commit_changed(file_name("old"), MPI_MODE_RDWR | MPI_MODE_CREATE);
	commit_changed(file_name("rdwr"), MPI_MODE_RDWR);
	commit_changed(file_name("wronly"), MPI_MODE_WRONLY);
	appended(file_name("appended"));
	through_link(file_name("target"), file_name("link"));
	with_hole(file_name("hole"));
	beside(file_name("beside"));
	for (int what = 0; what < 7; what++) {
		poisoned(file_name("poisoned"), "rename", what);
		poisoned(file_name("poisoned"), "replace", what);
	}
	MPI_Finalize();
	return check_end();
}
