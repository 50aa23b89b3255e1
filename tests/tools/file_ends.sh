# SPDX-License-Identifier: BSD-3-Clause
# MPI-5.0 14.2.2, 14.7: one rank is killed or stopped in the middle of a collective write, or the
# file system is full.  The job ends with words, or goes on; the old file of haft_commit stays.
. tests/tools/lib.sh

file=$TMPDIR/file
"$B/bin/mpicc" -std=gnu11 -O1 -I. $san tests/tools/file_ends.c -o "$TMPDIR/ends" || exit 1

# The job has ended soon, and says why.
want_killed() {
	want_rc 137
	want_err 'rank 2 (process'
	want_err 'was killed by signal 9'
	want_ms 1000
}

for form in now later split; do
	for wish in enable disable; do
		job -n 3 "$TMPDIR/ends" "$file" kill $wish $form
		want_killed
		job -n 3 "$TMPDIR/ends" "$file" stop $wish $form
		want_rc 0
		rm -f "$file"
	done
done

# The job of three ranks on two hosts.
for form in now later split; do
	job -launcher fork -hosts a:2,b -n 3 "$TMPDIR/ends" "$file" kill enable $form
	want_killed
	job -launcher fork -hosts a:2,b -n 3 "$TMPDIR/ends" "$file" stop enable $form
	want_rc 0
	rm -f "$file"
done

# A job that dies leaves the old file whole; one that does not replaces it.
for wish in enable disable; do
	echo old >"$file"
	job -n 3 "$TMPDIR/ends" "$file" kill $wish now rename
	want_killed
	[ "$(cat "$file")" = old ] || fail "haft_commit: $wish: the old file has changed"
	[ "$(ls "$TMPDIR" | grep -c haft-)" = 1 ] || fail "temporary files: $(ls "$TMPDIR")"
done
job -n 3 "$TMPDIR/ends" "$file" whole enable now rename
want_rc 0
[ "$(wc -c <"$file")" = 6291456 ] || fail "haft_commit: $(wc -c <"$file") bytes"
[ "$(ls "$TMPDIR" | grep -c haft-)" = 0 ] || fail "a temporary file is left: $(ls "$TMPDIR")"

# A file that is not closed is not committed, and the job says so.
for end in forgets aborts; do
	echo old >"$file"
	HAFT_LEAKS=1 job -n 3 "$TMPDIR/ends" "$file" $end enable now rename
	want_rc $([ $end = forgets ] && echo 0 || echo 3)
	want_err "haft: $file: not committed, because "
	[ "$(grep -c 'not committed' "$err")" = 1 ] || fail "$end: more than one line"
	[ $end = aborts ] || want_err "/file, main"
	[ "$(cat "$file")" = old ] || fail "haft_commit: $end: the old file has changed"
	rm -f "$file" "$file".haft-*
done

# HAFT_ERRHANDLER=fatal stops a program that drops the errors of its files; the option does not.
HAFT_ERRHANDLER=fatal job -n 2 "$TMPDIR/ends" "$TMPDIR/no/folder" drops enable now
want_err ' of MPI_COMM_WORLD: MPI_ERR_NO_SUCH_FILE: failed on rank 0 of 2, host ' # the first rank to fail says it
[ $rc != 0 ] || fail "HAFT_ERRHANDLER=fatal: the job went on"
job -initial-errhandler mpi_errors_are_fatal -n 2 "$TMPDIR/ends" "$TMPDIR/no/folder" drops enable now
want_rc 0

# A report tells how far a long access is.
two_thirds() {
	[ "$(wc -c <"$file")" = 134217728 ]
}
rm -f "$file"
begin -n 2 "$TMPDIR/ends" "$file" hang
until_ two_thirds
kill -USR1 $pid
until_there "$err" 2
kill -9 $pid
wait $pid
said="hang"
want_err 'has moved 66 % of 201326592 bytes of '
rm -f "$file"

# A file system of 4 MiB for 6 MiB.
mkdir "$TMPDIR/small"
if unshare -Urm mount -t tmpfs none "$TMPDIR/small" 2>/dev/null; then
	for form in now later split; do
		for wish in enable disable; do
			timeout $patience unshare -Urm sh -c "mount -t tmpfs -o size=4m none $TMPDIR/small &&
				$run -n 3 $TMPDIR/ends $TMPDIR/small/file full $wish $form" >"$out" 2>"$err" </dev/null
			rc=$?
			said="full $wish $form"
			want_rc 0
			timeout $patience unshare -Urm sh -c "mount -t tmpfs -o size=4m none $TMPDIR/small &&
				$run -launcher fork -hosts a:2,b -n 3 $TMPDIR/ends $TMPDIR/small/file full $wish $form" >"$out" 2>"$err" </dev/null
			rc=$?
			said="full over hosts $wish $form"
			want_rc 0
		done
	done
fi
finish
