# SPDX-License-Identifier: BSD-3-Clause
# lib.sh - functions for the tests of mpiexec.  To be sourced from the top of the tree.
#
# No test depends on the speed or the load of the machine.  A test waits for a condition before it
# relies on it (until_ ...).  Processes that must not end by themselves sleep longer than any test
# waits ($mark).  Times in ms are checked only with STRICT=1, on an idle machine (make check-times).
set -u
patience=300                # seconds until a test no longer waits for an event
mark=$((1000 + $$ % 1000)).$$ # seconds; a process that sleeps so long belongs to this test
case $B in /*) ;; *) B=$PWD/$B ;; esac
export B
run=$B/bin/mpiexec
out=$TMPDIR/out
err=$TMPDIR/err
# No report among lines that are counted, however long a test takes.
HAFT_HANG=0
export HAFT_HANG
# In a rank: its number.
my='r=${HAFT_JOB#*rank=}; r=${r%%,*};'
bad=0
# Sanitizers: programs that link against the library need them as well.
san=$(basename "$B" | sed -n 's/^[^-]*-\(address-undefined\|address\|undefined\|thread\).*/-fsanitize=\1/p' |
	sed 's/-undefined/,undefined/')

fail() {
	echo "$*"
	bad=1
}

# Ends the test.
finish() {
	rm -rf "${TMPDIR:?}"/*
	exit $bad
}

# job ARGS...: runs mpiexec; $rc, $out and $err tell what came of it, $ms how long it took.
job() {
	said="mpiexec $*"
	from=$(date +%s%N)
	timeout $patience "$run" "$@" >"$out" 2>"$err" </dev/null
	rc=$?
	ms=$((($(date +%s%N) - from) / 1000000))
}

# behind COMMAND...: starts it in the background, as $pid.  The files are emptied first: the new
# process opens them some time later, and a test that waits for words must not find older ones.
behind() {
	: >"$out"
	: >"$err"
	"$@" >"$out" 2>"$err" </dev/null &
	pid=$!
}

# begin ARGS...: starts mpiexec in the background, and waits until it has a child: mpiexec takes
# no signal before it has set them up.
begin() {
	said="mpiexec $*"
	behind "$run" "$@"
	until_ parent 2>/dev/null || fail "$said does not start"
}
parent() {
	[ -n "$(cat /proc/$pid/task/$pid/children)" ]
}

want_rc() {
	[ $rc = "$1" ] || {
		fail "$said: exit code $rc, not $1"
		cat "$err"
	}
}

# want_err TEXT, want_out TEXT: a line contains it.
want_err() {
	grep -qF -e "$1" "$err" || {
		fail "$said: no \"$1\" on stderr, but:"
		cat "$err"
	}
}
# want_waited RANKS TEXT: the report says that these ranks wait so; the time depends on the
# load of the machine.
any_seconds='s/(has|have) waited [0-9]+( to [0-9]+)? s/\1 waited s/'
want_waited() {
	case $1 in ranks*) have=have ;; *) have=has ;; esac
	sed -E "$any_seconds" "$err" | grep -qF -e "$1: $have waited s$2" || {
		fail "$said: no \"$1: $have waited ... s$2\" on stderr, but:"
		cat "$err"
	}
}
want_out() {
	grep -qF -e "$1" "$out" || {
		fail "$said: no \"$1\" on stdout, but:"
		cat "$out"
	}
}

# stdout or stderr has so many lines.
want_lines() {
	[ "$(wc -l <"$out")" = "$1" ] || {
		fail "$said: $(wc -l <"$out") lines on stdout, not $1"
		head -20 "$out"
	}
}
want_err_lines() {
	[ "$(wc -l <"$err")" = "$1" ] || {
		fail "$said: $(wc -l <"$err") lines on stderr, not $1"
		head -20 "$err"
	}
}

# want_ms MS: that is the promise.  Ranks that wait for longer ($mark) fail a test in any case.
want_ms() {
	[ $ms -le "$1" ] || [ -z "${STRICT:-}" ] || fail "$said: took $ms ms, not at most $1"
}

# alive WORD: how many processes have WORD as an argument (which awk has not).
alive() {
	cat /proc/[0-9]*/cmdline 2>/dev/null | tr '\0' '\n' |
		w=$1 awk '$0 == ENVIRON["w"] { n++ } END { print n + 0 }'
}

# until_ COMMAND...: waits until it succeeds; false if that does not come.
until_() {
	end=$(($(date +%s) + patience))
	until "$@"; do
		[ "$(date +%s)" -lt $end ] || return 1
		sleep 0.05
	done
}

# until_gone WORD MS: waits until no process has it as an argument; MS is the promise (want_ms).
mark_gone() { [ "$(alive "$1")" = 0 ]; }
until_gone() {
	from=$(date +%s%N)
	until_ mark_gone "$1" || return 1
	ms=$((($(date +%s%N) - from) / 1000000))
	want_ms "$2"
}

# until_there FILE LINES: waits for output.
lines_there() { [ "$(wc -l <"$1")" -ge "$2" ]; }
until_there() {
	: >>"$1" # the job that is to write it may not have begun
	until_ lines_there "$1" "$2"
}

# until_err TEXT: waits for it on stderr.
until_err() {
	until_ grep -qF -e "$1" "$err" || want_err "$1"
}

# In a rank: waits for a file that the test, or another rank, makes.
await='await() { until [ -e "$1" ]; do sleep 0.05; done; };'

# files_before, no_files: no file of ours has come to stay where others would find it.  (One that
# goes again may be of another test.  We make no directories; people do, for a clone.)
files() {
	ls -A -p /dev/shm /tmp 2>/dev/null | grep -v '/$' | grep -i -e haft -e mpiexec | sort
}
files_before() {
	files >"$TMPDIR/files"
}
files_gone() {
	now=$(files | comm -13 "$TMPDIR/files" -)
	[ -z "$now" ]
}
no_files() {
	until_ files_gone || fail "$said: files are left: $now"
}
