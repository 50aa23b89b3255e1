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

# Which words depends on the rank that sees the difference first.
root='another root|another call|is not in'
calls='rank [0-9] calls|another rank calls|another call|is not in'
differ "$root" bcast=0 bcast=1
differ "$root" bcast=1 bcast=0 # no root in a call of two
differ "$root" gather=1 gather=0
differ "$root" scatter=0 scatter=1
differ "$root|$calls" reduce=0 gather=0
differ "$calls" barrier bcast=0
differ "$calls|$root" bcast=0 barrier
differ "$calls" create allreduce
differ "$calls" allreduce create_first
differ "$calls" alltoallv barrier
differ "$calls" barrier allgatherv

# Calls that wait for messages, or for none: a wait that becomes long sees the difference.
differ "$calls" idup ibarrier
differ "$calls" ibarrier barrier
differ "$calls" allreduce iallreduce
differ "$calls|MPI_ERR_TRUNCATE" ibarrier iallreduce
differ "$calls" ibarrier split
differ "$calls" alltoallv ibcast
differ "$calls" dup ibarrier
differ "$calls" bcast=0 ibcast
differ "$calls" ibcast bcast=0
differ "$calls" intercomm create
differ "$calls" win win_allocate
differ "$calls" win_dynamic win
differ "$calls" win_shared win_allocate

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
each calls barrier ibarrier
each calls split allreduce
each calls allreduce create
each calls idup ibarrier
each calls win win_allocate
each calls bcast=0 ibcast
each calls ibcast bcast=0
each calls intercomm dup
each calls alltoallv barrier

# MPI_Comm_idup waits for no member, so that no message of HAFT_CHECK=coll compares it.
export HAFT_CHECK=coll
each calls idup barrier
each calls barrier idup
each calls idup allreduce
finish
