# SPDX-License-Identifier: BSD-3-Clause
# RUN time=90 idle
# Jobs over several hosts (in name only) that end badly: a rank, a proxy, mpiexec itself is killed,
# a host falls silent, a proxy cannot be started or is none.  The culprit is named, nothing is left.
. tests/tools/lib.sh

own=$TMPDIR/mpiexec # so that its processes are told from those of other tests
cp "$run" "$own"
far="-launcher fork -hosts a:2,b:2,c:2,d:2 -fanout 2"

# start CMD...: a job of 8 ranks that have each said "up"; $pid is its mpiexec.
start() {
	behind "$own" $far "$@"
	until_there "$out" 8 || fail "the job does not start: $(cat "$err")"
	from=$(date +%s%N)
}

# The proxy that has this host's first rank: the parent of that process.
proxy_of() {
	p=$(sed -n "s/^mpiexec: rank [0-9]* is process \([0-9]*\) on $1:.*/\1/p" "$err" | head -1)
	a=$(sed -n 's/^PPid:[^0-9]*//p' "/proc/$p/status")
}

# ended WHAT: the job ends, and nothing of it is left.
ended() {
	said=$1
	wait $pid 2>/dev/null
	rc=$?
	ms=$((($(date +%s%N) - from) / 1000000))
	want_ms "$2"
	until_gone "$mark" 3000 || fail "$(alive "$mark") processes are left after: $said"
	until_gone "$own" 3000 || fail "$(alive "$own") proxies are left after: $said"
}

sleeper="echo up; sleep $mark & sleep $mark; true"

start -v sh -c "$sleeper"
r=$(sed -n 's/^mpiexec: rank 5 is process \([0-9]*\) on c:.*/\1/p' "$err")
kill -9 "$r"
ended "kill -9 of a rank" 1500
want_rc 137
want_err "rank 5 (process $r on c, sh) was killed by signal 9"

# a, c and d are in the same branch, c and d behind a.
for h in a b d; do
	start -v sh -c "$sleeper"
	proxy_of $h
	kill -9 "$a"
	ended "kill -9 of the proxy of $h" 2000
	want_rc 1
	case $h in a) r=0-1 ;; b) r=2-3 ;; d) r=6-7 ;; esac
	want_err "host $h (ranks $r): the connection to its proxy is lost: mpiexec was killed by signal 9"
done

start -v sh -c "$sleeper"
proxy_of c
kill "$a"
ended "kill of a proxy" 2000
want_rc 143
want_err "host c: its proxy was ended by signal 15"

start -v sh -c "$sleeper"
proxy_of b
kill -STOP "$a"
ended "a host that is silent" 9000
want_rc 1
want_err "host b (ranks 2-3): the connection to its proxy is lost: it has been silent"

start sh -c "setsid sleep $mark & $sleeper"
kill -9 $pid
ended "kill -9 of mpiexec" 2000

start sh -c "$sleeper"

kill -TERM $pid
ended "SIGTERM" 4000
want_rc 143

start sh -c "trap 'echo got; exit 3' TERM; $sleeper"
kill -TERM $pid
ended "SIGTERM that is caught" 4000

# SIGUSR1 asks all hosts.
start sh -c "$sleeper"
kill -USR1 $pid
until_there "$err" 2
kill -9 $pid
ended "kill -9 of mpiexec" 2000
want_err 'what the 8 processes of the job do:'
want_err 'ranks 0-7: running, have not called MPI_Init'

# Agents that are none.
cat >"$TMPDIR/fake" <<'F'
#!/bin/sh
echo "Welcome to $1"
case $1 in
old) echo "HAFT-PROXY 0.0.1 wire 0" ; sleep 3 ;;
junk) shift; "$@" | { read -r l; echo "$l"; head -c 4000 /dev/urandom; sleep 3; } ;;
dead) echo "no such machine" >&2; exit 255 ;;
talk) shift; exec "$@" ;;
esac
F
chmod +x "$TMPDIR/fake"
job -launcher "$TMPDIR/fake" -iface lo -hosts talk:2,old true
want_rc 1
want_err 'host talk: Welcome to talk'
want_err 'host old (rank 2): its proxy could not be started: its mpiexec is of another version'
job -launcher "$TMPDIR/fake" -iface lo -hosts talk:2,junk true
want_rc 1
want_err 'host junk (rank 2): the connection to its proxy is lost: it sent garbage'
job -launcher "$TMPDIR/fake" -iface lo -hosts talk,dead sh -c "$sleeper"
want_rc 1
want_err 'host dead: no such machine'
want_err "host dead (rank 1): its proxy could not be started: $TMPDIR/fake exited with code 255"
until_gone "$mark" 3000 || fail "processes are left after a proxy that could not be started"
job -launcher "$TMPDIR/fake" -iface lo -hosts talk,more:2 -fanout 1 true
want_rc 1
want_err 'host more (ranks 1-2): its proxy could not be started'
finish
