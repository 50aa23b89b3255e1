# SPDX-License-Identifier: BSD-3-Clause
# Output: every line whole, nothing lost, nothing added.
. tests/tools/lib.sh

# Each rank prints lines of one letter each, of all lengths, in pieces; some are far longer than a
# pipe.  Line: letter, length, the letters.
cat >"$TMPDIR/lines.awk" <<'END'
function letters(c, n,   s) { s = c; while (length(s) < n) s = s s; return substr(s, 1, n) }
BEGIN {
	c = substr("abcdefgh", r + 1, 1)
	for (i = 1; i <= 1500; i++) {
		n = i % 500 == 0 ? 200000 : i * 37 % 400 + 1
		printf "%s %d ", c, n
		if (i % 7 == 0) fflush()
		print letters(c, n)
		if (i % 5 == 0) fflush()
	}
}
END
cat >"$TMPDIR/check.awk" <<'END'
{
	if (NF != 3 || length($3) != $2) { print "line " NR " is not whole"; bad = 1; exit 1 }
	gsub($1, "", $3)
	if ($3 != "") { print "line " NR " is of two ranks"; bad = 1; exit 1 }
	lines[$1]++
}
END {
	for (c in lines) { n++; if (lines[c] != 1500) bad = 1 }
	if (n != 8 || bad) { print "lines are missing"; exit 1 }
}
END
job -n 8 sh -c "$my exec awk -v r=\$r -f '$TMPDIR/lines.awk'"
want_rc 0
awk -f "$TMPDIR/check.awk" "$out" || fail "stdout is not whole"
job -n 8 sh -c "$my exec awk -v r=\$r -f '$TMPDIR/lines.awk' >&2"
want_rc 0
awk -f "$TMPDIR/check.awk" "$err" || fail "stderr is not whole"

# A slow reader, through a pipe, both streams to one file.
timeout $patience "$run" -n 8 sh -c "$my exec awk -v r=\$r -f '$TMPDIR/lines.awk'" 2>&1 |
	{ sleep 1; cat; } >"$out"
awk -f "$TMPDIR/check.awk" "$out" || fail "output is not whole with a slow reader"

# Bytes are as they were, with one rank and with several.
head -c 3000000 /dev/urandom >"$TMPDIR/bytes"
job cat "$TMPDIR/bytes"
cmp "$out" "$TMPDIR/bytes" || fail "one rank's bytes"
job -n 2 sh -c "$my [ \$r = 0 ] || exec cat '$TMPDIR/bytes'"
cmp "$out" "$TMPDIR/bytes" || fail "one of two ranks' bytes"
job -n 3 head -c 5000000 /dev/zero
[ "$(wc -c <"$out")" = 15000000 ] || fail "zeros: $(wc -c <"$out") bytes, not 15000000"
job -n 3 sh -c "$my sleep 0.\$((3 - r)); printf %s \$r; [ \$r != 1 ] || echo line >&2"
[ "$(cat "$out")" = 012 ] || fail "unfinished lines: $(cat "$out")"
want_err line

# A line in two pieces, with others between: the first piece has been read when mpiexec has nothing
# more to do, the second comes when the other line is there.
job -n 2 sh -c "$my $await if [ \$r = 0 ]; then printf a; touch '$TMPDIR/a'
	until grep -q c '$out'; do sleep 0.05; done; echo b
	else await '$TMPDIR/a'; echo c; fi"
