# SPDX-License-Identifier: BSD-3-Clause
# lib.sh - what the tests of mpiexec share.  To be sourced from the top of the tree.
set -u
case $B in /*) ;; *) B=$PWD/$B ;; esac
export B
run=$B/bin/mpiexec
out=$TMPDIR/out
err=$TMPDIR/err
# In a rank: its number.
my='r=${HAFT_JOB#*rank=}; r=${r%%,*};'
bad=0
# Sanitizers: what links against the library needs them as well.
san=$(basename "$B" | sed -n 's/^[^-]*-\(address\|undefined\|thread\).*/-fsanitize=\1/p')

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
	timeout 60 "$run" "$@" >"$out" 2>"$err" </dev/null
	rc=$?
	ms=$((($(date +%s%N) - from) / 1000000))
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
# want_waited RANKS TEXT: the roll-call says that these ranks wait so, for whatever time: how long
# exactly depends on who else uses the machine.
want_waited() {
	sed -E 's/has waited [0-9]+( to [0-9]+)? s/has waited/' "$err" | grep -qF -e "$1: has waited$2" || {
		fail "$said: no \"$1: has waited ... s$2\" on stderr, but:"
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

# want_ms MS: what a quiet machine does in MS; one on which others compute gets five times as long.
want_ms() {
	[ $ms -le $(($1 * 5)) ] || fail "$said: took $ms ms, not at most $1 (times 5)"
}

# alive WORD: how many processes have WORD as an argument (which awk has not).
alive() {
	cat /proc/[0-9]*/cmdline 2>/dev/null | tr '\0' '\n' |
		w=$1 awk '$0 == ENVIRON["w"] { n++ } END { print n + 0 }'
}

# until_gone MARK MS: waits until no process has MARK.
until_gone() {
	t=0
	while [ "$(alive "$1")" != 0 ]; do
		[ $t -ge "$2" ] && return 1
		sleep 0.1
		t=$((t + 100))
	done
}

# until_there FILE LINES: waits for output, at most 10 s.
until_there() {
	t=0
	: >>"$1" # the job that is to write it may not have begun
	while [ "$(wc -l <"$1")" -lt "$2" ]; do
		[ $t -ge 100 ] && return 1
		sleep 0.1
		t=$((t + 1))
	done
}
