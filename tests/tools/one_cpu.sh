# SPDX-License-Identifier: BSD-3-Clause
# More ranks than CPUs: a rank that polls (MPI_Test, MPI_Iprobe) yields the CPU to the rank it waits
# for.
. tests/tools/lib.sh

command -v taskset >/dev/null || exit 77
"$B/bin/mpicc" $san -Wall -I. tests/tools/one_cpu.c -o "$TMPDIR/one" || exit 1
cpu=$(sed -n 's/^Cpus_allowed_list:[^0-9]*\([0-9]*\).*/\1/p' /proc/self/status)
mpiexec=$run
run=$TMPDIR/run
printf '#!/bin/sh\nexec taskset -c %s "%s" "$@"\n' "$cpu" "$mpiexec" >"$run"
chmod +x "$run"
for how in test testall probe; do
	# Other processes may delay the sender, but not each time.
	for try in 1 2 3 4 5 6 7 8; do
		job -n 2 "$TMPDIR/one" $how
		cat "$out" "$err"
		[ $rc != 0 ] || break
	done
	want_rc 0
done
finish
