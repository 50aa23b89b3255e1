// SPDX-License-Identifier: BSD-3-Clause
/* RUN np=2,3 */
/* MPI-5.0 7.7.2, pitfall 24: attributes of inter-communicators, clause by clause (attributes.inc),
 * ended by MPI_Comm_free and MPI_Comm_disconnect in turn. */
#define KIND        Comm
#define OBJECT      MPI_Comm
#define NULL_COPY   MPI_COMM_NULL_COPY_FN
#define DUP         MPI_COMM_DUP_FN
#define NULL_DELETE MPI_COMM_NULL_DELETE_FN
#define NULL_OBJECT MPI_COMM_NULL
#define HAS_DUP
#include <mpi.h>

static int type_key;
#define OTHER_KEY type_key

static MPI_Comm inter;

static int object_new(MPI_Comm *c)
{
	return MPI_Comm_dup(inter, c);
}

static int object_free(MPI_Comm *c)
{
	static int n;

	return n++ % 2 ? MPI_Comm_free(c) : MPI_Comm_disconnect(c);
}

static int object_dup(MPI_Comm c, MPI_Comm *d)
{
	return MPI_Comm_dup(c, d);
}

#include "tests/std/ch07/attributes.inc"

/* MPI-5.0 7.6.2: a merge copies no attributes. */
static void merged(void)
{
	int key = key_new(0);
	MPI_Comm c, d;

	object_new(&c);
	OK(MPI_Comm_set_attr(c, key, V(1)));
	OK(MPI_Intercomm_merge(c, 0, &d));
	CHECK(at(d, key) == -1);
	DID("");
	OK(MPI_Comm_free(&d));
	OK(MPI_Comm_free(&c));
	DID("d1");
	OK(MPI_Comm_free_keyval(&key));
}

int main(int argc, char **argv)
{
	MPI_Comm half;

	check_init(&argc, &argv);
	OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
	OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
	OK(MPI_Type_create_keyval(MPI_TYPE_DUP_FN, MPI_TYPE_NULL_DELETE_FN, &type_key, NULL));
	OK(MPI_Comm_split(MPI_COMM_WORLD, check_rank > 0, 0, &half));
	OK(MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, check_rank > 0 ? 0 : 1, 5, &inter));
	attributes_all();
	merged();
	OK(MPI_Comm_free(&inter));
	OK(MPI_Comm_free(&half));
	OK(MPI_Type_free_keyval(&type_key));
	MPI_Finalize();
	return 0;
}
