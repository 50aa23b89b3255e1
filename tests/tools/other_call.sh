# SPDX-License-Identifier: BSD-3-Clause
# Ranks of one host that make different collective calls, or give different roots, are told so
# without HAFT_CHECK=coll: the job ends with words, whichever call waits for which.
. tests/tools/lib.sh

call=$TMPDIR/other_call
"$B/bin/mpicc" $san -Wall tests/tools/other_call.c -o "$call" || exit 1

# differ WORDS FIRST OTHERS: rank 0 makes the call FIRST, the others make OTHERS.
differ() {
	for n in 2 3 9; do
		for before in '' yes; do
			job -n $n "$call" "$2" "$3" $before
			[ "$rc" != 0 ] && [ "$rc" != 124 ] || fail "$n ranks, $2 and $3: exit code $rc"
			grep -qE "$1" "$err" || { cat "$err"; fail "$n ranks, $2 and $3: no words"; }
		done
	done
}
# calls A B FIRST OTHERS: likewise; one rank calls MPI_A, another MPI_B: either may say so.  The
# last to arrive at a central barrier may have seen that two others differ, and not know which.
calls() {
	differ "(calls MPI_$1, rank [0-9] MPI_$2|calls MPI_$2, rank [0-9] MPI_$1) \(|is not in MPI_($1|$2) as|before this MPI_[A-Za-z]*,.*: rank [0-9]'s was MPI_($1|$2)( |$)" "$3" "$4"
}

roots() {
	differ "MPI_ERR_ROOT: .*another root to MPI_$1|is not in MPI_$1 as" "$2" "$3"
}

roots Bcast bcast=0 bcast=1
roots Bcast bcast=1 bcast=0 # no root in a call of two
roots Gather gather=1 gather=0
roots Scatter scatter=0 scatter=1
calls Reduce Gather reduce=0 gather=0
calls Barrier Bcast barrier bcast=0
calls Bcast Barrier bcast=0 barrier
calls Comm_create Allreduce create allreduce
calls Allreduce Comm_create allreduce create_first
calls Alltoallv Barrier alltoallv barrier
calls Barrier Allgatherv barrier allgatherv

# Calls that wait for messages, or for none: a wait that becomes long sees the difference.
calls Comm_idup Ibarrier idup ibarrier
calls Ibarrier Barrier ibarrier barrier
calls Allreduce Iallreduce allreduce iallreduce
calls Ibarrier Iallreduce ibarrier iallreduce
calls Ibarrier Comm_split ibarrier split
calls Alltoallv Ibcast alltoallv ibcast
calls Comm_dup Ibarrier dup ibarrier
calls Ibarrier Iallreduce ibarrier_polled iallreduce_polled
calls Iallreduce Ibarrier iallreduce_polled ibarrier
# The root has its part done at once, and is in MPI_Finalize.
calls '(Bcast|Finalize)' Ibcast bcast=0 ibcast
calls '(Ibcast|Finalize)' Bcast ibcast bcast=0
calls Intercomm_create Comm_create intercomm create
calls Win_create Win_allocate win win_allocate
calls Win_create_dynamic Win_create win_dynamic win
calls Win_allocate_shared Win_allocate win_shared win_allocate

# each WORDS FIRST OTHERS: errors return, and every rank gets one.
each() {
	for n in 2 4; do
		for before in no yes; do
			job -n $n "$call" "$2" "$3" $before "$1"
			[ "$rc" = 0 ] || { cat "$out" "$err"; fail "$n ranks, $2 and $3 return: $rc"; }
		done
	done
}

each calls ibarrier barrier
each calls ibarrier_polled iallreduce_polled
# A rank may get the error by a message before the notice: MPI_Finalize does not return it again.
for _ in 1 2 3 4 5 6 7 8 9 10; do
	each calls barrier ibarrier
done
each calls split allreduce
each calls allreduce create
each calls idup ibarrier
each calls win win_allocate
each calls bcast=0 ibcast
each calls ibcast bcast=0
each calls intercomm dup
each calls alltoallv barrier

# By messages: those of another call match no receive.
for how in HAFT_COLL=p2p HAFT_VIA=net; do
	export "${how?}"
	calls '(Reduce|Finalize)' '(Bcast|Finalize)' reduce=1 bcast=0
	calls '(Bcast|Finalize)' '(Reduce|Finalize)' bcast=0 reduce=1
	calls Gather Scatter gather=1 scatter=1
	calls '(Barrier|Finalize)' Allreduce barrier allreduce
	calls '(Allreduce|Finalize)' Iallreduce allreduce iallreduce
	calls Ibarrier Iallreduce ibarrier_polled iallreduce_polled
	roots Bcast bcast=0 bcast=1
	HAFT_ENDED=1
	export HAFT_ENDED # without HAFT_HANG
	for n in 2 3; do # all wait for messages, and none has come
		job -n $n "$call" bcast=1 bcast=0
		want_rc 1
		# The report begins with any of them: rank 0 waits for 1, the others for 0.
		grep -qE 'in MPI_Bcast for rank [01], which is in another collective call of the communicator, or gave another root' "$err" ||
			fail "$n ranks, two roots by messages: $(cat "$err")"
	done
	unset "${how%%=*}" HAFT_ENDED
done

# MPI_Comm_idup waits for no member, so that no message of HAFT_CHECK=coll compares it.
export HAFT_CHECK=coll
each calls idup barrier
each calls barrier idup
each calls idup allreduce
finish
