# SPDX-License-Identifier: BSD-3-Clause
# RUN time=60
# Signals to mpiexec: passed on, then enforced; stop and go; the roll-call.
. tests/tools/lib.sh

# begin ARGS...: starts a job in the background and waits until each of 3 ranks has said "up".
begin() {
	said="mpiexec $*"
	: >"$out" # the job, which truncates it, starts only later
	"$run" "$@" >"$out" 2>"$err" </dev/null &
	pid=$!
	until_there "$out" 3 || fail "$said does not start"
}
end() {
	from=$(date +%s%N)
	wait $pid
	rc=$?
	ms=$((($(date +%s%N) - from) / 1000000))
}

for s in TERM HUP; do
	begin -n 3 sh -c 'echo up; exec sleep 62.5'
	kill -$s $pid
	end
	want_rc $((128 + $(kill -l $s 2>/dev/null | grep -x '[0-9]*' || case $s in TERM) echo 15 ;; *) echo 1 ;; esac)))
	want_ms 1000
	[ "$(alive 62.5)" = 0 ] || fail "SIG$s: ranks are left"
done

# A rank may finish its work.
begin -n 3 sh -c 'trap "echo saved; exit 0" TERM; echo up; sleep 62.5 & wait'
sleep 0.5 # into the shells' wait: a signal just before it would be noticed only after it
kill -TERM $pid
end
want_rc 0
[ "$(grep -c saved "$out")" = 3 ] || fail "SIGTERM did not reach all ranks"

# One that ignores it is killed after the grace, or at the second signal.
begin -n 3 sh -c 'trap "" TERM; echo up; sleep 62.5; sleep 62.5'
kill -TERM $pid
sleep 0.3
kill -TERM $pid
end
want_rc 143
want_ms 1000
begin -n 3 sh -c 'trap "" TERM; echo up; sleep 62.5; sleep 62.5'
kill -TERM $pid
end
want_rc 143
want_ms 5000
[ "$(alive 62.5)" = 0 ] || fail "ranks are left"

# Stop and go.
begin -n 3 sh -c 'echo up; exec sleep 5'
kill -TSTP $pid
sleep 0.5
for p in $pid $(cat /proc/$pid/task/$pid/children); do
	[ "$(cat /proc/$p/comm)" = sleep ] || [ $p = $pid ] || continue
	grep -q '^State:.T' /proc/$p/status || fail "process $p is not stopped"
done
kill -CONT $pid
end
want_rc 0

# The roll-call.
begin -n 3 sh -c 'echo up; exec sleep 5'
kill -USR1 $pid
end
want_rc 0
want_err 'ranks 0-2: running, has not called MPI_Init'

# Ignored signals stay ignored: nohup.
(
	trap '' HUP
	exec "$run" -n 1 sh -c 'kill -HUP $PPID; kill -HUP $$; sleep 0.2; echo alive' >"$out" 2>"$err"
)
rc=$?
want_rc 0
want_out alive
finish
