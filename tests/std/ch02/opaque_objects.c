// SPDX-License-Identifier: BSD-3-Clause
/* RUN np=1,2 */
/* MPI-5.0 2.5.1: opaque objects and their handles, clause by clause, for every kind of objects. */
#include "tests/check.h"

static void opaque_sum(void *a, void *b, int *n, MPI_Datatype *t)
{
	(void)t;
	for (int i = 0; i < *n; i++)
		((int *)b)[i] += ((int *)a)[i];
}

static void opaque_on_error(MPI_Comm *c, int *code, ...)
{
	(void)c;
	(void)code;
}

/* MPI-5.0 2.5.1: handles can be assigned and compared; a free makes the null handle of the kind of
 * the variable, and a copy of the handle is refused from then on (pitfall 16). */
static void opaque_freed(void)
{
	MPI_Comm comm, comm2;
	MPI_Group group, group2;
	MPI_Datatype type, type2;
	MPI_Op op, op2;
	MPI_Info info, info2;
	MPI_Errhandler errh, errh2;
	MPI_Request req, req2;
	int n, x;

	OK(MPI_Comm_dup(MPI_COMM_WORLD, &comm));
	comm2 = comm;
	CHECK(comm == comm2 && comm != MPI_COMM_WORLD && comm != MPI_COMM_NULL);
	OK(MPI_Comm_group(comm2, &group));
	group2 = group;
	OK(MPI_Comm_free(&comm));
	CHECK(comm == MPI_COMM_NULL && comm2 != MPI_COMM_NULL);
	FAILS(MPI_ERR_COMM, "freed", MPI_Comm_size(comm2, &n));
	FAILS(MPI_ERR_COMM, "freed", MPI_Comm_free(&comm2));
	OK(MPI_Group_size(group2, &n));
	CHECK(n == check_size);
	OK(MPI_Group_free(&group));
	CHECK(group == MPI_GROUP_NULL);
	FAILS(MPI_ERR_GROUP, "freed", MPI_Group_size(group2, &n));
	OK(MPI_Type_contiguous(2, MPI_INT, &type));
	type2 = type;
	OK(MPI_Type_free(&type));
	CHECK(type == MPI_DATATYPE_NULL);
	FAILS(MPI_ERR_TYPE, "freed", MPI_Type_size(type2, &n));
	OK(MPI_Op_create(opaque_sum, 1, &op));
	op2 = op;
	OK(MPI_Op_free(&op));
	CHECK(op == MPI_OP_NULL);
	FAILS(MPI_ERR_OP, "freed", MPI_Op_commutative(op2, &n));
	OK(MPI_Info_create(&info));
	info2 = info;
	OK(MPI_Info_free(&info));
	CHECK(info == MPI_INFO_NULL);
	FAILS(MPI_ERR_INFO, "freed", MPI_Info_get_nkeys(info2, &n));
	OK(MPI_Comm_create_errhandler(opaque_on_error, &errh));
	errh2 = errh;
	OK(MPI_Errhandler_free(&errh));
	CHECK(errh == MPI_ERRHANDLER_NULL);
	FAILS(MPI_ERR_ERRHANDLER, "freed", MPI_Comm_set_errhandler(MPI_COMM_SELF, errh2));
	OK(MPI_Recv_init(&x, 1, MPI_INT, 0, 0, MPI_COMM_SELF, &req));
	req2 = req;
	OK(MPI_Request_free(&req));
	CHECK(req == MPI_REQUEST_NULL);
	FAILS(MPI_ERR_REQUEST, "freed", MPI_Start(&req2));
}

/* MPI-5.0 2.5.1, pitfall 16: no handle comes back: a stale one is not that of a younger object, and
 * freeing it has no effect. */
static void stale(void)
{
	MPI_Info old, young[3000];
	MPI_Datatype t, old_t, u;
	int n;

	OK(MPI_Info_create(&old));
	young[0] = old;
	OK(MPI_Info_free(&young[0]));
	for (int i = 0; i < 3000; i++) {
		OK(MPI_Info_create(&young[i]));
		CHECK(young[i] != old);
	}
	FAILS(MPI_ERR_INFO, "freed", MPI_Info_free(&old));
	for (int i = 0; i < 3000; i++) {
		OK(MPI_Info_get_nkeys(young[i], &n));
		OK(MPI_Info_free(&young[i]));
	}
	for (int i = 0; i < 20000; i++) {
		OK(MPI_Type_contiguous(3, MPI_INT, &t));
		if (i > 0)
			CHECK(t != old_t);
		old_t = t;
		OK(MPI_Type_free(&t));
	}
	OK(MPI_Type_contiguous(5, MPI_INT, &u));
	FAILS(MPI_ERR_TYPE, "freed", MPI_Type_size(old_t, &n));
	FAILS(MPI_ERR_TYPE, "freed", MPI_Type_free(&old_t));
	OK(MPI_Type_size(u, &n));
	CHECK(n == 20);
	OK(MPI_Type_free(&u));
}

