# SPDX-License-Identifier: BSD-3-Clause
# RUN time=600
# MPI-5.0 3.5, 6.14: programs over several hosts (here in name only: each has a segment of its own),
# so that memory and sockets are used together, by ranks that are neighbours and by turns.

run="$B/bin/mpiexec -launcher fork"

# over HOSTS NP TEST [VAR=VALUE...]
over() {
	hosts=$1 np=$2 test=$3
	shift 3
	bin=$B/tests/$test
	if [ ! -x "$bin" ]; then
		bin=$TMPDIR/${test##*/}
		"$B/bin/mpicc" -std=gnu11 -O1 $SANFLAGS -I. tests/$test.c -o "$bin" || exit 1
	fi
	env "$@" timeout 240 $run $hosts -n $np "$bin" >"$TMPDIR/said" 2>&1 || {
		echo "$hosts -n $np $test $*: $?"
		cat "$TMPDIR/said"
		exit 1
	}
}

for t in ch03/sizes ch03/storm ch03/probe ch04/part ch06/mix ch06/reduce ch06/bits \
	ch06/userop ch06/later ch07/inter ch07/from ch11/session; do
	over "-hosts a:2,b:2" 4 std/$t
done
over "-hosts a,b" 2 std/ch03/leave
for t in ch03/storm ch06/mix ch06/bits ch06/userop; do
	over "-hosts a,b,c -rr" 7 std/$t
done
over "-hosts a:3,b:2" 5 std/ch06/mix HAFT_COLL=p2p
over "-hosts a:3,b:2" 5 std/ch06/mix HAFT_COLL_PLAN=allreduce=ring,bcast=parts
f=gather=hosts,scatter=hosts,allgather=hosts,alltoall=hosts,scan=hosts,exscan=hosts
f=$f,allgatherv=hosts,reduce_scatter=hosts,reduce_scatter_block=hosts
over "-hosts a:2,b:2" 4 std/ch06/plans
over "-hosts a:2,b:1,c:2" 5 std/ch06/plans HAFT_COLL_PLAN=$f
over "-hosts a:9,b:8" 17 std/ch06/plans HAFT_COLL_PLAN=$f
over "-hosts a,b,c -rr" 8 std/ch06/plans
over "-hosts a:3,b:2" 5 std/ch06/reduce HAFT_SLEEP=always
over "-hosts a:2,b:1" 3 thread/storm
rm -f "$TMPDIR"/*
