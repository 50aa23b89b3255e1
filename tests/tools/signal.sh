# SPDX-License-Identifier: BSD-3-Clause
# RUN idle
# Signals to mpiexec: passed on, then enforced; stop and go; the report.
. tests/tools/lib.sh

# up ARGS...: starts a job in the background and waits until each of 3 ranks has said "up".
up() {
	begin "$@"
	until_there "$out" 3 || fail "$said does not start"
}
end() {
	from=$(date +%s%N)
	wait $pid
	rc=$?
	ms=$((($(date +%s%N) - from) / 1000000))
}
none_left() {
	until_gone "$mark" 0 || fail "$said: ranks are left"
}

for s in TERM:143 HUP:129; do
	up -n 3 sh -c "echo up; exec sleep $mark"
	kill -${s%:*} $pid
	end
	want_rc ${s#*:}
	want_ms 1000
	none_left
done

HAFT_GRACE=1000000 # no kill by timeout
export HAFT_GRACE
# hangs WORD ARGS...: a job by a command that reaches all hosts but n2, and there hangs, after WORD.
hangs() {
	cat >"$TMPDIR/hangs" <<-END
		#!/bin/sh
		[ \$1 = n2 ] || { shift; exec "\$@"; }
		$1
		touch $TMPDIR/begun
		sleep $mark
		sleep $mark
	END
	chmod +x "$TMPDIR/hangs"
	rm -f "$TMPDIR/begun"
	shift
	begin -launcher "$TMPDIR/hangs" -iface lo "$@" -n 4 true
	until_ [ -e "$TMPDIR/begun" ] || fail "$said does not start"
}
# A signal while hosts are still being started: no rank has run, and hanging launchers are ended.
for s in TERM:143 HUP:129; do
	for hosts in n1:2,n2:2 n2:2,n1:2 'n1:2,n2:2 -fanout 1'; do
		hangs : -hosts $hosts
		kill -${s%:*} $pid
		end
		want_rc ${s#*:}
		want_ms 1000
		none_left
	done
done
# One that ignores it is killed after the grace.
HAFT_GRACE=1
hangs "trap '' TERM" -hosts n1:2,n2:2
kill -TERM $pid
end
want_rc 143
want_ms 2000
none_left

HAFT_GRACE=1000000
# A rank may finish its work.  (A shell that has come to `wait' may be one that has not yet begun to
# wait: that is why it naps.)
naps='while :; do sleep 0.05; done'
up -n 3 sh -c "trap 'echo saved; exit 0' TERM; echo up; $naps"
kill -TERM $pid
end
want_rc 0
[ "$(grep -c saved "$out")" = 3 ] || fail "SIGTERM did not reach all ranks"

# One that ignores it is killed after the grace, or at the second signal (which is one if the first
# has been seen).
up -n 3 sh -c "trap 'echo heard' TERM; echo up; $naps"
kill -TERM $pid
until_ grep -q heard "$out" || fail "$said: the first signal is not passed on"
kill -TERM $pid
end
want_rc 143
want_ms 1000
HAFT_GRACE=1
up -n 3 sh -c "trap '' TERM; echo up; sleep $mark; sleep $mark"
kill -TERM $pid
end
want_rc 143
want_ms 2000
none_left

# Stop and go.
up -n 3 sh -c "echo up; exec sleep $mark"
stopped() {
	for p in $pid $(cat /proc/$pid/task/$pid/children); do
		[ "$(cat /proc/$p/comm)" != haft-guard ] || continue
		grep -q '^State:.T' /proc/$p/status || return 1
	done
}
running() { ! stopped; }
kill -TSTP $pid
until_ stopped || fail "process $p is not stopped"
kill -CONT $pid
until_ running || fail "the job goes not on"
kill -TERM $pid
end
want_rc 143

# The report.
up -n 3 sh -c "$await echo up; await '$TMPDIR/go'"
kill -USR1 $pid
until_err 'ranks 0-2: running, have not called MPI_Init'
touch "$TMPDIR/go"
end
want_rc 0

# A signal before the first rank is started ends the job, too: it is not lost, with exit code 0.
for ms in 0 1 2 3 4 5 6 0 1 2 3 4 5 6 0 1 2 3 4 5 6 0 1 2 3 4 5 6; do
	"$run" -n 2 sleep 20 >"$out" 2>"$err" &
	pid=$!
	sleep 0.00$ms
	kill -TERM $pid
	wait $pid
	rc=$?
	want_rc 143
done

# Ignored signals stay ignored: nohup.
(
	trap '' HUP
	exec "$run" -n 1 sh -c 'kill -HUP $PPID; kill -HUP $$; sleep 0.2; echo alive' >"$out" 2>"$err"
)
rc=$?
want_rc 0
want_out alive
finish
