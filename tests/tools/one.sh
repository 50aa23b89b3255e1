# SPDX-License-Identifier: BSD-3-Clause
# More ranks than CPUs: who looks again and again (MPI_Test, MPI_Iprobe) does not keep the CPU from
# the rank that he looks for.
. tests/tools/lib.sh

command -v taskset >/dev/null || exit 77
"$B/bin/mpicc" $san -Wall -I. tests/tools/one.c -o "$TMPDIR/one" || exit 1
cpu=$(sed -n 's/^Cpus_allowed_list:[^0-9]*\([0-9]*\).*/\1/p' /proc/self/status)
mpiexec=$run
run=$TMPDIR/run
printf '#!/bin/sh\nexec taskset -c %s "%s" "$@"\n' "$cpu" "$mpiexec" >"$run"
chmod +x "$run"
for how in test testall probe; do
	job -n 2 "$TMPDIR/one" $how
	want_rc 0
	cat "$out" "$err"
done
finish
