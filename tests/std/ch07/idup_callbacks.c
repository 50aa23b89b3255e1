// SPDX-License-Identifier: BSD-3-Clause
/* RUN np=1,2,5 time=30 */
/* MPI-5.0 7.7.2: copy callbacks of MPI_Comm_idup and MPI_Comm_dup that call MPI: some
 * members wait for the dup before, others do not; all dup the parent once more, or free it.  Every
 * member must end with the same context ids in the same communicators. */
#include "tests/check.h"

enum { MANY = 120 };

static MPI_Comm made[MANY], inner[MANY];
static MPI_Request last = MPI_REQUEST_NULL;
static int calls, depth, waits, dups, frees;

static int callback_copy(MPI_Comm c, int key, void *extra, void *in, void *out, int *flag)
{
	(void)key;
	(void)extra;
	if (depth > 0)
		return MPI_SUCCESS; /* flag is 0 */
	depth++;
	if (waits)
		OK(MPI_Wait(&last, MPI_STATUS_IGNORE));
	if (dups)
		OK(MPI_Comm_dup(c, &inner[calls]));
	if (frees)
		OK(MPI_Comm_free(&c));
	depth--;
	calls++;
	*(void **)out = in;
	*flag = 1;
	return MPI_SUCCESS;
}

/* A message around each communicator, all of them under way at once. */
static void callback_apart(MPI_Comm *c, int n, int me, int size)
{
	MPI_Request r[MANY];
	int x, out[MANY];

	for (int i = 0; i < n; i++) {
		out[i] = i;
		OK(MPI_Isend(&out[i], 1, MPI_INT, (me + 1) % size, 3, c[i], &r[i]));
	}
	for (int i = n - 1; i >= 0; i--) {
		x = -1;
		OK(MPI_Recv(&x, 1, MPI_INT, (me + size - 1) % size, 3, c[i], MPI_STATUS_IGNORE));
		CHECK(x == i);
	}
	OK(MPI_Waitall(n, r, MPI_STATUSES_IGNORE));
	for (int i = 0; i < n; i++)
		OK(MPI_Comm_free(&c[i]));
}

/* calls of a parent whose first ids are soon used up */
static void callback_round_of(int wait, int dup, int me, int size)
{
	MPI_Comm parent;
	MPI_Request next;
	int key;

	OK(MPI_Comm_split(MPI_COMM_WORLD, 0, 0, &parent));
	OK(MPI_Comm_create_keyval(callback_copy, MPI_COMM_NULL_DELETE_FN, &key, NULL));
	OK(MPI_Comm_set_attr(parent, key, &calls));
	calls = 0;
	waits = wait;
	dups = dup;
	for (int i = 0; i < MANY; i++) {
		OK(MPI_Comm_idup(parent, &made[i], &next));
		if (last != MPI_REQUEST_NULL)
			OK(MPI_Wait(&last, MPI_STATUS_IGNORE));
		last = next;
	}
	OK(MPI_Wait(&last, MPI_STATUS_IGNORE));
	CHECK(calls == MANY);
	callback_apart(made, MANY, me, size);
	if (dup)
		callback_apart(inner, MANY, me, size);
	OK(MPI_Comm_free_keyval(&key));
	OK(MPI_Comm_free(&parent));
}

/* The callback frees the parent; its ids are there, and are not. */
static void callback_freed(int me, int size)
{
	MPI_Comm parent, c[MANY];
	MPI_Request r[MANY];
	int key, n = 0;

	OK(MPI_Comm_create_keyval(callback_copy, MPI_COMM_NULL_DELETE_FN, &key, NULL));
	waits = dups = 0;
	for (int before = 0; before < 40; before++) {
		OK(MPI_Comm_split(MPI_COMM_WORLD, 0, 0, &parent));
		for (int i = 0; i < before; i++) {
			OK(MPI_Comm_dup(parent, &c[n]));
			OK(MPI_Comm_free(&c[n]));
		}
		OK(MPI_Comm_set_attr(parent, key, &calls));
		frees = 1;
		OK(MPI_Comm_idup(parent, &c[n], &r[n]));
		frees = 0;
		n++;
	}
	OK(MPI_Waitall(n, r, MPI_STATUSES_IGNORE));
	callback_apart(c, n, me, size);
	OK(MPI_Comm_free_keyval(&key));
}

int main(int argc, char **argv)
{
	check_init(&argc, &argv);
	callback_round_of(check_rank % 2, 0, check_rank, check_size);
	callback_round_of(check_rank % 2 == 0, 0, check_rank, check_size);
	callback_round_of(check_rank % 2, 1, check_rank, check_size);
	callback_freed(check_rank, check_size);
	MPI_Finalize();
	return 0;
}
