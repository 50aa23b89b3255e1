// SPDX-License-Identifier: BSD-3-Clause
/* RUN np=1,2,5 */
/* RUN np=5 env="HAFT_VIA=net" time=120 */
/* MPI-5.0 7.4.2, 7.6.2: communicators from groups alone, told apart by their tags. */
#include "tests/check.h"

static void group_works(MPI_Comm c, int size)
{
	int n, one = 1, sum;

	OK(MPI_Comm_size(c, &n));
	CHECK(n == size);
	OK(MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, c));
	CHECK(sum == size);
}

/* 7.4.2: only the members call; the same tag again and again keeps its order. */
static void group_some(MPI_Group world)
{
	MPI_Group odd;
	MPI_Comm c[3];
	int range[1][3] = {{1, check_size - 1, 2}}, rank;

	OK(MPI_Group_range_incl(world, check_size > 1, range, &odd));
	for (int i = 0; i < 3 && check_rank % 2; i++) {
		OK(MPI_Comm_create_from_group(
			odd, "org.haft/odd", MPI_INFO_NULL, MPI_ERRORS_RETURN, &c[i]));
		group_works(c[i], check_size / 2);
		OK(MPI_Comm_rank(c[i], &rank));
		CHECK(rank == check_rank / 2);
	}
	for (int i = 0; i < 3 && check_rank % 2; i++)
		OK(MPI_Comm_free(&c[i]));
	if (odd != MPI_GROUP_EMPTY)
		OK(MPI_Group_free(&odd));
}

/* 7.4.2: the error handler is the argument; nothing comes of an empty group. */
static void group_odds(MPI_Group world)
{
	char tag[MPI_MAX_STRINGTAG_LEN + 1];
	MPI_Errhandler e;
	MPI_Comm c;

	OK(MPI_Comm_create_from_group(world, "one", MPI_INFO_NULL, MPI_ERRORS_RETURN, &c));
	OK(MPI_Comm_get_errhandler(c, &e));
	CHECK(e == MPI_ERRORS_RETURN);
	OK(MPI_Comm_free(&c));
	OK(MPI_Comm_create_from_group(
		MPI_GROUP_EMPTY, "two", MPI_INFO_NULL, MPI_ERRORS_RETURN, &c));
	CHECK(c == MPI_COMM_NULL);
	OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
	memset(tag, 'x', sizeof(tag));
	tag[MPI_MAX_STRINGTAG_LEN] = 0;
	FAILS(MPI_ERR_ARG, "stringtag",
		MPI_Comm_create_from_group(world, tag, MPI_INFO_NULL, MPI_ERRORS_RETURN, &c));
	tag[MPI_MAX_STRINGTAG_LEN - 1] = 0;
	OK(MPI_Comm_create_from_group(world, tag, MPI_INFO_NULL, MPI_ERRORS_RETURN, &c));
	group_works(c, check_size);
	OK(MPI_Comm_free(&c));
}

/* 7.6.2: two groups that know each other. */
static void group_between(MPI_Group world)
{
	int half = check_size / 2, low = check_rank < half, remote, out = check_rank, in, peer;
	int ranges[2][1][3] = {{{half, check_size - 1, 1}}, {{0, half - 1, 1}}};
	MPI_Group mine, other;
	MPI_Comm c, all;

	if (half == 0)
		return;
	OK(MPI_Group_range_incl(world, 1, ranges[low], &mine));
	OK(MPI_Group_range_incl(world, 1, ranges[!low], &other));
	OK(MPI_Intercomm_create_from_groups(
		mine, 0, other, 0, "x", MPI_INFO_NULL, MPI_ERRORS_RETURN, &c));
	(void)all;
	OK(MPI_Comm_remote_size(c, &remote));
	CHECK(remote == (low ? check_size - half : half));
	peer = low ? check_rank : check_rank - half;
	if (peer < half) {
		OK(MPI_Sendrecv(
			&out, 1, MPI_INT, peer, 1, &in, 1, MPI_INT, peer, 1, c, MPI_STATUS_IGNORE));
		CHECK(in == (low ? check_rank + half : check_rank - half));
	}
	OK(MPI_Intercomm_merge(c, !low, &all));
	group_works(all, check_size);
	OK(MPI_Comm_free(&all));
	OK(MPI_Comm_free(&c));
	OK(MPI_Group_free(&mine));
	OK(MPI_Group_free(&other));
}

int main(int argc, char **argv)
{
	MPI_Group world;

	check_init(&argc, &argv);
	OK(MPI_Comm_group(MPI_COMM_WORLD, &world));
	group_some(world);
	group_odds(world);
	group_between(world);
	OK(MPI_Group_free(&world));
	MPI_Finalize();
	return 0;
}
