# SPDX-License-Identifier: BSD-3-Clause
# RUN idle
# A rank that fails is named, and the job ends within 1 s with its exit code.
. tests/tools/lib.sh

none_left() {
	until_gone "$mark" 0 || fail "$said: ranks are left"
}

# dies CODE TEXT COMMAND: rank 2 of 4 runs it, the others sleep.
dies() {
	job -n 4 sh -c "$my [ \$r = 2 ] || exec sleep $mark; $3"
	want_rc "$1"
	want_err "rank 2 (process "
	want_err "$2"
	want_err_lines 1
	want_ms 1000
	none_left
}
dies 7 'sh) exited with code 7' 'exit 7'
dies 255 'exited with code 255' 'exit 255'
dies 139 'was killed by signal 11 (Segmentation fault)' 'kill -SEGV $$'
dies 137 'was killed by signal 9 (Killed)' 'kill -KILL $$'
dies 134 'was killed by signal 6 (Aborted)' 'kill -ABRT $$'
dies 139 'exited with code 139 (128 + signal 11: Segmentation fault)' \
	'sh -c "kill -SEGV \$\$" 2>/dev/null; exit $?'

# Ranks that do not want to end.
job -n 3 sh -c "trap '' TERM INT; $my [ \$r = 1 ] && exit 3; sleep $mark; sleep $mark"
want_rc 3
want_ms 1000
none_left
# One that is stopped.
job -n 2 sh -c "$my $await
	if [ \$r = 1 ]; then echo \$\$ >'$TMPDIR/pid.new'; mv '$TMPDIR/pid.new' '$TMPDIR/pid'; kill -STOP \$\$; exec sleep $mark; fi
	await '$TMPDIR/pid'; read p <'$TMPDIR/pid'
	until grep -q '^State:.T' /proc/\$p/status; do sleep 0.05; done; exit 4"
want_rc 4
none_left

# The first one that fails counts: the others do so when mpiexec knows of it, so that the process is
# no longer there.  Its output from before is there.
rm -f "$TMPDIR/pid"
job -n 3 sh -c "$my $await
	[ \$r != 0 ] || { echo last words of 0; echo \$\$ >'$TMPDIR/pid.new'; mv '$TMPDIR/pid.new' '$TMPDIR/pid'; exit 10; }
	trap 'exit 1\$r' TERM; await '$TMPDIR/pid'; read p <'$TMPDIR/pid'
	while kill -0 \$p 2>/dev/null; do sleep 0.05; done; exit 1\$r"
want_rc 10
want_out 'last words of 0'
want_err 'rank 0 '

# Its last words stand before ours.
job -n 3 sh -c "$my [ \$r = 1 ] || exec sleep $mark; seq 5000 >&2; kill -KILL \$\$"
want_rc 137
[ "$(tail -n 1 "$err" | grep -c 'rank 1 ')$(wc -l <"$err")" = 15001 ] || fail "last words: $(tail -n 3 "$err")"

# Ending early and well is no failure.
job -n 3 sh -c "$my [ \$r = 1 ] || sleep 0.4; echo \$r"
want_rc 0
want_lines 3

# The limit of time.
job -timeout 0.5 -n 3 sleep "$mark"
want_rc 124
want_err 'has not ended after 0.5 s'
want_err 'ranks 0-2: '
want_ms 1500
none_left
MPIEXEC_TIMEOUT=0.5 job -n 1 sleep "$mark"
want_rc 124
job -timeout $patience true
want_rc 0

# A program that is there, but cannot be started: it is open for writing.  (ThreadSanitizer's
# posix_spawn does not tell.)
cp /bin/true "$TMPDIR/busy"
exec 9>>"$TMPDIR/busy"
job -n 2 "$TMPDIR/busy"
exec 9>&-
want_err 'rank 0 '
case $B in
*-thread*) want_rc 127 ;;
*)
	want_rc 1
	want_err 'could not be started'
	;;
esac
finish
