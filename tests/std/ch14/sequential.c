// SPDX-License-Identifier: BSD-3-Clause
/* RUN np=1,3 */
/* MPI-5.0 14.2.1, 14.6.2, 14.6.4: MPI_MODE_SEQUENTIAL: pipes, devices and files that are
 * accessed at the shared pointer only.  Pipes and devices are of one host: members that share no
 * memory get an error. */
#include "tests/std/ch14/file_name.h"
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { RECORD = 100, RECORDS = 20 };

static MPI_File sequential_open_file(const char *path, int amode)
{
	MPI_File f;

	OK(MPI_File_open(MPI_COMM_WORLD, path, amode | MPI_MODE_SEQUENTIAL, MPI_INFO_NULL, &f));
	return f;
}

/* Calls that need a position are refused. */
static void sequential_refused(MPI_File f)
{
	MPI_Offset at;
	MPI_Status s;
	char c = 0;

	FAILS(MPI_ERR_UNSUPPORTED_OPERATION, "SEQUENTIAL",
		MPI_File_write_at(f, 0, &c, 1, MPI_CHAR, &s));
	FAILS(MPI_ERR_UNSUPPORTED_OPERATION, "SEQUENTIAL", MPI_File_write(f, &c, 1, MPI_CHAR, &s));
	FAILS(MPI_ERR_UNSUPPORTED_OPERATION, "SEQUENTIAL", MPI_File_seek(f, 0, MPI_SEEK_SET));
	FAILS(MPI_ERR_UNSUPPORTED_OPERATION, "SEQUENTIAL", MPI_File_get_position_shared(f, &at));
	FAILS(MPI_ERR_UNSUPPORTED_OPERATION, "SEQUENTIAL",
		MPI_File_seek_shared(f, 0, MPI_SEEK_SET));
	FAILS(MPI_ERR_UNSUPPORTED_OPERATION, "SEQUENTIAL", MPI_File_set_size(f, 0));
	FAILS(MPI_ERR_UNSUPPORTED_OPERATION, "MPI_DISPLACEMENT_CURRENT",
		MPI_File_set_view(f, 0, MPI_CHAR, MPI_CHAR, "native", MPI_INFO_NULL));
}

/* Another process reads the pipe and counts whole records. */
static int sequential_reader(const char *path)
{
	FILE *in = fopen(path, "r");
	char record[RECORD];
	int n = 0;

	while (in != NULL && fread(record, 1, RECORD, in) == RECORD) {
		for (int i = 1; i < RECORD; i++)
			if (record[i] != record[0])
				return 250;
		n++;
	}
	return n;
}

static void to_pipe(const char *path)
{
	char record[RECORD];
	int status = 0;
	pid_t child = -1;
	MPI_File f;

	if (check_rank == 0) {
		CHECK(mkfifo(path, 0600) == 0);
		child = fork();
		if (child == 0)
			_exit(sequential_reader(path));
	}
	OK(MPI_Barrier(MPI_COMM_WORLD));
	f = sequential_open_file(path, MPI_MODE_WRONLY);
	sequential_refused(f);
	memset(record, 'a' + check_rank, sizeof(record));
	for (int i = 0; i < RECORDS / 2; i++) {
		OK(MPI_File_write_shared(f, record, RECORD, MPI_CHAR, MPI_STATUS_IGNORE));
		OK(MPI_File_write_ordered(f, record, RECORD, MPI_CHAR, MPI_STATUS_IGNORE));
	}
	OK(MPI_File_set_view(
		f, MPI_DISPLACEMENT_CURRENT, MPI_INT, MPI_INT, "external32", MPI_INFO_NULL));
	OK(MPI_File_write_shared(f, record, RECORD / 4, MPI_INT, MPI_STATUS_IGNORE));
	OK(MPI_File_close(&f));
	if (check_rank == 0) {
		CHECK(waitpid(child, &status, 0) == child);
		expect(WIFEXITED(status));
		expect_eq(WEXITSTATUS(status), (RECORDS + 1) * check_size);
	}
}

/* The members take all bytes of a pipe, each once; then it is at its end. */
static void from_pipe(const char *path)
{
	long mine = 0, all;
	pid_t child = -1;
	MPI_Status s;
	MPI_File f;
	char c[7];

	if (check_rank == 0) {
		CHECK(mkfifo(path, 0600) == 0);
		child = fork();
		if (child == 0) {
			FILE *out = fopen(path, "w");

			for (int i = 0; i < 1000; i++)
				fputc(i, out);
			fclose(out);
			_exit(0);
		}
	}
	OK(MPI_Barrier(MPI_COMM_WORLD));
	f = sequential_open_file(path, MPI_MODE_RDONLY);
	do {
		OK(MPI_File_read_shared(f, c, sizeof(c), MPI_BYTE, &s));
		mine += file_bytes(&s);
	} while (file_bytes(&s) == sizeof(c));
	OK(MPI_Allreduce(&mine, &all, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD));
	expect_eq(all, 1000);
	OK(MPI_File_close(&f));
	if (check_rank == 0)
		CHECK(waitpid(child, NULL, 0) == child);
}

