# SPDX-License-Identifier: BSD-3-Clause
# RUN time=60
# Under a server of PMI-1 that says no more than PMI-1, as srun --mpi=pmi2 does: it is our mpiexec,
# whose own words the programs do not get.
. tests/launch/lib.sh
cat >"$TMPDIR/plain" <<-E2
	#!/bin/sh
	unset HAFT_JOB
	exec "\$0.program" "\$@"
E2
chmod +x "$TMPDIR/plain"
cp "$B/tests/launch/spawns" "$TMPDIR/plain.program"
launch="$run"
spawns=$TMPDIR/plain
for n in 1 2 3; do
	SPAWNS_OLD=1 under -n $n "$spawns" "$spawns"
	want_rc 0
	want_out 'parents are well'
	want_out 'children are well'
done
finish
