// SPDX-License-Identifier: BSD-3-Clause
/* RUN np=2 time=120 */
/* Memory of requests is used again and again, and small messages leave most of it as it is:
 * a reused request is as good as new.
 *
 * Rank 0 sends one message of each kind in turn, rank 1 receives it, for more rounds than there are
 * requests before the memory of the first is used again. */
#include "tests/check.h"

#include <mpi.h>
#include <string.h>

enum { ROUNDS = 331, KINDS = 9, LARGE = 300000, TAG = 5, SMALL = 3 };

static int large_out[LARGE], large_in[LARGE];

/* The received message: source, tag, number of ints. */
static void reuse_is(const MPI_Status *st, int source, int tag, int count)
{
	int n = -1, cancelled = -1;

	MPI_Get_count(st, MPI_INT, &n);
	MPI_Test_cancelled(st, &cancelled);
	expect_eq(st->MPI_SOURCE, source);
	expect_eq(st->MPI_TAG, tag);
	expect_eq(n, count);
	expect_eq(cancelled, 0);
}

/* MPI-5.0 3.7.2, 3.7.3: a small message, to any wildcards. */
static void reuse_small(int me, int i, int source, int tag)
{
	int buf[SMALL] = {i, i + 1, i + 2};
	MPI_Request r;
	MPI_Status st;

	if (me == 0)
		expect_ok(MPI_Isend(buf, SMALL, MPI_INT, 1, TAG, MPI_COMM_WORLD, &r));
	else
		expect_ok(MPI_Irecv(memset(buf, 0, sizeof(buf)), SMALL, MPI_INT, source, tag,
			MPI_COMM_WORLD, &r));
	expect_ok(MPI_Wait(&r, &st));
	expect(r == MPI_REQUEST_NULL);
	expect_eq(buf[SMALL - 1], i + 2);
	if (me == 1)
		reuse_is(&st, 0, TAG, SMALL);
}

/* MPI-5.0 3.7.5: a small, an empty and a large one at once. */
static void three(int me, int i)
{
	int buf = i, none = -1;
	MPI_Request r[3];
	MPI_Status st[3];

	large_out[0] = large_out[LARGE - 1] = i;
	if (me == 0) {
		expect_ok(MPI_Isend(&buf, 1, MPI_INT, 1, 1, MPI_COMM_WORLD, &r[0]));
		expect_ok(MPI_Isend(&none, 0, MPI_INT, 1, 2, MPI_COMM_WORLD, &r[1]));
		expect_ok(MPI_Isend(large_out, LARGE, MPI_INT, 1, 3, MPI_COMM_WORLD, &r[2]));
	} else {
		buf = -1;
		expect_ok(MPI_Irecv(&buf, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, &r[0]));
		expect_ok(MPI_Irecv(&none, 1, MPI_INT, 0, 2, MPI_COMM_WORLD, &r[1]));
		expect_ok(MPI_Irecv(large_in, LARGE, MPI_INT, 0, 3, MPI_COMM_WORLD, &r[2]));
	}
	expect_ok(MPI_Waitall(3, r, st));
	expect_eq(buf, i);
	expect_eq(none, -1);
	if (me == 0)
		return;
	reuse_is(&st[0], 0, 1, 1);
	reuse_is(&st[1], 0, 2, 0);
	reuse_is(&st[2], 0, 3, LARGE);
	expect(large_in[0] == i && large_in[LARGE - 1] == i);
}

/* MPI-5.0 3.7.5, 3.2.5: one of two messages is too long, small or large. */
static void too_long(int me, int i, int count)
{
	int room[2] = {-1, -1};
	MPI_Request r[2];
	MPI_Status st[2];

	large_out[0] = i;
	if (me == 0) {
		expect_ok(MPI_Isend(large_out, count, MPI_INT, 1, 1, MPI_COMM_WORLD, &r[0]));
		expect_ok(MPI_Isend(large_out, 1, MPI_INT, 1, 2, MPI_COMM_WORLD, &r[1]));
		expect_ok(MPI_Waitall(2, r, MPI_STATUSES_IGNORE));
		return;
	}
	expect_ok(MPI_Irecv(&room[0], 1, MPI_INT, 0, 1, MPI_COMM_WORLD, &r[0]));
	expect_ok(MPI_Irecv(&room[1], 1, MPI_INT, 0, 2, MPI_COMM_WORLD, &r[1]));
	expect_eq(MPI_Waitall(2, r, st), MPI_ERR_IN_STATUS);
	expect_eq(st[0].MPI_ERROR, MPI_ERR_TRUNCATE);
	expect_eq(st[1].MPI_ERROR, MPI_SUCCESS);
	expect(r[0] == MPI_REQUEST_NULL && r[1] == MPI_REQUEST_NULL);
	reuse_is(&st[1], 0, 2, 1);
	expect_eq(room[1], i);
}

