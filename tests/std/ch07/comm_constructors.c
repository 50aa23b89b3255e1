// SPDX-License-Identifier: BSD-3-Clause
/* RUN np=1,2,5,8 */
/* MPI-5.0 7.4: dup, split, create, create_group, compare, free; messages of one communicator never
 * meet another's. */
#include "tests/check.h"

/* All members of c can talk, in c alone. */
static void talks(MPI_Comm c, int mark)
{
	int me, n, in = -1, out, sum;

	OK(MPI_Comm_rank(c, &me));
	OK(MPI_Comm_size(c, &n));
	out = mark * 1000 + me;
	OK(MPI_Sendrecv(&out, 1, MPI_INT, (me + 1) % n, 1, &in, 1, MPI_INT, (me + n - 1) % n, 1, c,
		MPI_STATUS_IGNORE));
	CHECK(in == mark * 1000 + (me + n - 1) % n);
	OK(MPI_Allreduce(&me, &sum, 1, MPI_INT, MPI_SUM, c));
	CHECK(sum == n * (n - 1) / 2);
}

static void constructor_dups(void)
{
	enum { N = 300 };
	MPI_Comm c[N];
	int cmp, x = -1, out[N];
	MPI_Request r[N];

	for (int i = 0; i < N; i++) {
		OK(MPI_Comm_dup(i % 3 ? c[i - 1] : MPI_COMM_WORLD, &c[i]));
		talks(c[i], i);
	}
	OK(MPI_Comm_compare(c[0], MPI_COMM_WORLD, &cmp));
	CHECK(cmp == MPI_CONGRUENT);
	OK(MPI_Comm_compare(c[0], c[0], &cmp));
	CHECK(cmp == MPI_IDENT);
	/* the same source and tag in all of them at once, received in another order */
	for (int i = 0; i < N; i++) {
		out[i] = i;
		OK(MPI_Isend(&out[i], 1, MPI_INT, (check_rank + 1) % check_size, 3, c[i], &r[i]));
	}
	for (int i = N - 1; i >= 0; i--) {
		OK(MPI_Recv(&x, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, c[i], MPI_STATUS_IGNORE));
		CHECK(x == i);
	}
	OK(MPI_Waitall(N, r, MPI_STATUSES_IGNORE));
	for (int i = 0; i < N; i++) {
		OK(MPI_Comm_free(&c[i]));
		CHECK(c[i] == MPI_COMM_NULL);
	}
}

static void splits(void)
{
	MPI_Comm odd, back, none;
	int me, n, cmp;

	OK(MPI_Comm_split(MPI_COMM_WORLD, check_rank % 2, 0, &odd));
	OK(MPI_Comm_rank(odd, &me));
	OK(MPI_Comm_size(odd, &n));
	CHECK(me == check_rank / 2 && n == (check_size + 1 - check_rank % 2) / 2);
	talks(odd, check_rank % 2);
	OK(MPI_Comm_split(MPI_COMM_WORLD, 7, -check_rank, &back));
	OK(MPI_Comm_rank(back, &me));
	CHECK(me == check_size - 1 - check_rank);
	OK(MPI_Comm_compare(back, MPI_COMM_WORLD, &cmp));
	CHECK(cmp == (check_size == 1 ? MPI_CONGRUENT : MPI_SIMILAR));
	talks(back, 5);
	OK(MPI_Comm_split(back, check_rank == 0 ? MPI_UNDEFINED : 1, 0, &none));
	CHECK((none == MPI_COMM_NULL) == (check_rank == 0));
	if (none != MPI_COMM_NULL) {
		talks(none, 6);
		OK(MPI_Comm_free(&none));
	}
	OK(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &none));
	talks(none, 8);
	OK(MPI_Comm_free(&none));
	OK(MPI_Comm_free(&odd));
	OK(MPI_Comm_free(&back));
}

static void creates(void)
{
	MPI_Group world, half, other;
	MPI_Comm c;
	int range[1][3] = {{0, check_size - 1, 2}}, mine = check_rank % 2;

	OK(MPI_Comm_group(MPI_COMM_WORLD, &world));
	OK(MPI_Group_range_incl(world, 1, range, &half));
	OK(MPI_Comm_create(MPI_COMM_WORLD, half, &c));
	CHECK((c == MPI_COMM_NULL) == (mine == 1));
	if (c != MPI_COMM_NULL) {
		talks(c, 11);
		OK(MPI_Comm_free(&c));
	}
	OK(MPI_Group_difference(world, half, &other));
	/* two groups at once, and no others take part */
	if (mine == 0 || check_size > 1)
		OK(MPI_Comm_create_group(MPI_COMM_WORLD, mine ? other : half, 9, &c));
	talks(c, 12 + mine);
	OK(MPI_Comm_free(&c));
	OK(MPI_Group_free(&world));
	OK(MPI_Group_free(&half));
	OK(MPI_Group_free(&other));
}

/* Freed while a receive is pending: the operation goes on (7.4.3). */
static void constructor_freed(void)
{
	MPI_Comm c, old;
	MPI_Request r;
	char name[MPI_MAX_OBJECT_NAME];
	int x = -1, n;

	OK(MPI_Comm_dup(MPI_COMM_WORLD, &c));
	old = c;
	OK(MPI_Irecv(&x, 1, MPI_INT, (check_rank + 1) % check_size, 0, c, &r));
	OK(MPI_Send(&check_rank, 1, MPI_INT, (check_rank + check_size - 1) % check_size, 0, c));
	OK(MPI_Comm_free(&c));
	OK(MPI_Wait(&r, MPI_STATUS_IGNORE));
	CHECK(x == (check_rank + 1) % check_size);
	FAILS(MPI_ERR_COMM, "freed", MPI_Comm_size(old, &n));
	OK(MPI_Comm_get_name(MPI_COMM_NULL, name, &n));
	CHECK(strcmp(name, "MPI_COMM_NULL") == 0 && n == 13);
	c = MPI_COMM_WORLD;
	FAILS(MPI_ERR_COMM, "", MPI_Comm_free(&c));
	CHECK(c == MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
	check_init(&argc, &argv);
	OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
	OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
	constructor_dups();
	splits();
	creates();
	constructor_freed();
	MPI_Finalize();
	return 0;
}
