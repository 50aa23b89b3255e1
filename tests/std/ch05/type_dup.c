/* SPDX-License-Identifier: BSD-3-Clause */
/* RUN np=1 */
/* MPI-5.0 5.1.10: a copy of a datatype equals its original. */
#include "tests/check.h"

#include <mpi.h>
#include <string.h>

static int copies, deletes, say_no;

static int dup_copy(MPI_Datatype from, int key, void *extra, void *in, void *out, int *flag)
{
	(void)from, (void)key, (void)extra;
	copies++;
	if (say_no)
		return MPI_ERR_OTHER;
	*(void **)out = (char *)in + 1;
	*flag = 1;
	return MPI_SUCCESS;
}

static int delete (MPI_Datatype type, int key, void *value, void *extra)
{
	(void)type, (void)key, (void)value, (void)extra;
	deletes++;
	return say_no ? MPI_ERR_OTHER : MPI_SUCCESS;
}

/* MPI-5.0 5.1.10: the copy callbacks decide which attributes the copy has */
static void dup_attributes(void)
{
	static char value[4];
	MPI_Datatype t, u = MPI_DATATYPE_NULL;
	char *got = NULL;
	int key, flag;

	expect_ok(MPI_Type_create_keyval(dup_copy, delete, &key, NULL));
	expect_ok(MPI_Type_vector(2, 1, 2, MPI_INT, &t));
	expect_ok(MPI_Type_set_attr(t, key, value));
	expect_ok(MPI_Type_dup(t, &u));
	expect_ok(MPI_Type_get_attr(u, key, &got, &flag));
	expect(flag && got == value + 1 && copies == 1);
	expect_ok(MPI_Type_free(&u));
	expect_eq(deletes, 1);
	say_no = 1;
	u = MPI_DATATYPE_NULL;
	expect_eq(MPI_Type_dup(t, &u), MPI_ERR_OTHER);
	expect(u == MPI_DATATYPE_NULL);
	expect_eq(MPI_Type_free(&t), MPI_ERR_OTHER); /* stays, as its attribute does */
	expect(t != MPI_DATATYPE_NULL);
	say_no = 0;
	expect_ok(MPI_Type_free(&t));
	expect_ok(MPI_Type_free_keyval(&key));
}

/* MPI-5.0 5.1.10: the copy has the state of the other: committed or not; but no name (7.8) */
static void state(void)
{
	int x[4] = {1, 2, 3, 4}, out[2], at = 0, len = -1;
	char name[MPI_MAX_OBJECT_NAME];
	MPI_Datatype t, u;

	expect_ok(MPI_Type_vector(2, 1, 2, MPI_INT, &t));
	expect_ok(MPI_Type_set_name(t, "every other"));
	expect_ok(MPI_Type_dup(t, &u));
	expect_eq(MPI_Pack(x, 1, u, out, 8, &at, MPI_COMM_SELF), MPI_ERR_TYPE);
	expect_ok(MPI_Type_free(&u));
	expect_ok(MPI_Type_commit(&t));
	expect_ok(MPI_Type_commit(&t)); /* once more is nothing (5.1.9) */
	expect_ok(MPI_Type_dup(t, &u));
	expect_ok(MPI_Type_get_name(u, name, &len));
	expect(len == 0 && name[0] == '\0');
	expect_ok(MPI_Type_free(&t));
	expect_ok(MPI_Pack(x, 1, u, out, 8, &at, MPI_COMM_SELF));
	expect(out[0] == 1 && out[1] == 3);
	expect_ok(MPI_Type_free(&u));
}

/* MPI-5.0 5.1.10, 5.1.13: the copy of a predefined type is derived, and can be freed */
static void dup_predefined(void)
{
	MPI_Datatype t, inside;
	int ni, na, nd, combiner, i = 5, j = 0;
	MPI_Aint a;

	expect_ok(MPI_Type_dup(MPI_INT, &t));
	expect(t != MPI_INT);
	expect_ok(MPI_Sendrecv(
		&i, 1, t, 0, 0, &j, 1, MPI_INT, 0, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE));
	expect_eq(j, 5);
	expect_ok(MPI_Type_get_envelope(t, &ni, &na, &nd, &combiner));
	expect(ni == 0 && na == 0 && nd == 1 && combiner == MPI_COMBINER_DUP);
	expect_ok(MPI_Type_get_contents(t, 0, 0, 1, &i, &a, &inside));
	expect(inside == MPI_INT);
	expect_ok(MPI_Type_free(&t));
}

int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
	dup_attributes();
	state();
	dup_predefined();
	MPI_Finalize();
	return check_end();
}
