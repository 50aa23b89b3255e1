// SPDX-License-Identifier: BSD-3-Clause
/* RUN np=2 args="dup 17" */
/* RUN np=2 args="used 19" */
/* RUN np=3 args="split 31" */
/* RUN np=9 args="used 61" */
/* RUN np=2 env="HAFT_CHECK=coll" args="dup 37" */
/* RUN np=2 env="HAFT_CHECK=coll" args="inter 19" */
/* RUN np=4 env="HAFT_CHECK=coll" args="inter 37" */
/* RUN np=3 env="HAFT_VIA=net HAFT_CHECK=coll" args="split 31" */
/* RUN np=4 env="HAFT_VIA=net HAFT_CHECK=coll" args="inter 41" */
/* RUN np=2 env="HAFT_COLL=p2p" args="dup barrier create" */
/* RUN np=3 env="HAFT_COLL=p2p" args="dup iallgather bcast_init" */
/* RUN np=2 env="HAFT_COLL=p2p" args="dup allgather_init iexscan" */
/* RUN np=2 env="HAFT_COLL=p2p" args="used win_create iscatter" */
/* RUN np=2 env="HAFT_VIA=net" args="split bcast_init reduce_init" */
/* RUN np=2 env="HAFT_VIA=net" args="dup igatherv file_open" */
/* MPI-5.0 6.1, 7.4.2: rank 0 makes one collective call, or a constructor, and the other ranks make
 * another: every rank gets an error with words, at once or from its next call, and none hangs.
 *
 *     call_pairs KIND STEP    every STEP-th pair, each on a new communicator of this KIND: dup,
 *                             used (dup that has made a call before), split, inter (two groups)
 *     call_pairs KIND A B     the pair of these two calls */
#include "tests/check.h"

enum { MANY = 16 };

static int in[MANY], out[MANY], counts[MANY], at[MANY];
static MPI_Datatype types[MANY];
static MPI_Comm comm; /* of this pair */

/* --- calls ---------------------------------------------------------------------------------- */

#define INFO  MPI_INFO_NULL
#define IN1   in, 1, MPI_INT
#define OUT1  out, 1, MPI_INT
#define INV   in, counts, at, MPI_INT
#define OUTV  out, counts, at, MPI_INT
#define INW   in, counts, at, types
#define OUTW  out, counts, at, types
#define RED   in, out, 1, MPI_INT, MPI_SUM
#define REDS  in, out, counts, MPI_INT, MPI_SUM
#define BCAST in, 1, MPI_INT, call_root()

/* Root 0 of one group; between groups it is in the one whose rank 0 has rank 0 in the world. */
static bool inter;

static int call_root(void)
{
	return !inter || check_rank != 0 ? 0 : MPI_ROOT;
}

/* NAME, its arguments before the communicator. */
#define COLLECTIVES(X)                                \
	X(Bcast, bcast, BCAST)                        \
	X(Gather, gather, IN1, OUT1, call_root())     \
	X(Gatherv, gatherv, IN1, OUTV, call_root())   \
	X(Scatter, scatter, IN1, OUT1, call_root())   \
	X(Scatterv, scatterv, INV, OUT1, call_root()) \
	X(Allgather, allgather, IN1, OUT1)            \
	X(Allgatherv, allgatherv, IN1, OUTV)          \
	X(Alltoall, alltoall, IN1, OUT1)              \
	X(Alltoallv, alltoallv, INV, OUTV)            \
	X(Alltoallw, alltoallw, INW, OUTW)            \
	X(Reduce, reduce, RED, call_root())           \
	X(Allreduce, allreduce, RED)                  \
	X(Reduce_scatter, reduce_scatter, REDS)       \
	X(Reduce_scatter_block, reduce_scatter_block, RED)

/* In one group only. */
#define SCANS(X)           \
	X(Scan, scan, RED) \
	X(Exscan, exscan, RED)

static int call_wait(int err, MPI_Request *r)
{
	return err != 0 ? err : MPI_Wait(r, MPI_STATUS_IGNORE);
}

static int start_wait(int err, MPI_Request *r)
{
	if (err == 0)
		err = MPI_Start(r);
	if (err == 0)
		err = MPI_Wait(r, MPI_STATUS_IGNORE);
	if (*r != MPI_REQUEST_NULL)
		MPI_Request_free(r);
	return err;
}

