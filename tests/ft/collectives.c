// SPDX-License-Identifier: BSD-3-Clause
/* RUN np=4 args="barrier|gather|scatter|allgather|alltoall 0|2 1|30000" env="HAFT_FT=yes" */
/* RUN np=4 args="reduce|allreduce|scan|bcast 0|2 1|30000" env="HAFT_FT=yes HAFT_COLL=shm|p2p" */
/* RUN np=4 args="ibarrier|iallreduce|ineighbor|split|create 0|1|2 1" env="HAFT_FT=yes" */
/* collectives.c - a member dies before a collective call: all others return, with PROC_FAILED where
 * the call needs the dead, and go on in a communicator without it. */
#include "tests/ft/ft.h"

#define ROOM 30000

static int in[4 * ROOM], out[4 * ROOM], n;
static const char *kind;

static bool coll_is(const char *name)
{
	return strcmp(kind, name) == 0;
}

static int coll_make(MPI_Comm c)
{
	MPI_Comm made = MPI_COMM_NULL;
	MPI_Group g;
	int err;

	MPI_Comm_group(c, &g);
	if (coll_is("split"))
		err = MPI_Comm_split(c, 0, 0, &made);
	else if (coll_is("create"))
		err = MPI_Comm_create(c, g, &made);
	else
		err = MPI_Comm_dup(c, &made);
	MPI_Group_free(&g);
	if (err == 0)
		MPI_Comm_free(&made);
	return err;
}

static int coll_nonblocking(MPI_Comm c)
{
	MPI_Request r;
	int err = coll_is("ibarrier") ? MPI_Ibarrier(c, &r)
				      : MPI_Iallreduce(in, out, n, MPI_INT, MPI_SUM, c, &r);

	return err != 0 ? err : MPI_Wait(&r, MPI_STATUS_IGNORE);
}

static int neighbors(MPI_Comm c)
{
	int size, wrap = 1, err;
	MPI_Comm ring;

	MPI_Comm_size(c, &size);
	err = MPI_Cart_create(c, 1, &size, &wrap, 0, &ring);
	if (err != 0)
		return err;
	err = MPI_Neighbor_allgather(in, n, MPI_INT, out, n, MPI_INT, ring);
	MPI_Comm_free(&ring);
	return err;
}

static int coll_call(MPI_Comm c)
{
	if (coll_is("barrier"))
		return MPI_Barrier(c);
	if (coll_is("bcast"))
		return MPI_Bcast(in, n, MPI_INT, 0, c);
	if (coll_is("gather"))
		return MPI_Gather(in, n, MPI_INT, out, n, MPI_INT, 0, c);
	if (coll_is("scatter"))
		return MPI_Scatter(out, n, MPI_INT, in, n, MPI_INT, 0, c);
	if (coll_is("allgather"))
		return MPI_Allgather(in, n, MPI_INT, out, n, MPI_INT, c);
	if (coll_is("alltoall"))
		return MPI_Alltoall(in, n, MPI_INT, out, n, MPI_INT, c);
	if (coll_is("reduce"))
		return MPI_Reduce(in, out, n, MPI_INT, MPI_SUM, 0, c);
	if (coll_is("allreduce"))
		return MPI_Allreduce(in, out, n, MPI_INT, MPI_SUM, c);
	if (coll_is("scan"))
		return MPI_Scan(in, out, n, MPI_INT, MPI_SUM, c);
	if (coll_is("ineighbor"))
		return neighbors(c);
	return coll_is("ibarrier") || coll_is("iallreduce") ? coll_nonblocking(c) : coll_make(c);
}

/* Do all members need all others in this call? */
static bool needs_all(void)
{
	return coll_is("barrier") || coll_is("allgather") || coll_is("alltoall") ||
	       coll_is("allreduce") || coll_is("ibarrier") || coll_is("iallreduce") ||
	       coll_is("split");
}

int main(int argc, char **argv)
{
	int victim = atoi(argv[2]), err;
	MPI_Comm c;

	kind = argv[1];
	n = atoi(argv[3]);
	ft_init(&argc, &argv);
	err = coll_call(MPI_COMM_WORLD);
	CHECK(err == MPI_SUCCESS || err == MPIX_ERR_PROC_FAILED || err == MPIX_ERR_REVOKED);
	if (check_rank == victim)
		ft_die();
	for (int i = 0; i < 3; i++) {
		err = coll_call(MPI_COMM_WORLD);
		CHECK(err == MPIX_ERR_PROC_FAILED || err == MPIX_ERR_REVOKED ||
			(err == MPI_SUCCESS && !needs_all()));
	}
	OK(MPIX_Comm_revoke(MPI_COMM_WORLD));
	OK(MPIX_Comm_shrink(MPI_COMM_WORLD, &c));
	for (int i = 0; i < 3; i++)
		OK(coll_call(c));
	OK(MPI_Comm_free(&c));
	MPI_Finalize();
	return check_end();
}
