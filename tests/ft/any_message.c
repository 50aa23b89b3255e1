// SPDX-License-Identifier: BSD-3-Clause
/* any_message.c - any_message CALL: messages between pairs, in a loop, while a rank dies by
 * HAFT_DIE.  sweep.sh runs it.
 *
 * Every survivor must return, with a class of failures or without.  A nonblocking receive from any
 * source raises MPIX_ERR_PROC_FAILED_PENDING until the failure is acknowledged.  Then all shrink,
 * and make the same calls without error.  Finalize: the rank dies there, and the others leave. */
#include "tests/ft/ft.h"

#define ROUNDS 12
#define N      30000 /* elements: their receiver must take part */
#define PARTS  4

static const char *kind;
static int out[N], in[N];

static bool message_is(const char *name)
{
	return strcmp(kind, name) == 0;
}

static int message_first(int a, int b)
{
	return a != 0 ? a : b;
}

/* Ends both; those of the others may never end once a call has failed, so the communicator is
 * revoked then.  A pending receive is there after its failure is acknowledged. */
static int message_both(MPI_Comm c, MPI_Request *r, int err)
{
	if (err != 0)
		OK(MPIX_Comm_revoke(c));
	for (int i = 0; i < 2; i++) {
		int one = MPI_Wait(&r[i], MPI_STATUS_IGNORE), failed;

		err = message_first(err, one);
		if (one != 0)
			OK(MPIX_Comm_revoke(c));
		if (one != MPIX_ERR_PROC_FAILED_PENDING)
			continue;
		CHECK(r[i] != MPI_REQUEST_NULL);
		OK(MPIX_Comm_ack_failed(c, 0, &failed));
		MPI_Wait(&r[i], MPI_STATUS_IGNORE);
	}
	return err;
}

static void message_freed(MPI_Request *r)
{
	for (int i = 0; i < 2; i++)
		if (r[i] != MPI_REQUEST_NULL)
			MPI_Request_free(&r[i]);
}

/* --- a ring: to the right, from the left ---------------------------------------------------- */

static int ring_requests(MPI_Comm c, int left, int right)
{
	int n = message_is("Isend") ? N : 1, from = message_is("Irecv") ? MPI_ANY_SOURCE : left,
	    err;
	MPI_Request r[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};

	err = MPI_Irecv(in, N, MPI_INT, from, 3, c, &r[0]);
	if (err == 0 && message_is("Issend"))
		err = MPI_Issend(out, n, MPI_INT, right, 3, c, &r[1]);
	else if (err == 0)
		err = MPI_Isend(out, n, MPI_INT, right, 3, c, &r[1]);
	return message_both(c, r, err);
}

static int ring_persistent(MPI_Comm c, int left, int right)
{
	MPI_Request r[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
	int err = MPI_Recv_init(in, N, MPI_INT, left, 3, c, &r[0]);

	if (err == 0)
		err = MPI_Send_init(out, N, MPI_INT, right, 3, c, &r[1]);
	if (err == 0)
		err = MPI_Startall(2, r);
	err = message_both(c, r, err);
	message_freed(r);
	return err;
}

static int ring_partitioned(MPI_Comm c, int left, int right)
{
	MPI_Request r[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
	int err, flag = 0;

	err = MPI_Precv_init(in, PARTS, N / PARTS, MPI_INT, left, 3, c, MPI_INFO_NULL, &r[0]);
	if (err == 0)
		err = MPI_Psend_init(
			out, PARTS, N / PARTS, MPI_INT, right, 3, c, MPI_INFO_NULL, &r[1]);
	if (err == 0)
		err = MPI_Startall(2, r);
	for (int i = 0; i < PARTS && err == 0; i++)
		err = MPI_Pready(i, r[1]);
	while (err == 0 && flag == 0 && ft_failures(c) == 0)
		err = MPI_Parrived(r[0], 1, &flag);
	err = message_both(c, r, err);
	message_freed(r);
	return err;
}

/* The message is looked for before it is received. */
static int ring_probe(MPI_Comm c, int left, int right)
{
	MPI_Request r[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
	int from = message_is("Probe") ? MPI_ANY_SOURCE : left, flag = 0;
	MPI_Message m = MPI_MESSAGE_NULL;
	int err = MPI_Isend(out, N, MPI_INT, right, 3, c, &r[0]);

	if (err == 0 && message_is("Mprobe"))
		err = MPI_Mprobe(from, 3, c, &m, MPI_STATUS_IGNORE);
	else if (err == 0 && message_is("Probe"))
		err = MPI_Probe(from, 3, c, MPI_STATUS_IGNORE);
	while (err == 0 && message_is("Iprobe") && flag == 0)
		err = MPI_Iprobe(from, 3, c, &flag, MPI_STATUS_IGNORE);
	if (err == 0 && message_is("Mprobe"))
		err = MPI_Mrecv(in, N, MPI_INT, &m, MPI_STATUS_IGNORE);
	else if (err == 0)
		err = MPI_Recv(in, N, MPI_INT, left, 3, c, MPI_STATUS_IGNORE);
	return message_both(c, r, err);
}

static int message_ring(MPI_Comm c)
{
	int rank, size, left, right;

	MPI_Comm_rank(c, &rank);
	MPI_Comm_size(c, &size);
	left = (rank + size - 1) % size;
	right = (rank + 1) % size;
	if (message_is("Sendrecv"))
		return MPI_Sendrecv(
			out, N, MPI_INT, right, 3, in, N, MPI_INT, left, 3, c, MPI_STATUS_IGNORE);
	if (message_is("Startall"))
		return ring_persistent(c, left, right);
	if (message_is("Pready"))
		return ring_partitioned(c, left, right);
	if (message_is("Probe") || message_is("Mprobe") || message_is("Iprobe"))
		return ring_probe(c, left, right);
	return ring_requests(c, left, right);
}

/* --- all ------------------------------------------------------------------------------------ */

static void repeat(MPI_Comm c)
{
	int err = 0;

	for (int i = 0; i < ROUNDS && err == 0; i++)
		err = message_ring(c);
	if (err != MPIX_ERR_PROC_FAILED && err != MPIX_ERR_PROC_FAILED_PENDING &&
		err != MPIX_ERR_REVOKED)
		OK(err);
}

int main(int argc, char **argv)
{
	int dies = getenv("HAFT_DIE") != NULL ? atoi(getenv("HAFT_DIE")) : 0;
	MPI_Comm c, next;
	int err;

	kind = argv[1];
	ft_init(&argc, &argv);
	if (message_is("Finalize")) {
		MPI_Finalize();
		return check_end();
	}
	OK(MPI_Comm_dup(MPI_COMM_WORLD, &c));
	err = MPI_Barrier(MPI_COMM_WORLD); /* a rank that is through may die before others are */
	if (err != MPIX_ERR_PROC_FAILED)
		OK(err);
	repeat(c);
	if (check_rank == dies)
		ft_die();
	OK(MPIX_Comm_revoke(c)); /* those that wait for one that has given up */
	OK(MPI_Comm_free(&c));
	OK(MPIX_Comm_shrink(MPI_COMM_WORLD, &next));
	for (int i = 0; i < 2; i++)
		OK(message_ring(next));
	OK(MPI_Comm_free(&next));
	MPI_Finalize();
	return check_end();
}
