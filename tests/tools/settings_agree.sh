# SPDX-License-Identifier: BSD-3-Clause
# Settings that must be equal in all ranks and are not: an error with words, not a hang.  A bad
# value or an unknown name is reported once a job.
. tests/tools/lib.sh
life=$TMPDIR/life
"$B/bin/mpicc" $san -Wall tests/life/end_modes.c -o "$life" || exit 1

# differ NAME ONE OTHER: rank 1 has another value than the others.
differ() {
	job -n 3 sh -c "$my [ \$r = 1 ] && $1=$3 || $1=$2; export $1; exec '$life'"
	[ $rc != 0 ] || fail "$said: exit code 0"
	want_err "$1 must be the same in all processes of a job: it is"
	want_err "\`$2'"
	want_err "\`$3'"
}
differ HAFT_COLL shm p2p
differ HAFT_COLL_ALGORITHM allreduce=ring allreduce=tree
differ HAFT_CHECK coll types
# Programs of one line, wherever they run: mpiexec sees it before anything starts.
# apart NAME ONE OTHER: the second program has another value; "": none.
apart() {
	for where in "-launcher fork -hosts a:2,b:2" "-n 4"; do
		job $where -n 2 -env $1 "$2" "$life" : -n 2 ${3:+-env $1 "$3"} "$life" args
		want_rc 2
		want_err "mpiexec: $1 must be the same in all processes of a job: it is"
		want_err "\`$2' in program 1 ($life)"
		want_err "in program 2 ($life)"
		want_err_lines 1
	done
}
apart HAFT_COLL_ALGORITHM allreduce=ring ''
apart HAFT_COLL p2p ''
apart HAFT_CHECK coll types
apart HAFT_RMA msg vm
apart HAFT_VIA net ofi
# Equal values, and a setting that may differ.
job -launcher fork -hosts a:2,b:2 -n 2 -env HAFT_CHECK coll,types -env HAFT_RMA auto -env HAFT_EAGER 0 "$life" : \
	-n 2 -env HAFT_CHECK types,coll "$life"
want_rc 0
want_err_lines 0
# A setting made by a script on one of two hosts is not compared: messages without a signature are
# not checked.
for has in 0 1; do
	job -launcher fork -hosts a:1,b:1 -n 2 sh -c "$my [ \$r = $has ] && export HAFT_CHECK=types; exec '$B/tests/std/ch04/part_ring'"
	want_rc 0
	want_err_lines 0
done
# Settings that may differ between ranks.
for v in 'HAFT_EAGER 0 64k' 'HAFT_SINGLE_COPY never always' 'HAFT_SLEEP always never' 'HAFT_RING_AFTER 0 100' 'HAFT_UNEXPECTED 1000 1M'; do
	set -- $v
	job -n 3 sh -c "$my [ \$r = 1 ] && $1=$3 || $1=$2; export $1; exec '$B/tests/life/traffic' 0.1"
	want_rc 0
	want_err_lines 0
done

# Unknown names.
HAFT_EAGR=1 HAFT_COL=p2p HAFT_QUITE_ANOTHER=1 HAFT_CC=cc HAFTLY=1 job -n 4 "$life"
want_rc 0
want_err 'haft: HAFT_EAGR is not known, and does nothing: did you mean HAFT_EAGER?'
want_err 'haft: HAFT_COL is not known, and does nothing: did you mean HAFT_COLL?'
want_err 'haft: HAFT_QUITE_ANOTHER is not known'
want_err_lines 3
HAFT_SLEP=no "$B/bin/mpi-info" --settings >"$out" 2>"$err"
want_err 'did you mean HAFT_SLEEP?'

# A rank that ends the job at once does not outrun the words.
for i in 1 2 3 4 5; do
	HAFT_SPIN=often job -n 4 "$life" abort
	want_rc 42
	[ "$(grep -c 'HAFT_SPIN=often is not understood' "$err")" = 1 ] || fail "the bad value is not said once: $(cat "$err")"
done

# An error in one rank only, and it goes on: the others are told by which.
"$B/bin/mpicc" $san tests/tools/one_error.c -o "$TMPDIR/one" || exit 1
HAFT_CHECK=coll job -n 2 "$TMPDIR/one"
want_rc 3
want_out 'rank 1 calls MPI_Barrier, rank 0 MPI_Bcast'
finish
