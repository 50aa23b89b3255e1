// SPDX-License-Identifier: BSD-3-Clause
/* RUN np=1,2 */
/* MPI-5.0 7.7.2: attributes of communicators, clause by clause (attributes.inc). */
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

static int object_new(MPI_Comm *c)
{
	int err = MPI_Comm_dup(MPI_COMM_WORLD, c);

	return err;
}

static int object_free(MPI_Comm *c)
{
	return MPI_Comm_free(c);
}

static int object_dup(MPI_Comm c, MPI_Comm *d)
{
	return MPI_Comm_dup(c, d);
}

#include "tests/std/ch07/attributes.inc"

/* MPI-5.0 7.7.2, pitfall 13: delete callbacks run in the call that frees, also while a message is
 * under way, and not again when that completes. */
static void attr_pending(void)
{
	int key = key_new(0), x = 1, y = 0;
	MPI_Request r;
	MPI_Comm c, old;

	object_new(&c);
	old = c;
	OK(MPI_Comm_set_attr(c, key, V(1)));
	OK(MPI_Irecv(&y, 1, MPI_INT, check_rank, 3, c, &r));
	OK(MPI_Send(&x, 1, MPI_INT, check_rank, 3, c));
	OK(MPI_Comm_free(&c));
	DID("d1");
	CHECK(c == MPI_COMM_NULL && seen == old);
	OK(MPI_Wait(&r, MPI_STATUS_IGNORE));
	CHECK(y == 1);
	DID("");
	OK(MPI_Comm_free_keyval(&key));
}

static int talks(MPI_Comm c, int key, void *value, void *extra)
{
	int n = -1, sum = 0, one = 1;

	(void)key;
	(void)extra;
	call_record('t', value);
	OK(MPI_Comm_size(c, &n));
	OK(MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, c));
	CHECK(sum == n);
	return MPI_SUCCESS;
}

/* MPI-5.0 7.7.1: a delete callback communicates on the communicator that goes. */
static void communicates(void)
{
	int key;
	MPI_Comm c;

	OK(MPI_Comm_create_keyval(NULL_COPY, talks, &key, NULL));
	object_new(&c);
	OK(MPI_Comm_set_attr(c, key, V(1)));
	OK(MPI_Comm_free(&c));
	DID("t1");
	OK(MPI_Comm_free_keyval(&key));
}

/* MPI-5.0 7.7.2: only dup copies attributes: split, create and create_group do not. */
static void only_dup_copies(void)
{
	int key = key_new(0);
	MPI_Group g;
	MPI_Comm c, d[3];

	object_new(&c);
	OK(MPI_Comm_set_attr(c, key, V(1)));
	OK(MPI_Comm_group(c, &g));
	OK(MPI_Comm_split(c, 0, 0, &d[0]));
	OK(MPI_Comm_create(c, g, &d[1]));
	OK(MPI_Comm_create_group(c, g, 0, &d[2]));
	for (int i = 0; i < 3; i++) {
		CHECK(at(d[i], key) == -1);
		OK(MPI_Comm_free(&d[i]));
	}
	DID("");
	OK(MPI_Comm_free(&c));
	DID("d1");
	OK(MPI_Group_free(&g));
	OK(MPI_Comm_free_keyval(&key));
}

int main(int argc, char **argv)
{
	check_init(&argc, &argv);
	OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
	OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
	OK(MPI_Type_create_keyval(MPI_TYPE_DUP_FN, MPI_TYPE_NULL_DELETE_FN, &type_key, NULL));
	attributes_all();
	attr_pending();
	communicates();
	only_dup_copies();
	OK(MPI_Type_free_keyval(&type_key));
	MPI_Finalize();
	return 0;
}
