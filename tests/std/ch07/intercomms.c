// SPDX-License-Identifier: BSD-3-Clause
/* RUN np=2,3,5,8 */
/* RUN np=5 env="HAFT_VIA=net" time=120 */
/* MPI-5.0 7.6: inter-communicators: made, asked, used, copied, split, merged, freed. */
#include "tests/check.h"

static MPI_Comm side, inter; /* odd and even ranks of MPI_COMM_WORLD */
static int me, n, distant, high;

/* Every rank of c sends to every rank of the other group and to no other. */
static void crossed(MPI_Comm c, int mark)
{
	int rank, out, in, remote;
	MPI_Status s;
	MPI_Request r[8];

	OK(MPI_Comm_rank(c, &rank));
	OK(MPI_Comm_remote_size(c, &remote));
	out = mark * 1000 + rank;
	for (int i = 0; i < remote; i++)
		OK(MPI_Isend(&out, 1, MPI_INT, i, mark, c, &r[i]));
	for (int i = 0; i < remote; i++) {
		OK(MPI_Recv(&in, 1, MPI_INT, mark % 2 ? i : MPI_ANY_SOURCE, MPI_ANY_TAG, c, &s));
		CHECK(in == mark * 1000 + s.MPI_SOURCE && s.MPI_TAG == mark);
	}
	OK(MPI_Waitall(remote, r, MPI_STATUSES_IGNORE));
}

/* 7.6.2: two communicators with a leader each become one inter-communicator. */
static void created(void)
{
	int flag;

	high = check_rank % 2;
	OK(MPI_Comm_split(MPI_COMM_WORLD, high, 0, &side));
	OK(MPI_Comm_rank(side, &me));
	OK(MPI_Comm_size(side, &n));
	distant = check_size - n;
	OK(MPI_Intercomm_create(side, n - 1, MPI_COMM_WORLD,
		high ? 2 * (distant - 1) : 2 * distant - 1, 12, &inter));
	OK(MPI_Comm_test_inter(inter, &flag));
	CHECK(flag);
	OK(MPI_Comm_test_inter(side, &flag));
	CHECK(!flag);
	crossed(inter, 1);
}

/* 7.6.1: size and rank are of the local group; the remote one has its own questions. */
static void asked(void)
{
	MPI_Group world, local, remote, both;
	int r, size, cmp;

	OK(MPI_Comm_rank(inter, &r));
	OK(MPI_Comm_size(inter, &size));
	CHECK(r == me && size == n);
	OK(MPI_Comm_remote_size(inter, &size));
	CHECK(size == distant);
	OK(MPI_Comm_group(inter, &local));
	OK(MPI_Comm_remote_group(inter, &remote));
	OK(MPI_Comm_group(MPI_COMM_WORLD, &world));
	OK(MPI_Group_union(local, remote, &both));
	OK(MPI_Group_compare(both, world, &cmp));
	CHECK(cmp != MPI_UNEQUAL);
	OK(MPI_Group_difference(world, local, &both));
	OK(MPI_Group_compare(both, remote, &cmp));
	CHECK(cmp == MPI_IDENT);
	OK(MPI_Comm_set_errhandler(side, MPI_ERRORS_RETURN));
	FAILS(MPI_ERR_COMM, "inter-communicator", MPI_Comm_remote_size(side, &size));
	FAILS(MPI_ERR_COMM, "inter-communicator", MPI_Comm_remote_group(side, &remote));
}

/* 7.4.1: comparing looks at both groups. */
static void inter_compared(void)
{
	MPI_Comm copy, turned;
	int cmp;

	OK(MPI_Comm_dup(inter, &copy));
	OK(MPI_Comm_compare(inter, inter, &cmp));
	CHECK(cmp == MPI_IDENT);
	OK(MPI_Comm_compare(inter, copy, &cmp));
	CHECK(cmp == MPI_CONGRUENT);
	OK(MPI_Comm_compare(inter, side, &cmp));
	CHECK(cmp == MPI_UNEQUAL);
	OK(MPI_Comm_split(inter, 0, -me, &turned));
	OK(MPI_Comm_compare(inter, turned, &cmp));
	CHECK(cmp == (n > 1 || distant > 1 ? MPI_SIMILAR : MPI_CONGRUENT));
	OK(MPI_Comm_free(&turned));
	OK(MPI_Comm_free(&copy));
}

/* 7.4.2: copies of inter-communicators, many of them, and copies of copies. */
static void inter_copied(void)
{
	enum { N = 60 };
	MPI_Comm c[N];
	int flag;

	for (int i = 0; i < N; i++) {
		OK(MPI_Comm_dup(i % 3 ? c[i - 1] : inter, &c[i]));
		OK(MPI_Comm_test_inter(c[i], &flag));
		CHECK(flag);
		crossed(c[i], i);
	}
	for (int i = 0; i < N; i++)
		OK(MPI_Comm_free(&c[i]));
}

