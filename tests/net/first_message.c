// SPDX-License-Identifier: BSD-3-Clause
/* RUN np=2,3 env="HAFT_VIA=net" time=60 */
/* MPI-5.0 3.5: the first message to a process, which needs a connection, comes while its sender
 * computes: it makes no call until each of the others has left a file that says so. */
#include "tests/check.h"

#include <fcntl.h>
#include <unistd.h>

static const char *first_mark(int rank)
{
	static char path[1024];
	const char *dir = getenv("TMPDIR");

	snprintf(path, sizeof(path), "%s/first.%d", dir != NULL ? dir : ".", rank);
	return path;
}

int main(int argc, char **argv)
{
	int words[1000] = {7}, fd;

	check_init(&argc, &argv);
	if (check_rank == 0) {
		for (int r = 1; r < check_size; r++) {
			OK(MPI_Send(words, 1, MPI_INT, r, 0, MPI_COMM_WORLD));
			OK(MPI_Send(words, 1000, MPI_INT, r, 1, MPI_COMM_WORLD));
		}
		for (int r = 1; r < check_size; r++) {
			while (access(first_mark(r), F_OK) != 0)
				usleep(1000);
			unlink(first_mark(r));
		}
	} else {
		OK(MPI_Recv(&words[1], 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
		CHECK(words[1] == 7);
		OK(MPI_Recv(words, 1000, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
		CHECK(words[0] == 7 && words[1] == 0);
		fd = open(first_mark(check_rank), O_CREAT | O_WRONLY, 0600);
		CHECK(fd >= 0);
		close(fd);
	}
	MPI_Finalize();
	return 0;
}