/* A pipe has no positions: without MPI_MODE_SEQUENTIAL it is refused, and not waited for. */
static void not_sequential(const char *path)
{
	static const int amodes[] = {
		MPI_MODE_RDONLY, MPI_MODE_WRONLY, MPI_MODE_RDWR, MPI_MODE_WRONLY | MPI_MODE_CREATE};
	MPI_File f;

	if (check_rank == 0)
		CHECK(mkfifo(path, 0600) == 0);
	OK(MPI_Barrier(MPI_COMM_WORLD));
	for (int i = 0; i < 4; i++)
		FAILS(MPI_ERR_UNSUPPORTED_OPERATION,
			"(ESPIPE 29); a pipe or device needs MPI_MODE_SEQUENTIAL",
			MPI_File_open(MPI_COMM_WORLD, path, amodes[i], MPI_INFO_NULL, &f));
	OK(MPI_Barrier(MPI_COMM_WORLD));
	if (check_rank == 0)
		unlink(path);
}

static void to_device(void)
{
	MPI_File f = sequential_open_file("/dev/null", MPI_MODE_WRONLY);
	char data[1000] = "";

	OK(MPI_File_write_ordered(f, data, 1000, MPI_CHAR, MPI_STATUS_IGNORE));
	OK(MPI_File_sync(f));
	OK(MPI_File_close(&f));
	f = sequential_open_file("/dev/full", MPI_MODE_WRONLY);
	FAILS(MPI_ERR_NO_SPACE, check_size > 1 ? "rank 0 of" : "ENOSPC", /* equal words */
		MPI_File_write_ordered(f, data, 1000, MPI_CHAR, MPI_STATUS_IGNORE));
	OK(MPI_File_close(&f));
}

/* The name of a pipe leads to another one on each host. */
static void on_several_hosts(const char *path)
{
	MPI_File f;

	if (check_rank == 0)
		CHECK(mkfifo(path, 0600) == 0);
	OK(MPI_Barrier(MPI_COMM_WORLD));
	FAILS(MPI_ERR_UNSUPPORTED_OPERATION, "several hosts",
		MPI_File_open(MPI_COMM_WORLD, "/dev/null", MPI_MODE_WRONLY | MPI_MODE_SEQUENTIAL,
			MPI_INFO_NULL, &f));
	FAILS(MPI_ERR_UNSUPPORTED_OPERATION, "several hosts",
		MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_RDONLY | MPI_MODE_SEQUENTIAL,
			MPI_INFO_NULL, &f));
	FAILS(MPI_ERR_UNSUPPORTED_OPERATION, "several hosts",
		MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_WRONLY | MPI_MODE_SEQUENTIAL,
			MPI_INFO_NULL, &f));
	OK(MPI_Barrier(MPI_COMM_WORLD));
	if (check_rank == 0)
		unlink(path);
}

static void on_one_host(void)
{
	to_pipe(file_name("pipe"));
	from_pipe(file_name("pipe2"));
	to_device();
	file_delete(file_name("pipe"));
	file_delete(file_name("pipe2"));
}

static void to_file(const char *path)
{
	MPI_File f = sequential_open_file(path, MPI_MODE_WRONLY | MPI_MODE_CREATE);
	struct stat st;

	OK(MPI_File_write_ordered(f, "0123456789", 10, MPI_CHAR, MPI_STATUS_IGNORE));
	OK(MPI_File_set_view(
		f, MPI_DISPLACEMENT_CURRENT, MPI_CHAR, MPI_CHAR, "native", MPI_INFO_NULL));
	OK(MPI_File_write_shared(f, "abc", 3, MPI_CHAR, MPI_STATUS_IGNORE));
	OK(MPI_File_close(&f));
	expect(stat(path, &st) == 0);
	expect_eq(st.st_size, 13 * check_size);
	file_delete(path);
}

int main(int argc, char **argv)
{
	check_init(&argc, &argv);
	if (check_has_remote())
		on_several_hosts(file_name("pipe4"));
	else
		on_one_host();
	not_sequential(file_name("pipe3"));
	to_file(file_name("plain"));
	MPI_Finalize();
	return check_end();
}
