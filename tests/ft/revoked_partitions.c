// SPDX-License-Identifier: BSD-3-Clause
/* RUN np=2 env="HAFT_FT=yes HAFT_VIA=auto|net" args="unmatched|half|unstarted|long" time=60 */
/* RUN np=2 env="HAFT_FT=yes HAFT_VIA=auto|net" args="arrived" time=60 */
/* ULFM: after MPIX_Comm_revoke every pending operation on the communicator completes.
 *
 * revoked_partitions.c - rank 0 waits for a partitioned operation, and rank 1 revokes.
 *
 *      unmatched  rank 1 has made no operation
 *      half       rank 1 has made half of the partitions ready
 *      arrived    as half, and rank 0 asks for the last partition until that raises
 *      unstarted  rank 0 sends, and rank 1 has not started its receive
 *      long       as half, with partitions that are too long for a frame
 *
 * The wait raises, and so does another start.  Partitions that rank 1 makes ready afterwards do no
 * harm. */
#include "tests/ft/ft.h"

enum { PARTS = 4, LONG = 1 << 20 };

static char data[PARTS * LONG];
static MPI_Comm c;

static bool partition_is(char **argv, const char *kind)
{
	return strcmp(argv[1], kind) == 0;
}

static void asks(MPI_Request r)
{
	int flag, err;

	do
		err = MPI_Parrived(r, PARTS - 1, &flag);
	while (err == 0 && !flag);
	FAILS(MPIX_ERR_REVOKED, "", err);
}

static void waits(MPI_Request *r, bool ask)
{
	OK(MPI_Start(r));
	OK(MPI_Send(NULL, 0, MPI_INT, 1, 1, MPI_COMM_WORLD));
	if (ask)
		asks(*r);
	FAILS(MPIX_ERR_REVOKED, "", MPI_Wait(r, MPI_STATUS_IGNORE));
	memset(data, 5, sizeof(data));
	MPI_Recv(NULL, 0, MPI_INT, 1, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	for (int i = 0; i < PARTS; i++)
		CHECK(data[LONG * i] == 5);
	if (MPI_Start(r) == MPI_SUCCESS)
		FAILS(MPIX_ERR_REVOKED, "", MPI_Wait(r, MPI_STATUS_IGNORE));
}

/* Rank 1: its own operation is not complete when it revokes. */
static void revokes(MPI_Request *r, bool sends)
{
	OK(MPI_Recv(NULL, 0, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
	if (sends) {
		OK(MPI_Start(r));
		OK(MPI_Pready_range(0, PARTS / 2 - 1, *r));
	}
	OK(MPIX_Comm_revoke(c));
	if (sends) {
		MPI_Pready_range(PARTS / 2, PARTS - 1, *r);
		FAILS(MPIX_ERR_REVOKED, "", MPI_Wait(r, MPI_STATUS_IGNORE));
	}
	OK(MPI_Send(NULL, 0, MPI_INT, 0, 2, MPI_COMM_WORLD));
}

int main(int argc, char **argv)
{
	bool send, unmatched;
	MPI_Request r = MPI_REQUEST_NULL;
	int n;

	ft_init(&argc, &argv);
	OK(MPI_Comm_dup(MPI_COMM_WORLD, &c));
	MPI_Comm_set_errhandler(c, MPI_ERRORS_RETURN);
	n = partition_is(argv, "long") ? LONG : 1;
	unmatched = partition_is(argv, "unmatched");
	send = partition_is(argv, "unstarted") == (check_rank == 0);
	if (send && !(unmatched && check_rank == 1))
		OK(MPI_Psend_init(
			data, PARTS, n, MPI_CHAR, 1 - check_rank, 3, c, MPI_INFO_NULL, &r));
	else if (!send)
		OK(MPI_Precv_init(
			data, PARTS, n, MPI_CHAR, 1 - check_rank, 3, c, MPI_INFO_NULL, &r));
	if (check_rank == 0)
		waits(&r, partition_is(argv, "arrived"));
	else
		revokes(&r, send && !unmatched);
	if (r != MPI_REQUEST_NULL)
		OK(MPI_Request_free(&r));
	OK(MPI_Comm_free(&c));
	MPI_Finalize();
	return check_end();
}
