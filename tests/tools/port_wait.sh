# SPDX-License-Identifier: BSD-3-Clause
# RUN time=60 idle
# MPI-5.0 11.9.2: the report of waits names MPI_Comm_accept and its port.  A server that waits for
# clients, and nothing else, is not asked whether it hangs.
. tests/tools/lib.sh

"$B/bin/mpicc" $san -Wall tests/tools/port_wait.c -o "$TMPDIR/port_wait" || exit 1

HAFT_HANG=1 job -timeout 4 -n 1 "$TMPDIR/port_wait"
want_err 'in MPI_Comm_accept at port '
# Never its secret.
grep -Eq "at port [^/ ]*/(tcp|unix):[^/ ]* for a client" "$err" || fail "$said: $(cat "$err")"
grep -q 'does the job hang' "$err" && fail "$said: $(cat "$err")"
HAFT_HANG=1 job -timeout 4 -n 2 "$TMPDIR/port_wait"
want_err 'does the job hang?'
finish
