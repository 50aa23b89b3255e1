// SPDX-License-Identifier: BSD-3-Clause
/* RUN np=1,2 */
/* MPI-5.0 2.4, 2.6, 2.9: promises by terms of the standard. */
#define MPI_NO_DEPRECATED_WARNINGS
#include "tests/check.h"

/* MPI-5.0 2.4.1: nonblocking calls return before their operation is complete, persistent ones are
 * initialised, started, completed, started again and freed. */
static void operations(void)
{
	int x = 0, y = 9, flag = -1;
	MPI_Request r, p;

	OK(MPI_Irecv(&x, 1, MPI_INT, check_rank, 1, MPI_COMM_WORLD, &r));
	CHECK(r != MPI_REQUEST_NULL);
	OK(MPI_Test(&r, &flag, MPI_STATUS_IGNORE));
	CHECK(!flag && r != MPI_REQUEST_NULL);
	OK(MPI_Send_init(&y, 1, MPI_INT, check_rank, 1, MPI_COMM_WORLD, &p));
	OK(MPI_Test(&p, &flag, MPI_STATUS_IGNORE)); /* inactive: complete at once */
	CHECK(flag && p != MPI_REQUEST_NULL);
	for (int i = 0; i < 3; i++) {
		y = 9 + i;
		OK(MPI_Start(&p));
		OK(MPI_Wait(&p, MPI_STATUS_IGNORE));
		CHECK(p != MPI_REQUEST_NULL);
		OK(MPI_Wait(&r, MPI_STATUS_IGNORE));
		CHECK(x == 9 + i && r == MPI_REQUEST_NULL);
		OK(MPI_Irecv(&x, 1, MPI_INT, check_rank, 1, MPI_COMM_WORLD, &r));
	}
	OK(MPI_Cancel(&r));
	OK(MPI_Wait(&r, MPI_STATUS_IGNORE));
	OK(MPI_Request_free(&p));
	CHECK(p == MPI_REQUEST_NULL);
}

/* MPI-5.0 2.4.2: local procedures need no other process: rank 0 calls them while the others are
 * silent.
 */