/* MPI-5.0 2.5.1: an operation under way completes though everything that it uses was freed. */
static void opaque_pending(void)
{
	int other = check_size - 1 - check_rank, in[4] = {0}, out[4] = {1, 2, 3, 4}, total = 0;
	MPI_Request r[3];
	MPI_Datatype t;
	MPI_Comm c;
	MPI_Op op;

	OK(MPI_Comm_dup(MPI_COMM_WORLD, &c));
	OK(MPI_Type_contiguous(4, MPI_INT, &t));
	OK(MPI_Type_commit(&t));
	OK(MPI_Op_create(opaque_sum, 1, &op));
	OK(MPI_Irecv(in, 1, t, other, 5, c, &r[0]));
	OK(MPI_Issend(out, 1, t, other, 5, c, &r[1]));
	r[2] = MPI_REQUEST_NULL;
	OK(MPI_Type_free(&t));
	OK(MPI_Allreduce(&out[1], &total, 1, MPI_INT, op, c));
	OK(MPI_Op_free(&op));
	OK(MPI_Comm_free(&c));
	OK(MPI_Waitall(3, r, MPI_STATUSES_IGNORE));
	CHECK(memcmp(in, out, sizeof(in)) == 0 && total == 2 * check_size);
}

/* MPI-5.0 2.5.1, pitfall 14: predefined objects cannot be freed, and work afterwards. */
static void opaque_predefined(void)
{
	MPI_Comm comm[] = {MPI_COMM_WORLD, MPI_COMM_SELF};
	MPI_Datatype type[] = {MPI_INT, MPI_BYTE, MPI_PACKED, MPI_DOUBLE_INT, MPI_AINT, MPI_REAL};
	MPI_Op op[] = {MPI_SUM, MPI_MAXLOC, MPI_REPLACE, MPI_NO_OP};
	int n;

	for (size_t i = 0; i < sizeof(comm) / sizeof(comm[0]); i++) {
		MPI_Comm was = comm[i];

		FAILS(MPI_ERR_COMM, "predefined", MPI_Comm_free(&comm[i]));
		CHECK(comm[i] == was);
		OK(MPI_Barrier(was));
	}
	for (size_t i = 0; i < sizeof(type) / sizeof(type[0]); i++) {
		MPI_Datatype was = type[i];

		FAILS(MPI_ERR_TYPE, "predefined", MPI_Type_free(&type[i]));
		CHECK(type[i] == was);
		OK(MPI_Type_size(was, &n));
	}
	for (size_t i = 0; i < sizeof(op) / sizeof(op[0]); i++) {
		MPI_Op was = op[i];

		FAILS(MPI_ERR_OP, "predefined", MPI_Op_free(&op[i]));
		CHECK(op[i] == was);
		OK(MPI_Op_commutative(was, &n));
	}
	for (int i = 0; i < 5; i++) { /* constructors give MPI_GROUP_EMPTY, and programs free it */
		MPI_Group g = MPI_GROUP_EMPTY, w;

		OK(MPI_Group_free(&g));
		CHECK(g == MPI_GROUP_NULL);
		OK(MPI_Comm_group(MPI_COMM_WORLD, &w));
		OK(MPI_Group_incl(w, 0, NULL, &g));
		OK(MPI_Group_free(&g));
		OK(MPI_Group_free(&w));
		OK(MPI_Group_size(MPI_GROUP_EMPTY, &n));
		CHECK(n == 0);
	}
}

