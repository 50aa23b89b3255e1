# SPDX-License-Identifier: BSD-3-Clause
# MPI-5.0 9.3: MPI_ERRORS_ABORT on a communicator, window or file of one process ends that process.
# The others go on until they wait for it, which ends the job with words.
. tests/tools/lib.sh

export HAFT_ENDED=1
patience=60
"$B/bin/mpicc" $san -Wall tests/err/abort_scope.c -o "$TMPDIR/scope" || exit 1
for what in comm win file; do
	job -n 3 "$TMPDIR/scope" $what "$TMPDIR/f"
	[ "$rc" != 0 ] && [ "$rc" != 124 ] || fail "$what: exit code $rc"
	want_out 'rank 0 lives'
	want_out 'rank 2 lives'
	! grep -q 'rank 1 lives' "$out" || fail "$what: rank 1 lives"
	[ "$(grep -cE 'MPI_ERR_(RANK|ARG|OFFSET)' "$err")" = 1 ] || fail "$what: $(cat "$err")"
	want_err 'MPI_Finalize'
done
finish
