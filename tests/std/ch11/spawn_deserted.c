// SPDX-License-Identifier: BSD-3-Clause
/* RUN np=1,2 rc=1 args="recv|probe|wait|waitall" env="HAFT_ENDED=1" idle */
/* RUN np=1,2 rc=1 args="waitany|waitsome|some_any" env="HAFT_ENDED=1" idle */
/* RUN np=2 rc=1 args="recv|waitany" env="HAFT_ENDED=1 HAFT_VIA=net" idle */
/* RUN np=2 rc=1 args="second" env="HAFT_ENDED=1 HAFT_HANG=2" idle */
/* RUN np=1,2 rc=1 args="leave_one|leave_any" env="HAFT_ENDED=1 HAFT_HANG=2" idle */
/* MPI-5.0 11.8.2, 11.10.4, 3.2.4, 3.7.5: children have ended in good order, or are in
 * MPI_Comm_disconnect, and the parents wait for messages of any of them, of one, or of several:
 * mpiexec ends the job with words, also if other ranks live. */
#include "tests/check.h"

enum { CHILDREN = 8 };

static MPI_Comm kids;

/* Requests: receives of each child, highest first; the last one is of any child if `any'. */
static void deserted_open_all(MPI_Request reqs[CHILDREN], bool any)
{
	for (int i = 0; i < CHILDREN; i++)
		OK(MPI_Irecv(NULL, 0, MPI_INT,
			any && i == CHILDREN - 1 ? MPI_ANY_SOURCE : CHILDREN - 1 - i, i, kids,
			&reqs[i]));
}

/* Waits for a message of processes that may end from now on.  The children wait in a barrier until
 * the requests are there: a receive from a process that has gone by then is an error at once. */
static int wait_for_ever(const char *how)
{
	MPI_Request reqs[CHILDREN], both[2];
	int i, indices[CHILDREN];

	deserted_open_all(reqs, strcmp(how, "some_any") == 0);
	OK(MPI_Barrier(kids));
	if (strcmp(how, "second") == 0) { /* the first request is for a process that lives */
		OK(MPI_Irecv(NULL, 0, MPI_INT, 1 - check_rank, 0, MPI_COMM_WORLD, &both[0]));
		both[1] = reqs[0];
		return MPI_Waitall(2, both, MPI_STATUSES_IGNORE);
	}
	if (strcmp(how, "recv") == 0 || strcmp(how, "leave_any") == 0)
		return MPI_Recv(NULL, 0, MPI_INT, MPI_ANY_SOURCE, 0, kids, MPI_STATUS_IGNORE);
	if (strcmp(how, "leave_one") == 0)
		return MPI_Recv(NULL, 0, MPI_INT, 1, 0, kids, MPI_STATUS_IGNORE);
	if (strcmp(how, "probe") == 0)
		return MPI_Probe(1, 0, kids, MPI_STATUS_IGNORE);
	if (strcmp(how, "wait") == 0)
		return MPI_Wait(&reqs[1], MPI_STATUS_IGNORE);
	if (strcmp(how, "waitall") == 0)
		return MPI_Waitall(CHILDREN, reqs, MPI_STATUSES_IGNORE);
	if (strcmp(how, "waitany") == 0)
		return MPI_Waitany(CHILDREN, reqs, &i, MPI_STATUS_IGNORE);
	return MPI_Waitsome(CHILDREN, reqs, &i, indices, MPI_STATUSES_IGNORE);
}

int main(int argc, char **argv)
{
	check_init(&argc, &argv);
	OK(MPI_Comm_get_parent(&kids));
	if (kids == MPI_COMM_NULL) {
		OK(MPI_Comm_spawn(argv[0], argv + 1, CHILDREN, MPI_INFO_NULL, 0, MPI_COMM_WORLD,
			&kids, MPI_ERRCODES_IGNORE));
		OK(MPI_Comm_set_errhandler(kids, MPI_ERRORS_RETURN));
		CHECK(wait_for_ever(argv[1]) != MPI_SUCCESS);
		MPI_Abort(MPI_COMM_WORLD, 1); /* it has gone before the call: an error at once */
	}
	OK(MPI_Barrier(kids));
	if (strncmp(argv[1], "leave", 5) == 0)
		OK(MPI_Comm_disconnect(&kids));
	MPI_Finalize();
	return 0;
}
