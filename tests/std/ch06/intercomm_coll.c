/* SPDX-License-Identifier: BSD-3-Clause */
/* RUN np=2,3,5,8 */
/* MPI-5.0 6.2.2, 6.2.3: collective calls between two groups, in three forms. */
#include "tests/std/forms.h"
#include <string.h>

#define MAX 16

static MPI_Comm comm;
static int n, m, me, low; /* of this group, of the other; the first group? */
static int in[MAX * MAX], out[MAX * MAX];

/* The value of member r of a group at index i. */
static int inter_value(int first_group, int r, int i)
{
	return first_group * 100000 + r * 1000 + i;
}

static void inter_ready(void)
{
	for (int i = 0; i < MAX * MAX; i++)
		in[i] = inter_value(low, me, i);
	memset(out, 0, sizeof(out));
}

/* The root argument of a call whose root is member r of the first group. */
static int root_of(int r)
{
	return !low ? r : me == r ? MPI_ROOT : MPI_PROC_NULL;
}

/* Data go from the first group's root to the second group. */
static void rooted_out(int r)
{
	int counts[MAX], displs[MAX], root = root_of(r);

	for (int i = 0; i < MAX; i++) {
		counts[i] = i % 3;
		displs[i] = (MAX - i) * 3;
	}
	inter_ready();
	FORM(Bcast, bcast, low ? in : out, 5, MPI_INT, root, comm);
	expect_eq(out[4], low ? 0 : inter_value(1, r, 4));
	inter_ready();
	FORM(Scatter, scatter, in, 2, MPI_INT, out, 2, MPI_INT, root, comm);
	expect_eq(out[1], low ? 0 : inter_value(1, r, 2 * me + 1));
	inter_ready();
	FORM(Scatterv, scatterv, in, counts, displs, MPI_INT, out, me % 3, MPI_INT, root, comm);
	expect_eq(out[0], low || me % 3 == 0 ? 0 : inter_value(1, r, displs[me]));
}

/* Data go from the second group to the first group's root. */
static void rooted_in(int r)
{
	int counts[MAX], displs[MAX], root = root_of(r), sum = 0;

	for (int i = 0; i < MAX; i++) {
		counts[i] = i % 3;
		displs[i] = (MAX - i) * 3;
	}
	inter_ready();
	FORM(Gather, gather, in, 2, MPI_INT, out, 2, MPI_INT, root, comm);
	for (int i = 0; i < m && low; i++)
		expect_eq(out[2 * i + 1], me == r ? inter_value(0, i, 1) : 0);
	inter_ready();
	FORM(Gatherv, gatherv, in, me % 3, MPI_INT, out, counts, displs, MPI_INT, root, comm);
	for (int i = 0; i < m && low; i++)
		expect_eq(out[displs[i]], me == r && i % 3 > 0 ? inter_value(0, i, 0) : 0);
	inter_ready();
	FORM(Reduce, reduce, in, out, 4, MPI_INT, MPI_SUM, root, comm);
	for (int i = 0; i < m; i++)
		sum += inter_value(0, i, 3);
	expect_eq(out[3], low && me == r ? sum : 0);
}

static void inter_all_to_all(void)
{
	int sc[MAX], sd[MAX], rc[MAX], rd[MAX], b[MAX];
	MPI_Datatype types[MAX];

	for (int i = 0; i < MAX; i++) {
		sc[i] = (i + me) % 3;
		rc[i] = sc[i];
		sd[i] = i * 3;
		rd[i] = (MAX - i) * 3;
		b[i] = rd[i] * (int)sizeof(int);
		types[i] = MPI_INT;
	}
	inter_ready();
	FORM(Allgather, allgather, in, 2, MPI_INT, out, 2, MPI_INT, comm);
	for (int i = 0; i < m; i++)
		expect_eq(out[2 * i + 1], inter_value(!low, i, 1));
	inter_ready();
	FORM(Alltoall, alltoall, in, 2, MPI_INT, out, 2, MPI_INT, comm);
	for (int i = 0; i < m; i++)
		expect_eq(out[2 * i + 1], inter_value(!low, i, 2 * me + 1));
	inter_ready();
	FORM(Alltoallv, alltoallv, in, sc, sd, MPI_INT, out, rc, rd, MPI_INT, comm);
	for (int i = 0; i < m; i++)
		expect_eq(out[rd[i]], rc[i] > 0 ? inter_value(!low, i, 3 * me) : 0);
	inter_ready();
	for (int i = 0; i < MAX; i++)
		sd[i] *= (int)sizeof(int);
	FORM(Alltoallw, alltoallw, in, sc, sd, types, out, rc, b, types, comm);
	for (int i = 0; i < m; i++)
		expect_eq(out[rd[i]], rc[i] > 0 ? inter_value(!low, i, 3 * me) : 0);
	for (int i = 0; i < MAX; i++)
		rc[i] = i % 3;
	inter_ready();
	FORM(Allgatherv, allgatherv, in, me % 3, MPI_INT, out, rc, rd, MPI_INT, comm);
	for (int i = 0; i < m; i++)
		expect_eq(out[rd[i]], rc[i] > 0 ? inter_value(!low, i, 0) : 0);
}

static void inter_reductions(void)
{
	int counts[MAX] = {0}, sum = 0, mine = 0;

	inter_ready();
	FORM(Allreduce, allreduce, in, out, 7, MPI_INT, MPI_SUM, comm);
	for (int i = 0; i < m; i++)
		sum += inter_value(!low, i, 6);
	expect_eq(out[6], sum);
	/* n * m elements in both groups */
	inter_ready();
	FORM(Reduce_scatter_block, reduce_scatter_block, in, out, m, MPI_INT, MPI_SUM, comm);
	expect_eq(out[m - 1], sum + m * (me * m + m - 1 - 6));
	counts[n - 1] = n * m;
	if (n > 1) {
		counts[0] = 1;
		counts[n - 1]--;
		mine = me == 0 ? 0 : 1;
	}
	inter_ready();
	FORM(Reduce_scatter, reduce_scatter, in, out, counts, MPI_INT, MPI_SUM, comm);
	expect_eq(out[0], me == 0 || me == n - 1 ? sum + m * (mine - 6) : 0);
	FORM(Barrier, barrier, comm);
}

int main(int argc, char **argv)
{
	int all, rank, cut;
	MPI_Comm local;

	MPI_Init(&argc, &argv);
	MPI_Comm_size(MPI_COMM_WORLD, &all);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	cut = (all + 2) / 3;
	low = rank < cut;
	MPI_Comm_split(MPI_COMM_WORLD, low, rank, &local);
	MPI_Intercomm_create(local, 0, MPI_COMM_WORLD, low ? cut : 0, 3, &comm);
	MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
	MPI_Comm_size(comm, &n);
	MPI_Comm_remote_size(comm, &m);
	MPI_Comm_rank(comm, &me);
	for (form = 0; form < 3; form++) {
		for (int r = 0; r < cut; r++) {
			rooted_out(r);
			rooted_in(r);
		}
		inter_all_to_all();
		inter_reductions();
	}
	expect_eq(MPI_Scan(in, out, 1, MPI_INT, MPI_SUM, comm), MPI_ERR_COMM);
	expect_eq(MPI_Allreduce(MPI_IN_PLACE, out, 1, MPI_INT, MPI_SUM, comm), MPI_ERR_BUFFER);
	MPI_Comm_free(&comm);
	MPI_Comm_free(&local);
	MPI_Finalize();
	return check_end();
}
