// SPDX-License-Identifier: BSD-3-Clause
/* RUN np=1,2 time=120 */
/* RUN np=2 env="HAFT_VIA=net" time=120 */
/* MPI-5.0 3.8.4: a synchronous send that is cancelled either is received by no process, or was
 * received; Wait returns in both cases */
#include "tests/check.h"

enum { LONG = 200000, TAG = 5, MANY = 300, RACES = 100, FREED = 10 };

static int sizes[] = {0, 1, 700, 6000, LONG}; /* of int: eager and not, by either way */
static int out[LONG], in[LONG];

/* Where it is to go, and whether the request is persistent. */
struct how {
	int peer, persist;
};

static void ssend_start(struct how h, int n, int first, MPI_Request *r)
{
	for (int i = 0; i < n; i++)
		out[i] = first + i;
	if (!h.persist)
		OK(MPI_Issend(out, n, MPI_INT, h.peer, TAG, MPI_COMM_WORLD, r));
	else if (*r == MPI_REQUEST_NULL)
		OK(MPI_Ssend_init(out, n, MPI_INT, h.peer, TAG, MPI_COMM_WORLD, r));
	if (h.persist)
		OK(MPI_Start(r));
}

static void ssend_release(struct how h, MPI_Request *r)
{
	if (h.persist)
		OK(MPI_Request_free(r));
	CHECK(*r == MPI_REQUEST_NULL);
}

/* Cancels and waits; was it cancelled? */
static int ssend_end(MPI_Request *r)
{
	MPI_Status s;
	int flag, done;

	OK(MPI_Cancel(r));
	OK(MPI_Request_get_status(*r, &done, &s));
	if (!done)
		OK(MPI_Cancel(r)); /* twice is once */
	OK(MPI_Wait(r, &s));
	OK(MPI_Test_cancelled(&s, &flag));
	return flag;
}

static void ssend_right(const int *data, int n, int first)
{
	for (int i = 0; i < n; i++)
		CHECK(data[i] == first + i);
}

static int ssend_seen(void)
{
	int flag;

	OK(MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE));
	return flag;
}

