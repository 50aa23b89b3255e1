# SPDX-License-Identifier: BSD-3-Clause
# The members of the last collective call give different numbers of bytes: the job ends with words,
# at the latest in MPI_Finalize or MPI_Comm_free, and none hangs.  MPI-5.0 6.1.
. tests/tools/lib.sh

last=$TMPDIR/last_call
"$B/bin/mpicc" $san -Wall tests/tools/last_call.c -o "$last" || exit 1

# 2: MPI_ERR_COUNT; 15: MPI_ERR_TRUNCATE; 16: MPI_ERR_OTHER, from MPI_Finalize.
unequal() {
	job -n "$@"
	case $rc in 2 | 15 | 16) ;; *) fail "$said: exit code $rc" ;; esac
	grep -qE 'number of bytes|sends [0-9]+ bytes of this call|MPI_ERR_TRUNCATE|rank [0-9] calls|is not in' "$err" ||
		{ cat "$err"; fail "$said: no words"; }
}

for sizes in '1 2' '2 1' '1 2000' '2000 1'; do
	for n in 2 3; do
		for name in reduce allreduce scan reduce_scatter bcast gather scatter allgather alltoall; do
			unequal $n "$last" $name $sizes world
		done
		for comm in dup freed; do
			unequal $n "$last" reduce $sizes $comm
			unequal $n "$last" ireduce $sizes $comm last
			unequal $n "$last" iscan $sizes $comm
		done
		unequal $n "$last" reduce $sizes world last
		unequal $n "$last" ireduce $sizes world
	done
	unequal 9 "$last" reduce $sizes world
	unequal 3 "$last" ibcast $sizes dup
	unequal 3 "$last" igather $sizes dup
	unequal 3 "$last" ialltoall $sizes freed
done
unequal 2 "$last" reduce_bcast 2000 1 freed last
HAFT_COLL=p2p
export HAFT_COLL
unequal 3 "$last" reduce 2 1 world
unequal 3 "$last" gather 2 1 world
finish
