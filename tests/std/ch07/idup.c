// SPDX-License-Identifier: BSD-3-Clause
/* RUN np=1,2,5,8 */
/* MPI-5.0 7.4.2: MPI_Comm_idup: many at once, in any order of completion, with other constructors
 * in between, from inter-communicators too. */
#include "tests/check.h"

enum { MANY = 300 };

/* Messages of all the communicators at once, received in another order. */
static void idup_apart(MPI_Comm *c, int n, int peer, int from)
{
	MPI_Request r[MANY];
	int x, out[MANY];

	for (int i = 0; i < n; i++) {
		out[i] = i;
		OK(MPI_Isend(&out[i], 1, MPI_INT, peer, 3, c[i], &r[i]));
	}
	for (int i = n - 1; i >= 0; i--) {
		x = -1;
		OK(MPI_Recv(&x, 1, MPI_INT, from, 3, c[i], MPI_STATUS_IGNORE));
		CHECK(x == i);
	}
	OK(MPI_Waitall(n, r, MPI_STATUSES_IGNORE));
}

static void idup_many(MPI_Comm parent, int peer, int from)
{
	static MPI_Comm c[MANY];
	static MPI_Request r[MANY];
	MPI_Comm other;

	for (int i = 0; i < MANY; i++) {
		OK(MPI_Comm_idup(i % 4 == 3 ? MPI_COMM_WORLD : parent, &c[i], &r[i]));
		if (i % 50 == 0) { /* blocking constructors of the same parent go their own way */
			OK(MPI_Comm_dup(parent, &other));
			OK(MPI_Comm_free(&other));
			OK(MPI_Comm_split(parent, 0, 0, &other));
			OK(MPI_Comm_free(&other));
		}
	}
	for (int i = MANY - 1; i >= 0; i -= 2)
		OK(MPI_Wait(&r[i], MPI_STATUS_IGNORE));
	OK(MPI_Waitall(MANY, r, MPI_STATUSES_IGNORE));
	for (int i = 3; i < MANY; i += 4) {
		OK(MPI_Barrier(c[i]));
		OK(MPI_Comm_free(&c[i]));
		OK(MPI_Comm_dup(parent, &c[i]));
	}
	idup_apart(c, MANY, peer, from);
	for (int i = 0; i < MANY; i++)
		OK(MPI_Comm_free(&c[i]));
}

/* It waits for no member: others come later. */
static void idup_local(MPI_Comm parent, int me, int n)
{
	MPI_Comm c[20];
	MPI_Request r[20];

	if (me == 0)
		OK(MPI_Barrier(MPI_COMM_WORLD)); /* not of the parent, whose calls have one order */
	for (int i = 0; i < 20; i++)
		OK(MPI_Comm_idup(parent, &c[i], &r[i]));
	if (me != 0)
		OK(MPI_Barrier(MPI_COMM_WORLD));
	OK(MPI_Waitall(20, r, MPI_STATUSES_IGNORE));
	idup_apart(c, 20, (me + 1) % n, (me + n - 1) % n);
	for (int i = 0; i < 20; i++)
		OK(MPI_Comm_free(&c[i]));
}

static int copies;

static int idup_copy(MPI_Comm c, int key, void *extra, void *in, void *out, int *flag)
{
	(void)c;
	(void)key;
	(void)extra;
	copies++;
	*(void **)out = in;
	*flag = 1;
	return in == (void *)1 ? MPI_SUCCESS : MPI_ERR_INTERN;
}

/* Attributes are those of the time of the call; a copy that fails leaves the ids in step. */
static void idup_attributes(MPI_Comm parent, int me, int n)
{
	int key, flag;
	void *v;
	MPI_Comm c[9], d;
	MPI_Request r[8], none;

	OK(MPI_Comm_create_keyval(idup_copy, MPI_COMM_NULL_DELETE_FN, &key, NULL));
	OK(MPI_Comm_set_attr(parent, key, (void *)1));
	for (int i = 0; i < 8; i++)
		OK(MPI_Comm_idup(parent, &c[i], &r[i]));
	CHECK(copies == 8);
	OK(MPI_Comm_set_attr(parent, key, (void *)2));
	OK(MPI_Comm_set_errhandler(parent, MPI_ERRORS_RETURN));
	for (int i = 0; i < 9; i++)
		FAILS(MPI_ERR_INTERN, "", MPI_Comm_idup(parent, &c[8], &none));
	OK(MPI_Comm_delete_attr(parent, key));
	OK(MPI_Comm_dup(parent, &d));
	OK(MPI_Barrier(d));
	for (int i = 0; i < 8; i++)
		OK(MPI_Wait(&r[i], MPI_STATUS_IGNORE));
	for (int i = 0; i < 8; i++) {
		OK(MPI_Comm_get_attr(c[i], key, &v, &flag));
		CHECK(flag && v == (void *)1);
	}
	idup_apart(c, 8, (me + 1) % n, (me + n - 1) % n);
	for (int i = 0; i < 8; i++)
		OK(MPI_Comm_free(&c[i]));
	OK(MPI_Comm_free(&d));
	OK(MPI_Comm_free_keyval(&key));
}

int main(int argc, char **argv)
{
	int me, n, high;
	MPI_Comm all, side, inter;

	check_init(&argc, &argv);
	OK(MPI_Comm_split(MPI_COMM_WORLD, 0, -check_rank, &all));
	OK(MPI_Comm_rank(all, &me));
	n = check_size;
	idup_many(all, (me + 1) % n, (me + n - 1) % n);
	idup_local(all, me, n);
	OK(MPI_Comm_free(&all));
	OK(MPI_Comm_split(MPI_COMM_WORLD, 0, -check_rank, &all));
	idup_attributes(all, me, n);
	if (n % 2 == 0) {
		high = check_rank % 2;
		OK(MPI_Comm_split(MPI_COMM_WORLD, high, 0, &side));
		OK(MPI_Intercomm_create(side, 0, MPI_COMM_WORLD, 1 - high, 0, &inter));
		idup_many(inter, check_rank / 2, check_rank / 2);
		OK(MPI_Comm_free(&inter));
		OK(MPI_Comm_free(&side));
	}
	OK(MPI_Comm_free(&all));
	MPI_Finalize();
	return 0;
}
