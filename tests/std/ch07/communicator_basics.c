// SPDX-License-Identifier: BSD-3-Clause
/* RUN np=1,2,5 */
/* MPI-5.0 7.2, 7.4.1, 7.4.3: parts of a communicator: its processes, its context, its end. */
#include "tests/check.h"

/* MPI-5.0 7.2.2: communicators of the same processes have contexts of their own: messages with the
 * same tag do not meet, nor do those of collectives and of users. */
static void contexts(void)
{
	int right = (check_rank + 1) % check_size,
	    left = (check_rank + check_size - 1) % check_size;
	int out[3] = {1, 2, 3}, in[3] = {0}, sum = 0, one = 1, flag;
	MPI_Comm c[3] = {MPI_COMM_WORLD};
	MPI_Request r[6];

	OK(MPI_Comm_dup(MPI_COMM_WORLD, &c[1]));
	OK(MPI_Comm_dup(MPI_COMM_WORLD, &c[2]));
	for (int i = 0; i < 3; i++)
		OK(MPI_Isend(&out[i], 1, MPI_INT, right, 7, c[i], &r[i]));
	OK(MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, c[1]));
	CHECK(sum == check_size);
	for (int i = 2; i >= 0; i--)
		OK(MPI_Irecv(&in[i], 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, c[i], &r[3 + i]));
	OK(MPI_Waitall(6, r, MPI_STATUSES_IGNORE));
	CHECK(in[0] == 1 && in[1] == 2 && in[2] == 3);
	OK(MPI_Send(&out[0], 1, MPI_INT, right, 8, c[2]));
	OK(MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, c[1], &flag, MPI_STATUS_IGNORE));
	CHECK(!flag);
	OK(MPI_Recv(&in[0], 1, MPI_INT, left, 8, c[2], MPI_STATUS_IGNORE));
	OK(MPI_Comm_free(&c[1]));
	OK(MPI_Comm_free(&c[2]));
}

/* MPI-5.0 7.2.3, 7.2.4: MPI_COMM_WORLD has all processes, MPI_COMM_SELF this one, for all of the
 * program; intra-communicators have one group, in which ranks are dense. */
static void basic_predefined(void)
{
	int n, r, inter;
	MPI_Group w, s;

	OK(MPI_Comm_size(MPI_COMM_WORLD, &n));
	OK(MPI_Comm_rank(MPI_COMM_WORLD, &r));
	CHECK(n == check_size && r == check_rank && r >= 0 && r < n);
	OK(MPI_Comm_size(MPI_COMM_SELF, &n));
	OK(MPI_Comm_rank(MPI_COMM_SELF, &r));
	CHECK(n == 1 && r == 0);
	OK(MPI_Comm_test_inter(MPI_COMM_WORLD, &inter));
	CHECK(!inter);
	OK(MPI_Comm_group(MPI_COMM_WORLD, &w));
	OK(MPI_Comm_group(MPI_COMM_SELF, &s));
	r = 0;
	OK(MPI_Group_translate_ranks(s, 1, &r, w, &n));
	CHECK(n == check_rank);
	OK(MPI_Group_free(&w));
	OK(MPI_Group_free(&s));
}

/* MPI-5.0 7.4.1: communicators are the same, congruent, similar or unequal. */
static void basic_compared(void)
{
	MPI_Comm dup, reversed, part;
	int result;

	OK(MPI_Comm_dup(MPI_COMM_WORLD, &dup));
	OK(MPI_Comm_split(MPI_COMM_WORLD, 0, -check_rank, &reversed));
	OK(MPI_Comm_split(MPI_COMM_WORLD, check_rank, 0, &part));
	OK(MPI_Comm_compare(MPI_COMM_WORLD, MPI_COMM_WORLD, &result));
	CHECK(result == MPI_IDENT);
	OK(MPI_Comm_compare(MPI_COMM_WORLD, dup, &result));
	CHECK(result == MPI_CONGRUENT);
	OK(MPI_Comm_compare(MPI_COMM_WORLD, reversed, &result));
	CHECK(result == (check_size == 1 ? MPI_CONGRUENT : MPI_SIMILAR));
	OK(MPI_Comm_compare(MPI_COMM_WORLD, part, &result));
	CHECK(result == (check_size == 1 ? MPI_CONGRUENT : MPI_UNEQUAL));
	OK(MPI_Comm_free(&dup));
	OK(MPI_Comm_free(&reversed));
	OK(MPI_Comm_free(&part));
}

