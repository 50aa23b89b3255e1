# SPDX-License-Identifier: BSD-3-Clause
# MPI-5.0 9.3: without a handler of its own a program ends at the first error: one line that names
# function, rank, communicator, class and the mistake, and an exit code that is not 0.
set -u
case $B in /*) ;; *) B=$PWD/$B ;; esac
source=$PWD/tests/err/error_line.c
cd "$TMPDIR" || exit 1
bad=0

"$B/bin/mpicc" ${SANFLAGS-} "$source" -o p || exit 1

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
"$B/bin/mpicc" ${SANFLAGS-} -g "$source" -o g || exit 1
line_of() { grep -n "line $1 " "$source" | cut -d: -f1; }
if command -v addr2line >/dev/null; then
	expect "stale: it was freed; created at .*error_line\.c:$(line_of MADE) (main); freed at .*error_line\.c:$(line_of FREED) (main)" ./g stale
fi
strip g
expect 'stale: it was freed; created at g+0x[0-9a-f]*.*; freed at g+0x' ./g stale
rm -f ./*
exit $bad