/* It is not received; afterwards a receive finds the next message only. */
static void never(struct how h, int n)
{
	MPI_Request r = MPI_REQUEST_NULL;

	for (int i = 0; i < 3; i++) {
		ssend_start(h, n, i, &r);
		CHECK(ssend_end(&r));
	}
	OK(MPI_Barrier(MPI_COMM_WORLD));
	CHECK(!ssend_seen());
	OK(MPI_Barrier(MPI_COMM_WORLD));
	ssend_start(h, n, 77, &r);
	OK(MPI_Recv(in, LONG, MPI_INT, h.peer, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
	ssend_right(in, n, 77);
	OK(MPI_Wait(&r, MPI_STATUS_IGNORE));
	ssend_release(h, &r);
}

/* It has been seen before it is cancelled: it has certainly gone. */
static void probed(struct how h, int n)
{
	MPI_Request r = MPI_REQUEST_NULL;

	ssend_start(h, n, 3, &r);
	OK(MPI_Probe(h.peer, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
	OK(MPI_Barrier(MPI_COMM_WORLD));
	CHECK(ssend_end(&r));
	OK(MPI_Barrier(MPI_COMM_WORLD));
	CHECK(!ssend_seen());
	ssend_release(h, &r);
}

/* A matched probe has it: it can be received yet, and the buffer is the sender's again. */
static void taken(struct how h, int n)
{
	MPI_Request r = MPI_REQUEST_NULL;
	MPI_Message m;
	MPI_Status s;
	int count;

	ssend_start(h, n, 11, &r);
	OK(MPI_Mprobe(h.peer, TAG, MPI_COMM_WORLD, &m, &s));
	OK(MPI_Barrier(MPI_COMM_WORLD));
	CHECK(!ssend_end(&r));
	ssend_release(h, &r);
	memset(out, 0, sizeof(out));
	OK(MPI_Barrier(MPI_COMM_WORLD));
	OK(MPI_Mrecv(in, LONG, MPI_INT, &m, &s));
	OK(MPI_Get_count(&s, MPI_INT, &count));
	CHECK(count == n);
	ssend_right(in, n, 11);
}

/* The receive was there first. */
static void before(struct how h, int n)
{
	MPI_Request r = MPI_REQUEST_NULL, recv;
	int flag;

	OK(MPI_Irecv(in, n, MPI_INT, h.peer, TAG, MPI_COMM_WORLD, &recv));
	OK(MPI_Barrier(MPI_COMM_WORLD));
	ssend_start(h, n, 21, &r);
	flag = ssend_end(&r);
	if (h.peer == check_rank)
		CHECK(!flag);
	OK(MPI_Sendrecv_replace(&flag, 1, MPI_INT, h.peer, 6, h.peer, 6, MPI_COMM_WORLD,
		MPI_STATUS_IGNORE)); /* now: was the message to me cancelled? */
	if (flag) {
		CHECK(ssend_end(&recv));
	} else {
		OK(MPI_Wait(&recv, MPI_STATUS_IGNORE));
		ssend_right(in, n, 21);
	}
	ssend_release(h, &r);
}

/* The receive comes at the same time: one of the two has the message. */
static void ssend_race(struct how h, int n, int turn)
{
	MPI_Request r = MPI_REQUEST_NULL, recv;
	int flag;

	ssend_start(h, n, turn, &r);
	for (int i = 0; i < turn % 4; i++)
		ssend_seen();
	if (turn % 3 == check_rank)
		OK(MPI_Cancel(&r));
	OK(MPI_Irecv(in, n, MPI_INT, h.peer, TAG, MPI_COMM_WORLD, &recv));
	for (int i = 0; i < turn % 5; i++)
		ssend_seen();
	flag = ssend_end(&r);
	OK(MPI_Sendrecv_replace(
		&flag, 1, MPI_INT, h.peer, 6, h.peer, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
	if (flag) {
		CHECK(ssend_end(&recv));
	} else {
		OK(MPI_Wait(&recv, MPI_STATUS_IGNORE));
		ssend_right(in, n, turn);
	}
	ssend_release(h, &r);
	OK(MPI_Barrier(MPI_COMM_WORLD)); /* the next message is not for this receive */
}

/* More than any ring holds: some have not gone, and all come back, whatever the order. */
static void ssend_many(struct how h, int n)
{
	MPI_Request r[MANY];
	MPI_Status s[MANY];
	int flag;

	for (int i = 0; i < MANY; i++)
		ssend_start((struct how){h.peer, 0}, n, 0, &r[i]);
	for (int i = 0; i < MANY; i++)
		OK(MPI_Cancel(&r[i * 7 % MANY]));
	for (int i = 0; i < MANY; i += FREED)
		OK(MPI_Request_free(&r[i]));
	OK(MPI_Waitall(MANY, r, s));
	for (int i = 0; i < MANY; i++) {
		OK(MPI_Test_cancelled(&s[i], &flag));
		CHECK(flag == (i % FREED != 0));
	}
	OK(MPI_Barrier(MPI_COMM_WORLD)); /* the peer has cancelled as well: only now receive */
	ssend_start((struct how){h.peer, 0}, n, 9, &r[0]);
	OK(MPI_Recv(in, LONG, MPI_INT, h.peer, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
	ssend_right(in, n, 9);
	OK(MPI_Wait(&r[0], MPI_STATUS_IGNORE));
	OK(MPI_Barrier(MPI_COMM_WORLD));
	CHECK(!ssend_seen());
	OK(MPI_Barrier(MPI_COMM_WORLD)); /* the peer's next message comes after this look */
}

static void ssend_all(struct how h)
{
	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		never(h, sizes[i]);
		OK(MPI_Barrier(MPI_COMM_WORLD));
		probed(h, sizes[i]);
		OK(MPI_Barrier(MPI_COMM_WORLD));
		taken(h, sizes[i]);
		OK(MPI_Barrier(MPI_COMM_WORLD));
		before(h, sizes[i]);
		for (int turn = 0; turn < RACES; turn++)
			ssend_race(h, sizes[i], turn);
		OK(MPI_Barrier(MPI_COMM_WORLD));
	}
	ssend_many(h, 1);
}

int main(int argc, char **argv)
{
	check_init(&argc, &argv);
	for (int to = 0; to < check_size; to++) {
		for (int persist = 0; persist < 2; persist++)
			ssend_all((struct how){(check_rank + to) % check_size, persist});
	}
	MPI_Finalize();
	return 0;
}
