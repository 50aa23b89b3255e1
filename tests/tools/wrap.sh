# SPDX-License-Identifier: BSD-3-Clause
# Ranks behind a command: -wrap, -valgrind, -xterm.
. tests/tools/lib.sh
far="-launcher fork -hosts a,b"
prog="sh -c 'echo r'"

# All ranks, or some; %r, %n and %h; words with blanks; arguments stay as they are.
job -n 2 -wrap "env who=%r/%n" sh -c 'echo $who "$@"' sh 'a b' '%r'
want_rc 0
[ "$(sort "$out")" = "0/2 a b %r
1/2 a b %r" ] || fail "-wrap: $(cat "$out")"
job -n 4 -wrap=0,2-3 "env who='number %r'" sh -c 'echo "$who"'
[ "$(sort "$out")" = "
number 0
number 2
number 3" ] || fail "-wrap=0,2-3: $(cat "$out")"
job -n 2 -wrap 1:"env who=%r" sh -c 'echo "<$who>"'
[ "$(sort "$out")" = "<1>
<>" ] || fail "-wrap 1: $(cat "$out")"
job $far -wrap "env who=%r:%h:%p" sh -c 'echo $who'
[ "$(sort "$out")" = "0:a:0
1:b:1" ] || fail "-wrap on hosts: $(cat "$out")"

# The last that names a rank counts; the program is looked for before, in its directory.
job -n 2 -wrap "env w=all" -wrap=1 "env w=one" sh -c 'echo $w'
[ "$(sort "$out")" = "all
one" ] || fail "two -wrap: $(cat "$out")"
mkdir "$TMPDIR/d"
printf '#!/bin/sh\necho here\n' >"$TMPDIR/d/prog"
chmod +x "$TMPDIR/d/prog"
job -n 1 -wdir "$TMPDIR/d" -wrap "env a=b" ./prog
[ "$(cat "$out")" = here ] || fail "-wrap with -wdir: $(cat "$out" "$err")"
job -n 1 -wrap "env a=b" no-such-program
want_rc 127
job -n 1 -wrap no-such-command true
want_rc 1
want_err "rank 0 could not be started: program \`no-such-command' not found"
job -n 1 -wrap '' true
want_rc 2
want_err '-wrap needs a command'
job -n 2 -wrap=2 env true
want_rc 2
want_err '-wrap=2: the last rank is 1'
job -n 2 -wrap=x env true
want_rc 2
want_err '-wrap=x: ranks are written like 0,3-5'
job -n 2 -wrap
want_rc 2

# A rank behind a command is a rank: programs of MPI.
"$B/bin/mpicc" $san tests/tools/debugged.c -o "$TMPDIR/debugged" || fail "mpicc"
job -n 2 -wrap=1 "env a=b" "$TMPDIR/debugged" "$TMPDIR/at"
want_rc 0
[ -e "$TMPDIR/at.1" ] || fail "-wrap of a program of MPI"
if [ -z "$san" ] && command -v valgrind >/dev/null; then
	job -n 2 -valgrind=0 "$TMPDIR/debugged" "$TMPDIR/at"
	want_rc 0
	job -n 1 -wrap "valgrind --log-file=$TMPDIR/vg.%r" "$TMPDIR/debugged" "$TMPDIR/at"
	want_rc 0
	grep -q 'ERROR SUMMARY: 0 errors' "$TMPDIR/vg.0" || fail "valgrind: $(cat "$TMPDIR/vg.0")"
fi

# -xterm: an xterm on a desktop, a pane in tmux.
TMUX='' && unset TMUX DISPLAY
job -n 1 -xterm true
want_rc 2
want_err '-xterm needs tmux (TMUX) or a desktop (DISPLAY)'
mkdir "$TMPDIR/bin"
cat >"$TMPDIR/bin/xterm" <<'END'
#!/bin/sh
echo "xterm [$2] [$3]"
shift 3
exec "$@"
END
printf '#!/bin/sh\necho gdb "$@"\n' >"$TMPDIR/bin/gdb"
chmod +x "$TMPDIR/bin/xterm" "$TMPDIR/bin/gdb"
PATH=$TMPDIR/bin:$PATH
export PATH
DISPLAY=none job -n 2 -xterm=1 echo x
[ "$(sort "$out" | head -n 2)" = "x
x" ] || fail "-xterm: $(cat "$out")"
grep -q '^xterm \[rank 1 of 2 on .*\] \[-e\]$' "$out" || fail "-xterm: $(cat "$out")"
DISPLAY=none job $far -xterm -gdb /bin/true arg
[ "$(grep -c '^gdb -q --args /bin/true arg$' "$out")" = 2 ] || fail "-xterm -gdb: $(cat "$out" "$err")"
if command -v tmux >/dev/null; then
	sock=$TMPDIR/sock
	tmux -S "$sock" -f /dev/null new-session -d -x 200 -y 50 \
		"'$run' -n 2 -xterm sh -c 'echo I am; tty; read x; echo got \$x >$TMPDIR/got.\$PPID' >'$TMPDIR/o' 2>&1; sleep 1000" ||
		fail "tmux does not start"
	panes() { [ "$(tmux -S "$sock" list-panes -F x | wc -l)" = 3 ]; }
	until_ panes || fail "no pane for each rank: $(cat "$TMPDIR/o")"
	for p in $(tmux -S "$sock" list-panes -F '#{pane_id}' | tail -n 2); do
		pane_says() { tmux -S "$sock" capture-pane -p -t "$p" | grep -q 'I am'; }
		until_ pane_says || fail "a rank does not write to its pane: $(tmux -S "$sock" capture-pane -p -t "$p")"
		tmux -S "$sock" send-keys -t "$p" hello Enter
	done
	got() { cat "$TMPDIR"/got.* 2>/dev/null | grep -c 'got hello' | grep -qx '[12]'; }
	until_ got || fail "a rank does not read from its pane"
	tmux -S "$sock" kill-server
fi
finish
