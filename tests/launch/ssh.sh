# SPDX-License-Identifier: BSD-3-Clause
# RUN time=120 idle
# mpiexec over ssh between four hosts of one machine: start, names, cut links, dead hosts.
. tests/tools/lib.sh
. tests/launch/vhosts.sh
vh_need

vh_up "$TMPDIR/vh" 4
own=$TMPDIR/mpiexec
cp "$run" "$own"

# far ARGS...: as job, from beside the hosts.
far() {
	said="mpiexec $*"
	from=$(date +%s%N)
	vh_root timeout $patience "$own" -launcher-exec "$vh_ssh" "$@" >"$out" 2>"$err" </dev/null
	rc=$?
	ms=$((($(date +%s%N) - from) / 1000000))
}

far -hosts h1:4,h2:4,h3:4,h4:4 -l hostname
want_rc 0
[ "$(sort -V "$out" | awk '{ print $2 }' | uniq -c | awk '{ print $1 $2 }' | tr '\n' ' ')" = "4h1 4h2 4h3 4h4 " ] ||
	fail "the ranks of 4 hosts: $(cat "$out")"
echo "start of 4 x 4 over ssh: $ms ms"
far -hosts h1,h2,h3,h4 -fanout 1 hostname
want_rc 0
want_lines 4
far -hosts h2:2,h9 true
want_rc 1
want_err 'host h9 (rank 2): its proxy could not be started'
far -prefix /no/such -hosts h2 true
want_rc 1
want_err 'exited with code 127: is there a /no/such/bin/mpiexec on that host?'

# The sockets are where the others come by, and nowhere else.
far -hosts h1,h2 sh -c "$my ss -ltnH 2>/dev/null | grep -v :22 | awk '{ print \$4 }'; sed 's/\x0/ /g' /proc/\$PPID/cmdline; echo"
want_rc 0
grep -q -e '0\.0\.0\.0' -e '\[::\]' "$out" && fail "something listens at all addresses: $(cat "$out")"
want_out "$own --haft-proxy"

# evil [VALUE]: a value that a shell would run, through ssh.
far -hosts h1,h2 -x V="\$(touch $TMPDIR/ran); \`touch $TMPDIR/ran\`" sh -c 'echo "$V" "$1"' sh '$(touch '"$TMPDIR"'/ran); *'
want_rc 0
want_lines 2
[ ! -e "$TMPDIR/ran" ] || fail "a shell has run a value"

# start ARGS...: a job of 8 ranks, in the background.
start() {
	behind vh_root "$own" -launcher-exec "$vh_ssh" -hosts h1:2,h2:2,h3:2,h4:2 "$@"
	until_there "$out" 8 || fail "the job does not start: $(cat "$err")"
	from=$(date +%s%N)
}
gone_mark() { [ "$(alive "$mark")" = 0 ]; }
gone_own() { [ "$(alive "$own")" = 0 ]; }
# ended WHAT MS TEXT
ended() {
	said=$1
	wait $pid
	rc=$?
	ms=$((($(date +%s%N) - from) / 1000000))
	want_rc 1
	want_ms "$2"
	want_err "$3"
	until_ gone_mark || fail "$(alive "$mark") processes are left after: $said"
	until_ gone_own || fail "$(alive "$own") proxies are left after: $said"
}

start sh -c "echo up; sleep $mark"
vh_cut 3
ended "a link that is cut" 9000 'host h3 (ranks 4-5): the connection to its proxy is lost: it has been silent'
behind vh_root "$own" -launcher-exec "$vh_ssh" -hosts h1:2,h2:2 sh -c "echo up; sleep $mark"
until_there "$out" 4 || fail "the job does not start: $(cat "$err")"
from=$(date +%s%N)
vh_kill 2
ended "a host that crashes" 9000 'host h2 (ranks 2-3): the connection to its proxy is lost'
finish
