# SPDX-License-Identifier: BSD-3-Clause
# A user's program under valgrind, which has less address space than a segment asks for: two ranks
# talk, and memcheck finds nothing wrong in them, and no memory of the library that looks lost.
set -u
case $B in *-address* | *-thread* | *-undefined*) exit 77 ;; esac # valgrind runs no sanitizers
command -v valgrind >/dev/null || exit 77
case $B in /*) ;; *) B=$PWD/$B ;; esac
cd "$TMPDIR" || exit 1
cat >p.c <<'END'
#include <mpi.h>
#include <stdlib.h>

enum { LONG = 300000 };

int main(int argc, char **argv)
{
	int *buf = calloc(LONG, sizeof(*buf)), rank, sum = 0;
	MPI_Comm comm;

	MPI_Init(&argc, &argv);
	MPI_Comm_dup(MPI_COMM_WORLD, &comm);
	MPI_Comm_rank(comm, &rank);
	MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, comm);
	for (int n = 1; n <= LONG; n *= 10) {
		if (rank == 0)
			MPI_Send(buf, n, MPI_INT, 1, 0, comm);
		else
			MPI_Recv(buf, n, MPI_INT, 0, 0, comm, MPI_STATUS_IGNORE);
	}
	MPI_Comm_free(&comm);
	MPI_Finalize();
	free(buf);
	return sum != 1;
}
END
"$B/bin/mpicc" -g p.c -o p || exit 1
"$B/bin/mpiexec" -n 2 valgrind --leak-check=full --error-exitcode=9 ./p >out 2>&1 || {
	echo "exit code $?"
	cat out
	exit 1
}
[ "$(grep -c 'ERROR SUMMARY: 0 errors' out)" = 2 ] || { cat out; exit 1; }
! grep WARNING out || exit 1
rm -rf "${TMPDIR:?}"/*
