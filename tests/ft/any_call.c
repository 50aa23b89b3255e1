// SPDX-License-Identifier: BSD-3-Clause
/* any_call.c - any_call CALL FORM ARENA COUNT: one collective call, repeated until a rank dies by
 * HAFT_DIE.  sweep.sh runs it with all calls.
 *
 *      FORM    b blocking, i nonblocking, p persistent
 *      ARENA   intra, ring (a topology), inter (two groups)
 *
 * Every survivor must return from the call, with a class of failures or without, and then revoke,
 * shrink, and make the same call twice without error. */
#include "tests/ft/ft.h"

#define ROOM   130000
#define ROUNDS 12

static int in[ROOM], out[ROOM], n, share, root;
static int counts[64], shares[64], offsets[64], int_offsets[64];
static MPI_Datatype types[64];
static MPI_Aint byte_offsets[64];

/* --- the calls ------------------------------------------------------------------------------ */

typedef int call_fn(MPI_Comm c);

struct call {
	const char *name;
	call_fn *form[3];
};

static int request_end(int err, MPI_Request *r)
{
	return err != 0 ? err : MPI_Wait(r, MPI_STATUS_IGNORE);
}

static int persistent_end(int err, MPI_Request *r)
{
	if (err != 0)
		return err;
	err = MPI_Start(r);
	if (err == 0)
		err = MPI_Wait(r, MPI_STATUS_IGNORE);
	MPI_Request_free(r);
	return err;
}

#define FORMS(Name, name, ...)                                               \
	static int b_##Name(MPI_Comm c)                                      \
	{                                                                    \
		return MPI_##Name(__VA_ARGS__);                              \
	}                                                                    \
	static int i_##Name(MPI_Comm c)                                      \
	{                                                                    \
		MPI_Request r;                                               \
		int err = MPI_I##name(__VA_ARGS__, &r);                      \
		return request_end(err, &r);                                 \
	}                                                                    \
	static int p_##Name(MPI_Comm c)                                      \
	{                                                                    \
		MPI_Request r;                                               \
		int err = MPI_##Name##_init(__VA_ARGS__, MPI_INFO_NULL, &r); \
		return persistent_end(err, &r);                              \
	}

#define IN   in, n, MPI_INT
#define OUT  out, n, MPI_INT
#define INS  in, counts, offsets, MPI_INT
#define OUTS out, counts, offsets, MPI_INT
#define BOTH in, counts, byte_offsets, types, out, counts, byte_offsets, types
#define SUM  MPI_INT, MPI_SUM

FORMS(Barrier, barrier, c)
FORMS(Bcast, bcast, in, n, MPI_INT, root, c)
FORMS(Gather, gather, IN, OUT, root, c)
FORMS(Gatherv, gatherv, IN, OUTS, root, c)
FORMS(Scatter, scatter, IN, OUT, root, c)
FORMS(Scatterv, scatterv, INS, OUT, root, c)
FORMS(Allgather, allgather, IN, OUT, c)
FORMS(Allgatherv, allgatherv, IN, OUTS, c)
FORMS(Alltoall, alltoall, IN, OUT, c)
FORMS(Alltoallv, alltoallv, INS, OUTS, c)
FORMS(Alltoallw, alltoallw, in, counts, int_offsets, types, out, counts, int_offsets, types, c)
FORMS(Reduce, reduce, in, out, n, SUM, root, c)
FORMS(Allreduce, allreduce, in, out, n, SUM, c)
FORMS(Reduce_scatter, reduce_scatter, in, out, shares, SUM, c)
FORMS(Reduce_scatter_block, reduce_scatter_block, in, out, share, SUM, c)
FORMS(Scan, scan, in, out, n, SUM, c)
FORMS(Exscan, exscan, in, out, n, SUM, c)
FORMS(Neighbor_allgather, neighbor_allgather, IN, OUT, c)
FORMS(Neighbor_allgatherv, neighbor_allgatherv, IN, OUTS, c)
FORMS(Neighbor_alltoall, neighbor_alltoall, IN, OUT, c)
FORMS(Neighbor_alltoallv, neighbor_alltoallv, INS, OUTS, c)
FORMS(Neighbor_alltoallw, neighbor_alltoallw, BOTH, c)

