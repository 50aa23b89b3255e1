// SPDX-License-Identifier: BSD-3-Clause
/* RUN np=1 */
/* MPI-5.0 7.7.4: attributes of datatypes, clause by clause (attributes.inc). */
#define KIND        Type
#define OBJECT      MPI_Datatype
#define NULL_COPY   MPI_TYPE_NULL_COPY_FN
#define DUP         MPI_TYPE_DUP_FN
#define NULL_DELETE MPI_TYPE_NULL_DELETE_FN
#define NULL_OBJECT MPI_DATATYPE_NULL
#define HAS_DUP
#include <mpi.h>

static int comm_key;
#define OTHER_KEY comm_key

static int object_new(MPI_Datatype *t)
{
	return MPI_Type_contiguous(3, MPI_INT, t);
}

static int object_free(MPI_Datatype *t)
{
	return MPI_Type_free(t);
}

static int object_dup(MPI_Datatype t, MPI_Datatype *u)
{
	return MPI_Type_dup(t, u);
}

#include "tests/std/ch07/attributes.inc"

/* MPI-5.0 7.7.4: predefined datatypes have attributes too. */
static void of_predefined(void)
{
	int key = key_new(0);

	OK(MPI_Type_set_attr(MPI_INT, key, V(1)));
	CHECK(at(MPI_INT, key) == 1 && at(MPI_DOUBLE, key) == -1);
	OK(MPI_Type_set_attr(MPI_INT, key, V(2)));
	OK(MPI_Type_delete_attr(MPI_INT, key));
	DID("d1d2");
	OK(MPI_Type_free_keyval(&key));
}

/* MPI-5.0 7.7.4, pitfall 13: delete callbacks run in the call that frees, though a message or
 * another datatype still uses the type; pitfall 18: these go on. */
static void in_use(void)
{
	int key = key_new(0), x[3] = {1, 2, 3}, y[6] = {0}, size;
	MPI_Datatype t, outer;
	MPI_Request r;

	object_new(&t);
	OK(MPI_Type_commit(&t));
	OK(MPI_Type_contiguous(2, t, &outer));
	OK(MPI_Type_set_attr(t, key, V(1)));
	OK(MPI_Irecv(y, 1, t, 0, 3, MPI_COMM_SELF, &r));
	OK(MPI_Type_free(&t));
	DID("d1");
	CHECK(t == MPI_DATATYPE_NULL);
	OK(MPI_Send(x, 3, MPI_INT, 0, 3, MPI_COMM_SELF));
	OK(MPI_Wait(&r, MPI_STATUS_IGNORE));
	CHECK(y[0] == 1 && y[2] == 3 && y[3] == 0);
	OK(MPI_Type_size(outer, &size));
	CHECK(size == 6 * (int)sizeof(int));
	CHECK(at(outer, key) == -1); /* constructors copy no attributes */
	OK(MPI_Type_free(&outer));
	DID("");
	OK(MPI_Type_free_keyval(&key));
}

int main(int argc, char **argv)
{
	check_init(&argc, &argv);
	OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
	OK(MPI_Comm_create_keyval(MPI_COMM_DUP_FN, MPI_COMM_NULL_DELETE_FN, &comm_key, NULL));
	attributes_all();
	of_predefined();
	in_use();
	OK(MPI_Comm_free_keyval(&comm_key));
	MPI_Finalize();
	return 0;
}