/* MPI-5.0 2.5.1: the null handles are refused, each with the class of its kind and by its name. */
static void opaque_null(void)
{
	int n;

	FAILS(MPI_ERR_COMM, "MPI_COMM_NULL", MPI_Comm_size(MPI_COMM_NULL, &n));
	FAILS(MPI_ERR_COMM, "MPI_COMM_NULL", MPI_Comm_free(&(MPI_Comm){MPI_COMM_NULL}));
	FAILS(MPI_ERR_GROUP, "MPI_GROUP_NULL", MPI_Group_size(MPI_GROUP_NULL, &n));
	FAILS(MPI_ERR_GROUP, "MPI_GROUP_NULL", MPI_Group_free(&(MPI_Group){MPI_GROUP_NULL}));
	FAILS(MPI_ERR_TYPE, "MPI_DATATYPE_NULL", MPI_Type_size(MPI_DATATYPE_NULL, &n));
	FAILS(MPI_ERR_TYPE, "MPI_DATATYPE_NULL", MPI_Type_free(&(MPI_Datatype){MPI_DATATYPE_NULL}));
	FAILS(MPI_ERR_OP, "MPI_OP_NULL", MPI_Op_free(&(MPI_Op){MPI_OP_NULL}));
	FAILS(MPI_ERR_INFO, "MPI_INFO_NULL", MPI_Info_free(&(MPI_Info){MPI_INFO_NULL}));
	FAILS(MPI_ERR_REQUEST, "MPI_REQUEST_NULL",
		MPI_Request_free(&(MPI_Request){MPI_REQUEST_NULL}));
	FAILS(MPI_ERR_REQUEST, "MPI_MESSAGE_NULL",
		MPI_Mrecv(&n, 1, MPI_INT, &(MPI_Message){MPI_MESSAGE_NULL}, MPI_STATUS_IGNORE));
	FAILS(MPI_ERR_WIN, "MPI_WIN_NULL", MPI_Win_set_name(MPI_WIN_NULL, "x"));
	OK(MPI_Wait(&(MPI_Request){MPI_REQUEST_NULL}, MPI_STATUS_IGNORE)); /* 3.7.3 */
}

/* MPI-5.0 2.5.1: objects are as if copied: the parts of a datatype, and the group of a
 * communicator, may go (pitfall 18); MPI_Type_get_contents gives handles of the user's own. */
static void opaque_copied(void)
{
	MPI_Datatype inner, outer, got;
	MPI_Aint none;
	MPI_Comm c, d;
	MPI_Group g, h;
	int n, ints[1], result;

	OK(MPI_Type_contiguous(3, MPI_INT, &inner));
	OK(MPI_Type_contiguous(2, inner, &outer));
	OK(MPI_Type_free(&inner));
	OK(MPI_Type_size(outer, &n));
	CHECK(n == 24);
	OK(MPI_Type_get_contents(outer, 1, 0, 1, ints, &none, &got));
	CHECK(ints[0] == 2 && got != MPI_DATATYPE_NULL);
	OK(MPI_Type_free(&outer));
	OK(MPI_Type_size(got, &n));
	CHECK(n == 12);
	OK(MPI_Type_free(&got));
	OK(MPI_Type_contiguous(2, MPI_INT, &outer));
	OK(MPI_Type_get_contents(outer, 1, 0, 1, ints, &none, &got));
	CHECK(got == MPI_INT);
	OK(MPI_Type_free(&outer));
	OK(MPI_Comm_dup(MPI_COMM_WORLD, &c));
	OK(MPI_Comm_group(c, &g));
	OK(MPI_Comm_group(c, &h));
	OK(MPI_Comm_free(&c));
	OK(MPI_Group_compare(g, h, &result));
	CHECK(result == MPI_IDENT);
	OK(MPI_Group_free(&g));
	OK(MPI_Comm_create(MPI_COMM_WORLD, h, &d));
	OK(MPI_Group_free(&h));
	OK(MPI_Comm_size(d, &n));
	CHECK(n == check_size);
	OK(MPI_Comm_free(&d));
}

/* MPI-5.0 2.5.2: arrays of handles: the valid entries come first, null ones count as valid where
 * they may; later ones are not looked at. */
static void opaque_arrays(void)
{
	MPI_Request r[4] = {
		MPI_REQUEST_NULL, MPI_REQUEST_NULL, MPI_REQUEST_NULL, (MPI_Request)0x1234567};
	MPI_Datatype types[3] = {MPI_INT, MPI_CHAR, (MPI_Datatype)0x1234567}, t;
	MPI_Aint at[2] = {0, 8};
	int len[2] = {1, 1}, x = 1, y = 0;

	OK(MPI_Waitall(0, NULL, MPI_STATUSES_IGNORE));
	OK(MPI_Waitall(3, r, MPI_STATUSES_IGNORE));
	OK(MPI_Irecv(&y, 1, MPI_INT, 0, 1, MPI_COMM_SELF, &r[1]));
	OK(MPI_Send(&x, 1, MPI_INT, 0, 1, MPI_COMM_SELF));
	OK(MPI_Waitall(3, r, MPI_STATUSES_IGNORE));
	CHECK(y == 1 && r[1] == MPI_REQUEST_NULL && r[3] == (MPI_Request)0x1234567);
	FAILS(MPI_ERR_REQUEST, "[3]", MPI_Waitall(4, r, MPI_STATUSES_IGNORE));
	OK(MPI_Type_create_struct(2, len, at, types, &t));
	OK(MPI_Type_free(&t));
}

int main(int argc, char **argv)
{
	check_init(&argc, &argv);
	OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
	OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
	opaque_freed();
	stale();
	opaque_pending();
	opaque_predefined();
	opaque_null();
	opaque_copied();
	opaque_arrays();
	MPI_Finalize();
	return 0;
}
