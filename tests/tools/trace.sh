# SPDX-License-Identifier: BSD-3-Clause
# RUN time=300
# mpiexec -trace: every call and message is in the timeline, in each format, whatever the end of the
# job; rings are bounded; clocks of hosts are compared.
. tests/tools/lib.sh

prog=$TMPDIR/trace
read=$TMPDIR/trace_read
"$B/bin/mpicc" $san -g -Wall -pthread tests/tools/trace.c -o "$prog" || exit 1
${CC:-cc} -Wall -O1 tests/tools/trace_read.c -o "$read" || exit 1

# got FILE [SLACK]: reads it.  want NAME N: so many; want_least NAME N: at least.
got() {
	"$read" "$@" >"$TMPDIR/read" || fail "$said: $(cat "$TMPDIR/read")"
}
count() { sed -n "s/^$1 \([0-9]*\)$/\1/p" "$TMPDIR/read"; }
want() {
	[ "$(count "$1")" = "$2" ] || fail "$said: $1 is $(count "$1"), not $2"
}
want_least() {
	[ "$(count "$1")" -ge "$2" ] 2>/dev/null || fail "$said: $1 is $(count "$1"), not $2 or more"
}
want_whole() {
	want halves 0
	want backward 0
	want crossing 0
}

# --- every kind of message, in both formats that we read ourselves
for form in pftrace json; do
	job -trace=$TMPDIR/t.$form -n 3 "$prog" messages
	want_rc 0
	want_err "trace in $TMPDIR/t.$form"
	got "$TMPDIR/t.$form"
	want_whole
	want arrows 36
	want tracks 3
	want processes 3
	want MPI_Send 12
	want MPI_Sendrecv 9
	want MPI_Startall 6
	want MPI_Finalize 3
done
# Where lines cannot be looked up, or the calls of a binding are no jumps, they are not asked for.
lines=1
command -v addr2line >/dev/null || lines=
case $B in *debug* | *address* | *thread* | *undefined*) lines= ;; esac
at=$(grep -n line-send tests/tools/trace.c | cut -d: -f1)
[ -z "$lines" ] ||
	grep -q "\"MPI_Send\".*\"bytes\":10,\"where\":\"trace_messages (trace.c:$at)" "$TMPDIR/t.json" ||
	fail "$said: no MPI_Send at trace.c:$at"

# --- OTF2, as its own reader sees it
if command -v otf2-print >/dev/null; then
	job -trace=$TMPDIR/o.otf2 -n 3 "$prog" messages
	want_rc 0
	otf2-print "$TMPDIR/o.otf2" >"$TMPDIR/read" 2>"$err" || fail "$said: otf2-print: $?"
	[ ! -s "$err" ] || fail "$said: otf2-print says $(cat "$err")"
	for event in MPI_SEND:36 MPI_RECV:36; do
		n=$(grep -c "^${event%:*} " "$TMPDIR/read")
		[ "$n" = "${event#*:}" ] || fail "$said: $n events ${event%:*}, not ${event#*:}"
	done
	enters=$(grep -c '^ENTER' "$TMPDIR/read")
	leaves=$(grep -c '^LEAVE' "$TMPDIR/read")
	[ "$enters" = "$leaves" ] || fail "$said: $enters events ENTER, $leaves LEAVE"
	if command -v vite >/dev/null; then
		QT_QPA_PLATFORM=offscreen timeout 60 vite -e "$TMPDIR/o.svg" "$TMPDIR/o.otf2" >"$out" 2>&1
		grep -q '</svg>' "$TMPDIR/o.svg" || fail "$said: ViTE draws nothing: $(cat "$out")"
	fi
	# ... written over one that is there, but not over other files
	job -trace=$TMPDIR/o.otf2 -n 2 "$prog" parts
	otf2-print "$TMPDIR/o.otf2" 2>&1 | grep -q '^ENTER.*inner' || fail "$said: no new archive"
	mkdir "$TMPDIR/full"
	: >"$TMPDIR/full/mine.evt"
	job -trace=$TMPDIR/full.otf2 -n 2 "$prog" parts
	want_err "-trace=$TMPDIR/full.otf2: the library of OTF2 cannot write it"
	[ -e "$TMPDIR/full/mine.evt" ] || fail "$said: has removed a file"
fi

# --- bounded: the last records, or the first; arrows connect what belongs together
for keep in last first; do
	job -trace=$TMPDIR/t.pftrace -trace-room 64K -trace-keep $keep -n 2 "$prog" many
	want_rc 0
	want_err "of records had no room, and the $keep ones were kept"
	got "$TMPDIR/t.pftrace"
	want_whole
	want_least arrows 500
