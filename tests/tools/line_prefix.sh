# SPDX-License-Identifier: BSD-3-Clause
# Prefixes of output lines, and options by which a job tells its map, CPUs and exit codes.
. tests/tools/lib.sh
far="-launcher fork -hosts a,b"

# Patterns: the facts of each rank; the same letters in the names of files.
job $far -N 1 -prepend-pattern '%r of %n on %h (%p), %o: %%' echo x
[ "$(sort "$out")" = "0 of 2 on a (0), stdout: %x
1 of 2 on b (1), stdout: %x" ] || fail "-prepend-pattern: $(cat "$out")"
job -n 1 -prepend-pattern '<%o>' sh -c 'echo x >&2'
[ "$(cat "$err")" = '<stderr>x' ] || fail "-prepend-pattern %o: $(cat "$err")"
job -n 1 -prepend-pattern '%r%s|' printf 'a\n\nb'
[ "$(cat "$out")" = '01|a
01|
01|b' ] || fail "lines of -prepend-pattern: $(cat "$out")"
long=$(printf %0300d 0)
job -n 1 -prepend-pattern "%t$long" echo x
want_rc 0
want_lines 1
for p in %q 'rank %' '%5r'; do
	job -n 1 -prepend-pattern "$p" echo x
	want_rc 2
	want_err "-prepend-pattern $p: %"
done
job -n 1 -outfile-pattern "$TMPDIR/%o" echo x
want_rc 2
want_err "%o is none of"
job $far -N 1 -outfile-pattern "$TMPDIR/%p/%n.%r" echo x
[ "$(cat "$TMPDIR/0/2.0" "$TMPDIR/1/2.1")" = "x
x" ] || fail "-outfile-pattern: $(find "$TMPDIR")"

# Times: each line has the one at which it came, in order.
time='[0-9]{4}-[0-9]{2}-[0-9]{2} [0-9:]{8}\.[0-9]{6}'
job -l -timestamp-output -n 2 sh -c 'echo a; sleep 0.2; echo b'
want_lines 4
[ "$(grep -cE "^$time \[[01]\] [ab]\$" "$out")" = 4 ] || fail "-timestamp-output: $(cat "$out")"
grep '\[0\]' "$out" | cut -d ' ' -f 1,2 | sort -c -u || fail "times: $(cat "$out")"
job -n 1 -prepend-pattern '%t|%t|' echo x
grep -qE "^$time\|$time\|x\$" "$out" || fail "%t twice: $(cat "$out")"

# Standard error to where standard output goes, files too.
job -n 2 -merge-stderr-to-stdout sh -c 'echo out; echo err >&2'
want_lines 4
want_err_lines 0
job -n 1 -merge-stderr-to-stdout -outfile-pattern "$TMPDIR/both" sh -c 'echo out; echo err >&2'
[ "$(sort "$TMPDIR/both")" = "err
out" ] || fail "-merge-stderr-to-stdout to a file: $(cat "$TMPDIR/both")"
job -n 1 -output merge,timestamp,tag-detailed sh -c 'echo err >&2; exit 3'
want_rc 3
grep -qE "^$time \[0 of 1 on .*\]<stderr>: err\$" "$out" || fail "-output: $(cat "$out")"
want_err 'exited with code 3'

# Hosts, map, CPUs, exit codes.
job -launcher fork -hosts a:2,b:1 -n 3 -display-allocation -display-map true
want_err 'mpiexec: host a: 2 slots'
want_err 'mpiexec: host b: 1 slot'
want_err 'mpiexec: host a: ranks 0-1 of true'
want_err 'mpiexec: host b: rank 2 of true'
job -n 1 --display map,allocation true : -n 2 cat
want_err ': rank 0 of true'
want_err ': ranks 1-2 of cat'
job -n 2 -report-bindings true
want_err 'mpiexec: rank 1 is not bound'
if grep -q '^ok *hwloc' <<END; then
$("$run" -doctor)
END
	job -n 1 -bind-to core -report-bindings true
	want_err 'mpiexec: rank 0 is bound to CPUs '
	job $far -N 1 -bind-to core -report-bindings true
	want_err 'mpiexec: rank 1 on b is bound to CPUs '
fi
job -n 3 -print-all-exitcodes true
want_err 'mpiexec: exit codes: ranks 0-2: 0'
job -n 1 -print-all-exitcodes sh -c 'exit 5'
want_rc 5
want_err 'mpiexec: exit codes: rank 0: 5'
job $far -N 1 -exitcodes sh -c 'kill -9 $$'
want_err 'exit codes: '
want_err 'killed by signal 9'
job -n 2 -report-pid "$TMPDIR/pid" sh -c 'echo $PPID'
[ "$(sort -u "$out")" = "$(cat "$TMPDIR/pid")" ] || fail "-report-pid: $(cat "$out" "$TMPDIR/pid")"
job -n 1 -report-pid /proc/none/x true
want_rc 1
want_err '-report-pid /proc/none/x: No such file or directory'
finish
