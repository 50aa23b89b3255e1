// SPDX-License-Identifier: BSD-3-Clause
/* RUN np=2 */
/* MPI-5.0 3.6: a buffered send uses the buffer of its communicator, else of its session; a flush
 * waits for the messages in it. */
#include "tests/check.h"

enum { TAG = 2, SIZE = 4096 };

/* One buffered message each way through the buffer that is attached now. */
static void scope_exchange(MPI_Comm comm)
{
	int me, out, in = -1;

	OK(MPI_Comm_rank(comm, &me));
	out = 40 + me;
	OK(MPI_Bsend(&out, 1, MPI_INT, 1 - me, TAG, comm));
	OK(MPI_Recv(&in, 1, MPI_INT, 1 - me, TAG, comm, MPI_STATUS_IGNORE));
	CHECK(in == 41 - me);
}

int main(int argc, char **argv)
{
	static char a[SIZE], b[SIZE];
	MPI_Session session;
	MPI_Group group;
	MPI_Count size;
	MPI_Request r;
	MPI_Comm comm;
	void *was;
	int n;

	(void)argc;
	(void)argv;
	OK(MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session));
	OK(MPI_Group_from_session_pset(session, "mpi://WORLD", &group));
	OK(MPI_Comm_create_from_group(group, "buffers", MPI_INFO_NULL, MPI_ERRORS_RETURN, &comm));
	OK(MPI_Group_free(&group));
	OK(MPI_Session_attach_buffer_c(session, a, sizeof(a)));
	scope_exchange(comm);
	OK(MPI_Comm_attach_buffer(comm, b, sizeof(b)));
	scope_exchange(comm);
	OK(MPI_Comm_iflush_buffer(comm, &r));
	OK(MPI_Wait(&r, MPI_STATUS_IGNORE));
	OK(MPI_Comm_flush_buffer(comm));
	OK(MPI_Comm_detach_buffer(comm, &was, &n));
	CHECK(was == b && n == SIZE);
	OK(MPI_Session_flush_buffer(session));
	OK(MPI_Session_detach_buffer_c(session, &was, &size));
	CHECK(was == a && size == SIZE);
	OK(MPI_Comm_free(&comm));
	OK(MPI_Session_finalize(&session));
	return 0;
}
