# SPDX-License-Identifier: BSD-3-Clause
# RUN time=600
# MPI-5.0 14.4: files over several hosts (in name only: each has a segment of its own): members of a
# host merge their parts before they send, and a host of one member sends for itself.

. tests/net/lib.sh

for seed in 1 2 3 4; do
	over "-hosts a:2,b:2" 4 std/ch14/random_files -- -n 80 -s $seed
done
over "-hosts a:3,b:1" 4 std/ch14/random_files -- -n 80 -s 5
over "-hosts a,b,c -rr" 6 std/ch14/random_files -- -n 40 -s 6
for t in shared_pointer shared_pointer_busy collective_progress collective_hosts holes_kept \
	collective_errors file_external32 hints; do
	over "-hosts a:2,b:2" 4 std/ch14/$t
done
over "-hosts a:3,b:2" 5 std/ch14/collective_hosts
over "-hosts a:2,b:2" 4 examples/checkpoint/checkpoint
rm -f "$TMPDIR"/*
