# SPDX-License-Identifier: BSD-3-Clause
# RUN time=600
# MPI-5.0 3.5, 6.14: programs over several hosts (here in name only: each has a segment of its own),
# so that memory and sockets are used together, by ranks that are neighbours and by turns.

. tests/net/lib.sh

for t in ch03/message_sizes ch03/random_traffic ch03/probe ch04/part_ring ch06/coll_sequence ch06/reduce_ops ch06/same_bits \
	ch06/user_ops ch06/coll_requests ch07/intercomms ch07/create_from_group \
	ch09/world_attributes ch11/session; do
	over "-hosts a:2,b:2" 4 std/$t
done
over "-hosts a,b" 2 std/ch03/cancel_persistent
for t in ch03/random_traffic ch06/coll_sequence ch06/same_bits ch06/user_ops; do
	over "-hosts a,b,c -rr" 7 std/$t
done
over "-hosts a:3,b:2" 5 std/ch06/coll_sequence HAFT_COLL=p2p
over "-hosts a:3,b:2" 5 std/ch06/coll_sequence HAFT_COLL_ALGORITHM=allreduce=ring,bcast=parts
f=gather=hosts,scatter=hosts,allgather=hosts,alltoall=hosts,scan=hosts,exscan=hosts
f=$f,allgatherv=hosts,reduce_scatter=hosts,reduce_scatter_block=hosts
over "-hosts a:2,b:2" 4 std/ch06/algorithms
over "-hosts a:2,b:1,c:2" 5 std/ch06/algorithms HAFT_COLL_ALGORITHM=$f
over "-hosts a:2,b:2,c:2" 6 std/ch06/algorithms HAFT_COLL_ALGORITHM=reduce=multi_lane,allreduce=multi_lane
over "-hosts a:2,b:2,c:2" 6 std/ch06/algorithms HAFT_COLL_ALGORITHM=reduce_scatter_block=multi_lane,bcast=hierarchical_chain
over "-hosts a,b,c -rr" 6 std/ch06/algorithms \
	HAFT_COLL_ALGORITHM=reduce_scatter_block=multi_lane,reduce=multi_lane,allreduce=multi_lane
over "-hosts a:2,b:2,c:2,d:2,e:2,f:2,g:2,h:2" 16 std/ch06/coll_sequence
over "-hosts a:2,b:2,c:2,d:2,e:2,f:2,g:2,h:2" 16 std/ch06/algorithms \
	HAFT_COLL_ALGORITHM=barrier=multi_port,allreduce=multi_port,bcast=multi_port,reduce=multi_port
p=alltoall=multi_port,scan=multi_port,exscan=multi_port
over "-hosts a:2,b:2,c:2,d:2,e:2,f:2,g:2,h:2" 16 std/ch06/algorithms HAFT_COLL_ALGORITHM=$p
over "-hosts a,b,c,d,e,f,g,h -rr" 16 std/ch06/algorithms HAFT_COLL_ALGORITHM=$p
p=allreduce=multi_port_scatter,reduce=multi_port_scatter,bcast=multi_port_scatter
p=$p,allgather=multi_port,scan=multi_lane,exscan=multi_lane,gather=multi_port,scatter=multi_port
p=$p,reduce_scatter_block=multi_port_scatter
over "-hosts a:2,b:2,c:2,d:2,e:2,f:2,g:2,h:2" 16 std/ch06/algorithms HAFT_COLL_ALGORITHM=$p
over "-hosts a:3,b:3,c:3,d:3" 12 std/ch06/algorithms HAFT_COLL_ALGORITHM=$p
over "-hosts a:3,b:3,c:3,d:3" 12 std/ch06/same_bits HAFT_COLL_ALGORITHM=$p
over "-hosts a,b,c,d -rr" 12 std/ch06/algorithms HAFT_COLL_ALGORITHM=$p,allgather=multi_lane
over "-hosts a,b,c,d,e,f,g,h,i,j" 10 std/ch06/algorithms # steps of radix 4
over "-hosts a,b,c,d,e" 5 std/ch06/algorithms \
	HAFT_COLL_ALGORITHM=reduce_scatter_block=ordered_scatter,reduce_scatter=ordered_scatter
over "-hosts a:2,b:2,c:2,d:2,e:2,f:2,g:2,h:2" 16 std/ch06/same_bits
over "-hosts a,b:3,c:2 -rr" 6 std/ch06/algorithms HAFT_COLL_ALGORITHM=bcast=hierarchical_chain
over "-hosts a:3,b,c:2,d" 7 std/ch06/algorithms HAFT_COLL_ALGORITHM=bcast=hierarchical_binary
over "-hosts a:3,b:3" 6 std/ch06/algorithms HAFT_COLL_ALGORITHM=bcast=chain,reduce=chain
over "-hosts a:9,b:8" 17 std/ch06/algorithms HAFT_COLL_ALGORITHM=$f
over "-hosts a,b,c -rr" 8 std/ch06/algorithms
h=scan=hierarchical,exscan=hierarchical,reduce=hierarchical,allreduce=hierarchical
over "-hosts a:3,b:3,c:3" 9 std/ch06/algorithms \
	HAFT_COLL_ALGORITHM=$h,barrier=hierarchical,bcast=hierarchical

# Each algorithm that a user can choose is named here or by a list of ch06/algorithms, so a new one
# is not forgotten; neighborhoods have one.  Old names: hosts.
"$B/bin/mpicc" $SANFLAGS -o "$TMPDIR/named" tests/examples/hello/hello.c || exit 1
for op in barrier bcast gather scatter allgather allgatherv alltoall alltoallv alltoallw \
	reduce allreduce reduce_scatter_block reduce_scatter scan exscan; do
	names=$(HAFT_COLL_ALGORITHM=$op=none "$B/bin/mpiexec" -n 1 "$TMPDIR/named" 2>&1 |
		sed -n 's/.*: the algorithms of MPI_[A-Za-z_]* are//p')
	[ -n "$names" ] || { echo "$op: its algorithms are not said"; exit 1; }
	for name in $names; do
		old=$(echo "$name" | sed 's/^hierarchical$/hosts/')
		cat tests/std/ch06/algorithms.c "$0" | tr '", ' '\n\n\n' |
			sed 's/.*[A-Za-z]=\([a-z_]*=[a-z_]*\)$/\1/' |
			grep -qx "$op=\($name\|$old\)" || {
			echo "$op=$name is in no list"
			exit 1
		}
	done
done
over "-hosts a:3,b:2" 5 std/ch06/reduce_ops HAFT_SLEEP=always
over "-hosts a:2,b:1" 3 thread/all_calls
rm -f "$TMPDIR"/*
