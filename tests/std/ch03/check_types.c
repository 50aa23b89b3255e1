// SPDX-License-Identifier: BSD-3-Clause
/* RUN np=2 env="HAFT_CHECK=types" */
/* MPI-5.0 3.3.1, 5.2: HAFT_CHECK=types says both signatures if they differ. */
#include "tests/check.h"

#include <mpi.h>
#include <string.h>

enum { TAG = 5, BIG = 100000 };

static int me;

/* Rank 0 sends, rank 1 receives, and then the other way to itself. */
struct side {
	int count;
	MPI_Datatype type;
};

static char out[BIG * 16], in[BIG * 16];

/* The receive fails with this class, and its words have this in them. */
static void received(int err, int class, const char *word)
{
	char text[MPI_MAX_ERROR_STRING];
	int got, len;

	MPI_Error_class(err, &got);
	MPI_Error_string(err, text, &len);
	expect_eq(got, class);
	if (class != MPI_SUCCESS && !expect(strstr(text, word) != NULL))
		fprintf(stderr, "  %s: %s\n", word, text);
}

static void checked_pass(struct side s, struct side r, int class, const char *word)
{
	MPI_Request req;

	if (me == 0)
		expect_ok(MPI_Send(out, s.count, s.type, 1, TAG, MPI_COMM_WORLD));
	else
		received(MPI_Recv(in, r.count, r.type, 0, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE),
			class, word);
	/* early: it has come before its receive */
	if (me == 0)
		expect_ok(MPI_Isend(out, s.count, s.type, 1, TAG, MPI_COMM_WORLD, &req));
	MPI_Barrier(MPI_COMM_WORLD);
	if (me == 1)
		received(MPI_Recv(in, r.count, r.type, 0, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE),
			class, word);
	else
		expect_ok(MPI_Wait(&req, MPI_STATUS_IGNORE));
	/* to itself, on both ranks */
	expect_ok(MPI_Isend(out, s.count, s.type, 0, TAG, MPI_COMM_SELF, &req));
	received(MPI_Recv(in, r.count, r.type, 0, TAG, MPI_COMM_SELF, MPI_STATUS_IGNORE), class,
		word);
	expect_ok(MPI_Wait(&req, MPI_STATUS_IGNORE));
}

#define SIDE(n, t) ((struct side){(n), (t)})

static void checked_good(struct side s, struct side r)
{
	checked_pass(s, r, MPI_SUCCESS, "");
}

static void checked_bad(struct side s, struct side r, const char *word)
{
	checked_pass(s, r, MPI_ERR_TYPE, word);
}

/* Both names, both ranks, the tag. */
static void names_everything(void)
{
	checked_bad(SIDE(1, MPI_DOUBLE), SIDE(2, MPI_INT), "sent 1 MPI_DOUBLE with tag 5");
	checked_bad(SIDE(1, MPI_DOUBLE), SIDE(2, MPI_INT), "receives it as 2 MPI_INT");
	if (me == 0) {
		expect_ok(MPI_Send(out, 1, MPI_DOUBLE, 1, TAG, MPI_COMM_WORLD));
		return;
	}
	received(MPI_Recv(in, 2, MPI_INT, 0, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE), MPI_ERR_TYPE,
		"rank 0 of MPI_COMM_WORLD sent 1 MPI_DOUBLE with tag 5, and rank 1 receives it");
}

/* MPI-5.0 3.3.1: bytes match bytes only; 5.2: packed data match everything */
static void bytes_and_packed(void)
{
	checked_good(SIDE(8, MPI_BYTE), SIDE(8, MPI_BYTE));
	checked_bad(SIDE(8, MPI_BYTE), SIDE(1, MPI_DOUBLE), "8 MPI_BYTE");
	checked_bad(SIDE(8, MPI_CHAR), SIDE(8, MPI_BYTE), "MPI_CHAR");
	checked_good(SIDE(8, MPI_PACKED), SIDE(1, MPI_DOUBLE));
	checked_good(SIDE(2, MPI_INT), SIDE(8, MPI_PACKED));
}

