# SPDX-License-Identifier: BSD-3-Clause
# A user's program under valgrind, which has less address space than a segment asks for: two ranks
# use messages, collectives, windows and files and spawn a third, and memcheck finds nothing wrong
# in them, and no memory of the library that looks lost.
set -u
case $B in *-address* | *-thread* | *-undefined*) exit 77 ;; esac # valgrind runs no sanitizers
command -v valgrind >/dev/null || exit 77
case $B in /*) ;; *) B=$PWD/$B ;; esac
source=$PWD/tests/build/memcheck.c
cd "$TMPDIR" || exit 1
"$B/bin/mpicc" -g "$source" -o p || exit 1
"$B/bin/mpiexec" -n 2 valgrind --leak-check=full --error-exitcode=9 ./p valgrind >out 2>&1 || {
	echo "exit code $?"
	cat out
	exit 1
}
[ "$(grep -c 'ERROR SUMMARY: 0 errors' out)" = 3 ] || { cat out; exit 1; }
! grep -i 'warning:' out || exit 1
rm -rf "${TMPDIR:?}"/*
