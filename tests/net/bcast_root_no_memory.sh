# SPDX-License-Identifier: BSD-3-Clause
# MPI-5.0 9.3, 6.4: over several hosts a root, alone on its own, has no memory for the steps of a
# broadcast.  Of another host's members only one hears of that by a message; it tells the rest, who
# wait in shared memory: all fail, with its words, and the next broadcast is right.
cd "$TMPDIR" || exit 1
case $B in /*) top=${B%/build/*} ;; *) top=$OLDPWD; B=$OLDPWD/$B ;; esac
cat >starve.c <<'END'
#include "tests/failing_malloc.h"
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#define BIG  1000 /* bytes: steps, not the envelope of a message */
#define HELD 9    /* calls that keep all schedules that Haft has in store */

int main(int argc, char **argv)
{
	int rank, value, err, len;
	char words[MPI_MAX_ERROR_STRING];
	MPI_Request held[HELD];
	MPI_Comm other;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
	MPI_Comm_dup(MPI_COMM_WORLD, &other);
	value = rank == 0 ? 7 : -1;
	MPI_Bcast(&value, 1, MPI_INT, 0, MPI_COMM_WORLD);
	value = rank == 0 ? 7 : -1;
	for (int i = 0; i < HELD && rank == 0; i++)
		MPI_Ibarrier(other, &held[i]);
	failing_arm(BIG, 0, 1); /* the schedule */
	poor.armed = rank == 0;
	err = MPI_Bcast(&value, 1, MPI_INT, 0, MPI_COMM_WORLD);
	poor.armed = false;
	MPI_Error_string(err, words, &len);
	printf("rank %d: %s\n", rank, words);
	for (int i = 0; i < HELD && rank != 0; i++)
		MPI_Ibarrier(other, &held[i]);
	MPI_Waitall(HELD, held, MPI_STATUSES_IGNORE);
	value = rank == 0 ? 8 : -1;
	if (MPI_Bcast(&value, 1, MPI_INT, 0, MPI_COMM_WORLD) == MPI_SUCCESS)
		printf("rank %d has %d\n", rank, value);
	MPI_Finalize();
	return 0;
}
END
"$B/bin/mpicc" -std=gnu11 -O1 -fno-builtin -I"$top" starve.c -o starve || exit 1
timeout 240 "$B/bin/mpiexec" -launcher fork -hosts a:1,b:3 -n 4 ./starve >out 2>&1
rc=$?
if [ $rc != 0 ] || [ "$(grep -c '^rank .: .*no memory' out)" != 4 ] ||
	[ "$(grep -c 'at rank 0: no memory' out)" != 3 ] || [ "$(grep -c '^rank . has 8$' out)" != 4 ]; then
	echo "exit code $rc"
	cat out
	exit 1
fi
rm -f starve starve.c out
