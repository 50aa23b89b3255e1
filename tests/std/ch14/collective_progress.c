// SPDX-License-Identifier: BSD-3-Clause
/* RUN np=2,4 */
/* RUN np=3 env="HAFT_VIA=net" */
/* MPI-5.0 14.4.2, 14.6.5: nonblocking collective accesses of blocks in turn complete while no
 * process makes a call of MPI, at MPI_THREAD_SINGLE; calls of MPI beside them work. */
#include "tests/std/ch14/file_name.h"

#include <fcntl.h>
#include <time.h>
#include <unistd.h>

enum { BLOCK = 64, BLOCKS = 4000, PATIENCE_S = 60 };

static char out[BLOCK * BLOCKS], in[BLOCK * BLOCKS];

static long at_of(long block, int rank)
{
	return (block * check_size + rank) * BLOCK;
}

/* Looks at the file, without MPI, until this rank's blocks are there. */
static bool comes(int fd)
{
	time_t begin = time(NULL);
	bool all = false;

	while (!all && time(NULL) - begin < PATIENCE_S) {
		char block[BLOCK];

		usleep(1000);
		all = true;
		for (long i = 0; i < BLOCKS && all; i++)
			all = pread(fd, block, BLOCK, at_of(i, check_rank)) == BLOCK &&
			      memcmp(block, out + i * BLOCK, BLOCK) == 0;
	}
	return all;
}

/* Messages between the start of an access and its end, while the helper works. */
static void progress_messages(void)
{
	int next = (check_rank + 1) % check_size,
	    before = (check_rank + check_size - 1) % check_size;

	for (int i = 0; i < 200; i++) {
		int got = -1, sum = 0;

		OK(MPI_Sendrecv(&i, 1, MPI_INT, next, 3, &got, 1, MPI_INT, before, 3,
			MPI_COMM_WORLD, MPI_STATUS_IGNORE));
		expect_eq(got, i);
		OK(MPI_Allreduce(&got, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
		expect_eq(sum, i * check_size);
	}
}

static void progress_round_of(MPI_File f, int fd, int seed)
{
	MPI_Request r[2];
	MPI_Status s;

	check_fill(out, sizeof(out), (unsigned)(seed + check_rank));
	OK(MPI_File_iwrite_at_all(f, 0, out, sizeof(out), MPI_BYTE, &r[0]));
	expect(comes(fd));
	OK(MPI_Wait(&r[0], &s));
	expect_eq(file_bytes(&s), (long)sizeof(out));
	OK(MPI_Barrier(MPI_COMM_WORLD));
	memset(in, 0, sizeof(in));
	OK(MPI_File_iread_at_all(f, 0, in, sizeof(in), MPI_BYTE, &r[0]));
	OK(MPI_File_iread_at_all(f, BLOCK, in, BLOCK, MPI_BYTE, &r[1]));
	progress_messages();
	OK(MPI_Waitall(2, r, MPI_STATUSES_IGNORE));
	expect(memcmp(in + BLOCK, out + BLOCK, sizeof(in) - BLOCK) == 0);
	expect(memcmp(in, out + BLOCK, BLOCK) == 0);
}

int main(int argc, char **argv)
{
	const char *name = file_name("collective_progress");
	MPI_Datatype blocks;
	MPI_File f;
	int fd;

	check_init(&argc, &argv);
	f = file_new(MPI_COMM_WORLD, name);
	fd = open(name, O_RDONLY);
	CHECK(fd >= 0);
	OK(MPI_Type_vector(BLOCKS, BLOCK, BLOCK * check_size, MPI_BYTE, &blocks));
	OK(MPI_Type_commit(&blocks));
	OK(MPI_File_set_view(f, at_of(0, check_rank), MPI_BYTE, blocks, "native", MPI_INFO_NULL));
	for (int i = 0; i < 3; i++) {
		progress_round_of(f, fd, 10 * i);
		progress_messages();
		OK(MPI_File_write_at_all(f, 0, out, BLOCK, MPI_BYTE, MPI_STATUS_IGNORE));
	}
	OK(MPI_Type_free(&blocks));
	close(fd);
	OK(MPI_File_close(&f));
	progress_messages();
	MPI_Finalize();
	return check_end();
}