/* MPI-5.0 7.4.3: a free marks: operations under way go on, active and inactive requests; the group
 * and the communicators made from it live. */
static void basic_freed(void)
{
	int other = check_size - 1 - check_rank, in[2] = {0}, out[2] = {5, 6}, n;
	MPI_Request r[4];
	MPI_Comm c, child;
	MPI_Group g;

	OK(MPI_Comm_dup(MPI_COMM_WORLD, &c));
	OK(MPI_Comm_dup(c, &child));
	OK(MPI_Comm_group(c, &g));
	OK(MPI_Irecv(&in[0], 1, MPI_INT, other, 1, c, &r[0]));
	OK(MPI_Isend(&out[0], 1, MPI_INT, other, 1, c, &r[1]));
	OK(MPI_Recv_init(&in[1], 1, MPI_INT, other, 2, c, &r[2]));
	OK(MPI_Send_init(&out[1], 1, MPI_INT, other, 2, c, &r[3]));
	OK(MPI_Comm_free(&c));
	CHECK(c == MPI_COMM_NULL);
	OK(MPI_Waitall(2, r, MPI_STATUSES_IGNORE));
	CHECK(in[0] == 5);
	for (int i = 0; i < 3; i++) {
		out[1] = 6 + i;
		OK(MPI_Startall(2, r + 2));
		OK(MPI_Waitall(2, r + 2, MPI_STATUSES_IGNORE));
		CHECK(in[1] == 6 + i);
	}
	OK(MPI_Request_free(&r[2]));
	OK(MPI_Request_free(&r[3]));
	OK(MPI_Barrier(child));
	OK(MPI_Comm_free(&child));
	OK(MPI_Group_size(g, &n));
	CHECK(n == check_size);
	OK(MPI_Group_free(&g));
}

/* MPI-5.0 7.4.2: a dup with hints that is started now and is there later. */
static void basic_idup(void)
{
	char value[8] = "";
	MPI_Info i, used;
	MPI_Request r;
	MPI_Comm c;
	int len = sizeof(value), flag;

	OK(MPI_Info_create(&i));
	OK(MPI_Info_set(i, "mpi_assert_no_any_tag", "true"));
	OK(MPI_Comm_idup_with_info(MPI_COMM_WORLD, i, &c, &r));
	OK(MPI_Info_free(&i));
	OK(MPI_Wait(&r, MPI_STATUS_IGNORE));
	OK(MPI_Barrier(c));
	OK(MPI_Comm_get_info(c, &used));
	OK(MPI_Info_get_string(used, "mpi_assert_no_any_tag", &len, value, &flag));
	CHECK(flag && strcmp(value, "true") == 0);
	OK(MPI_Info_free(&used));
	OK(MPI_Comm_free(&c));
}

/* MPI-5.0 7.6.1: an inter-communicator's own group and the other one. */
static void inter(void)
{
	MPI_Comm half, c;
	MPI_Group g;
	int n, first = check_rank == 0;

	if (check_size == 1)
		return;
	OK(MPI_Comm_split(MPI_COMM_WORLD, first, 0, &half));
	OK(MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, first ? 1 : 0, 3, &c));
	OK(MPI_Comm_test_inter(c, &n));
	CHECK(n);
	OK(MPI_Comm_size(c, &n));
	CHECK(n == (first ? 1 : check_size - 1));
	OK(MPI_Comm_rank(c, &n));
	CHECK(n == (first ? 0 : check_rank - 1));
	OK(MPI_Comm_remote_size(c, &n));
	CHECK(n == (first ? check_size - 1 : 1));
	OK(MPI_Comm_remote_group(c, &g));
	OK(MPI_Group_size(g, &n));
	CHECK(n == (first ? check_size - 1 : 1));
	OK(MPI_Group_rank(g, &n));
	CHECK(n == MPI_UNDEFINED);
	OK(MPI_Group_free(&g));
	OK(MPI_Comm_compare(c, half, &n));
	CHECK(n == MPI_UNEQUAL);
	FAILS(MPI_ERR_COMM, "inter", MPI_Comm_remote_size(half, &n));
	OK(MPI_Comm_free(&half));
	OK(MPI_Comm_free(&c));
}

int main(int argc, char **argv)
{
	check_init(&argc, &argv);
	OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
	OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
	contexts();
	basic_predefined();
	basic_compared();
	basic_freed();
	basic_idup();
	inter();
	MPI_Finalize();
	return 0;
}
