// SPDX-License-Identifier: BSD-3-Clause
/* busy_neighbor.c - barriers on a CPU that a process of another job keeps busy.  A yield there runs
 * that process for its slice; a rank notices it, and sleeps instead.  For busy_neighbor.sh. */
#include "tests/check.h"

enum { BARRIERS = 400, MOST = BARRIERS / 4 };

int main(int argc, char **argv)
{
	MPI_T_pvar_session session;
	MPI_T_pvar_handle handle;
	unsigned long slow = 0;
	int index, count, level;

	check_init(&argc, &argv);
	OK(MPI_T_init_thread(MPI_THREAD_SINGLE, &level));
	OK(MPI_T_pvar_session_create(&session));
	OK(MPI_T_pvar_get_index("shm_yields_slow", MPI_T_PVAR_CLASS_COUNTER, &index));
	OK(MPI_T_pvar_handle_alloc(session, index, NULL, &handle, &count));
	OK(MPI_T_pvar_start(session, handle));
	for (int i = 0; i < BARRIERS; i++)
		OK(MPI_Barrier(MPI_COMM_WORLD));
	OK(MPI_T_pvar_read(session, handle, &slow));
	printf("rank %d: %lu slow yields in %d barriers\n", check_rank, slow, BARRIERS);
	CHECK(slow <= MOST);
	OK(MPI_T_pvar_session_free(&session));
	OK(MPI_T_finalize());
	MPI_Finalize();
	return check_end();
}
