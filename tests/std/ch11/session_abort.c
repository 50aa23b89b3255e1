// SPDX-License-Identifier: BSD-3-Clause
/* RUN np=1,3 rc=42 */
/* MPI-5.0 11.4.2: MPI_Abort on a session's communicator ends its processes with the code given. */
#include <mpi.h>

int main(void)
{
	MPI_Session s;
	MPI_Group g;
	MPI_Comm c;
	int me, x;

	MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &s);
	MPI_Group_from_session_pset(s, "mpi://WORLD", &g);
	MPI_Comm_create_from_group(g, "abort", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &c);
	MPI_Comm_rank(c, &me);
	if (me == 0)
		MPI_Abort(c, 42);
	MPI_Recv(&x, 1, MPI_INT, MPI_ANY_SOURCE, 0, c, MPI_STATUS_IGNORE);
	return 0;
}
