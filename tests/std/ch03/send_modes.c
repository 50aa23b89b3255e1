// SPDX-License-Identifier: BSD-3-Clause
/* RUN np=2,3 */
/* MPI-5.0 3.4, 3.6, 3.9: send modes, attached buffers, persistent requests of all modes. */
#include "tests/check.h"

static const int sizes[] = {0, 3, 48, 4000, 17000, 200000};
#define SIZES 6

static unsigned char out[200000], in[200000];
static int next, prev;

static void receive_one(int n, int tag)
{
	MPI_Status s;
	int got;

	memset(in, 0, sizeof(in));
	OK(MPI_Recv(in, sizeof(in), MPI_BYTE, prev, tag, MPI_COMM_WORLD, &s));
	OK(MPI_Get_count(&s, MPI_BYTE, &got));
	CHECK(got == n && check_wrong(in, n, n + prev) < 0);
}

static void buffered(void)
{
	static char room[300000 + 20 * MPI_BSEND_OVERHEAD];
	MPI_Request r;
	void *addr;
	int n;

	FAILS(MPI_ERR_BUFFER, "no buffer", MPI_Bsend(out, 1, MPI_BYTE, next, 0, MPI_COMM_WORLD));
	OK(MPI_Buffer_attach(room, sizeof(room)));
	FAILS(MPI_ERR_BUFFER, "already", MPI_Buffer_attach(room, sizeof(room)));
	for (int i = 0; i < SIZES; i++) {
		check_fill(out, sizes[i], sizes[i] + check_rank);
		OK(MPI_Bsend(out, sizes[i], MPI_BYTE, next, i, MPI_COMM_WORLD));
		memset(out, 0, sizeof(out)); /* the copy is what counts */
	}
	FAILS(MPI_ERR_BUFFER, "in use", MPI_Bsend(out, 200000, MPI_BYTE, next, 9, MPI_COMM_WORLD));
	OK(MPI_Barrier(
		MPI_COMM_WORLD)); /* nothing was received so far, so the large one is in use */
	OK(MPI_Buffer_iflush(&r));
	for (int i = 0; i < SIZES; i++)
		receive_one(sizes[i], i);
	OK(MPI_Wait(&r, MPI_STATUS_IGNORE));
	check_fill(out, 200000, 200000 + check_rank);
	OK(MPI_Ibsend(out, 200000, MPI_BYTE, next, 7, MPI_COMM_WORLD, &r));
	OK(MPI_Wait(&r, MPI_STATUS_IGNORE));
	receive_one(200000, 7);
	OK(MPI_Buffer_flush());
	OK(MPI_Buffer_detach(&addr, &n));
	CHECK(addr == room && n == (int)sizeof(room));
	OK(MPI_Buffer_attach(MPI_BUFFER_AUTOMATIC, 0));
	check_fill(out, 200000, 200000 + check_rank);
	for (int i = 0; i < 10; i++)
		OK(MPI_Bsend(out, 200000, MPI_BYTE, next, 7, MPI_COMM_WORLD));
	for (int i = 0; i < 10; i++)
		receive_one(200000, 7);
	OK(MPI_Buffer_detach(&addr, &n));
	CHECK(addr == MPI_BUFFER_AUTOMATIC);
}

/* A synchronous send is not over before its receive has begun. */
static void synchronous(int n)
{
	int flag = 1;
	MPI_Request r;

	check_fill(out, n, n + check_rank);
	OK(MPI_Issend(out, n, MPI_BYTE, next, 1, MPI_COMM_WORLD, &r));
	for (int i = 0; i < 50; i++) {
		OK(MPI_Test(&r, &flag, MPI_STATUS_IGNORE));
		CHECK(!flag);
	}
	OK(MPI_Barrier(MPI_COMM_WORLD));
	receive_one(n, 1);
	OK(MPI_Wait(&r, MPI_STATUS_IGNORE));
	if (check_rank == 0)
		OK(MPI_Ssend(out, n, MPI_BYTE, next, 2, MPI_COMM_WORLD));
	else if (check_rank == 1)
		receive_one(n, 2);
	OK(MPI_Barrier(MPI_COMM_WORLD));
}

static void mode_persistent(int n)
{
	static char room[4 * (200000 + MPI_BSEND_OVERHEAD)];
	MPI_Request r[5];
	void *addr;
	int len, flag;

	OK(MPI_Buffer_attach(room, sizeof(room)));
	OK(MPI_Recv_init(in, sizeof(in), MPI_BYTE, prev, MPI_ANY_TAG, MPI_COMM_WORLD, &r[0]));
	OK(MPI_Send_init(out, n, MPI_BYTE, next, 0, MPI_COMM_WORLD, &r[1]));
	OK(MPI_Ssend_init(out, n, MPI_BYTE, next, 1, MPI_COMM_WORLD, &r[2]));
	OK(MPI_Bsend_init(out, n, MPI_BYTE, next, 2, MPI_COMM_WORLD, &r[3]));
	OK(MPI_Rsend_init(out, n, MPI_BYTE, next, 3, MPI_COMM_WORLD, &r[4]));
	OK(MPI_Test(&r[0], &flag, MPI_STATUS_IGNORE)); /* idle: like null */
	CHECK(flag && r[0] != MPI_REQUEST_NULL);
	for (int i = 0; i < 12; i++) {
		MPI_Status s[2];
		MPI_Request pair[2] = {r[0], r[1 + i % 4]};

		check_fill(out, n, i + check_rank);
		memset(in, 0, sizeof(in));
		OK(MPI_Start(&pair[0]));
		FAILS(MPI_ERR_REQUEST, "active", MPI_Start(&pair[0]));
		OK(MPI_Barrier(MPI_COMM_WORLD)); /* ready sends need it */
		OK(MPI_Startall(1, &pair[1]));
		OK(MPI_Waitall(2, pair, s));
		CHECK(pair[0] == r[0] && pair[1] == r[1 + i % 4]);
		CHECK(s[0].MPI_TAG == i % 4 && check_wrong(in, n, i + prev) < 0);
	}
	for (int i = 0; i < 5; i++)
		OK(MPI_Request_free(&r[i]));
	OK(MPI_Buffer_detach(&addr, &len));
}

int main(int argc, char **argv)
{
	check_init(&argc, &argv);
	OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
	OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
	next = (check_rank + 1) % check_size;
	prev = (check_rank + check_size - 1) % check_size;
	buffered();
	for (int i = 0; i < SIZES; i++) {
		synchronous(sizes[i]);
		mode_persistent(sizes[i]);
	}
	MPI_Finalize();
	return 0;
}
