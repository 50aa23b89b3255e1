# SPDX-License-Identifier: BSD-3-Clause
# RUN idle
# How jobs of MPI begin and end: tests/life/end_modes.c, under mpiexec and alone.
. tests/tools/lib.sh
life=$TMPDIR/life
"$B/bin/mpicc" $san -Wall tests/life/end_modes.c -o "$life" || exit 1

job -n 4 "$life"
want_rc 0
want_lines 4
want_err_lines 0
for r in 0 1 2 3; do want_out "rank $r of 4 sum 6."; done
job -n 2 "$life" : "$life" x
want_rc 0
want_out 'rank 2 of 3 sum 3.'

# Singletons: alone, under a HAFT_JOB that is not theirs, started by a rank that has ended MPI.
alone() {
	said="life $*"
	timeout $patience "$life" "$@" >"$out" 2>"$err"
	rc=$?
	want_rc 0
	want_out 'rank 0 of 1 sum 0.'
}
alone
want_err_lines 0
for v in '' nonsense 'fd=0,rank=1,size=2,app=0,by=1,cookie=0123456789abcdef' \
	'fd=-1,rank=0,size=1,app=0,by=1,cookie=1' 'fd=3,rank=7,size=2,app=0,by=0,cookie=ffffffffffffffffff'; do
	HAFT_JOB=$v alone
	want_err_lines 0
done
job -n 2 "$life" nested
want_rc 0
want_err_lines 0
want_out 'rank 0 of 2 sum 1.'
want_out 'rank 1 of 2 sum 1.'
want_out 'rank 0 of 1 sum 0.'

# Launchers that cannot be spoken to: an error that says what to do, never many ranks 0 of 1.
# refused TEXT VARIABLE=VALUE...: with these it does not start.
refused() {
	text=$1
	shift
	said="$* life"
	env "$@" "$life" >"$out" 2>"$err" </dev/null
	rc=$?
	want_rc 16
	want_err "$text"
	want_err 'HAFT_BOOT=alone'
	want_err_lines 1
}
refused "Open MPI's mpirun" OMPI_COMM_WORLD_SIZE=2 OMPI_COMM_WORLD_RANK=1
refused 'srun --mpi=pmi2' SLURM_PROCID=0 SLURM_STEP_NUM_TASKS=4
refused 'srun --mpi=pmi2' SLURM_PROCID=1
refused 'srun --mpi=pmi2' SLURM_PROCID=0 SLURM_STEP_TASKS_PER_NODE='3(x2)'
refused 'srun --mpi=pmi2' SLURM_PROCID=0 SLURM_STEP_TASKS_PER_NODE='1(x2)' SLURM_STEP_NUM_NODES=2
SLURM_PROCID=0 SLURM_STEP_NUM_TASKS=1 SLURM_STEP_TASKS_PER_NODE=1 SLURM_STEP_NUM_NODES=1 alone
want_err_lines 0
refused 'PMI_FD=5 is not an open socket' PMI_RANK=0 PMI_SIZE=2 PMI_FD=5
PMI_RANK=0 PMI_SIZE=2 PMI_FD=5 HAFT_BOOT=alone alone
want_err_lines 0
PMI_RANK=0 PMI_SIZE=2 job -n 2 "$life"
want_rc 0
want_err_lines 0

# A rank that ends without MPI: ranks in MPI would wait for it.
job -n 1 true : -n 2 "$life"
want_rc 1
want_err 'rank 0 (process '
want_err 'ended without MPI_Init'
want_err_lines 1
want_ms 1000
# ... unless its orphan takes its place.
job -n 2 sh -c "$my [ \$r = 1 ] && exec '$life'; (sleep 0.1; exec '$life') & exit 0"
want_rc 0
want_out 'rank 1 of 2 sum 1.'

