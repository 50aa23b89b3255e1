// SPDX-License-Identifier: BSD-3-Clause
/* RUN np=2,4 env="HAFT_FT=yes HAFT_IO_THREADS=0|4" */
/* RUN np=4 env="HAFT_FT=yes HAFT_IO_THREADS=4" args="bystander" */
/* RUN np=2 env="HAFT_FT=yes" args="revoke" */
/* pipe_turn.c - a process dies while it writes to a pipe at the shared pointer.  The accesses of
 * the others, which wait for their turn behind it, fail; blocking, nonblocking and ordered ones.
 * bystander: it dies while another one writes, and has no place: no other fails.  Without workers a
 * nonblocking access would wait for its turn in the call.
 * revoke: the file is revoked instead; the access in its turn completes. */
#include "tests/ft/ft.h"
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>

enum { LONG = 1 << 20 }; /* more than a pipe holds, and nothing is read */

static char data[LONG], path[200];

static MPI_File open_pipe(int *keep)
{
	MPI_File f;

	snprintf(path, sizeof(path), "%s/pipe", getenv("TMPDIR") != NULL ? getenv("TMPDIR") : ".");
	if (check_rank == 0) {
		CHECK(mkfifo(path, 0600) == 0);
		*keep = open(path, O_RDWR);
		CHECK(*keep >= 0);
	}
	OK(MPI_Barrier(MPI_COMM_WORLD));
	OK(MPI_File_open(
		MPI_COMM_WORLD, path, MPI_MODE_WRONLY | MPI_MODE_SEQUENTIAL, MPI_INFO_NULL, &f));
	return f;
}

/* Its turn has come, and never ends. */
static void pipe_victim(MPI_File f)
{
	alarm(1);
	MPI_File_write_shared(f, data, LONG, MPI_CHAR, MPI_STATUS_IGNORE);
	CHECK(!"the pipe is full");
}

static void pipe_died(MPI_File f)
{
	MPI_Request r;
	MPI_Status s;
	int err;

	if (check_rank == check_size - 1)
		pipe_victim(f);
	usleep(300000); /* the victim has its turn */
	if (check_rank == 0) {
		FAILS(MPIX_ERR_PROC_FAILED, "turn",
			MPI_File_write_shared(f, data, 10, MPI_CHAR, &s));
	} else {
		err = MPI_File_iwrite_shared(f, data, 10, MPI_CHAR, &r);
		FAILS(MPIX_ERR_PROC_FAILED, "turn", err != 0 ? err : MPI_Wait(&r, &s));
	}
	FAILS(MPIX_ERR_PROC_FAILED, "turn", MPI_File_write_shared(f, data, 10, MPI_CHAR, &s));
	FAILS(MPIX_ERR_PROC_FAILED, "", MPI_File_write_ordered(f, data, 10, MPI_CHAR, &s));
}

/* Rank 0 waits behind rank 1, revokes the file, and empties the pipe. */
static void revoked(MPI_File f, int keep)
{
	MPI_Request r;
	MPI_Status s;
	int n;

	if (check_rank == 1) {
		OK(MPI_File_write_shared(f, data, LONG, MPI_CHAR, &s));
		OK(MPI_Get_count(&s, MPI_CHAR, &n));
		expect_eq(n, LONG);
		return;
	}
	usleep(300000); /* rank 1 has its turn */
	OK(MPI_File_iwrite_shared(f, data, 10, MPI_CHAR, &r));
	OK(MPI_Test(&r, &n, &s));
	expect_eq(n, 0);
	OK(MPIX_File_revoke(f));
	FAILS(MPIX_ERR_REVOKED, "turn", MPI_Wait(&r, &s));
	for (int left = LONG; left > 0; left -= n) {
		n = (int)read(keep, data, LONG);
		CHECK(n > 0);
	}
}

/* Rank 1 has its turn, others wait behind it; the last one dies with no place; rank 0 reads. */
static void bystander(MPI_File f, int keep)
{
	MPI_Request r;
	MPI_Status s;
	int n;

	if (check_rank == check_size - 1) {
		OK(MPI_File_write_shared(f, data, 10, MPI_CHAR, &s));
		usleep(600000);
		ft_die();
	}
	if (check_rank == 1) {
		usleep(100000);
		OK(MPI_File_write_shared(f, data, LONG, MPI_CHAR, &s));
	} else {
		usleep(300000);
		OK(MPI_File_iwrite_shared(f, data, 10, MPI_CHAR, &r));
		ft_await_failures(1);
		for (int left = check_rank == 0 ? LONG : 0; left > 0; left -= n) {
			n = (int)read(keep, data, LONG / 2);
			CHECK(n > 0);
		}
		OK(MPI_Wait(&r, &s));
	}
	OK(MPI_File_write_shared(f, data, 10, MPI_CHAR, &s));
	/* rank 0 keeps the reading end until all have written */
	for (n = 1; check_rank == 0 && n < check_size - 1; n++)
		OK(MPI_Recv(NULL, 0, MPI_CHAR, n, 3, MPI_COMM_WORLD, &s));
	if (check_rank > 0)
		OK(MPI_Send(NULL, 0, MPI_CHAR, 0, 3, MPI_COMM_WORLD));
}

int main(int argc, char **argv)
{
	MPI_File f;
	int keep = -1;

	ft_init(&argc, &argv);
	check_one_host("a pipe is of one host");
	f = open_pipe(&keep);
	OK(MPI_Barrier(MPI_COMM_WORLD));
	if (argc > 1 && strcmp(argv[1], "bystander") == 0)
		bystander(f, keep);
	else if (argc > 1)
		revoked(f, keep);
	else
		pipe_died(f);
	MPI_File_close(&f);
	if (check_rank == 0)
		CHECK(unlink(path) == 0 && close(keep) == 0);
	MPI_Finalize();
	return check_end();
}
