// SPDX-License-Identifier: BSD-3-Clause
/* RUN np=1,3 */
/* RUN np=3 env="HAFT_VIA=net" */
/* MPI-5.0 14.2.1, 14.7, 9.3: errors of MPI_File_open are raised on MPI_FILE_NULL, whose handler is
 * MPI_ERRORS_RETURN at first; the words name rank, host, path and reason.  A new file begins with
 * the handler of MPI_FILE_NULL. */
#include "tests/std/ch14/file_name.h"

static int calls;
static MPI_File seen;

static void open_handler(MPI_File *f, int *err, ...)
{
	(void)err;
	calls++;
	seen = *f;
}

static void classes(void)
{
	char longest[5000], inside[600];
	MPI_File f = MPI_FILE_NULL;

	FAILS(MPI_ERR_NO_SUCH_FILE, "failed on rank 0 of",
		MPI_File_open(
			MPI_COMM_WORLD, file_name("none"), MPI_MODE_RDONLY, MPI_INFO_NULL, &f));
	FAILS(MPI_ERR_NO_SUCH_FILE, "ENOENT",
		MPI_File_open(MPI_COMM_WORLD, file_name("none"), MPI_MODE_RDWR, MPI_INFO_NULL, &f));
	FAILS(MPI_ERR_BAD_FILE, "EISDIR",
		MPI_File_open(MPI_COMM_WORLD, file_name("."), MPI_MODE_RDONLY, MPI_INFO_NULL, &f));
	FAILS(MPI_ERR_BAD_FILE, "empty",
		MPI_File_open(MPI_COMM_WORLD, "", MPI_MODE_RDONLY, MPI_INFO_NULL, &f));
	memset(longest, 'x', sizeof(longest) - 1);
	longest[sizeof(longest) - 1] = '\0';
	FAILS(MPI_ERR_BAD_FILE, "ENAMETOOLONG",
		MPI_File_open(MPI_COMM_WORLD, longest, MPI_MODE_RDONLY, MPI_INFO_NULL, &f));
	f = file_create(MPI_COMM_WORLD, file_name("plain"), 0);
	OK(MPI_File_close(&f));
	snprintf(inside, sizeof(inside), "%s/x", file_name("plain"));
	FAILS(MPI_ERR_BAD_FILE, "ENOTDIR",
		MPI_File_open(MPI_COMM_WORLD, inside, MPI_MODE_RDONLY, MPI_INFO_NULL, &f));
	expect(f == MPI_FILE_NULL);
}

/* All ranks get the error of the one rank that opens another file, with both names. */
static void another_file(void)
{
	char path[600];
	MPI_File f;

	if (check_size == 1)
		return;
	snprintf(path, sizeof(path), "%s%d", file_name("other"), check_rank == 1);
	if (check_rank < 2) {
		f = file_create(MPI_COMM_SELF, path, 0);
		OK(MPI_File_close(&f));
	}
	OK(MPI_Barrier(MPI_COMM_WORLD));
	for (int k = 0; k < 2; k++) {
		const char *word = k == 0 ? "other1; rank 0 opens " : "other0";

		FAILS(MPI_ERR_NOT_SAME, word,
			MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_RDWR, MPI_INFO_NULL, &f));
	}
	OK(MPI_Barrier(MPI_COMM_WORLD));
	if (check_rank < 2)
		OK(MPI_File_delete(path, MPI_INFO_NULL));
	OK(MPI_Barrier(MPI_COMM_WORLD));
	FAILS(MPI_ERR_NOT_SAME, "other1, which does not exist; rank 0 opens ",
		MPI_File_open(
			MPI_COMM_WORLD, path, MPI_MODE_RDWR | MPI_MODE_CREATE, MPI_INFO_NULL, &f));
	OK(MPI_Barrier(MPI_COMM_WORLD));     /* rank 0 has undone its open */
	FAILS(MPI_ERR_NO_SUCH_FILE, "other", /* the first open has left no file */
		MPI_File_open(MPI_COMM_SELF, path, MPI_MODE_RDWR, MPI_INFO_NULL, &f));
}

/* One file, spelled in several ways. */
static void one_file(void)
{
	const char *path = file_name("one"), *base = strrchr(path, '/') + 1;
	char other[600];
	MPI_File f;

	snprintf(other, sizeof(other), "%.*s./%s", (int)(base - path), path, base);
	f = file_create(MPI_COMM_WORLD, check_rank == 1 ? other : path, 0);
	OK(MPI_File_close(&f));
	file_delete(path);
}

static void handlers(void)
{
	MPI_Errhandler h, got;
	MPI_File f;

	OK(MPI_File_create_errhandler(open_handler, &h));
	OK(MPI_File_set_errhandler(MPI_FILE_NULL, h));
	FAILS(MPI_ERR_NO_SUCH_FILE, "",
		MPI_File_open(
			MPI_COMM_WORLD, file_name("none"), MPI_MODE_RDONLY, MPI_INFO_NULL, &f));
	expect_eq(calls, 1);
	expect(seen == MPI_FILE_NULL);
	OK(MPI_File_open(MPI_COMM_WORLD, file_name("plain"), MPI_MODE_RDWR, MPI_INFO_NULL, &f));
	OK(MPI_File_get_errhandler(f, &got));
	expect(got == h);
	OK(MPI_Errhandler_free(&got));
	FAILS(MPI_ERR_ARG, "", MPI_File_seek(f, -1, MPI_SEEK_SET));
	expect_eq(calls, 2);
	expect(seen == f);
	OK(MPI_File_set_errhandler(MPI_FILE_NULL, MPI_ERRORS_RETURN));
	OK(MPI_Errhandler_free(&h));
	OK(MPI_File_close(&f));
	file_delete(file_name("plain"));
}

int main(int argc, char **argv)
{
	check_init(&argc, &argv);
	classes();
	another_file();
	one_file();
	handlers();
	MPI_Finalize();
	return check_end();
}
