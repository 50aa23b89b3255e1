// SPDX-License-Identifier: BSD-3-Clause
/* RUN np=1 env="HAFT_PROGRESS=thread" */
/* The helper rests, and calls take no lock, while no request needs it: of short messages, blocking
 * calls and windows in shared memory none does, once many short receives were of no synchronous
 * message.  A message that its receiver must ask for does, a persistent one, and a request that
 * begins in a user's function does from the end of that function on. */
#include "libmpi/core/library_lock.h"
#include "tests/check.h"
#include <mpi.h>
#include <stdlib.h>

enum { LONG = 1 << 20 };

static char *out, *in;

/* With a profile, a tool or MPI_THREAD_MULTIPLE the gate has other reasons. */
static void expect_rest(const char *after)
{
	bool rests = !haft_help_is_needed() && haft_gate_now() == 0;

	expect(rests && !haft_locked);
	if (!rests)
		fprintf(stderr, "after %s: gate %u\n", after, haft_gate_now());
}

static void expect_help(const char *in_call)
{
	expect(haft_help_is_needed() && haft_gate_now() == HAFT_GATE_HELPER && !haft_locked);
	if (!haft_help_is_needed())
		fprintf(stderr, "%s: it rests\n", in_call);
}

/* The helper may be at work when the last request ends: then a later call finds it at rest. */
static void await_rest(void)
{
	for (int i = 0, flag; i < 1000000 && haft_help_is_needed(); i++)
		MPI_Iprobe(0, 1, MPI_COMM_SELF, &flag, MPI_STATUS_IGNORE);
}

/* The first short receives, and those after a synchronous message, are served. */
static void short_receives(void)
{
	MPI_Request r;
	int n = 0;

	do {
		MPI_Irecv(in, 8, MPI_BYTE, 0, 0, MPI_COMM_SELF, &r);
		n += haft_help_is_needed();
		MPI_Send(out, 8, MPI_BYTE, 0, 0, MPI_COMM_SELF);
		MPI_Wait(&r, MPI_STATUS_IGNORE);
		await_rest();
	} while (n % 1000 != 0);
	expect(n == 1000);
	expect_rest("short receives");
}

static void short_calls(void)
{
	MPI_Request r[2];
	MPI_Win win;
	int *mem;

	MPI_Irecv(in, 8, MPI_BYTE, 0, 0, MPI_COMM_SELF, &r[0]);
	expect_rest("a short MPI_Irecv");
	MPI_Isend(out, 8, MPI_BYTE, 0, 0, MPI_COMM_SELF, &r[1]);
	expect_rest("a short MPI_Isend");
	MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Sendrecv(out, LONG, MPI_BYTE, 0, 0, in, LONG, MPI_BYTE, 0, 0, MPI_COMM_SELF,
		MPI_STATUS_IGNORE);
	expect_rest("a long MPI_Sendrecv");
	MPI_Win_allocate(sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_SELF, &mem, &win);
	MPI_Win_free(&win);
	expect_rest("a window in shared memory");
}

static void long_message(void)
{
	MPI_Request r[2];

	MPI_Irecv(in, LONG, MPI_BYTE, 0, 0, MPI_COMM_SELF, &r[0]);
	expect_help("a long MPI_Irecv");
	MPI_Isend(out, LONG, MPI_BYTE, 0, 0, MPI_COMM_SELF, &r[1]);
	MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
	await_rest();
	expect_rest("MPI_Waitall of a long message");
}

static void persistent_message(void)
{
	MPI_Request r[2];

	MPI_Recv_init(in, LONG, MPI_BYTE, 0, 0, MPI_COMM_SELF, &r[0]);
	MPI_Send_init(out, LONG, MPI_BYTE, 0, 0, MPI_COMM_SELF, &r[1]);
	expect_rest("MPI_Send_init");
	for (int i = 0; i < 3; i++) {
		MPI_Start(&r[0]);
		expect_help("a long MPI_Start");
		MPI_Start(&r[1]);
		MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
		await_rest();
		expect_rest("MPI_Waitall of persistent requests");
	}
	MPI_Request_free(&r[0]);
	MPI_Request_free(&r[1]);
}

static MPI_Request begun;

/* Called by MPI_Comm_set_attr's deletion, whose call has not taken the lock. */
static int begins(MPI_Comm c, int key, void *value, void *extra)
{
	(void)key, (void)value, (void)extra;
	MPI_Irecv(in, LONG, MPI_BYTE, 0, 0, c, &begun);
	expect_rest("MPI_Irecv in a user's function");
	return MPI_SUCCESS;
}

static void user_function(void)
{
	MPI_Request more[2];
	int key;

	MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, begins, &key, NULL);
	MPI_Comm_set_attr(MPI_COMM_SELF, key, NULL);
	MPI_Comm_delete_attr(MPI_COMM_SELF, key);
	MPI_Comm_free_keyval(&key);
	expect_help("MPI_Comm_delete_attr");
	MPI_Irecv(in + LONG, LONG, MPI_BYTE, 0, 1, MPI_COMM_SELF, &more[0]);
	MPI_Isend(out, LONG, MPI_BYTE, 0, 0, MPI_COMM_SELF, &more[1]);
	MPI_Wait(&begun, MPI_STATUS_IGNORE);
	MPI_Wait(&more[1], MPI_STATUS_IGNORE);
	expect_help("a receive that has no message yet");
	MPI_Cancel(&more[0]);
	MPI_Wait(&more[0], MPI_STATUS_IGNORE);
	await_rest();
	expect_rest("MPI_Cancel");
}

int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	out = calloc(LONG, 1);
	in = calloc(LONG, 2);
	expect_rest("MPI_Init");
	short_receives();
	short_calls();
	long_message();
	persistent_message();
	user_function();
	free(out);
	free(in);
	MPI_Finalize();
	return check_end();
}
