// SPDX-License-Identifier: BSD-3-Clause
/* RUN np=1,2,3 */
/* RUN np=1 env="HAFT_IO_THREADS=1" */
/* MPI-5.0 14.2.1, 14.4.4, 14.5: long accesses to a pipe in other representations, in order of
 * ranks; and accesses that wait for each other by pipes, more than there are threads. */
#include "tests/std/ch14/file_name.h"
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LONG = 1500000, WAITING = 40 };

/* Another process reads `ranks' times LONG numbers, big-endian: the rank and a number in turn. */
static int long_reader(const char *path, int ranks, bool external)
{
	FILE *in = fopen(path, "r");
	unsigned char b[4];
	int wrong = in == NULL;

	for (int i = 0; in != NULL && i < ranks * LONG; i++) {
		unsigned want = (unsigned)(i / LONG) << 24 | (unsigned)(i % LONG), got;

		if (fread(b, 1, 4, in) != 4)
			return 2;
		got = external ? (unsigned)b[0] << 24 | b[1] << 16 | b[2] << 8 | b[3]
			       : (unsigned)b[3] << 24 | b[2] << 16 | b[1] << 8 | b[0];
		wrong |= got != want;
	}
	return wrong;
}

static void ordered(const char *path, const char *rep)
{
	unsigned *data = malloc(LONG * sizeof(*data));
	int status = 0;
	MPI_Count n;
	MPI_Status s;
	pid_t child = -1;
	MPI_File f;

	CHECK(data != NULL);
	for (int i = 0; i < LONG; i++)
		data[i] = (unsigned)check_rank << 24 | (unsigned)i;
	if (check_rank == 0) {
		CHECK(mkfifo(path, 0600) == 0);
		child = fork();
		if (child == 0)
			_exit(long_reader(path, check_size, rep[0] == 'e'));
	}
	OK(MPI_Barrier(MPI_COMM_WORLD));
	OK(MPI_File_open(
		MPI_COMM_WORLD, path, MPI_MODE_WRONLY | MPI_MODE_SEQUENTIAL, MPI_INFO_NULL, &f));
	OK(MPI_File_set_view(f, MPI_DISPLACEMENT_CURRENT, MPI_INT, MPI_INT, rep, MPI_INFO_NULL));
	OK(MPI_File_write_ordered(f, data, LONG, MPI_INT, &s));
	OK(MPI_Get_count_c(&s, MPI_INT, &n));
	expect_eq(n, LONG);
	OK(MPI_File_close(&f));
	if (check_rank == 0) {
		CHECK(waitpid(child, &status, 0) == child);
		expect_eq(WEXITSTATUS(status), 0);
		CHECK(unlink(path) == 0);
	}
	free(data);
}

/* Reads that no bytes have come for, and then the writes; each file has its order. */
static void waiting(const char *path)
{
	MPI_Request r[2 * WAITING];
	char in[WAITING] = {0}, out[WAITING];
	MPI_File a, b;
	int keep;

	CHECK(mkfifo(path, 0600) == 0);
	keep = open(path, O_RDWR);
	CHECK(keep >= 0);
	OK(MPI_File_open(
		MPI_COMM_SELF, path, MPI_MODE_RDONLY | MPI_MODE_SEQUENTIAL, MPI_INFO_NULL, &a));
	OK(MPI_File_open(
		MPI_COMM_SELF, path, MPI_MODE_WRONLY | MPI_MODE_SEQUENTIAL, MPI_INFO_NULL, &b));
	for (int i = 0; i < WAITING; i++)
		OK(MPI_File_iread_shared(a, in + i, 1, MPI_BYTE, &r[i]));
	for (int i = 0; i < WAITING; i++) {
		out[i] = (char)(i + 1);
		OK(MPI_File_iwrite_shared(b, out + i, 1, MPI_BYTE, &r[WAITING + i]));
	}
	OK(MPI_Waitall(2 * WAITING, r, MPI_STATUSES_IGNORE));
	expect(memcmp(in, out, WAITING) == 0);
	OK(MPI_File_close(&a));
	OK(MPI_File_close(&b));
	close(keep);
	unlink(path);
}

int main(int argc, char **argv)
{
	check_init(&argc, &argv);
	check_one_host("a pipe is of one host");
	ordered(file_name("external"), "external32");
	ordered(file_name("native"), "native");
	if (check_size == 1)
		waiting(file_name("waiting"));
	MPI_Finalize();
	return check_end();
}