/* 7.4.2: a color that only one side has gives MPI_COMM_NULL. */
static void inter_split(void)
{
	MPI_Comm c;
	int size;

	OK(MPI_Comm_split(inter, me % 2, me, &c));
	if (n > me % 2 && distant > me % 2) {
		OK(MPI_Comm_remote_size(c, &size));
		CHECK(size == (distant + 1 - me % 2) / 2);
		crossed(c, 5);
		OK(MPI_Comm_free(&c));
	}
	CHECK(c == MPI_COMM_NULL);
	OK(MPI_Comm_split(inter, me == 0 ? 3 : MPI_UNDEFINED, 0, &c));
	CHECK((c == MPI_COMM_NULL) == (me != 0));
	if (me == 0) {
		crossed(c, 6);
		OK(MPI_Comm_free(&c));
	}
	OK(MPI_Comm_split(inter, high, 0, &c));
	CHECK(c == MPI_COMM_NULL);
}

/* 7.4.2: the group names members of the own side; an empty one gives MPI_COMM_NULL to all. */
static void subset(void)
{
	MPI_Group local, one;
	MPI_Comm c;
	int zero = 0, size;

	OK(MPI_Comm_group(inter, &local));
	OK(MPI_Group_incl(local, 1, &zero, &one));
	OK(MPI_Comm_create(inter, high ? local : one, &c));
	CHECK((c == MPI_COMM_NULL) == (!high && me != 0));
	if (c != MPI_COMM_NULL) {
		OK(MPI_Comm_remote_size(c, &size));
		CHECK(size == (high ? 1 : distant));
		crossed(c, 7);
		OK(MPI_Comm_free(&c));
	}
	OK(MPI_Comm_create(inter, high ? MPI_GROUP_EMPTY : local, &c));
	CHECK(c == MPI_COMM_NULL);
	OK(MPI_Group_free(&one));
	OK(MPI_Group_free(&local));
}

/* 7.6.2: the high group's ranks come last; with equal answers any order will do. */
static void merged(void)
{
	MPI_Comm c;
	int r, size, sum;

	OK(MPI_Intercomm_merge(inter, high, &c));
	OK(MPI_Comm_rank(c, &r));
	CHECK(r == (high ? distant + me : me));
	OK(MPI_Allreduce(&check_rank, &sum, 1, MPI_INT, MPI_SUM, c));
	CHECK(sum == check_size * (check_size - 1) / 2);
	OK(MPI_Comm_free(&c));
	OK(MPI_Intercomm_merge(inter, 1, &c));
	OK(MPI_Comm_size(c, &size));
	OK(MPI_Comm_rank(c, &r));
	CHECK(size == check_size && (r == me || r == distant + me));
	OK(MPI_Allreduce(&r, &sum, 1, MPI_INT, MPI_SUM, c));
	CHECK(sum == check_size * (check_size - 1) / 2);
	OK(MPI_Comm_free(&c));
	FAILS(MPI_ERR_COMM, "inter-communicator", MPI_Intercomm_merge(side, 0, &c));
}

/* 7.6.2: wrong leaders are errors at all members of the group. */
static void inter_refused(void)
{
	MPI_Comm c;

	FAILS(MPI_ERR_COMM, "inter-communicator",
		MPI_Comm_create_group(inter, MPI_GROUP_EMPTY, 0, &c));
	FAILS(MPI_ERR_RANK, "", MPI_Intercomm_create(side, n, MPI_COMM_WORLD, 0, 0, &c));
	FAILS(MPI_ERR_RANK, "", MPI_Intercomm_create(side, 0, MPI_COMM_WORLD, check_size, 0, &c));
	FAILS(MPI_ERR_RANK, "", MPI_Intercomm_create(side, 0, MPI_COMM_WORLD, high, 0, &c));
	FAILS(MPI_ERR_COMM, "", MPI_Intercomm_create(side, 0, MPI_COMM_NULL, 0, 0, &c));
}

int main(int argc, char **argv)
{
	check_init(&argc, &argv);
	created();
	asked();
	inter_compared();
	inter_copied();
	inter_split();
	subset();
	merged();
	OK(MPI_Comm_set_errhandler(inter, MPI_ERRORS_RETURN));
	inter_refused();
	OK(MPI_Comm_free(&inter));
	OK(MPI_Comm_free(&side));
	MPI_Finalize();
	return 0;
}
