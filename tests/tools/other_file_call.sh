# SPDX-License-Identifier: BSD-3-Clause
# MPI-5.0 14.6.4: ranks that make different collective calls on one file are told so, by the names
# of these calls and not of those inside; and reports of waits name call and file.
. tests/tools/lib.sh

call=$TMPDIR/other_file_call
"$B/bin/mpicc" $san -Wall tests/tools/other_file_call.c -o "$call" || exit 1

# differ FIRST OTHERS: rank 0 makes the call FIRST, the others make OTHERS: the job ends.
differ() {
	for n in 2 3; do
		job ${far:-} -n $n "$call" "$1" "$2" "$TMPDIR/file"
		[ "$rc" != 0 ] && [ "$rc" != 124 ] || fail "$n ranks, $1 and $2: exit code $rc"
		grep -qE "(calls MPI_File_$1, rank [0-9] MPI_File_$2|calls MPI_File_$2, rank [0-9] MPI_File_$1)( |$)|is not in MPI_File_($1|$2) as" "$err" ||
			{ cat "$err"; fail "$n ranks, $1 and $2: no words"; }
	done
}
# each FIRST OTHERS: errors return, and every rank gets one.
each() {
	for n in 2 3; do
		job ${far:-} -n $n "$call" "$1" "$2" "$TMPDIR/file" 'calls MPI_File_'
		[ "$rc" = 0 ] || { cat "$out" "$err"; fail "$n ranks, $1 and $2 return: $rc"; }
	done
}

pairs='close,write_all close,iwrite_all iwrite_all,close sync,close set_size,set_atomicity
	write_all,read_all write_all,iwrite_all write_all_begin,write_all set_view,set_info
	write_ordered,seek_shared read_ordered_begin,close preallocate,set_size
	iread_all,set_view read_at_all,write_at_all'
for pair in $pairs; do
	differ "${pair%,*}" "${pair#*,}"
done
each close write_all
each iwrite_all set_view

# Nothing waits in these, so only a comparison finds them.
export HAFT_CHECK=coll
for pair in $pairs iwrite_all,write_all_begin iread_all,iwrite_all; do
	differ "${pair%,*}" "${pair#*,}"
	each "${pair%,*}" "${pair#*,}"
done
far='-launcher fork -hosts a:1,b:2'
for pair in close,write_all iwrite_all,close read_ordered_begin,close; do
	each "${pair%,*}" "${pair#*,}"
done
far=
unset HAFT_CHECK

# A call on the communicator is no mistake by itself: mpiexec says who waits for whom.
behind env HAFT_HANG=1 "$run" -n 3 "$call" close barrier "$TMPDIR/file"
until_err "in MPI_File_close of $(printf %s "$TMPDIR/file" | tail -c 39), for rank 1"
until_err 'in MPI_Barrier of MPI_COMM_WORLD, for rank 0'
kill -TERM $pid
wait $pid
finish
