# SPDX-License-Identifier: BSD-3-Clause
# MPI-5.0 2.5.1, pitfall 23: with HAFT_LEAKS=1 MPI_Finalize lists objects not freed, and where each
# was made, one table a rank; the exit code does not change, and a clean program is told nothing.
set -u
case $B in /*) ;; *) B=$PWD/$B ;; esac
cd "$TMPDIR" || exit 1
bad=0

leaks=$B/tests/life/leaking

fail() {
	echo "$1"
	cat out
	bad=1
}
run() { HAFT_LEAKS=1 ASAN_OPTIONS=detect_leaks=0 timeout 200 "$@" >out 2>&1; }

run "$B/bin/mpiexec" -n 2 "$leaks" leak x
[ $? = 3 ] || fail "the exit code is not the program's"
[ "$(grep -c '^haft: rank [01] has not freed 13 objects:$' out)" = 2 ] || fail "no head, or two"
said() { [ "$(grep -c -- "$1" out)" = 2 ] || fail "not twice: $1"; }
if command -v addr2line >/dev/null; then
	said ' 3  MPI_Comm .*leak_all at .*leaking.c:[0-9]'
fi
said " 1  MPI_Comm .*\`solver' (size 2)"
said " 1  MPI_Datatype .*\`cell' (12 bytes, not committed)"
said ' 1  MPI_Group .*size 2'
said ' 1  MPI_Info .*colour=blue'
said ' 1  MPI_Op '
said ' 1  MPI_Errhandler .*for communicators'
said ' 1  keyval '
said ' 1  MPI_Request .*persistent receive, not started, solver'
said ' 1  message .*4 bytes from rank . of MPI_COMM_WORLD with tag 7 in solver'
said ' 1  buffer .*bytes attached to a communicator'
[ "$(wc -l <out)" = 26 ] || fail "other lines"
run "$B/bin/mpiexec" -n 2 "$leaks" clean || fail "exit code of a clean program"
[ -s out ] && fail "a clean program is told something"
run "$B/bin/mpiexec" -n 2 "$leaks" sessions || fail "exit code of two sessions"
[ -s out ] && fail "two sessions hear"
run "$B/bin/mpiexec" -n 1 "$leaks" fortran || fail "exit code with the properties of Fortran"
[ -s out ] && fail "the properties of Fortran are a leak"
HAFT_LEAKS=0 timeout 200 "$B/bin/mpiexec" -n 1 "$leaks" leak >out 2>&1 || fail "HAFT_LEAKS=0"
[ -s out ] && fail "HAFT_LEAKS=0 says"
rm -f ./*
exit $bad