/* --- constructors --------------------------------------------------------------------------- */

static int made_end(int err, MPI_Comm *made)
{
	if (err == 0 && *made != MPI_COMM_NULL)
		MPI_Comm_free(made);
	return err;
}

#define MAKES(Name, ...)                           \
	static int b_##Name(MPI_Comm c)            \
	{                                          \
		MPI_Comm made = MPI_COMM_NULL;     \
		int err = MPI_##Name(__VA_ARGS__); \
		return made_end(err, &made);       \
	}

static MPI_Group group_of(MPI_Comm c)
{
	MPI_Group g;

	MPI_Comm_group(c, &g);
	return g;
}

static int comm_size_of(MPI_Comm c)
{
	int size;

	MPI_Comm_size(c, &size);
	return size;
}

/* The sums of counts are equal in both groups. */
static int group_size(MPI_Comm c)
{
	MPI_Group g = group_of(c);
	int size;

	MPI_Group_size(g, &size);
	MPI_Group_free(&g);
	return size;
}

static int rank_of(MPI_Comm c)
{
	int rank;

	MPI_Comm_rank(c, &rank);
	return rank;
}

static const int wrap[1] = {1};

MAKES(Comm_dup, c, &made)
MAKES(Comm_split, c, rank_of(c) % 2, 0, &made)
MAKES(Comm_split_type, c, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &made)
MAKES(Cart_create, c, 1, (int[]){comm_size_of(c)}, wrap, 0, &made)
MAKES(Dist_graph_create, c, 1, (int[]){rank_of(c)}, (int[]){1}, (int[]){0}, MPI_UNWEIGHTED,
	MPI_INFO_NULL, 0, &made)
MAKES(Dist_graph_create_adjacent, c, 0, NULL, MPI_UNWEIGHTED, 0, NULL, MPI_UNWEIGHTED,
	MPI_INFO_NULL, 0, &made)

static int i_Comm_dup(MPI_Comm c)
{
	MPI_Comm made;
	MPI_Request r;
	int err = MPI_Comm_idup(c, &made, &r);

	return made_end(request_end(err, &r), &made);
}

static int b_Comm_create(MPI_Comm c)
{
	MPI_Comm made = MPI_COMM_NULL;
	MPI_Group g = group_of(c);
	int err = MPI_Comm_create(c, g, &made);

	MPI_Group_free(&g);
	return made_end(err, &made);
}

static int b_Comm_create_group(MPI_Comm c)
{
	MPI_Comm made = MPI_COMM_NULL;
	MPI_Group g = group_of(c);
	int err = MPI_Comm_create_group(c, g, 5, &made);

	MPI_Group_free(&g);
	return made_end(err, &made);
}

static int b_Intercomm_merge(MPI_Comm c)
{
	MPI_Comm made = MPI_COMM_NULL;

	return made_end(MPI_Intercomm_merge(c, 0, &made), &made);
}

#define ALL(Name)                                    \
	{                                            \
#Name,                               \
		{                                    \
			b_##Name, i_##Name, p_##Name \
		}                                    \
	}
#define MAKE(Name)               \
	{                        \
#Name,           \
		{                \
			b_##Name \
		}                \
	}

