# SPDX-License-Identifier: BSD-3-Clause
# RUN time=200
# MPI-5.0 9.3: MPI_ERRORS_ABORT on a session ends the local process alone.
# MPI-5.0 11.3.1, 11.2.2: a session that is not finalized, and an MPI_Finalize that failed, are
# named.
. tests/tools/lib.sh

"$B/bin/mpicc" ${SANFLAGS-} tests/life/unfinished.c -o "$TMPDIR/p" || exit 1

job -n 2 "$TMPDIR/p" scope
[ $rc != 0 ] || fail "an aborted process, and exit code 0"
grep -q 'rank 0 lives' "$out" || fail "rank 1's session has ended rank 0: $(cat "$err")"
grep -q 'no process set' "$err" || fail "no words: $(cat "$err")"
for n in 1 2 3; do # of 3, only rank 2 leaves a session, whichever rank ends first
	job -n $n "$TMPDIR/p" session
	[ $rc = 1 ] || fail "a session not finalized, $n ranks: exit code $rc"
	grep -q 'exited with code 0 and a session not finalized' "$err" || fail "session: $(cat "$err")"
	job -n $n "$TMPDIR/p" finalize
	[ $rc = 1 ] || fail "MPI_Finalize failed, $n ranks: exit code $rc"
	grep -q 'exited with code 0 after an MPI_Finalize that failed' "$err" || fail "finalize: $(cat "$err")"
done
finish
