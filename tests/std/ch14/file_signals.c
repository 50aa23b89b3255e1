// SPDX-License-Identifier: BSD-3-Clause
/* RUN np=1,2 */
/* MPI-5.0 14.7: a limit of the size of files and a pipe without a reader are errors with words, not
 * the end of the process; the dispositions of signals do not change. */
#include "tests/std/ch14/file_name.h"
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
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
	MPI_Finalize();
	return check_end();
}
