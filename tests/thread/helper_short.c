// SPDX-License-Identifier: BSD-3-Clause
/* RUN np=2 env="HAFT_PROGRESS=thread" time=60 */
/* RUN np=2 env="HAFT_PROGRESS=thread HAFT_VIA=net" time=60 */
/* MPI-5.0 3.7.4: with HAFT_PROGRESS=thread rank 1 ends synchronous, buffered and combined sends to
 * rank 0, which has begun its receives and makes no call until rank 1 has left a file that says
 * so.  First short synchronous messages, also after so many others that rank 0 has come to expect
 * none, and has seen one again; then long ones by MPI_Bsend and MPI_Isendrecv of either rank. */
#include "tests/check.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

enum { LONG = 1 << 20, MANY = 3000, WINDOW = 16 };

static char *out, *in;

static const char *mark_path(const char *what)
{
	static char path[1024];
	const char *dir = getenv("TMPDIR");

	snprintf(path, sizeof(path), "%s/helped.%s", dir != NULL ? dir : ".", what);
	return path;
}

static void mark(const char *what)
{
	int fd = open(mark_path(what), O_CREAT | O_WRONLY, 0600);

	CHECK(fd >= 0);
	close(fd);
}

static void await_mark(const char *what)
{
	while (access(mark_path(what), F_OK) != 0)
		usleep(1000);
	unlink(mark_path(what));
}

static void ends(const char *what, MPI_Request r)
{
	OK(MPI_Wait(&r, MPI_STATUS_IGNORE));
	mark(what);
}

/* Rank 0 receives what rank 1 sends, and computes meanwhile. */
static void receives(const char *what, int bytes)
{
	MPI_Request r;

	OK(MPI_Irecv(in, bytes, MPI_BYTE, 1, 0, MPI_COMM_WORLD, &r));
	OK(MPI_Barrier(MPI_COMM_WORLD));
	await_mark(what);
	OK(MPI_Wait(&r, MPI_STATUS_IGNORE));
	CHECK(in[0] == 7 && in[bytes - 1] == 7);
	in[0] = in[bytes - 1] = 0;
}

static void short_synchronous(const char *what)
{
	MPI_Request r;

	if (check_rank == 0) {
		receives(what, 8);
		return;
	}
	OK(MPI_Barrier(MPI_COMM_WORLD));
	OK(MPI_Issend(out, 8, MPI_BYTE, 0, 0, MPI_COMM_WORLD, &r));
	ends(what, r);
}

/* So many that rank 0 no longer expects a synchronous one, and one that it reads in a call. */
static void others(void)
{
	MPI_Request r[WINDOW];

	for (int i = 0; i < MANY; i++) {
		OK(MPI_Barrier(MPI_COMM_WORLD));
		for (int k = 0; k < WINDOW; k++) {
			if (check_rank == 0)
				OK(MPI_Irecv(in, 8, MPI_BYTE, 1, 0, MPI_COMM_WORLD, &r[k]));
			else
				OK(MPI_Isend(out, 8, MPI_BYTE, 0, 0, MPI_COMM_WORLD, &r[k]));
		}
		OK(MPI_Waitall(WINDOW, r, MPI_STATUSES_IGNORE));
	}
	if (check_rank == 0)
		OK(MPI_Recv(in, 8, MPI_BYTE, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
	else
		OK(MPI_Ssend(out, 8, MPI_BYTE, 0, 0, MPI_COMM_WORLD));
}

/* Rank 1 detaches: its message has gone then.  A long one waits for rank 0. */
static void long_buffered(void)
{
	void *buffer = malloc(LONG + MPI_BSEND_OVERHEAD);
	int size;

	if (check_rank == 0) {
		receives("bsend", LONG);
	} else {
		OK(MPI_Buffer_attach(buffer, LONG + MPI_BSEND_OVERHEAD));
		OK(MPI_Barrier(MPI_COMM_WORLD));
		OK(MPI_Bsend(out, LONG, MPI_BYTE, 0, 0, MPI_COMM_WORLD));
		OK(MPI_Buffer_detach(&buffer, &size));
		mark("bsend");
	}
	free(buffer);
}

/* Rank 0 sends, and computes.  Only the sends have to wait for rank 1. */
static void buffered_waits(void)
{
	void *buffer = malloc(LONG + MPI_BSEND_OVERHEAD);
	int size;

	if (check_rank == 0) {
		OK(MPI_Buffer_attach(buffer, LONG + MPI_BSEND_OVERHEAD));
		OK(MPI_Bsend(out, LONG, MPI_BYTE, 1, 0, MPI_COMM_WORLD));
		await_mark("buffered");
		OK(MPI_Buffer_detach(&buffer, &size));
	} else {
		OK(MPI_Recv(in, LONG, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
		CHECK(in[0] == 7 && in[LONG - 1] == 7);
		mark("buffered");
	}
	free(buffer);
}

static void combined(void)
{
	int other = 1 - check_rank;
	MPI_Request r;

	OK(MPI_Isendrecv(
		out, LONG, MPI_BYTE, other, 0, in, LONG, MPI_BYTE, other, 0, MPI_COMM_WORLD, &r));
	if (check_rank == 0) {
		await_mark("combined");
		OK(MPI_Wait(&r, MPI_STATUS_IGNORE));
	} else {
		ends("combined", r);
	}
	CHECK(in[0] == 7 && in[LONG - 1] == 7);
}

int main(int argc, char **argv)
{
	check_init(&argc, &argv);
	out = malloc(LONG);
	in = calloc(LONG, 1);
	CHECK(out != NULL && in != NULL);
	memset(out, 7, LONG);
	short_synchronous("first");
	short_synchronous("second");
	others();
	short_synchronous("later");
	long_buffered();
	buffered_waits();
	combined();
	free(out);
	free(in);
	MPI_Finalize();
	return 0;
}