#define BLOCKING(Name, name, ...)                     \
	static int call_##name(void)                  \
	{                                             \
		return MPI_##Name(__VA_ARGS__, comm); \
	}
#define NONBLOCKING(Name, name, ...)                                      \
	static int call_i##name(void)                                     \
	{                                                                 \
		MPI_Request r = MPI_REQUEST_NULL;                         \
		return call_wait(MPI_I##name(__VA_ARGS__, comm, &r), &r); \
	}
#define PERSISTENT(Name, name, ...)                                                    \
	static int call_##name##_init(void)                                            \
	{                                                                              \
		MPI_Request r = MPI_REQUEST_NULL;                                      \
		return start_wait(MPI_##Name##_init(__VA_ARGS__, comm, INFO, &r), &r); \
	}
COLLECTIVES(BLOCKING)
COLLECTIVES(NONBLOCKING)
COLLECTIVES(PERSISTENT)
SCANS(BLOCKING)
SCANS(NONBLOCKING)
SCANS(PERSISTENT)

static int call_barrier(void)
{
	return MPI_Barrier(comm);
}

static int call_ibarrier(void)
{
	MPI_Request r = MPI_REQUEST_NULL;

	return call_wait(MPI_Ibarrier(comm, &r), &r);
}

static int call_barrier_init(void)
{
	MPI_Request r = MPI_REQUEST_NULL;

	return start_wait(MPI_Barrier_init(comm, INFO, &r), &r);
}

static int call_dup(void)
{
	MPI_Comm c;

	return MPI_Comm_dup(comm, &c);
}

static int call_idup(void)
{
	MPI_Comm c;
	MPI_Request r = MPI_REQUEST_NULL;

	return call_wait(MPI_Comm_idup(comm, &c, &r), &r);
}

static int call_create(void)
{
	MPI_Comm c;
	MPI_Group g;

	MPI_Comm_group(comm, &g);
	return MPI_Comm_create(comm, g, &c);
}

static int call_split(void)
{
	MPI_Comm c;

	return MPI_Comm_split(comm, 0, 0, &c);
}

static int call_split_type(void)
{
	MPI_Comm c;

	return MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, INFO, &c);
}

/* No process of the other group makes the call. */
static int call_intercomm_create(void)
{
	MPI_Comm c;

	return MPI_Intercomm_create(comm, check_size - 1, MPI_COMM_WORLD, 0, 0, &c);
}

static int call_intercomm_merge(void)
{
	MPI_Comm c;

	return MPI_Intercomm_merge(comm, check_rank == 0, &c);
}

static int call_cart_create(void)
{
	MPI_Comm c;

	return MPI_Cart_create(comm, 1, &check_size, &(int){0}, 0, &c);
}

static int call_graph_create(void)
{
	MPI_Comm c;

	return MPI_Graph_create(comm, 1, &(int){0}, NULL, 0, &c);
}

static int call_dist_graph_create(void)
{
	MPI_Comm c;

	return MPI_Dist_graph_create(comm, 0, NULL, NULL, NULL, MPI_UNWEIGHTED, INFO, 0, &c);
}

static int call_win_create(void)
{
	MPI_Win w;

	return MPI_Win_create(in, sizeof(in), 1, INFO, comm, &w);
}

static int call_win_allocate(void)
{
	MPI_Win w;
	void *base;

	return MPI_Win_allocate(8, 1, INFO, comm, (void *)&base, &w);
}

static int call_win_allocate_shared(void)
{
	MPI_Win w;
	void *base;

	return MPI_Win_allocate_shared(8, 1, INFO, comm, (void *)&base, &w);
}

static int call_win_create_dynamic(void)
{
	MPI_Win w;

	return MPI_Win_create_dynamic(INFO, comm, &w);
}

static int call_file_open(void)
{
	MPI_File f;

	return MPI_File_open(comm, "/dev/null", MPI_MODE_RDWR, INFO, &f);
}

/* Ways to use a call.  Not every one is there for communicators of one group, or of two. */
enum use { BOTH, INTRA, INTER };

struct call {
	const char *name;
	int (*call)(void);
	enum use use;
};

#define ROW(name, use)                  \
	{                               \
#name, call_##name, use \
	}
#define ROWS(Name, name, ...)      ROW(name, BOTH), ROW(i##name, BOTH), ROW(name##_init, BOTH),
#define SCAN_ROWS(Name, name, ...) ROW(name, INTRA), ROW(i##name, INTRA), ROW(name##_init, INTRA),

static const struct call calls[] = {
	COLLECTIVES(ROWS) SCANS(SCAN_ROWS) ROW(barrier, BOTH),
	ROW(ibarrier, BOTH),
	ROW(barrier_init, BOTH),
	ROW(dup, BOTH),
	ROW(idup, BOTH),
	ROW(create, BOTH),
	ROW(split, BOTH),
	ROW(split_type, INTRA),
	ROW(intercomm_create, INTRA),
	ROW(intercomm_merge, INTER),
	ROW(cart_create, INTRA),
	ROW(graph_create, INTRA),
	ROW(dist_graph_create, INTRA),
	ROW(win_create, INTRA),
	ROW(win_allocate, INTRA),
	ROW(win_allocate_shared, INTRA),
	ROW(win_create_dynamic, INTRA),
	ROW(file_open, INTRA),
};

enum { CALLS = sizeof(calls) / sizeof(calls[0]) };

/* --- pairs ---------------------------------------------------------------------------------- */

static void comm_begin(const char *kind)
{
	MPI_Comm half;

	if (strcmp(kind, "split") == 0) {
		OK(MPI_Comm_split(MPI_COMM_WORLD, 0, -check_rank, &comm));
	} else if (!inter) {
		OK(MPI_Comm_dup(MPI_COMM_WORLD, &comm));
	} else {
		OK(MPI_Comm_split(MPI_COMM_WORLD, check_rank % 2, 0, &half));
		OK(MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - check_rank % 2, 0, &comm));
		OK(MPI_Comm_free(&half));
	}
	OK(MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN));
	if (strcmp(kind, "used") == 0)
		OK(MPI_Barrier(comm));
}

