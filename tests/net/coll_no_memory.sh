# SPDX-License-Identifier: BSD-3-Clause
# MPI-5.0 9.3, 6.1: over several hosts one member has no memory for a collective call.  For
# each kind (steps, messages, streams, early ones), all whose result depends on it fail,
# with words, and the next call is right: ch06/coll_no_memory, by messages and through the memory of
# each host.
case $B in /*) ;; *) B=$PWD/$B ;; esac
export HAFT_COLL=shm
for hosts in '2 a:1,b:1' '4 a:2,b:2' '5 a:2,b:3' '6 a:2,b:3,c:1'; do
	timeout 240 "$B/bin/mpiexec" -launcher fork -hosts "${hosts#* }" -n "${hosts%% *}" \
		"$B/tests/std/ch06/coll_no_memory" || exit 1
done
# 4.2: nor does it end a partitioned message that its sender finds no memory after its init.
timeout 240 "$B/bin/mpiexec" -launcher fork -hosts a:1,b:1 -n 2 "$B/tests/std/ch04/part_no_memory"
