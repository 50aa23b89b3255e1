# SPDX-License-Identifier: BSD-3-Clause
# MPI-5.0 9.3, 6.4: over several hosts a root, alone on its own, has no memory for the steps of a
# broadcast.  Of another host's members only one hears of that, and the rest must not take what they
# have for its data: the job ends, with words.
cd "$TMPDIR" || exit 1
case $B in /*) top=${B%/build/*} ;; *) top=$OLDPWD; B=$OLDPWD/$B ;; esac
cat >starve.c <<'END'
#include "tests/poor.h"
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#define BIG  1000 /* bytes: steps, not the envelope of a message */
#define HELD 9    /* calls that keep all schedules that Haft has in store */

int main(int argc, char **argv)
{
	int rank, value;
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
	poor_arm(BIG, 0, 1); /* the schedule */
	poor.armed = rank == 0;
	if (MPI_Bcast(&value, 1, MPI_INT, 0, MPI_COMM_WORLD) == MPI_SUCCESS)
		printf("rank %d has %d\n", rank, value);
	poor.armed = false;
	for (int i = 0; i < HELD && rank != 0; i++)
		MPI_Ibarrier(other, &held[i]);
	MPI_Waitall(HELD, held, MPI_STATUSES_IGNORE);
	MPI_Finalize();
	return 0;
}
END
"$B/bin/mpicc" -std=gnu11 -O1 -fno-builtin -I"$top" starve.c -o starve || exit 1
timeout 240 "$B/bin/mpiexec" -launcher fork -hosts a:1,b:3 -n 4 ./starve >out 2>&1
rc=$?
if [ $rc = 0 ] || [ $rc = 124 ] || grep -q '^rank' out || ! grep -q 'at rank 0: no memory' out; then
	echo "exit code $rc"
	cat out
	exit 1
fi
rm -f starve starve.c out
