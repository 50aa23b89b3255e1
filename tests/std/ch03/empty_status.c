// SPDX-License-Identifier: BSD-3-Clause
/* RUN np=1 */
/* MPI-5.0 3.7.3, 3.7.5, 3.7.6: an empty status has source MPI_ANY_SOURCE, tag MPI_ANY_TAG, error
 * MPI_SUCCESS, no bytes and is not cancelled; 3.11: that of MPI_PROC_NULL leaves the error alone */
#include "tests/check.h"

#include <mpi.h>

enum { DIRTY = 4711, N = 3 };

static MPI_Status dirty(void)
{
	MPI_Status s;

	s.MPI_SOURCE = s.MPI_TAG = s.MPI_ERROR = DIRTY;
	MPI_Status_set_elements(&s, MPI_INT, 5);
	MPI_Status_set_cancelled(&s, 1);
	return s;
}

static void is_empty(const MPI_Status *s, int source, int error)
{
	int n = -1, flag = -1;

	expect_eq(s->MPI_SOURCE, source);
	expect_eq(s->MPI_TAG, MPI_ANY_TAG);
	expect_eq(s->MPI_ERROR, error);
	expect_ok(MPI_Get_count(s, MPI_INT, &n));
	expect_eq(n, 0);
	expect_ok(MPI_Test_cancelled(s, &flag));
	expect_eq(flag, 0);
}

static void empty(const MPI_Status *s)
{
	is_empty(s, MPI_ANY_SOURCE, MPI_SUCCESS);
}

/* 3.7.3: of one request, null or inactive. */
static void empty_one(MPI_Request r)
{
	MPI_Request was = r;
	MPI_Status s = dirty();
	int flag = 0;

	expect_ok(MPI_Wait(&r, &s));
	empty(&s);
	s = dirty();
	expect_ok(MPI_Test(&r, &flag, &s));
	expect(flag && r == was);
	empty(&s);
	s = dirty();
	flag = 0;
	expect_ok(MPI_Request_get_status(r, &flag, &s));
	expect(flag);
	empty(&s);
	expect_ok(MPI_Wait(&r, MPI_STATUS_IGNORE));
	expect_ok(MPI_Test(&r, &flag, MPI_STATUS_IGNORE));
	expect_ok(MPI_Request_get_status(r, &flag, MPI_STATUS_IGNORE));
}

/* 3.7.5, 3.7.6: of any of n requests, none of which is active. */
static void empty_any(int n, MPI_Request reqs[])
{
	MPI_Status s = dirty();
	int flag = 0, index = DIRTY;

	expect_ok(MPI_Waitany(n, reqs, &index, &s));
	expect_eq(index, MPI_UNDEFINED);
	empty(&s);
	s = dirty();
	index = DIRTY;
	expect_ok(MPI_Testany(n, reqs, &index, &flag, &s));
	expect(flag && index == MPI_UNDEFINED);
	empty(&s);
	s = dirty();
	index = DIRTY;
	flag = 0;
	expect_ok(MPI_Request_get_status_any(n, reqs, &index, &flag, &s));
	expect(flag && index == MPI_UNDEFINED);
	empty(&s);
}

/* 3.7.5, 3.7.6: each of all requests. */
static void empty_all(int n, MPI_Request reqs[])
{
	MPI_Status s[N];
	int flag = 0;

	for (int i = 0; i < n; i++)
		s[i] = dirty();
	expect_ok(MPI_Waitall(n, reqs, s));
	for (int i = 0; i < n; i++) {
		empty(&s[i]);
		s[i] = dirty();
	}
	expect_ok(MPI_Testall(n, reqs, &flag, s));
	for (int i = 0; i < n; i++) {
		empty(&s[i]);
		s[i] = dirty();
	}
	expect_ok(MPI_Request_get_status_all(n, reqs, &flag, s));
	for (int i = 0; i < n; i++)
		empty(&s[i]);
}

static void empty_nobody(void)
{
	MPI_Request r;
	MPI_Message m;
	MPI_Status s = dirty();
	int x, flag = 0;

	expect_ok(MPI_Recv(&x, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &s));
	is_empty(&s, MPI_PROC_NULL, DIRTY);
	s = dirty();
	expect_ok(MPI_Probe(MPI_PROC_NULL, 0, MPI_COMM_WORLD, &s));
	is_empty(&s, MPI_PROC_NULL, DIRTY);
	s = dirty();
	expect_ok(MPI_Improbe(MPI_PROC_NULL, 0, MPI_COMM_WORLD, &flag, &m, &s));
	is_empty(&s, MPI_PROC_NULL, DIRTY);
	s = dirty();
	expect_ok(MPI_Mrecv(&x, 1, MPI_INT, &m, &s));
	is_empty(&s, MPI_PROC_NULL, DIRTY);
	s = dirty();
	expect_ok(MPI_Irecv(&x, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &r));
	expect_ok(MPI_Wait(&r, &s));
	is_empty(&s, MPI_PROC_NULL, DIRTY);
}

int main(int argc, char **argv)
{
	MPI_Request reqs[N];
	int x = 0;

	MPI_Init(&argc, &argv);
	reqs[0] = MPI_REQUEST_NULL;
	expect_ok(MPI_Ssend_init(&x, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, &reqs[1]));
	expect_ok(MPI_Recv_init(&x, 1, MPI_INT, MPI_PROC_NULL, 1, MPI_COMM_WORLD, &reqs[2]));
	for (int i = 0; i < N; i++)
		empty_one(reqs[i]);
	for (int n = 0; n <= N; n++) {
		empty_any(n, reqs);
		empty_all(n, reqs);
	}
	empty_nobody();
	expect_ok(MPI_Request_free(&reqs[1]));
	expect_ok(MPI_Request_free(&reqs[2]));
	MPI_Finalize();
	return check_end();
}