[ "$(cat "$out")" = "c
ab" ] || fail "a line in two pieces: $(cat "$out")"

# stdout and stderr stay apart.
job -n 2 sh -c 'echo out; echo err >&2'
[ "$(sort -u "$out")$(sort -u "$err")" = outerr ] || fail "stdout and stderr are mixed"

# Labels.
job -l -n 12 sh -c "$my echo a\$r; echo; printf part\$r"
want_lines 36
for r in 0 1 11; do
	grep -qx "\[$r\] a$r" "$out" || fail "-l: first line of $r"
	grep -qx "\[$r\] " "$out" || fail "-l: empty line of $r"
	grep -qx "\[$r\] part$r" "$out" || fail "-l: unfinished line of $r"
done

# The reader has gone: ranks end by SIGPIPE, as without mpiexec, and quietly.
timeout $patience "$run" -n 4 yes "yes$mark" 2>"$err" | head -2 >"$out"
want_lines 2
want_err_lines 0
until_gone "yes$mark" 1000 || fail "ranks go on writing for nobody"

# A process that a rank leaves in the background does not keep the job.
job sh -c "sleep $mark & echo done"
want_rc 0
want_out done
want_ms 5000
# ... but what the rank has said comes whole, however slow the reader is.
for n in 20000 40000 60000 80000; do
	timeout $patience "$run" sh -c "sleep $mark & seq $n" | { sleep 1; cat; } >"$out"
	want_lines $n
done

# Output that cannot be written is reported, and the exit code is not 0: the disk is full when the
# ranks have ended, or while they write; stdout, stderr, or both.
full() {
	said="$*"
	timeout $patience "$@" 2>"$err" >/dev/full
	rc=$?
	[ $rc = 1 ] || fail "$said >/dev/full: exit code $rc, not 1"
	want_err 'cannot write to standard output: No space left on device'
}
"$B/bin/mpicc" $san tests/tools/both_outputs.c -o "$TMPDIR/both" || fail "mpicc"
if [ -w /dev/full ]; then
	full "$run" -n 2 echo result
	full "$run" -n 1 echo result
	full "$run" -l -launcher fork -hosts a,b echo result
	full "$run" -n 2 sh -c 'seq 200000'
	full "$run" --help
	full "$run" --version
	full "$B/bin/mpi-info"
	full "$B/bin/mpi-info" --version
	"$run" -n 2 sh -c 'echo result >&2' 2>/dev/full && fail "stderr is lost: exit code 0"
	# A rank that dies of it in MPI is waited for by the others: the job ends all the same.
	timeout $patience "$run" -n 3 "$TMPDIR/both" 2>/dev/full >/dev/full
	[ $? = 1 ] || fail "ranks in MPI lose stdout and stderr: not exit code 1"
	timeout $patience "$run" -n 3 "$TMPDIR/both" 2>/dev/full >"$out"
	[ $? = 1 ] || fail "ranks in MPI lose stderr: not exit code 1"
	[ "$(grep -cx out "$out")" = 3 ] || fail "stderr is lost, and stdout is not whole"
	"$B/bin/mpicc" $san tests/tools/writer.c -o "$TMPDIR/writer" || fail "mpicc"
	timeout $patience "$run" -n 2 "$TMPDIR/writer" >/dev/full 2>"$err"
	[ $? = 1 ] || fail "a rank waits for the one that cannot write: not exit code 1"
	want_err 'cannot write to standard output: No space left on device'
	"$run" -n 2 sh -c 'echo out; echo err >&2' >/dev/full 2>&1 && fail "both are lost: exit code 0"
	"$B/bin/mpicc" -show >/dev/full 2>"$err" && fail "mpicc -show >/dev/full: exit code 0"
	"$B/bin/mpicc" -showme:link >/dev/full 2>"$err" && fail "mpicc -showme:link >/dev/full: exit code 0"
	"$B/bin/mpicc" --help >/dev/full 2>"$err" && fail "mpicc --help >/dev/full: exit code 0"
fi
"$run" -n 2 echo result >&- 2>"$err" && fail "stdout is closed: exit code 0"
want_err 'cannot write to standard output: Bad file descriptor'
timeout $patience "$run" -n 3 "$TMPDIR/both" >"$out" 2>&-
[ $? = 1 ] || fail "stderr is closed: not exit code 1"
[ "$(grep -cx out "$out")" = 3 ] || fail "stderr is closed, and stdout is not whole"
timeout $patience "$run" -n 3 "$TMPDIR/both" >/dev/null 2>&-
[ $? = 1 ] || fail "stderr is closed, and stdout is /dev/null: not exit code 1"
finish
