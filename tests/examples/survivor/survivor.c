// SPDX-License-Identifier: BSD-3-Clause
/* RUN np=4 env="HAFT_FT=yes HAFT_DIE=2@MPI_Sendrecv:520|1@MPI_Sendrecv:441|3@MPI_Sendrecv:777+2" */
/* survivor.c - heat in a ring of strips, twice; in the second run a rank dies, a new process takes
 * its place, and all go on from the copies that neighbors have.  The two pictures are equal.
 *     mpiexec -n 4 -x HAFT_FT=yes -x HAFT_DIE=2@MPI_Sendrecv:520 survivor */
#include <mpi-ext.h>
#include <string.h>

enum { N = 64, ROWS = 16, STEPS = 200, EVERY = 10 };
static struct strip {
	double step, t[ROWS + 2][N];    /* rows 0 and ROWS + 1 are the neighbors' */
} mine, saved, copy, got, plate[2][32]; /* copy: of the strip of the next rank */
static int rank, size;

static int pass(MPI_Comm c, void *out, void *in, int n, int by) /* n bytes to rank + by */
{
	int to = (rank + by + size) % size, from = (rank - by + size) % size;
	int err = MPI_Sendrecv(
		out, n, MPI_BYTE, to, 0, in, n, MPI_BYTE, from, 0, c, MPI_STATUS_IGNORE);
	if (err != 0)
		MPIX_Comm_revoke(c);
	return err;
}

static int step(MPI_Comm c)
{
	int err = pass(c, mine.t[1], mine.t[ROWS + 1], sizeof(mine.t[0]), -1);
	err = err != 0 ? err : pass(c, mine.t[ROWS], mine.t[0], sizeof(mine.t[0]), 1);
	double(*t)[N] = got.t;
	got = mine;
	for (int y = 1; y <= ROWS && err == 0; y++)
		for (int x = 1; x < N - 1; x++)
			mine.t[y][x] = (t[y][x - 1] + t[y][x + 1] + t[y - 1][x] + t[y + 1][x]) / 4;
	mine.step += err == 0;
	return err;
}

static int save(MPI_Comm c) /* all take their copies, or none does: they agree */
{
	int err = pass(c, &mine, &got, sizeof(got), -1), good = err == 0;
	if (MPIX_Comm_agree(c, &good) != 0 || good == 0)
		return MPIX_ERR_PROC_FAILED;
	saved = mine, copy = got;
	return 0;
}

static MPI_Comm recover(MPI_Comm c) /* MPI_COMM_NULL: this process is new */
{
	MPI_Comm next;
	MPIX_Comm_replace(c, NULL, NULL, MPI_INFO_NULL, &next);
	MPI_Comm_rank(next, &rank);
	MPI_Comm_size(next, &size);
	pass(next, &copy, &got, sizeof(got), 1);
	if (c == MPI_COMM_NULL)
		saved = got;
	pass(next, &saved, &copy, sizeof(copy), -1);
	mine = saved;
	return next;
}

int main(void)
{
	MPI_Comm c = MPI_COMM_WORLD, parent;
	MPI_Init(NULL, NULL);
	MPI_Comm_get_parent(&parent);
	MPI_Comm_set_errhandler(c, MPI_ERRORS_RETURN);
	MPI_Comm_rank(c, &rank);
	MPI_Comm_size(c, &size);
	for (int run = parent == MPI_COMM_NULL ? 0 : 1; run < 2; run++) {
		mine = (struct strip){.t[1][N / 2] = 1000 * (rank + 1)};
		if (parent != MPI_COMM_NULL)
			c = recover(MPI_COMM_NULL);
		while (mine.step < STEPS)
			if (((int)mine.step % EVERY == 0 && save(c) != 0) || step(c) != 0)
				c = recover(c);
		MPI_Gather(&mine, sizeof(mine), MPI_BYTE, plate[run], sizeof(mine), MPI_BYTE, 0, c);
	}
	MPI_Finalize();
	return rank == 0 && memcmp(plate[0], plate[1], sizeof(plate[0])) != 0;
}