# A wrapper may close the segment's fd.
cat >"$TMPDIR/wrap" <<'END'
#!/bin/bash
fd=${HAFT_JOB#*fd=}
eval "exec ${fd%%,*}>&-"
exec "$@"
END
chmod +x "$TMPDIR/wrap"
if command -v bash >/dev/null; then
	job -n 3 "$TMPDIR/wrap" "$life"
	want_rc 0
	want_out 'rank 2 of 3 sum 3.'
fi
job -n 2 sh -c "$life; :"
want_rc 0
want_out 'rank 1 of 2 sum 1.'

# One MPI program for each place.
job -n 1 sh -c "$life && $life"
[ $rc != 0 ] || fail "two programs in one place"
want_err 'can run one MPI program'

# Failures: the job ends within 1 s; rank and reason are reported once; earlier output is there.
dies() {
	job -n 4 "$life" "$1"
	want_rc "$2"
	want_err "$3"
	want_err_lines "$4"
	want_ms 1000
	until_gone "$life" 0 || fail "$said: ranks are left"
}
dies abort 42 'rank 1 (process ' 2
want_err ", $life) has aborted the job with code 42"
want_out 'rank 1 of 4 sum 6'
dies abort256 1 'with code 256' 2
dies exit0 1 'exited with code 0 before MPI_Finalize' 1
dies exit3 3 'exited with code 3 before MPI_Finalize' 1
dies segv 139 'was killed by signal 11' 1
dies kill 137 'was killed by signal 9' 1
job -n 4 "$life" error
[ $rc != 0 ] || fail "an error of MPI gives exit code 0"
want_err 'MPI_Send'
want_err 'MPI_ERR_RANK'
want_out 'rank 1 of 4 sum 6'
want_ms 1000
job -n 4 sh -c "$life abort; exit 77"
want_rc 42
want_err ', sh) has aborted the job with code 42'

# After MPI_Finalize a rank's exit code is the job's, and the others run on.
job -n 4 "$life" after
want_rc 5
want_err 'exited with code 5'
[ "$(grep -c 'sum 6\.' "$out")" = 4 ] || fail "ranks were stopped after MPI_Finalize"

# Alone, the words come from the program itself.
"$life" error2 >"$out" 2>"$err" || fail "singleton"

# The report.
# called HOW TEXT: asked again and again, it says so of a job that does not end by itself.
called() {
	said="the report of life $1"
	begin -n "$2" "$life" "$1"
	until_ asked "$3" || fail "$said: no \"$3\", but: $(tail -20 "$err")"
}
asked() {
	kill -USR1 $pid
	sleep 0.2
	sed -E "$any_seconds" "$err" | grep -qF -e "$1"
}
stop() {
	kill -KILL $pid
	wait $pid 2>/dev/null
	until_gone "$life" "$1" || fail "$said: ranks are left"
}
called recv 4 'ranks 2-3: have waited s'
until_ asked 'a cycle: 0 waits for 1, 1 waits for 0' || fail "$said: no cycle"
want_waited 'rank 0' ' in MPI_Recv to receive from rank 1, tag 7, MPI_COMM_WORLD'
want_waited 'rank 1' ' in MPI_Recv to receive from rank 0, tag 7, MPI_COMM_WORLD'
stop 0
called hang 2 'rank 1: running, in MPI or in its own code'
stop 0
begin -n 2 "$life" late "$TMPDIR/go"
kill -USR1 $pid
until_err 'ranks 0-1: running, have not called MPI_Init'
touch "$TMPDIR/go"
wait $pid || fail "a report ends the job"

# kill -9 of mpiexec, with ranks that sleep in MPI.
called hang 4 'ranks 2-3: have waited s'
said='kill -9 of mpiexec'
stop 1000

# mpiexec makes room for jemalloc, which comes by dlopen.
jemalloc=$(ldconfig -p 2>/dev/null | sed -n "s/.*libjemalloc\.so\.2 .*=> //p" | head -1)
if [ -n "$jemalloc" ] && [ -s "$jemalloc" ] && [ -z "$san" ]; then
	job "$B/bin/mpi-info"
	want_rc 0
	want_out 'then jemalloc'
fi

# Many.
[ -n "$san" ] || {
	job -n 512 "$life"
	want_rc 0
	[ "$(grep -c 'sum 130816\.' "$out")" = 512 ] || fail "512 ranks"
}
finish
