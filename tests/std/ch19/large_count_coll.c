// SPDX-License-Identifier: BSD-3-Clause
/* RUN np=1,3 */
/* RUN np=3 env="HAFT_COLL=p2p" */
/* MPI-5.0 19.2, 6.12, 6.13: the large-count forms of collective calls, blocking, nonblocking and
 * persistent, give what their plain forms give. */
#include "tests/check.h"

enum { EACH = 3, MOST = 8 * EACH };

static int n, me;
static int out[MOST], in[MOST], want[MOST];
static MPI_Count counts[8];
static MPI_Aint displs[8], bytes[8];
static int icounts[8], idispls[8], ibytes[8];
static MPI_Datatype types[8];

static void fresh(int *buf)
{
	for (int i = 0; i < MOST; i++) {
		out[i] = me * 100 + i;
		buf[i] = -1;
	}
}

static void large_end(MPI_Request *r, int is_persistent)
{
	if (is_persistent)
		OK(MPI_Start(r));
	OK(MPI_Wait(r, MPI_STATUS_IGNORE));
	if (is_persistent)
		OK(MPI_Request_free(r));
}

static void large_same(const char *call, const char *form)
{
	if (memcmp(in, want, sizeof(in)) == 0)
		return;
	fprintf(stderr, "rank %d: %s, %s: another result\n", me, call, form);
	MPI_Abort(MPI_COMM_WORLD, 1);
}

/* `simple' are the arguments of the plain form, which receives into want.  The others are those of
 * the other forms, which receive into in. */
#define FORMS(Big, low, simple, ...)                                    \
	do {                                                            \
		MPI_Request r;                                          \
		fresh(want);                                            \
		OK(MPI_##Big simple);                                   \
		fresh(in);                                              \
		OK(MPI_##Big##_c(__VA_ARGS__));                         \
		large_same(#Big, "blocking");                           \
		fresh(in);                                              \
		OK(MPI_I##low##_c(__VA_ARGS__, &r));                    \
		large_end(&r, 0);                                       \
		large_same(#Big, "nonblocking");                        \
		fresh(in);                                              \
		OK(MPI_##Big##_init_c(__VA_ARGS__, MPI_INFO_NULL, &r)); \
		large_end(&r, 1);                                       \
		large_same(#Big, "persistent");                         \
	} while (0)

#define T MPI_INT
#define C MPI_COMM_WORLD

static void rooted(void)
{
	FORMS(Gather, gather, (out, EACH, T, want, EACH, T, 0, C), out, EACH, T, in, EACH, T, 0, C);
	FORMS(Gatherv, gatherv, (out, EACH, T, want, icounts, idispls, T, 0, C), out, EACH, T, in,
		counts, displs, T, 0, C);
	FORMS(Scatter, scatter, (out, EACH, T, want, EACH, T, 0, C), out, EACH, T, in, EACH, T, 0,
		C);
	FORMS(Scatterv, scatterv, (out, icounts, idispls, T, want, EACH, T, 0, C), out, counts,
		displs, T, in, EACH, T, 0, C);
	FORMS(Reduce, reduce, (out, want, EACH, T, MPI_SUM, 0, C), out, in, EACH, T, MPI_SUM, 0, C);
}

static void large_all_to_all(void)
{
	FORMS(Allgather, allgather, (out, EACH, T, want, EACH, T, C), out, EACH, T, in, EACH, T, C);
	FORMS(Allgatherv, allgatherv, (out, EACH, T, want, icounts, idispls, T, C), out, EACH, T,
		in, counts, displs, T, C);
	FORMS(Alltoall, alltoall, (out, EACH, T, want, EACH, T, C), out, EACH, T, in, EACH, T, C);
	FORMS(Alltoallv, alltoallv, (out, icounts, idispls, T, want, icounts, idispls, T, C), out,
		counts, displs, T, in, counts, displs, T, C);
	FORMS(Alltoallw, alltoallw, (out, icounts, ibytes, types, want, icounts, ibytes, types, C),
		out, counts, bytes, types, in, counts, bytes, types, C);
}

static void large_reductions(void)
{
	FORMS(Allreduce, allreduce, (out, want, EACH, T, MPI_MAX, C), out, in, EACH, T, MPI_MAX, C);
	FORMS(Reduce_scatter_block, reduce_scatter_block, (out, want, EACH, T, MPI_SUM, C), out, in,
		EACH, T, MPI_SUM, C);
	FORMS(Reduce_scatter, reduce_scatter, (out, want, icounts, T, MPI_SUM, C), out, in, counts,
		T, MPI_SUM, C);
	FORMS(Scan, scan, (out, want, EACH, T, MPI_SUM, C), out, in, EACH, T, MPI_SUM, C);
	FORMS(Exscan, exscan, (out, want, EACH, T, MPI_SUM, C), out, in, EACH, T, MPI_SUM, C);
}

/* Its buffer is both input and output. */
static void bcast(void)
{
	MPI_Request r;

	for (int form = 0; form < 3; form++) {
		fresh(in);
		if (me == n - 1)
			memcpy(in, out, sizeof(in));
		if (form == 0)
			OK(MPI_Bcast_c(in, MOST, T, n - 1, C));
		else if (form == 1)
			OK(MPI_Ibcast_c(in, MOST, T, n - 1, C, &r));
		else
			OK(MPI_Bcast_init_c(in, MOST, T, n - 1, C, MPI_INFO_NULL, &r));
		if (form > 0)
			large_end(&r, form == 2);
		for (int i = 0; i < MOST; i++)
			CHECK(in[i] == (n - 1) * 100 + i);
	}
}

int main(int argc, char **argv)
{
	check_init(&argc, &argv);
	n = check_size;
	me = check_rank;
	for (int i = 0; i < n; i++) {
		counts[i] = icounts[i] = EACH;
		displs[i] = idispls[i] = (n - 1 - i) * EACH;
		bytes[i] = ibytes[i] = idispls[i] * (int)sizeof(int);
		types[i] = T;
	}
	rooted();
	large_all_to_all();
	large_reductions();
	bcast();
	MPI_Finalize();
	return 0;
}
