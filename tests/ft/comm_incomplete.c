// SPDX-License-Identifier: BSD-3-Clause
/* RUN np=2,3 env="HAFT_FT=yes HAFT_COLL=shm|p2p" args="shrink" time=60 */
/* RUN np=2,3 env="HAFT_COLL=shm|p2p" args="dup" time=60 */
/* RUN np=2 env="HAFT_FT=yes HAFT_VIA=net" args="shrink|dup" time=60 */
/* RUN np=2 env="HAFT_CHECK=coll" args="dup" time=60 */
/* MPI-5.0 7.4.2: the new communicator of MPI_Comm_idup must not be used before the request is
 * complete.  ULFM: so with MPIX_Comm_ishrink.
 *
 * comm_incomplete.c - the last rank begins, and uses the communicator while rank 0 has not begun:
 * each call raises.  Once a message went out with an id of no communicator, and a revocation stuck.
 * Then all complete, and the communicator is as if nothing had been called. */
#include "tests/ft/ft.h"

#define NEW 40 /* more than the parent has ids for */

static MPI_Comm c[NEW];
static MPI_Request r[NEW];

static void begin(MPI_Comm parent, bool shrink)
{
	for (int i = 0; i < NEW; i++) {
		if (shrink)
			OK(MPIX_Comm_ishrink(parent, &c[i], &r[i]));
		else
			OK(MPI_Comm_idup(parent, &c[i], &r[i]));
	}
}

#define RAISES(call) FAILS(MPI_ERR_COMM, "not made yet", call)

static void incomplete_messages(MPI_Comm n)
{
	MPI_Request q;
	int x = 0;

	RAISES(MPI_Send(&x, 1, MPI_INT, 0, 1, n));
	RAISES(MPI_Send(&x, 1, MPI_INT, MPI_PROC_NULL, 1, n));
	RAISES(MPI_Recv(&x, 1, MPI_INT, 0, 1, n, MPI_STATUS_IGNORE));
	RAISES(MPI_Irecv(&x, 1, MPI_INT, MPI_ANY_SOURCE, 1, n, &q));
	RAISES(MPI_Iprobe(MPI_ANY_SOURCE, 1, n, &x, MPI_STATUS_IGNORE));
	RAISES(MPI_Send_init(&x, 1, MPI_INT, 0, 1, n, &q));
	RAISES(MPI_Psend_init(&x, 1, 1, MPI_INT, 0, 1, n, MPI_INFO_NULL, &q));
}

static void incomplete_collectives(MPI_Comm n)
{
	MPI_Comm more;
	MPI_Request q;
	MPI_Win w;
	MPI_File f;
	int x = 0, y;

	RAISES(MPI_Barrier(n));
	RAISES(MPI_Allreduce(&x, &y, 1, MPI_INT, MPI_SUM, n));
	RAISES(MPI_Bcast(&x, 1, MPI_INT, 0, n));
	RAISES(MPI_Ibarrier(n, &q));
	RAISES(MPI_Barrier_init(n, MPI_INFO_NULL, &q));
	RAISES(MPI_Comm_dup(n, &more));
	RAISES(MPI_Comm_idup(n, &more, &q));
	RAISES(MPI_Comm_split(n, 0, 0, &more));
	RAISES(MPI_Cart_create(n, 1, (int[]){check_size}, &x, 0, &more));
	RAISES(MPI_Win_create(&x, sizeof(x), 1, MPI_INFO_NULL, n, &w));
	RAISES(MPI_File_open(n, "never", MPI_MODE_RDONLY, MPI_INFO_NULL, &f));
}

static void incomplete_failures(MPI_Comm n)
{
	MPI_Comm more;
	MPI_Request q;
	int x = 0;

	RAISES(MPIX_Comm_revoke(n));
	RAISES(MPIX_Comm_is_revoked(n, &x));
	RAISES(MPIX_Comm_agree(n, &x));
	RAISES(MPIX_Comm_iagree(n, &x, &q));
	RAISES(MPIX_Comm_shrink(n, &more));
	RAISES(MPIX_Comm_ishrink(n, &more, &q));
	RAISES(MPIX_Comm_replace(n, NULL, NULL, MPI_INFO_NULL, &more));
}

/* All is as in a communicator of which no member has made a mistake. */
static void ready(MPI_Comm n)
{
	int sum, x = check_rank, from = (check_rank + check_size - 1) % check_size;
	MPI_Comm more;

	OK(MPI_Allreduce(&x, &sum, 1, MPI_INT, MPI_SUM, n));
	CHECK(sum == check_size * (check_size - 1) / 2);
	OK(MPI_Sendrecv_replace(
		&x, 1, MPI_INT, (check_rank + 1) % check_size, 1, from, 1, n, MPI_STATUS_IGNORE));
	CHECK(x == from);
	OK(MPI_Comm_dup(n, &more));
	OK(MPI_Barrier(more));
	OK(MPI_Comm_free(&more));
}

int main(int argc, char **argv)
{
	MPI_Comm parent;
	int flag = 0;

	ft_init(&argc, &argv);
	OK(MPI_Comm_split(MPI_COMM_WORLD, 0, 0, &parent));
	OK(MPI_Barrier(parent));
	if (check_rank == check_size - 1) {
		begin(parent, argv[1][0] == 's');
		incomplete_messages(c[NEW - 1]);
		incomplete_collectives(c[NEW - 1]);
		incomplete_failures(c[NEW - 1]);
		OK(MPI_Test(&r[NEW - 1], &flag, MPI_STATUS_IGNORE));
		CHECK(!flag);
		OK(MPI_Send(&flag, 1, MPI_INT, 0, 5, MPI_COMM_WORLD));
	}
	if (check_rank == 0)
		OK(MPI_Recv(
			&flag, 1, MPI_INT, check_size - 1, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
	if (check_rank != check_size - 1)
		begin(parent, argv[1][0] == 's');
	OK(MPI_Waitall(NEW, r, MPI_STATUSES_IGNORE));
	for (int i = NEW - 1; i >= 0; i--) {
		if (i % 8 == 7)
			ready(c[i]);
		OK(MPI_Comm_free(&c[i]));
	}
	OK(MPI_Comm_free(&parent));
	MPI_Finalize();
	return check_end();
}