static void term_local(void)
{
	MPI_Request r[2];
	MPI_Datatype t;
	MPI_Group g;
	MPI_Info i;
	int x = 1, n, flag;

	if (check_rank == 0) {
		OK(MPI_Comm_size(MPI_COMM_WORLD, &n));
		OK(MPI_Comm_group(MPI_COMM_WORLD, &g));
		OK(MPI_Group_free(&g));
		OK(MPI_Type_contiguous(2, MPI_INT, &t));
		OK(MPI_Type_commit(&t));
		OK(MPI_Type_free(&t));
		OK(MPI_Info_create(&i));
		OK(MPI_Info_free(&i));
		OK(MPI_Iprobe(
			MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE));
		OK(MPI_Isend(&x, 1, MPI_INT, check_size - 1, 2, MPI_COMM_WORLD, &r[0]));
		OK(MPI_Send_init(&x, 1, MPI_INT, check_size - 1, 3, MPI_COMM_WORLD, &r[1]));
		OK(MPI_Request_free(&r[1]));
	}
	OK(MPI_Barrier(MPI_COMM_SELF));
	if (check_rank == check_size - 1)
		OK(MPI_Recv(&x, 1, MPI_INT, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
	if (check_rank == 0)
		OK(MPI_Wait(&r[0], MPI_STATUS_IGNORE));
}

/* MPI-5.0 2.4.3: predefined datatypes are committed; derived ones are used after a commit only; a
 * dup of a predefined one is derived. */
static void datatypes(void)
{
	MPI_Datatype t;
	int x = 3, y = 0, ni, na, nd, combiner;

	OK(MPI_Type_get_envelope(MPI_INT, &ni, &na, &nd, &combiner));
	CHECK(combiner == MPI_COMBINER_NAMED);
	OK(MPI_Type_contiguous(1, MPI_INT, &t));
	FAILS(MPI_ERR_TYPE, "committed", MPI_Send(&x, 1, t, check_rank, 0, MPI_COMM_WORLD));
	OK(MPI_Type_commit(&t));
	OK(MPI_Sendrecv(&x, 1, t, 0, 0, &y, 1, MPI_INT, 0, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE));
	CHECK(y == 3);
	OK(MPI_Type_free(&t));
	OK(MPI_Type_dup(MPI_INT, &t));
	OK(MPI_Type_get_envelope(t, &ni, &na, &nd, &combiner));
	CHECK(combiner == MPI_COMBINER_DUP && t != MPI_INT);
	OK(MPI_Type_free(&t));
}

/* MPI-5.0 2.6.1: deprecated functions are there and do what their successors do. */
static void term_deprecated(void)
{
	MPI_Count big = 0;
	int key, flag, x;
	void *v;

	OK(MPI_Keyval_create(MPI_NULL_COPY_FN, MPI_NULL_DELETE_FN, &key, NULL));
	OK(MPI_Attr_put(MPI_COMM_SELF, key, &x));
	OK(MPI_Comm_get_attr(MPI_COMM_SELF, key, &v, &flag));
	CHECK(flag && v == &x);
	OK(MPI_Attr_delete(MPI_COMM_SELF, key));
	OK(MPI_Keyval_free(&key));
	OK(MPI_Type_size_x(MPI_INT, &big));
	CHECK(big == sizeof(int));
}

/* MPI-5.0 2.6.3: C functions return an int, MPI_SUCCESS if all is well; input buffers and arrays
 * are const; flags are 0 or 1. */
static void language(void)
{
	static const int fixed[2] = {4, 5};
	int (*send)(const void *, int, MPI_Datatype, int, int, MPI_Comm) = MPI_Send;
	int got[2] = {0}, flag = 7;
	MPI_Request r;

	OK(MPI_Irecv(got, 2, MPI_INT, 0, 0, MPI_COMM_SELF, &r));
	CHECK(send(fixed, 2, MPI_INT, 0, 0, MPI_COMM_SELF) == MPI_SUCCESS);
	OK(MPI_Wait(&r, MPI_STATUS_IGNORE));
	CHECK(got[0] == 4 && got[1] == 5);
	OK(MPI_Initialized(&flag));
	CHECK(flag == 1);
	OK(MPI_Comm_test_inter(MPI_COMM_SELF, &flag));
	CHECK(flag == 0);
}

/* MPI-5.0 2.6.4: clocks and arithmetic of addresses are functions or macros that take
 * expressions. */
static void macros(void)
{
	MPI_Aint base = 100;
	int n = 0;

	CHECK(MPI_Aint_add(base + n++, 5) == 105 && n == 1);
	CHECK(MPI_Aint_diff(base + n++, 100) == 1 && n == 2);
	CHECK(PMPI_Wtime() <= MPI_Wtime() && MPI_Wtick() > 0);
}

/* MPI-5.0 2.9: a message is delivered while its sender computes or is in other calls of MPI. */
static void progress(void)
{
	enum { N = 300000 };
	static int out[N], in[N];
	int other = check_size - 1 - check_rank, flag = 0;
	MPI_Request r[2];

	for (int i = 0; i < N; i++)
		out[i] = i + check_rank;
	OK(MPI_Irecv(in, N, MPI_INT, other, 6, MPI_COMM_WORLD, &r[0]));
	OK(MPI_Isend(out, N, MPI_INT, other, 6, MPI_COMM_WORLD, &r[1]));
	while (!flag) /* the test of one moves the other */
		OK(MPI_Test(&r[check_rank % 2], &flag, MPI_STATUS_IGNORE));
	OK(MPI_Waitall(2, r, MPI_STATUSES_IGNORE));
	CHECK(in[0] == other && in[N - 1] == N - 1 + other);
}

int main(int argc, char **argv)
{
	check_init(&argc, &argv);
	OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
	OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
	operations();
	term_local();
	datatypes();
	term_deprecated();
	language();
	macros();
	progress();
	MPI_Finalize();
	return 0;
}
