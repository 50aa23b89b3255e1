// SPDX-License-Identifier: BSD-3-Clause
/* RUN np=2 */
/* MPI-5.0 3.7.2, 3.8.2 to 3.8.4, 13.2: Isendrecv, matched probes, cancelling, generalized
 * requests. */
#include "tests/check.h"

static char big[900000], other[300000];

static void isendrecv(int n)
{
	int peer = 1 - check_rank, flag = 0;
	MPI_Request r;
	MPI_Status s;

	check_fill(big, n, check_rank);
	OK(MPI_Isendrecv(
		big, n, MPI_BYTE, peer, 1, other, n, MPI_BYTE, peer, 1, MPI_COMM_WORLD, &r));
	OK(MPI_Wait(&r, &s));
	CHECK(s.MPI_SOURCE == peer && check_wrong(other, n, peer) < 0);
	OK(MPI_Isendrecv_replace(big, n, MPI_BYTE, peer, 2, peer, 2, MPI_COMM_WORLD, &r));
	while (!flag)
		OK(MPI_Test(&r, &flag, &s));
	CHECK(check_wrong(big, n, peer) < 0);
	OK(MPI_Isendrecv(big, n, MPI_BYTE, check_rank, 3, other, n, MPI_BYTE, check_rank, 3,
		MPI_COMM_WORLD, &r));
	OK(MPI_Wait(&r, &s));
	CHECK(check_wrong(other, n, peer) < 0);
	OK(MPI_Isendrecv(big, n, MPI_BYTE, MPI_PROC_NULL, 3, other, n, MPI_BYTE, MPI_PROC_NULL, 3,
		MPI_COMM_WORLD, &r));
	OK(MPI_Wait(&r, &s));
	CHECK(s.MPI_SOURCE == MPI_PROC_NULL);
}

static void matched(int n)
{
	MPI_Message m;
	MPI_Request r, sends[3];
	MPI_Status s;
	int flag = 0, count;

	if (check_rank == 1) {
		for (int i = 0; i < 3; i++) {
			check_fill(big + i * n, n, i);
			OK(MPI_Isend(big + i * n, n, MPI_BYTE, 0, 5, MPI_COMM_WORLD, &sends[i]));
		}
		OK(MPI_Waitall(3, sends, MPI_STATUSES_IGNORE));
		return;
	}
	OK(MPI_Mprobe(MPI_ANY_SOURCE, 5, MPI_COMM_WORLD, &m, &s));
	OK(MPI_Get_count(&s, MPI_BYTE, &count));
	CHECK(count == n);
	OK(MPI_Recv(other, n, MPI_BYTE, 1, 5, MPI_COMM_WORLD, &s)); /* the second one */
	CHECK(check_wrong(other, n, 1) < 0);
	OK(MPI_Mrecv(other, n, MPI_BYTE, &m, &s));
	CHECK(m == MPI_MESSAGE_NULL && s.MPI_SOURCE == 1 && check_wrong(other, n, 0) < 0);
	while (!flag)
		OK(MPI_Improbe(1, MPI_ANY_TAG, MPI_COMM_WORLD, &flag, &m, &s));
	OK(MPI_Imrecv(other, n, MPI_BYTE, &m, &r));
	OK(MPI_Wait(&r, &s));
	CHECK(s.MPI_TAG == 5 && check_wrong(other, n, 2) < 0);
	OK(MPI_Mprobe(MPI_PROC_NULL, 0, MPI_COMM_WORLD, &m, &s));
	CHECK(m == MPI_MESSAGE_NO_PROC);
	OK(MPI_Mrecv(other, 1, MPI_BYTE, &m, &s));
	CHECK(m == MPI_MESSAGE_NULL && s.MPI_SOURCE == MPI_PROC_NULL);
}

static void sendrecv_cancelled(void)
{
	MPI_Request r;
	MPI_Status s;
	int x = 3, flag = 0;

	OK(MPI_Irecv(&x, 1, MPI_INT, MPI_ANY_SOURCE, 77, MPI_COMM_WORLD, &r));
	OK(MPI_Cancel(&r));
	OK(MPI_Wait(&r, &s));
	OK(MPI_Test_cancelled(&s, &flag));
	CHECK(flag && x == 3 && r == MPI_REQUEST_NULL);
	check_fill(big, 300000, 8); /* a large send without a receive yet: Wait must return */
	OK(MPI_Isend(big, 300000, MPI_BYTE, 1 - check_rank, 79, MPI_COMM_WORLD, &r));
	OK(MPI_Cancel(&r));
	OK(MPI_Wait(&r, &s));
	OK(MPI_Test_cancelled(&s, &flag));
	memset(big, 0, 300000);
	if (!flag) {
		OK(MPI_Recv(other, 300000, MPI_BYTE, 1 - check_rank, 79, MPI_COMM_WORLD, &s));
		CHECK(check_wrong(other, 300000, 8) < 0);
	}
	OK(MPI_Isend(&x, 1, MPI_INT, check_rank, 78, MPI_COMM_WORLD, &r));
	OK(MPI_Recv(&x, 1, MPI_INT, check_rank, 78, MPI_COMM_WORLD, &s));
	OK(MPI_Test_cancelled(&s, &flag));
	CHECK(!flag);
	OK(MPI_Wait(&r, &s));
}

static int asked, freed, cancels;

static int sendrecv_query(void *extra, MPI_Status *s)
{
	asked++;
	OK(MPI_Status_set_elements(s, MPI_INT, *(int *)extra));
	OK(MPI_Status_set_cancelled(s, 0));
	s->MPI_SOURCE = 6;
	s->MPI_TAG = 7;
	return MPI_SUCCESS;
}

static int sendrecv_done(void *extra)
{
	(void)extra;
	freed++;
	return MPI_SUCCESS;
}

static int sendrecv_stop(void *extra, int complete)
{
	(void)extra;
	cancels += 1 + complete;
	return MPI_SUCCESS;
}

static void generalized(void)
{
	MPI_Request r;
	MPI_Status s;
	int n = 11, flag, count;

	OK(MPI_Grequest_start(sendrecv_query, sendrecv_done, sendrecv_stop, &n, &r));
	OK(MPI_Test(&r, &flag, &s));
	CHECK(!flag && asked == 0);
	OK(MPI_Cancel(&r));
	CHECK(cancels == 1);
	OK(MPI_Grequest_complete(r));
	OK(MPI_Wait(&r, &s));
	OK(MPI_Get_count(&s, MPI_INT, &count));
	CHECK(asked == 1 && freed == 1 && count == 11 && s.MPI_SOURCE == 6 && s.MPI_TAG == 7);
	OK(MPI_Grequest_start(sendrecv_query, sendrecv_done, sendrecv_stop, &n, &r));
	OK(MPI_Grequest_complete(r));
	OK(MPI_Request_free(&r));
	CHECK(freed == 2);
}

int main(int argc, char **argv)
{
	check_init(&argc, &argv);
	for (int n = 1; n <= 300000; n = n * 7 + 5) {
		isendrecv(n);
		matched(n);
	}
	sendrecv_cancelled();
	generalized();
	MPI_Finalize();
	return 0;
}