/* The signature is what counts, not how the type was made, nor how much room there is. */
static void same_signature(void)
{
	MPI_Datatype v, s, parts[2] = {MPI_INT, MPI_DOUBLE}, t;

	expect_ok(MPI_Type_vector(5, 2, 3, MPI_DOUBLE, &v));
	expect_ok(MPI_Type_commit(&v));
	expect_ok(MPI_Type_create_struct(2, (int[]){1, 1}, (MPI_Aint[]){0, 8}, parts, &s));
	expect_ok(MPI_Type_commit(&s));
	expect_ok(MPI_Type_contiguous(3, s, &t));
	expect_ok(MPI_Type_commit(&t));
	checked_good(SIDE(1, v), SIDE(10, MPI_DOUBLE));
	checked_good(SIDE(10, MPI_DOUBLE), SIDE(1, v));
	checked_good(SIDE(7, MPI_DOUBLE), SIDE(1, v));
	checked_good(SIDE(7, MPI_DOUBLE), SIDE(1000, MPI_DOUBLE));
	checked_good(SIDE(3, s), SIDE(1, t));
	checked_good(SIDE(1, s), SIDE(1, t));
	checked_good(SIDE(0, MPI_INT), SIDE(1, t));
	checked_bad(SIDE(3, s), SIDE(9, MPI_INT), "1 MPI_INT, 1 MPI_DOUBLE, 1 MPI_INT");
	checked_bad(SIDE(3, MPI_INT), SIDE(1, t), "3 MPI_INT");
	checked_good(SIDE(BIG, MPI_DOUBLE), SIDE(BIG, MPI_DOUBLE));
	checked_bad(SIDE(BIG, MPI_DOUBLE), SIDE(2 * BIG, MPI_FLOAT), "100000 MPI_DOUBLE");
	checked_good(SIDE(BIG / 10, v), SIDE(BIG, MPI_DOUBLE));
	expect_ok(MPI_Type_free(&v));
	expect_ok(MPI_Type_free(&s));
	expect_ok(MPI_Type_free(&t));
}

/* Sends that leave a copy behind are checked as well. */
static void checked_copies(void)
{
	static char room[1000];
	void *p;
	int n, i = 1;

	expect_ok(MPI_Buffer_attach(room, sizeof(room)));
	if (me == 0) {
		expect_ok(MPI_Bsend(out, 1, MPI_DOUBLE, 1, TAG, MPI_COMM_WORLD));
		expect_ok(MPI_Bsend(out, 1, MPI_DOUBLE, 1, TAG, MPI_COMM_WORLD));
	} else {
		received(MPI_Recv(in, 1, MPI_DOUBLE, 0, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE),
			MPI_SUCCESS, "");
		received(MPI_Recv(in, 2, MPI_INT, 0, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE),
			MPI_ERR_TYPE, "1 MPI_DOUBLE");
	}
	expect_ok(MPI_Buffer_detach(&p, &n));
	expect_ok(MPI_Sendrecv_replace(
		&i, 1, MPI_INT, 1 - me, TAG, 1 - me, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
}

/* ... and data sent from the buffer that is received into: each gets the other's gaps. */
static void replaced(int n)
{
	MPI_Datatype mine = me == 0 ? MPI_DOUBLE : MPI_FLOAT;
	MPI_Request r;

	n = me == 0 ? n : 2 * n;
	received(MPI_Sendrecv_replace(
			 in, n, mine, 1 - me, TAG, 1 - me, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE),
		MPI_ERR_TYPE, me == 0 ? "as 1" : "as 2");
	expect_ok(MPI_Isendrecv_replace(in, n, mine, 1 - me, TAG, 1 - me, TAG, MPI_COMM_WORLD, &r));
	received(MPI_Wait(&r, MPI_STATUS_IGNORE), MPI_ERR_TYPE,
		me == 0 ? "2 MPI_FLOAT" : "1 MPI_DOUBLE");
}

/* MPI-5.0 4.2: partitions of other types than sent; their number may differ, types may not.  Each
 * start of the receive says so. */
static void partitions(int n, MPI_Datatype type, int per, int class)
{
	MPI_Request r;

	if (me == 0)
		expect_ok(MPI_Psend_init(
			out, 2, n, MPI_DOUBLE, 1, TAG, MPI_COMM_WORLD, MPI_INFO_NULL, &r));
	else
		expect_ok(MPI_Precv_init(
			in, 1, 2 * n * per, type, 0, TAG, MPI_COMM_WORLD, MPI_INFO_NULL, &r));
	for (int i = 0; i < 2; i++) {
		expect_ok(MPI_Start(&r));
		if (me == 0) {
			expect_ok(MPI_Pready_range(0, 1, r));
			expect_ok(MPI_Wait(&r, MPI_STATUS_IGNORE));
		} else {
			received(MPI_Wait(&r, MPI_STATUS_IGNORE), class, "MPI_DOUBLE with tag 5");
		}
	}
	expect_ok(MPI_Request_free(&r));
}

/* Collectives are not messages of users. */
static void checked_collectives(void)
{
	int i = me, sum = 0;

	expect_ok(MPI_Allreduce(&i, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
	expect_eq(sum, 1);
	expect_ok(MPI_Bcast(out, BIG, MPI_DOUBLE, 0, MPI_COMM_WORLD));
}

int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &me);
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
	MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
	names_everything();
	bytes_and_packed();
	same_signature();
	checked_copies();
	replaced(1);
	partitions(3, MPI_FLOAT, 2, MPI_ERR_TYPE);
	partitions(BIG / 2, MPI_FLOAT, 2, MPI_ERR_TYPE);
	partitions(3, MPI_DOUBLE, 1, MPI_SUCCESS);
	checked_collectives();
	MPI_Finalize();
	return check_end();
}
