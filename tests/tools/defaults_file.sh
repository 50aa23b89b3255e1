# SPDX-License-Identifier: BSD-3-Clause
# Files of defaults: the environment wins over the user's file, that over HAFT_CONF's absence; a
# rank under mpiexec and one without see the values; a wrong line is named once.
. tests/tools/lib.sh
info="$B/bin/mpi-info"
unset HAFT_CONF HAFT_EAGER HAFT_CHECK
export XDG_CONFIG_HOME="$TMPDIR/config"
mkdir -p "$XDG_CONFIG_HOME"
conf=$XDG_CONFIG_HOME/haft.conf

# value NAME WANT COMMAND...: mpi-info's line for a setting.
value() {
	name=$1 want=$2
	shift 2
	got=$("$@" "$info" --settings 2>"$TMPDIR/words" | sed -n "s/^\(\[[0-9]*\] \)*$name  *\([^ ]*\).*/\2/p" | sort -u)
	[ "$got" = "$want" ] || fail "$*: $name is $got, not $want: $(cat "$TMPDIR/words")"
}

cat >"$conf" <<'END'
# a comment
  HAFT_EAGER = 4k

HAFT_CHECK=types,coll
HAFT_EARLY = 1M
mpiexec = -l -x "COLOUR=deep blue"
END
value HAFT_EAGER 4096 env
value HAFT_EAGER 4096 "$run" -n 2
value HAFT_EAGER 100 env HAFT_EAGER=100
value HAFT_CHECK types,coll env
value HAFT_UNEXPECTED 1048576 env
value HAFT_UNEXPECTED 2048 env HAFT_UNEXPECTED=2k
"$info" --settings | grep -q "^HAFT_EAGER .*\[$conf:2\]" || fail "mpi-info does not name the line"

# Options of mpiexec.
job -n 2 sh -c 'echo "$COLOUR"'
want_rc 0
[ "$(sort "$out")" = "$(printf '[0] deep blue\n[1] deep blue')" ] || fail "mpiexec's options: $(cat "$out")"

# Another file, and none.
printf 'HAFT_EAGER=1\n' >"$TMPDIR/other"
value HAFT_EAGER 1 env HAFT_CONF="$TMPDIR/other"
value HAFT_EAGER 16384 env HAFT_CONF=none

# Wrong lines are named, and the others count.
printf 'HAFT_EAGR=1\nnonsense\nHAFT_EAGER=3\n' >"$conf"
value HAFT_EAGER 3 "$run" -n 2
job -n 2 true
[ "$(grep -c "$conf:1: this is no setting: .HAFT_EAGR'" "$err")" = 1 ] || fail "a wrong name: $(cat "$err")"
[ "$(grep -c "$conf:2: a line is NAME = VALUE, not .nonsense'" "$err")" = 1 ] || fail "a wrong line: $(cat "$err")"
HAFT_CONF=$TMPDIR/nosuch job true
grep -q "nosuch:0: HAFT_CONF cannot be read" "$err" || fail "a file that is not there: $(cat "$err")"
printf 'mpiexec = -n 1 true : -n 1 true\n' >"$conf"
job true
want_rc 2
finish