done

# --- threads, of which each has a track
job -trace=$TMPDIR/t.pftrace -n 2 "$prog" threads
want_rc 0
got "$TMPDIR/t.pftrace"
want_whole
want arrows 300
want_least tracks 4

# --- MPI_Pcontrol
job -trace=$TMPDIR/t.json -n 2 "$prog" parts
got "$TMPDIR/t.json"
want_whole
want arrows 0
want MPI_Barrier 6
want step 6
want inner 6

# --- whatever the end
for how in kill abort; do
	job -trace=$TMPDIR/t.pftrace -n 3 "$prog" $how
	[ $rc != 0 ] || fail "$said: exit code 0"
	got "$TMPDIR/t.pftrace"
	want_whole
	want arrows 1
	want MPI_Recv 3
done
job -trace=$TMPDIR/t.pftrace -timeout 2 -n 3 "$prog" pause
want_rc 124
got "$TMPDIR/t.pftrace"
want_whole
want arrows 1
want_least 'waits: late sender' 2

# --- several hosts, whose clocks are compared
job -trace=$TMPDIR/t.json -launcher fork -hosts a:2,b:2 -n 4 "$prog" messages
want_rc 0
want_err 'clocks of the hosts agree within'
grep -q '"name":"rank 3 on b"' "$TMPDIR/t.json" || fail "$said: no rank 3 on b"
slack=$(sed -n 's/.*"clock_error_ns":\([0-9]*\).*/\1/p' "$TMPDIR/t.json")
[ "${slack:-0}" -gt 0 ] || fail "$said: no bound of the error"
got "$TMPDIR/t.json" $((2 * slack))
want_whole
want arrows 48

# ... and differ by 1000 s, where the kernel lets us have such a clock
apart='unshare --time --monotonic 1000 --fork'
if $apart true 2>/dev/null; then
	printf '#!/bin/sh\nh=$1\nshift\n[ "$h" = b ] && exec %s "$@"\nexec "$@"\n' "$apart" \
		>"$TMPDIR/start"
	chmod +x "$TMPDIR/start"
	job -trace=$TMPDIR/t.json -launcher exec -launcher-exec "$TMPDIR/start" -iface lo -hosts a:2,b:2 -n 4 \
		"$prog" messages
	want_rc 0
	got "$TMPDIR/t.json" $((2 * $(sed -n 's/.*"clock_error_ns":\([0-9]*\).*/\1/p' "$TMPDIR/t.json")))
	want_whole
	want arrows 48
fi

# --- Fortran
if command -v gfortran >/dev/null; then
	"$B/bin/mpifort" -g tests/tools/profile_fort.f90 -o "$TMPDIR/fort" || fail "mpifort"
	job -trace=$TMPDIR/t.json -n 2 "$TMPDIR/fort"
	want_rc 0
	got "$TMPDIR/t.json"
	want_whole
	want_least arrows 1
	at=$(grep -n line-send tests/tools/profile_fort.f90 | cut -d: -f1)
	[ -z "$lines" ] || grep -q "\"MPI_Send\".*profile_fort.f90:$at)" "$TMPDIR/t.json" ||
		fail "$said: no MPI_Send at profile_fort.f90:$at"
fi

# --- a timeline and a profile of one job
job -profile -trace=$TMPDIR/t.pftrace -n 2 "$prog" messages
want_err 'trace in'
want_err '2 ranks on 1 host'

# --- errors
said='HAFT_TRACE without mpiexec'
HAFT_TRACE=t.json "$prog" messages 2>"$err" || fail "$said: exit code $?"
want_err "HAFT_TRACE=t.json: only jobs that Haft's mpiexec starts have a trace"
job -trace=$TMPDIR/t.pdf -n 1 true
want_rc 2
want_err 'must end with .pftrace'
job -trace -n 1 true
want_rc 2
job -trace-room 1K -n 1 true
want_rc 2
want_err 'from 64K to 64G'
job -trace-keep some -n 1 true
want_rc 2
job -trace=$TMPDIR/none/t.json -n 2 "$prog" parts
want_err 'No such file'

# A file that cannot be made is refused before the job; one that cannot be written is an exit code.
for option in -trace=$TMPDIR/none/F.html -profile=$TMPDIR/none/F.html; do
	job $option -n 1 true
	want_rc 2
	want_err 'No such file or directory'
done
mkdir "$TMPDIR/full.html"
job -trace=$TMPDIR/full.html -n 1 "$prog" messages
want_rc 1
want_err 'Is a directory'
finish