static bool call_fits(const struct call *c)
{
	return c->use == BOTH || (c->use == INTER) == inter;
}

/* A second call tells a rank whose first one needed no other rank. */
static void call_two(const struct call *first, const struct call *others, const char *kind)
{
	const struct call *mine = check_rank == 0 ? first : others;
	int err;

	comm_begin(kind);
	err = mine->call();
	if (err == 0)
		err = MPI_Barrier(comm);
	if (!expect(err != 0))
		fprintf(stderr, "rank 0 calls %s, the others %s: rank %d is not told\n",
			first->name, others->name, check_rank);
	MPI_Comm_free(&comm);
	OK(MPI_Barrier(MPI_COMM_WORLD));
}

static const struct call *call_of(const char *name)
{
	for (int i = 0; i < CALLS; i++)
		if (strcmp(calls[i].name, name) == 0)
			return &calls[i];
	CHECK(!"no such call");
	return NULL;
}

static void call_all(const char *kind, int step)
{
	CHECK(step > 0);
	if (check_has_remote() && getenv("HAFT_CHECK") == NULL)
		step = CALLS * CALLS; /* between hosts some end the job, without HAFT_CHECK=coll */
	for (int i = step; i < CALLS * CALLS; i += step)
		if (i / CALLS != i % CALLS && call_fits(&calls[i / CALLS]) &&
			call_fits(&calls[i % CALLS]))
			call_two(&calls[i / CALLS], &calls[i % CALLS], kind);
}

/* Then some pairs end the job in words, after some seconds, without HAFT_CHECK=coll. */
static void call_not_mixed(void)
{
	int local = check_local(0, NULL);

	OK(MPI_Allreduce(MPI_IN_PLACE, &local, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD));
	if (local == 1 || local == check_size || getenv("HAFT_CHECK") != NULL)
		return;
	MPI_Finalize();
	check_skip("some ranks share memory, and not all: such a pair ends the job");
}

int main(int argc, char **argv)
{
	check_init(&argc, &argv);
	if (argc < 3)
		check_skip("no kind and step");
	inter = strcmp(argv[1], "inter") == 0;
	OK(MPI_File_set_errhandler(MPI_FILE_NULL, MPI_ERRORS_RETURN));
	for (int i = 0; i < check_size; i++) {
		counts[i] = 1;
		at[i] = i;
		types[i] = MPI_INT;
	}
	if (argc > 3)
		call_not_mixed();
	if (argc > 3)
		call_two(call_of(argv[2]), call_of(argv[3]), argv[1]);
	else
		call_all(argv[1], atoi(argv[2]));
	MPI_Finalize();
	return check_end();
}