static const struct call calls[] = {ALL(Barrier), ALL(Bcast), ALL(Gather), ALL(Gatherv),
	ALL(Scatter), ALL(Scatterv), ALL(Allgather), ALL(Allgatherv), ALL(Alltoall), ALL(Alltoallv),
	ALL(Alltoallw), ALL(Reduce), ALL(Allreduce), ALL(Reduce_scatter), ALL(Reduce_scatter_block),
	ALL(Scan), ALL(Exscan), ALL(Neighbor_allgather), ALL(Neighbor_allgatherv),
	ALL(Neighbor_alltoall), ALL(Neighbor_alltoallv), ALL(Neighbor_alltoallw),
	{"Comm_dup", {b_Comm_dup, i_Comm_dup}}, MAKE(Comm_split), MAKE(Comm_split_type),
	MAKE(Comm_create), MAKE(Comm_create_group), MAKE(Cart_create), MAKE(Dist_graph_create),
	MAKE(Dist_graph_create_adjacent), MAKE(Intercomm_merge)};

static call_fn *call_find(const char *name, char form)
{
	for (size_t i = 0; i < sizeof(calls) / sizeof(*calls); i++)
		if (strcmp(calls[i].name, name) == 0)
			return calls[i].form[form == 'b' ? 0 : form == 'i' ? 1 : 2];
	return NULL;
}

/* --- arenas --------------------------------------------------------------------------------- */

static void arena_inter(MPI_Comm base, int size, int rank, MPI_Comm *c)
{
	int half = size / 2, high = rank >= half;
	MPI_Comm local;

	OK(MPI_Comm_split(base, high, 0, &local));
	OK(MPI_Intercomm_create(local, 0, base, high ? 0 : half, 0, c));
	OK(MPI_Comm_free(&local));
	root = high ? 0 : rank == 0 ? MPI_ROOT : MPI_PROC_NULL;
}

static MPI_Comm arena_make(const char *kind, MPI_Comm base)
{
	int size = comm_size_of(base), rank = rank_of(base);
	MPI_Comm c;

	root = 0;
	if (strcmp(kind, "inter") == 0)
		arena_inter(base, size, rank, &c);
	else if (strcmp(kind, "ring") == 0)
		OK(MPI_Cart_create(base, 1, &size, wrap, 0, &c));
	else
		OK(MPI_Comm_dup(base, &c));
	MPI_Comm_set_errhandler(c, MPI_ERRORS_RETURN);
	share = strcmp(kind, "inter") == 0 ? n * 6 / group_size(c) : n;
	for (int i = 0; i < 64; i++)
		shares[i] = share;
	MPI_Barrier(base); /* a member that is done may die already */
	return c;
}

static void repeat(call_fn *call, MPI_Comm c)
{
	int err = 0;

	for (int i = 0; i < ROUNDS && err == 0; i++)
		err = call(c);
	if (err != MPIX_ERR_PROC_FAILED && err != MPIX_ERR_REVOKED)
		OK(err);
}

int main(int argc, char **argv)
{
	MPI_Comm c, next;
	call_fn *call = call_find(argv[1], argv[2][0]);
	int dies = getenv("HAFT_DIE") != NULL ? atoi(getenv("HAFT_DIE")) : 0;

	n = atoi(argv[4]);
	for (int i = 0; i < 64; i++) {
		counts[i] = n;
		offsets[i] = n * i;
		int_offsets[i] = n * i * (int)sizeof(int);
		byte_offsets[i] = int_offsets[i];
		types[i] = MPI_INT;
	}
	ft_init(&argc, &argv);
	CHECK(call != NULL && n * check_size <= ROOM);
	c = arena_make(argv[3], MPI_COMM_WORLD);
	repeat(call, c);
	if (check_rank == dies)
		ft_die();
	OK(MPIX_Comm_revoke(c));
	OK(MPIX_Comm_shrink(MPI_COMM_WORLD, &next));
	CHECK(comm_size_of(next) == check_size - 1);
	OK(MPI_Comm_free(&c));
	c = arena_make(argv[3], next);
	for (int i = 0; i < 2; i++)
		OK(call(c));
	OK(MPI_Comm_free(&c));
	OK(MPI_Comm_free(&next));
	MPI_Finalize();
	return check_end();
}
