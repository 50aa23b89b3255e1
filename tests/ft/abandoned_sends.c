// SPDX-License-Identifier: BSD-3-Clause
/* RUN np=4 env="HAFT_FT=yes HAFT_COLL=p2p HAFT_EAGER=1024 HAFT_COLL_ALGORITHM=bcast=chain" */
/* RUN np=4 env="HAFT_FT=yes HAFT_VIA=net HAFT_EAGER_NET=1024 HAFT_COLL_ALGORITHM=bcast=chain" */
/* MPI-5.0 3.5: messages of a pair do not overtake each other.
 *
 * abandoned_sends.c - rank 0 learns that rank 3 has died, and abandons the long messages of its
 * broadcast.  The short ones after them go.  Rank 1, which knows nothing of the death yet, must not
 * take a short one for a long one.
 *
 *      0 ── long, long, short ──> 1 ──> 2 ──> 3 */
#include "tests/ft/ft.h"
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define BYTES (2 * 16384 + 100)

static char data[BYTES], path[4096];

/* Rank 1 is in no call of MPI, so it learns nothing.  Then one pass takes rank 0's messages. */
static void take_frames(void)
{
	struct stat st;
	int flag;

	while (stat(path, &st) != 0)
		usleep(1000);
	unlink(path);
	MPI_Iprobe(MPI_ANY_SOURCE, 99, MPI_COMM_SELF, &flag, MPI_STATUS_IGNORE);
}

/* All are connected, and none waits for rank 1, which makes no progress from then on. */
static void settle(void)
{
	OK(MPI_Barrier(MPI_COMM_WORLD));
	for (int i = 0; i < check_size && check_rank == 1; i++)
		if (i != 1)
			OK(MPI_Recv(NULL, 0, MPI_BYTE, i, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
	if (check_rank != 1)
		OK(MPI_Send(NULL, 0, MPI_BYTE, 1, 2, MPI_COMM_WORLD));
}

static int root_bcast(void)
{
	MPI_Request r;
	FILE *f;

	OK(MPI_Ibcast(data, BYTES, MPI_BYTE, 0, MPI_COMM_WORLD, &r));
	OK(MPI_Send(NULL, 0, MPI_BYTE, 3, 1, MPI_COMM_WORLD));
	ft_await_failures(1);
	f = fopen(path, "w");
	CHECK(f != NULL && fclose(f) == 0);
	return MPI_Wait(&r, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv)
{
	int err;

	ft_init(&argc, &argv);
	snprintf(path, sizeof(path), "%s/abandoned", getenv("TMPDIR"));
	settle();
	if (check_rank == 0)
		err = root_bcast();
	else if (check_rank == 3) {
		OK(MPI_Recv(NULL, 0, MPI_BYTE, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
		ft_die();
		err = 0;
	} else {
		MPI_Request r;

		if (check_rank == 1)
			take_frames();
		err = MPI_Ibcast(data, BYTES, MPI_BYTE, 0, MPI_COMM_WORLD, &r);
		if (err == 0)
			err = MPI_Wait(&r, MPI_STATUS_IGNORE);
	}
	if (err != 0) /* short segments may all have gone */
		FAILS(MPIX_ERR_PROC_FAILED, "rank 3", err);
	MPI_Finalize();
	return check_end();
}
