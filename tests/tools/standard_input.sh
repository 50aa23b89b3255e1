# SPDX-License-Identifier: BSD-3-Clause
# Standard input: rank 0 gets it, the others an empty one, and unread bytes stay.
. tests/tools/lib.sh

printf 'one\ntwo\n' | timeout $patience "$run" -n 3 sh -c "$my sed s/^/\$r:/" >"$out"
[ "$(cat "$out")" = "0:one
0:two" ] || fail "stdin: $(cat "$out")"

printf 'one\ntwo\n' >"$TMPDIR/in"
{
	timeout $patience "$run" -n 2 sh -c "$my [ \$r = 1 ] || { read x; echo got \$x; }"
	cat
} <"$TMPDIR/in" >"$out"
[ "$(cat "$out")" = "got one
two" ] || fail "the rest of stdin: $(cat "$out")"

head -c 4000000 /dev/urandom >"$TMPDIR/big"
timeout $patience "$run" -n 2 cat <"$TMPDIR/big" >"$out"
cmp "$out" "$TMPDIR/big" || fail "a large stdin"

timeout $patience "$run" -n 2 sh -c "$my [ \$r = 0 ] || ! read x || echo not empty" <&- >"$out" 2>"$err"
rc=$?
[ $rc = 0 ] && [ ! -s "$out" ] || fail "closed stdin: exit code $rc"

# A terminal: typed text goes through mpiexec, Ctrl-C ends the job, a prompt is seen at once.
command -v python3 >/dev/null || finish
cat >"$TMPDIR/term.py" <<'END'
import os, pty, select, sys, time

def talk(steps, *cmd):
    """Runs cmd on a terminal; steps are (text to wait for, text to type)."""
    pid, fd = pty.fork()
    if pid == 0:
        os.execvp(cmd[0], cmd)
    seen, end = b'', time.time() + 200
    while time.time() < end:
        if steps and steps[0][0] in seen:
            os.write(fd, steps.pop(0)[1])
        if not select.select([fd], [], [], 0.05)[0]:
            continue
        try:
            more = os.read(fd, 4096)
        except OSError:
            break
        if not more:
            break
        seen = (seen + more).replace(b'\r', b'')
    else:
        os.kill(pid, 9)
    status = os.waitpid(pid, 0)[1]
    return seen, status

run = sys.argv[1]
seen, status = talk([(b'name? ', b'bob\n')], run, '-n', '2', 'sh', '-c',
    'case $HAFT_JOB in *rank=0,*) printf "name? "; read x; echo "hi $x";; esac')
assert b'hi bob\n' in seen and status == 0, (seen, status)
seen, status = talk([(b'', b'abc\n'), (b'abc\nabc\n', b'\x04')], run, '-n', '2', 'cat')
assert seen.count(b'abc') == 2 and status == 0, (seen, status)
seen, status = talk([(b'up\nup\n', b'\x03')], run, '-n', '2', 'sh', '-c', 'echo up; exec sleep 1000')
assert status == 2, (seen, status)
END
timeout $patience python3 "$TMPDIR/term.py" "$run" || fail "on a terminal"
finish
