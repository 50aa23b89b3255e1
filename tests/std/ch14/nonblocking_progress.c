// SPDX-License-Identifier: BSD-3-Clause
/* RUN np=1 */
/* MPI-5.0 14.4.2, 14.6.5: a nonblocking write completes while its process makes no call of MPI. */
#include "tests/check.h"
#include "tests/std/ch14/file_name.h"
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#define N (8 << 20)

static char out[N];

int main(int argc, char **argv)
{
	const char *name;
	struct stat st = {.st_size = 0};
	MPI_Request r;
	MPI_File f;
	char last = 0;
	int fd;

	check_init(&argc, &argv);
	name = file_name("progress");
	check_fill(out, N, 3);
	out[N - 1] = 77;
	OK(MPI_File_open(MPI_COMM_WORLD, name,
		MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, &f));
	fd = open(name, O_RDONLY);
	CHECK(fd >= 0);
	OK(MPI_File_iwrite_at(f, 0, out, N, MPI_BYTE, &r));
	while (st.st_size < N || last != 77) { /* without MPI */
		usleep(1000);
		CHECK(fstat(fd, &st) == 0);
		CHECK(pread(fd, &last, 1, N - 1) >= 0);
	}
	OK(MPI_Wait(&r, MPI_STATUS_IGNORE));
	close(fd);
	OK(MPI_File_close(&f));
	MPI_Finalize();
	return check_end();
}