/* MPI-5.0 3.8.4: a receive that is cancelled, beside one that is not. */
static void reuse_cancelled(int me, int i)
{
	int buf = -1, never = -1, flag = 0;
	MPI_Request r;
	MPI_Status st;

	if (me == 1) {
		expect_ok(MPI_Irecv(&never, 1, MPI_INT, 0, TAG + 1, MPI_COMM_WORLD, &r));
		expect_ok(MPI_Cancel(&r));
		expect_ok(MPI_Wait(&r, &st));
		expect_ok(MPI_Test_cancelled(&st, &flag));
		expect_eq(flag, 1);
		expect_ok(MPI_Irecv(&buf, 1, MPI_INT, 0, TAG, MPI_COMM_WORLD, &r));
		expect_ok(MPI_Wait(&r, &st));
		reuse_is(&st, 0, TAG, 1);
		expect_eq(buf, i);
		return;
	}
	expect_ok(MPI_Isend(&i, 1, MPI_INT, 1, TAG, MPI_COMM_WORLD, &r));
	expect_ok(MPI_Wait(&r, MPI_STATUS_IGNORE));
}

/* MPI-5.0 3.9: a persistent request, started twice. */
static void reuse_persistent(int me, int i)
{
	int buf = 0;
	MPI_Request r;
	MPI_Status st;

	if (me == 0)
		expect_ok(MPI_Send_init(&buf, 1, MPI_INT, 1, TAG, MPI_COMM_WORLD, &r));
	else
		expect_ok(MPI_Recv_init(&buf, 1, MPI_INT, 0, TAG, MPI_COMM_WORLD, &r));
	for (int k = 0; k < 2; k++) {
		if (me == 0)
			buf = i + k;
		expect_ok(MPI_Start(&r));
		expect_ok(MPI_Wait(&r, &st));
		expect(r != MPI_REQUEST_NULL);
		expect_eq(buf, i + k);
		if (me == 1)
			reuse_is(&st, 0, TAG, 1);
	}
	expect_ok(MPI_Request_free(&r));
}

/* MPI-5.0 3.7.3: the handle goes first; the message comes all the same. */
static void reuse_freed(int me, int i)
{
	int buf = -1;
	MPI_Request r;

	if (me == 0) {
		expect_ok(MPI_Isend(&i, 1, MPI_INT, 1, TAG, MPI_COMM_WORLD, &r));
		expect_ok(MPI_Request_free(&r));
		expect_ok(MPI_Recv(&buf, 1, MPI_INT, 1, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
		return;
	}
	expect_ok(MPI_Irecv(&buf, 1, MPI_INT, 0, TAG, MPI_COMM_WORLD, &r));
	expect_ok(MPI_Request_free(&r));
	expect(r == MPI_REQUEST_NULL);
	/* later data are there only when it is */
	expect_ok(MPI_Send(&i, 1, MPI_INT, 0, TAG, MPI_COMM_WORLD));
	while (*(volatile int *)&buf != i)
		expect_ok(MPI_Iprobe(0, TAG + 2, MPI_COMM_WORLD, &(int){0}, MPI_STATUS_IGNORE));
}

/* MPI-5.0 3.10, 3.11: both at once as one request; MPI_PROC_NULL. */
static void reuse_both(int me, int i)
{
	int out = i + me, in = -1;
	MPI_Request r;
	MPI_Status st;

	expect_ok(MPI_Isendrecv(
		&out, 1, MPI_INT, 1 - me, TAG, &in, 1, MPI_INT, 1 - me, TAG, MPI_COMM_WORLD, &r));
	expect_ok(MPI_Wait(&r, &st));
	reuse_is(&st, 1 - me, TAG, 1);
	expect_eq(in, i + 1 - me);
	expect_ok(MPI_Irecv(&in, 1, MPI_INT, MPI_PROC_NULL, TAG, MPI_COMM_WORLD, &r));
	expect_ok(MPI_Wait(&r, &st));
	reuse_is(&st, MPI_PROC_NULL, MPI_ANY_TAG, 0);
}

int main(int argc, char **argv)
{
	int me;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &me);
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
	for (int i = 0; i < ROUNDS; i++) {
		switch (i % KINDS) {
		case 0: reuse_small(me, i, 0, TAG); break;
		case 1: reuse_small(me, i, MPI_ANY_SOURCE, TAG); break;
		case 2: reuse_small(me, i, 0, MPI_ANY_TAG); break;
		case 3: three(me, i); break;
		case 4: too_long(me, i, i % 2 == 0 ? 2 : LARGE); break;
		case 5: reuse_cancelled(me, i); break;
		case 6: reuse_persistent(me, i); break;
		case 7: reuse_freed(me, i); break;
		default: reuse_both(me, i); break;
		}
	}
	MPI_Finalize();
	return check_end();
}
