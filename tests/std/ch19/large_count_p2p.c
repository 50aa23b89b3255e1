// SPDX-License-Identifier: BSD-3-Clause
/* RUN np=2 */
/* MPI-5.0 19.2, 3.4, 3.6, 3.7.2, 3.9: the large-count forms of point-to-point calls move what their
 * plain forms move, and combine with these. */
#include "tests/check.h"

enum { N = 5, TAG = 4 };

static int out[N], in[N], other;

static void large_fill(int salt)
{
	for (int i = 0; i < N; i++) {
		out[i] = check_rank * 1000 + salt * 10 + i;
		in[i] = -1;
	}
}

static void large_verify(int salt)
{
	for (int i = 0; i < N; i++)
		CHECK(in[i] == other * 1000 + salt * 10 + i);
}

/* Rank 0 sends by `send', rank 1 receives by a plain receive that is posted before. */
#define SEND(salt, send)                                                           \
	do {                                                                       \
		MPI_Request r = MPI_REQUEST_NULL;                                  \
		large_fill(salt);                                                  \
		if (check_rank == 1)                                               \
			OK(MPI_Irecv(in, N, MPI_INT, 0, TAG, MPI_COMM_WORLD, &r)); \
		OK(MPI_Barrier(MPI_COMM_WORLD));                                   \
		if (check_rank == 0)                                               \
			OK(send);                                                  \
		OK(MPI_Wait(&r, MPI_STATUS_IGNORE));                               \
		if (check_rank == 1)                                               \
			large_verify(salt);                                        \
	} while (0)

#define ARGS out, N, MPI_INT, 1, TAG, MPI_COMM_WORLD

static void sends(void)
{
	MPI_Request q = MPI_REQUEST_NULL;

	SEND(1, MPI_Send_c(ARGS));
	SEND(2, MPI_Ssend_c(ARGS));
	SEND(3, MPI_Rsend_c(ARGS));
	SEND(4, MPI_Bsend_c(ARGS));
	SEND(5, MPI_Isend_c(ARGS, &q));
	OK(MPI_Wait(&q, MPI_STATUS_IGNORE));
	SEND(6, MPI_Issend_c(ARGS, &q));
	OK(MPI_Wait(&q, MPI_STATUS_IGNORE));
	SEND(7, MPI_Irsend_c(ARGS, &q));
	OK(MPI_Wait(&q, MPI_STATUS_IGNORE));
	SEND(8, MPI_Ibsend_c(ARGS, &q));
	OK(MPI_Wait(&q, MPI_STATUS_IGNORE));
}

static int large_start(int err, MPI_Request *q)
{
	return err != MPI_SUCCESS ? err : MPI_Start(q);
}

static void large_done(MPI_Request *q)
{
	OK(MPI_Wait(q, MPI_STATUS_IGNORE));
	if (check_rank == 0)
		OK(MPI_Request_free(q));
}

static void large_persistent(void)
{
	MPI_Request q = MPI_REQUEST_NULL;

	SEND(11, large_start(MPI_Send_init_c(ARGS, &q), &q));
	large_done(&q);
	SEND(12, large_start(MPI_Ssend_init_c(ARGS, &q), &q));
	large_done(&q);
	SEND(13, large_start(MPI_Rsend_init_c(ARGS, &q), &q));
	large_done(&q);
	SEND(14, large_start(MPI_Bsend_init_c(ARGS, &q), &q));
	large_done(&q);
}

/* Rank 1 receives by `receive', which leaves the data in `in'. */
#define RECEIVE(salt, receive)                                                 \
	do {                                                                   \
		large_fill(salt);                                              \
		if (check_rank == 0) {                                         \
			OK(MPI_Send(out, N, MPI_INT, 1, TAG, MPI_COMM_WORLD)); \
		} else {                                                       \
			OK(receive);                                           \
			large_verify(salt);                                    \
		}                                                              \
	} while (0)

static int by_request(int err, MPI_Request *q)
{
	return err != MPI_SUCCESS ? err : MPI_Wait(q, MPI_STATUS_IGNORE);
}

static int by_persistent(int err, MPI_Request *q)
{
	if (err == MPI_SUCCESS)
		err = large_start(err, q);
	if (err == MPI_SUCCESS)
		err = MPI_Wait(q, MPI_STATUS_IGNORE);
	return err != MPI_SUCCESS ? err : MPI_Request_free(q);
}

static int probed(MPI_Message *m)
{
	OK(MPI_Mprobe(0, TAG, MPI_COMM_WORLD, m, MPI_STATUS_IGNORE));
	return 0;
}

static void receives(void)
{
	MPI_Request q;
	MPI_Message m;

	RECEIVE(21, MPI_Recv_c(in, N, MPI_INT, 0, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
	RECEIVE(22, by_request(MPI_Irecv_c(in, N, MPI_INT, 0, TAG, MPI_COMM_WORLD, &q), &q));
	RECEIVE(23, by_persistent(MPI_Recv_init_c(in, N, MPI_INT, 0, TAG, MPI_COMM_WORLD, &q), &q));
	RECEIVE(24, probed(&m) + MPI_Mrecv_c(in, N, MPI_INT, &m, MPI_STATUS_IGNORE));
	RECEIVE(25, by_request(probed(&m) + MPI_Imrecv_c(in, N, MPI_INT, &m, &q), &q));
}

static void exchanges(void)
{
	MPI_Request q;

	large_fill(31);
	OK(MPI_Sendrecv_c(out, N, MPI_INT, other, TAG, in, N, MPI_INT, other, TAG, MPI_COMM_WORLD,
		MPI_STATUS_IGNORE));
	large_verify(31);
	large_fill(32);
	OK(MPI_Isendrecv_c(
		out, N, MPI_INT, other, TAG, in, N, MPI_INT, other, TAG, MPI_COMM_WORLD, &q));
	OK(MPI_Wait(&q, MPI_STATUS_IGNORE));
	large_verify(32);
	large_fill(33);
	memcpy(in, out, sizeof(in));
	OK(MPI_Sendrecv_replace_c(
		in, N, MPI_INT, other, TAG, other, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
	large_verify(33);
	large_fill(34);
	memcpy(in, out, sizeof(in));
	OK(MPI_Isendrecv_replace_c(in, N, MPI_INT, other, TAG, other, TAG, MPI_COMM_WORLD, &q));
	OK(MPI_Wait(&q, MPI_STATUS_IGNORE));
	large_verify(34);
}

/* 3.6: buffers with sizes of MPI_Count, of the process and of a communicator. */
static void large_buffers(void)
{
	static char space[4096];
	MPI_Count size;
	void *was;

	OK(MPI_Buffer_attach_c(space, sizeof(space)));
	sends();
	large_persistent();
	OK(MPI_Buffer_detach_c(&was, &size));
	CHECK(was == space && size == sizeof(space));
	OK(MPI_Comm_attach_buffer_c(MPI_COMM_WORLD, space, sizeof(space)));
	SEND(41, MPI_Bsend_c(ARGS));
	OK(MPI_Comm_flush_buffer(MPI_COMM_WORLD));
	OK(MPI_Comm_detach_buffer_c(MPI_COMM_WORLD, &was, &size));
	CHECK(was == space && size == sizeof(space));
}

int main(int argc, char **argv)
{
	check_init(&argc, &argv);
	other = 1 - check_rank;
	large_buffers();
	receives();
	exchanges();
	MPI_Finalize();
	return 0;
}
