# SPDX-License-Identifier: BSD-3-Clause
# MPI-5.0 9.3: without a handler of its own a program ends at the first error: one line that names
# function, rank, communicator, class and what is wrong, and an exit code that is not 0.
set -u
case $B in /*) ;; *) B=$PWD/$B ;; esac
cd "$TMPDIR" || exit 1
bad=0

cat >p.c <<'END'
#include <mpi.h>
#include <stdio.h>
#include <string.h>

int main(int argc, char **argv)
{
	int x = 0, rank;
	const char *how = argc > 1 ? argv[1] : "";

	printf("said earlier\n");
	if (strcmp(how, "before") == 0)
		MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	if (strcmp(how, "abort") == 0)
		MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ABORT);
	if (strcmp(how, "stale") == 0) {
		MPI_Comm c, d;

		MPI_Comm_dup(MPI_COMM_WORLD, &c); /* line MADE */
		d = c;
		MPI_Comm_free(&c); /* line FREED */
		MPI_Barrier(d);
	}
	if (strcmp(how, "after") != 0 && rank == 0)
		MPI_Send(&x, 1, MPI_INT, 7, 0, MPI_COMM_WORLD);
	if (strcmp(how, "after") != 0)
		MPI_Barrier(MPI_COMM_WORLD);
	MPI_Finalize();
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	return 0;
}
END
"$B/bin/mpicc" ${SANFLAGS-} p.c -o p || exit 1

# expect WORDS COMMAND...: the words are said, on one line, and the exit code is not 0.
expect() {
	words=$1
	shift
	if timeout 200 "$@" >out 2>&1; then
		echo "exit code 0: $*"
		bad=1
	fi
	grep -q 'said earlier' out || {
		echo "what was printed before is lost: $*"
		bad=1
	}
	[ "$(grep -c "$words" out)" = 1 ] && return
	echo "not one line \`$words' from: $*"
	cat out
	bad=1
}
expect 'MPI_Send: rank 0 of MPI_COMM_WORLD: MPI_ERR_RANK: dest 7 is not' "$B/bin/mpiexec" -n 2 ./p
expect 'MPI_Send: rank 0 of MPI_COMM_WORLD: MPI_ERR_RANK: dest 7 is not' ./p
expect 'MPI_Send: rank 0 of MPI_COMM_WORLD: MPI_ERR_RANK' "$B/bin/mpiexec" -n 2 ./p abort
expect 'MPI_Comm_rank: .*MPI_ERR_OTHER: called before MPI_Init' ./p before
expect 'MPI_Comm_rank: .*MPI_ERR_OTHER: called after MPI_Finalize' "$B/bin/mpiexec" -n 1 ./p after
# A handle that was freed: with debug information and addr2line, where that was; else the offset.
"$B/bin/mpicc" ${SANFLAGS-} -g p.c -o g || exit 1
line_of() { grep -n "line $1" p.c | cut -d: -f1; }
if command -v addr2line >/dev/null; then
	expect "stale: it was freed; created at .*p\.c:$(line_of MADE) (main); freed at .*p\.c:$(line_of FREED) (main)" ./g stale
fi
strip g
expect 'stale: it was freed; created at g+0x[0-9a-f]*.*; freed at g+0x' ./g stale
rm -f ./*
exit $bad
