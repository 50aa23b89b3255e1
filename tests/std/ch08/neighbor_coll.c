/* SPDX-License-Identifier: BSD-3-Clause */
/* RUN np=1,2,4,6 */
/* MPI-5.0 8.6: neighbourhood collectives in three forms: order, duplicates, edges,
 * MPI_PROC_NULL. */
#include "tests/std/forms.h"
#include <string.h>

#define MAX 16

static MPI_Comm comm;
static int me, nin, nout, in[MAX], out[MAX];
static int from[MAX]; /* the index of incoming block i among its sender's blocks */
static int data[3 * MAX], got[3 * MAX];

static void neighbor_ready(void)
{
	for (int i = 0; i < 3 * MAX; i++)
		data[i] = me * 100 + i;
	memset(got, -1, sizeof(got));
}

/* Element j of block i came from place `at' of its sender's data. */
static void neighbor_came(int i, int where, int at)
{
	expect_eq(got[where], in[i] == MPI_PROC_NULL ? -1 : in[i] * 100 + at);
}

static void neighbor_all(void)
{
	int one[MAX], two[MAX], displs[MAX];
	MPI_Aint bytes[MAX], back[MAX];
	MPI_Datatype types[MAX];

	for (int i = 0; i < MAX; i++) {
		one[i] = 1;
		two[i] = 2;
		displs[i] = (MAX - 1 - i) * 3;
		bytes[i] = (MPI_Aint)(3 * (size_t)i * sizeof(int));
		back[i] = (MPI_Aint)((size_t)displs[i] * sizeof(int));
		types[i] = MPI_INT;
	}
	neighbor_ready();
	FORM(Neighbor_allgather, neighbor_allgather, data, 2, MPI_INT, got, 2, MPI_INT, comm);
	for (int i = 0; i < nin; i++)
		neighbor_came(i, 2 * i + 1, 1);
	neighbor_ready();
	FORM(Neighbor_allgatherv, neighbor_allgatherv, data, 2, MPI_INT, got, two, displs, MPI_INT,
		comm);
	for (int i = 0; i < nin; i++)
		neighbor_came(i, displs[i] + 1, 1);
	neighbor_ready();
	FORM(Neighbor_alltoall, neighbor_alltoall, data, 2, MPI_INT, got, 2, MPI_INT, comm);
	for (int i = 0; i < nin; i++)
		neighbor_came(i, 2 * i + 1, 2 * from[i] + 1);
	neighbor_ready();
	FORM(Neighbor_alltoallv, neighbor_alltoallv, data, one, displs, MPI_INT, got, one, displs,
		MPI_INT, comm);
	for (int i = 0; i < nin; i++)
		neighbor_came(i, displs[i], displs[from[i]]);
	neighbor_ready();
	FORM(Neighbor_alltoallw, neighbor_alltoallw, data, two, bytes, types, got, two, back, types,
		comm);
	for (int i = 0; i < nin; i++)
		neighbor_came(i, displs[i] + 1, 3 * from[i] + 1);
	/* Displacements from MPI_BOTTOM are addresses, of predefined types too. */
	for (int i = 0; i < MAX; i++) {
		MPI_Get_address(&data[3 * i], &bytes[i]);
		MPI_Get_address(&got[displs[i]], &back[i]);
	}
	neighbor_ready();
	FORM(Neighbor_alltoallw, neighbor_alltoallw, MPI_BOTTOM, two, bytes, types, MPI_BOTTOM, two,
		back, types, comm);
	for (int i = 0; i < nin; i++)
		neighbor_came(i, displs[i] + 1, 3 * from[i] + 1);
}

static void forms(void)
{
	for (form = 0; form < 3; form++)
		neighbor_all();
	MPI_Comm_free(&comm);
}

/* 8.6: dimension by dimension, first the source at -1, then that at +1; data sent at one side
 * comes in at the other. */
static void neighbor_grid(int dims[2], int wraps)
{
	int periods[2] = {wraps & 1, wraps >> 1};

	MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &comm);
	nin = nout = 4;
	for (int d = 0; d < 2; d++)
		MPI_Cart_shift(comm, d, 1, &in[2 * d], &in[2 * d + 1]);
	for (int i = 0; i < 4; i++) {
		out[i] = in[i];
		from[i] = i ^ 1;
	}
	forms();
}

/* Every rank sends twice to the next and once to the one after it. */
static void graph(int n)
{
	nin = nout = 3;
	out[0] = out[2] = (me + 1) % n;
	out[1] = (me + 2) % n;
	in[0] = in[1] = (me + n - 1) % n;
	in[2] = (me + n + n - 2) % n;
	from[0] = 0;
	from[1] = 2;
	from[2] = 1;
	if (n < 3) { /* all edges are between the same two, or of one: in order of sending */
		for (int i = 0; i < 3; i++) {
			out[i] = in[i] = (me + 1) % n;
			from[i] = i;
		}
	}
	MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, nin, in, MPI_UNWEIGHTED, nout, out,
		MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &comm);
	forms();
}

int main(int argc, char **argv)
{
	int n, dims[2];

	MPI_Init(&argc, &argv);
	MPI_Comm_size(MPI_COMM_WORLD, &n);
	MPI_Comm_rank(MPI_COMM_WORLD, &me);
	for (int wraps = 0; wraps < 4; wraps++) {
		for (int d = 1; d <= n; d++) {
			dims[0] = d;
			dims[1] = n / d;
			if (n % d == 0)
				neighbor_grid(dims, wraps);
		}
	}
	graph(n);
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
	expect_eq(MPI_Neighbor_allgather(data, 1, MPI_INT, got, 1, MPI_INT, MPI_COMM_WORLD),
		MPI_ERR_TOPOLOGY);
	MPI_Finalize();
	return check_end();
}
