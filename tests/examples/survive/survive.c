// SPDX-License-Identifier: BSD-3-Clause
/* RUN np=1,4 env="HAFT_FT=yes" */
/* survive.c - heat in a plate: a process that dies is replaced, and the picture is the same.
 *
 *     new communicator ──> restore ─┐                  ┌─ yes: keep the copies
 *              the rest: SAVE sweeps ┴─> copies ──> agree ┴─ no: revoke, replace, restore
 *
 * Each process has a block of rows, and since the last round a copy of the block above its own. */
#include <mpi-ext.h>
#include <stdio.h>
#include <string.h>

enum { ROWS = 4, COLS = 64, SWEEPS = 400, SAVE = 50 };
typedef float block[ROWS + 2][COLS]; /* with a row of each neighbor */
static block now, next, own, above;
static float all[64 * ROWS][COLS];                 /* the picture, at rank 0 */
static int rank, size, up, down, sweep, saved, ok; /* saved: the sweep of the copies, or -1 */
static MPI_Comm comm;

static int shift(const void *out, int to, void *in, int from, int bytes)
{
	return MPI_Sendrecv(out, bytes, MPI_BYTE, to, 0, in, bytes, MPI_BYTE, from, 0, comm,
		       MPI_STATUS_IGNORE) == MPI_SUCCESS;
}

/* All go back to their copies.  A new process gets its own from the neighbor below. */
static int restore(void)
{
	if (MPI_Allreduce(&saved, &sweep, 1, MPI_INT, MPI_MAX, comm) != MPI_SUCCESS ||
		!shift(above, up, next, down, sizeof(block)))
		return 0;
	memcpy(now, saved < 0 ? next : own, sizeof(block));
	return 1;
}

static int survive_compute(void)
{
	int before = rank > 0 ? up : MPI_PROC_NULL, after = rank < size - 1 ? down : MPI_PROC_NULL;

	for (int j = 0; rank == 0 && j < COLS; j++)
		now[0][j] = 1; /* the upper edge is hot */
	for (sweep = saved; sweep < saved + SAVE; sweep++) {
		if (!shift(now[1], before, now[ROWS + 1], after, sizeof(now[0])) ||
			!shift(now[ROWS], after, now[0], before, sizeof(now[0])))
			return 0;
		memcpy(next, now, sizeof(block));
		for (int i = 1; i <= ROWS; i++)
			for (int j = 1; j < COLS - 1; j++)
				now[i][j] = 0.25f * (next[i - 1][j] + next[i + 1][j] +
							    next[i][j - 1] + next[i][j + 1]);
	}
	return 1;
}

static void enter(MPI_Comm c)
{
	comm = c;
	MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
	MPI_Comm_rank(comm, &rank);
	MPI_Comm_size(comm, &size);
	up = (rank + size - 1) % size, down = (rank + 1) % size;
}

int main(int argc, char **argv)
{
	MPI_Comm c;

	MPI_Init(&argc, &argv);
	MPI_Comm_get_parent(&c);
	saved = c == MPI_COMM_NULL ? 0 : -1;
	if (c == MPI_COMM_NULL)
		MPI_Comm_dup(MPI_COMM_WORLD, &c);
	else /* started in place of a process that has died */
		MPIX_Comm_replace(MPI_COMM_NULL, NULL, NULL, MPI_INFO_NULL, &c);
	enter(c);
	while (saved < SWEEPS) {
		ok = (ok ? survive_compute() : restore()) &&
		     shift(now, down, next, up, sizeof(block));
		if (!ok)
			MPIX_Comm_revoke(comm); /* the others shall not wait for this process */
		if (MPIX_Comm_agree(comm, &ok) == MPI_SUCCESS && ok) {
			memcpy(own, now, sizeof(block));
			memcpy(above, next, sizeof(block));
			saved = sweep;
		} else {
			ok = 0;
			MPIX_Comm_replace(comm, NULL, NULL, MPI_INFO_NULL, &c);
			MPI_Comm_free(&comm);
			enter(c);
		}
	}
	MPI_Gather(now[1], ROWS * COLS, MPI_FLOAT, all, ROWS * COLS, MPI_FLOAT, 0, comm);
	for (int i = 0; i < size * ROWS && rank == 0; i++, putchar('\n'))
		for (int j = 0; j < COLS; j++)
			putchar(" .:-=+*#%@"[(int)(all[i][j] * 9.99f)]);
	MPI_Finalize();
}
