// SPDX-License-Identifier: BSD-3-Clause
/* RUN np=1,2 */
/* RUN np=2,3 env="HAFT_VIA=net" */
/* MPI-5.0 14.7: a limit of the size of files and a pipe without a reader are errors with words, not
 * the end of the process; the dispositions of signals do not change. */
#include "tests/std/ch14/file_name.h"
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <fcntl.h>

enum { MOST = 64 << 10, LONG = 1 << 20 };

static char data[LONG];

static void limited(const char *path, const char *second)
{
	const struct rlimit all = {MOST, RLIM_INFINITY}, none = {RLIM_INFINITY, RLIM_INFINITY};
	MPI_File f = file_new(MPI_COMM_WORLD, path), g = file_new(MPI_COMM_WORLD, second);
	struct sigaction now;
	MPI_Request r;
	MPI_Status s;
	bool last = check_rank == check_size - 1;

	OK(MPI_File_close(&g));
	if (last)
		CHECK(setrlimit(RLIMIT_FSIZE, &all) == 0);
	FAILS(MPI_ERR_IO, "EFBIG",
		MPI_File_write_at_all(f, (MPI_Offset)check_rank * LONG, data, LONG, MPI_BYTE, &s));
	if (last) {
		FAILS(MPI_ERR_IO, "EFBIG", MPI_File_write_at(f, 0, data, LONG, MPI_BYTE, &s));
		expect_eq(file_bytes(&s), MOST);
		OK(MPI_File_iwrite_at(f, 0, data, LONG, MPI_BYTE, &r));
		FAILS(MPI_ERR_IO, "EFBIG", MPI_Wait(&r, &s));
		CHECK(setrlimit(RLIMIT_FSIZE, &none) == 0);
	}
	OK(MPI_File_close(&f));
	CHECK(sigaction(SIGXFSZ, NULL, &now) == 0);
	expect(now.sa_handler == SIG_DFL);
}

enum { BLOCK = 64, REST = 1000 };

/* This rank's bytes among the first n of the file. */
static long own_bytes(long n)
{
	long tile = (long)BLOCK * check_size, rest = n % tile - (long)BLOCK * check_rank;

	return n / tile * BLOCK + (rest < 0 ? 0 : rest > BLOCK ? BLOCK : rest);
}

static int write_blocks(MPI_File f, bool later, MPI_Status *s)
{
	MPI_Request r;

	if (!later)
		return MPI_File_write_at_all(f, 0, data, LONG, MPI_BYTE, s);
	OK(MPI_File_iwrite_at_all(f, 0, data, LONG, MPI_BYTE, &r));
	return MPI_Wait(&r, s);
}

/* The first n bytes of this rank are in the file. */
static void written(MPI_File f, long n)
{
	static char back[LONG];
	MPI_Status s;

	OK(MPI_File_read_at(f, 0, back, (int)n, MPI_BYTE, &s));
	expect_eq(file_bytes(&s), n);
	expect(memcmp(back, data, (size_t)n) == 0);
}

/* The status of a failed write counts the bytes from the first on that are in the file, also those
 * of a block that is written in part.  aggregators: "1": all that is in the file is counted; else
 * those of rank 0 have a limit. */
static void aggregated(const char *path, const char *aggregators, bool later)
{
	const struct rlimit some = {3 * MOST + REST, RLIM_INFINITY},
			    none = {RLIM_INFINITY, RLIM_INFINITY};
	MPI_Datatype block, tile;
	MPI_Info info;
	MPI_Offset size;
	MPI_Status s;
	MPI_File f;

	OK(MPI_Info_create(&info));
	OK(MPI_Info_set(info, "romio_cb_write", "enable"));
	OK(MPI_Info_set(info, "cb_nodes", aggregators));
	OK(MPI_File_open(MPI_COMM_WORLD, path,
		MPI_MODE_RDWR | MPI_MODE_CREATE | MPI_MODE_DELETE_ON_CLOSE, info, &f));
	OK(MPI_Info_free(&info));
	OK(MPI_Type_contiguous(BLOCK, MPI_BYTE, &block));
	OK(MPI_Type_create_resized(block, 0, BLOCK * check_size, &tile));
	OK(MPI_Type_commit(&tile));
	OK(MPI_File_set_view(f, BLOCK * check_rank, MPI_BYTE, tile, "native", MPI_INFO_NULL));
	if (check_rank == 0)
		CHECK(setrlimit(RLIMIT_FSIZE, &some) == 0);
	memset(data, 1 + check_rank, sizeof(data));
	FAILS(MPI_ERR_IO, "EFBIG", write_blocks(f, later, &s));
	written(f, file_bytes(&s));
	OK(MPI_File_get_size(f, &size));
	expect(file_bytes(&s) <= own_bytes(size));
	if (aggregators[0] == '1')
		expect_eq(file_bytes(&s), own_bytes(3 * MOST + REST));
	CHECK(setrlimit(RLIMIT_FSIZE, &none) == 0);
	OK(MPI_Type_free(&tile));
	OK(MPI_Type_free(&block));
	OK(MPI_File_close(&f));
}

/* The reader leaves in the middle of a write. */
static void signal_cut(const char *path)
{
	MPI_Status s;
	MPI_File f;
	pid_t child;

	CHECK(mkfifo(path, 0600) == 0);
	child = fork();
	if (child == 0) {
		int in = open(path, O_RDONLY);

		_exit(in < 0 || read(in, data, 1000) <= 0);
	}
	OK(MPI_File_open(
		MPI_COMM_SELF, path, MPI_MODE_WRONLY | MPI_MODE_SEQUENTIAL, MPI_INFO_NULL, &f));
	FAILS(MPI_ERR_IO, "EPIPE", MPI_File_write_shared(f, data, LONG, MPI_BYTE, &s));
	expect(file_bytes(&s) < LONG);
	OK(MPI_File_close(&f));
	CHECK(waitpid(child, NULL, 0) == child);
	unlink(path);
}

static void broken(const char *path)
{
	MPI_Request r;
	MPI_Status s;
	MPI_File f;
	int in;

	CHECK(mkfifo(path, 0600) == 0);
	in = open(path, O_RDWR);
	CHECK(in >= 0);
	OK(MPI_File_open(
		MPI_COMM_SELF, path, MPI_MODE_WRONLY | MPI_MODE_SEQUENTIAL, MPI_INFO_NULL, &f));
	OK(MPI_File_write_shared(f, data, 10, MPI_BYTE, &s));
	close(in);
	FAILS(MPI_ERR_IO, "EPIPE", MPI_File_write_shared(f, data, 10, MPI_BYTE, &s));
	FAILS(MPI_ERR_IO, "EPIPE", MPI_File_write_ordered(f, data, 10, MPI_BYTE, &s));
	OK(MPI_File_iwrite_shared(f, data, 10, MPI_BYTE, &r));
	FAILS(MPI_ERR_IO, "EPIPE", MPI_Wait(&r, &s));
	OK(MPI_File_close(&f));
	unlink(path);
}

int main(int argc, char **argv)
{
	char name[32];

	check_init(&argc, &argv);
	limited(file_name("limited"), file_name("second"));
	snprintf(name, sizeof(name), "broken%d", check_rank);
	broken(file_name(name));
	snprintf(name, sizeof(name), "cut%d", check_rank);
	signal_cut(file_name(name));
	for (int i = 0; i < 4 && check_size > 1; i++)
		aggregated(file_name("aggregated"), i % 2 == 0 ? "1" : "2", i / 2 == 1);
	MPI_Finalize();
	return check_end();
}
