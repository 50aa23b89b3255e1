# SPDX-License-Identifier: BSD-3-Clause
# A rank that crashes is named with its stack and its core file, and ends as it would without that.
. tests/tools/lib.sh
[ -z "$san" ] || exit 77 # sanitizers have handlers of their own
far="-launcher fork -hosts a,b"
"$B/bin/mpicc" -g -O1 -fno-inline -fno-optimize-sibling-calls tests/tools/crash.c -o "$TMPDIR/crash" -lpthread ||
	fail "mpicc"
prog=$TMPDIR/crash
ulimit -S -c 0
HAFT_VIA=${HAFT_VIA:-auto}
export HAFT_VIA

# The line: signal, function, file and line, up to main.
if command -v addr2line >/dev/null; then
	at='[a-z_]* (crash.c:[0-9]*)'
	want_at() {
		grep -q -e "$1" "$err" || {
			fail "$said: no \"$1\" on stderr, but:"
			cat "$err"
		}
	}
	job -n 2 "$prog" segv 1
	want_rc 139
	want_at "mpiexec: rank 1 (process [0-9]*, .*crash) was killed by signal 11 (Segmentation fault) in crash_sum (crash.c:[0-9]*) <- crash_segv (crash.c:[0-9]*) <- main (crash.c:[0-9]*); no core file: ulimit -c is 0\$"
	job -n 2 "$prog" divide 0
	want_rc 136
	want_at 'signal 8 (Floating point exception) in divide (crash.c:[0-9]*) <- main '
	job -n 1 "$prog" abort
	want_rc 134
	want_at 'signal 6 (Aborted) in main (crash.c:'
	job -n 1 "$prog" illegal
	want_rc 132
	want_at 'signal 4 (Illegal instruction) in illegal (crash.c:'
	job -n 1 "$prog" overflow
	want_rc 139
	want_at 'in crash_deep (crash.c:[0-9]*) <- crash_deep (crash.c:[0-9]*) <- crash_deep '
	job -n 1 "$prog" in_mpi
	want_rc 139
	want_at 'in MPI_Send <- in_mpi (crash.c:[0-9]*) <- main '
	job -n 1 "$prog" in_thread
	want_rc 139
	want_at 'in crash_sum (crash.c:[0-9]*) <- crash_segv (crash.c:[0-9]*) <- thread_main (crash.c:'
	job $far -N 1 "$prog" segv 1
	want_rc 139
	want_at 'rank 1 (process [0-9]* on b, .*) was killed .* in crash_sum (crash.c:[0-9]*) <- crash_segv '

	# All crash: one line for the first, and one for all others at that place.
	job -n 4 "$prog" segv
	want_rc 139
	want_at 'mpiexec: rank [0-3] (.*) was killed .* in crash_sum '
	[ "$(grep -c '^mpiexec: also rank' "$err")" -le 1 ] || fail "not merged: $(cat "$err")"

	# Fortran, with the names of its source.
	if command -v "${FC:-gfortran}" >/dev/null && [ -e "$B/bin/mpifort" ]; then
		(cd "$TMPDIR" && "$B/bin/mpifort" -g -O0 "$OLDPWD/tests/tools/crash_fort.f90" -o fort) || fail "mpifort"
		job -n 1 "$TMPDIR/fort"
		want_rc 136
		want_at 'in steps::step (crash_fort.f90:8) <- [a-z_]* (crash_fort.f90:22)'
		want_err 'Backtrace for this error' # of the runtime of gfortran, as ever
	fi
fi

# It can be switched off, and it leaves handlers of the program alone.
HAFT_BACKTRACE=no job -n 1 "$prog" segv
want_rc 139
grep -q 'was killed by signal 11 (Segmentation fault); no core' "$err" || fail "HAFT_BACKTRACE=no: $(cat "$err")"
job -n 1 "$prog" handled
want_rc 7
job -n 1 "$prog" handled_later
want_rc 7

job -n 1 "$prog" finalized
want_rc 139
want_err 'was killed by signal 11'

# A child of a rank that crashes is no rank: its parent is killed by another signal, without a
# stack.
job -n 1 "$prog" child
want_rc 137
grep -q 'was killed by signal 9 (Killed)$' "$err" || fail "a child: $(cat "$err")"

# The core file is that of the crash, and the line says where it is.
read -r pattern </proc/sys/kernel/core_pattern
if [ "$(ulimit -H -c)" != 0 ] && [ "${pattern#[|/]}" = "$pattern" ]; then
	cd "$TMPDIR" || exit 1
	job -n 1 "$prog" segv 0 core
	cd - >/dev/null || exit 1
	want_rc 139
	core=$(sed -n 's/.*; core dumped: //p' "$err")
	[ -s "$core" ] || fail "no core file: $(cat "$err")"
	# Of the segment it has the part that was used, and not all that is reserved.
	[ "$(($(stat -c %s "${core:-/dev/null}") / 1000000))" -lt 500 ] || fail "a core file of $(stat -c %s "$core") bytes"
	if command -v gdb >/dev/null && [ -s "$core" ]; then
		gdb -batch -ex bt "$prog" "$core" >"$out" 2>&1
		grep -q '#0 .*sum (' "$out" || fail "the core file is not of the crash: $(cat "$out")"
	fi
fi
finish
