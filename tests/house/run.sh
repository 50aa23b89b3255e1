# SPDX-License-Identifier: BSD-3-Clause
# RUN time=400
# The runner itself: it believes no test that fails, hangs, or leaves something behind.
set -u
run=$B/tests/run
cd "$TMPDIR" || exit 1
case $run in /*) ;; *) run=$OLDPWD/$run ;; esac
mkdir tests

# try NAME LINES...: writes the script tests/NAME.sh of these lines and runs it.
try() {
	name=$1
	shift
	printf '%s\n' "$@" >"tests/$name.sh"
	"$run" -t "${least:-400}" -g "${grace:-20000}" -b build script "tests/$name.sh" >"$name.log"
}
bad() {
	echo "$1"
	cat ./*.log
	rm -rf "$TMPDIR"/*
	exit 1
}

try good 'echo hello' || bad "a good test failed"
grep -q '^1 passed, 0 failed, 0 skipped$' good.log || bad "no sum"
grep -q hello good.log && bad "output of a good test is shown"
try skip 'exit 77' || bad "a skipped test failed"
grep -q '^0 passed, 0 failed, 1 skipped$' skip.log || bad "a skip is not counted"
try reason 'echo so; echo "skipped: no moon"; echo late; exit 77' || bad "a test skipped with words failed"
grep -q '^skip  reason .*  no moon$' reason.log || bad "the reason of a skip is not told"
try wrong 'echo why; exit 3' && bad "exit code 3 passed"
grep -q '^    why$' wrong.log || bad "output of a failed test is not shown"
try rc '# RUN rc=3' 'exit 3' || bad "an expected exit code failed"
try vars '# RUN env="X=1 Y=2" args="a b"' 'test "$X$Y$1$2" = 12ab' || bad "env and args"
least=1 try late 'sleep 20 & sleep 20' && bad "a test passed its limit"
grep -q 'killed after its 1 s' late.log || bad "the limit is not named"
grace=500 try orphan 'setsid sleep 20 &' && bad "a process left behind passed"
grep -q 'left processes behind' orphan.log || bad "leftover process is not named"
try short 'sleep 0.3 &' || bad "a process that ends by itself is no leftover"
try file 'touch "$TMPDIR/x"' && bad "a file left behind passed"
(
	trap '' HUP PIPE INT
	try fresh 'kill -HUP $$; sleep 20'
)
grep -q 'signal 1' fresh.log || bad "a signal is ignored in a test because it is in the runner"
printf '%s\n' '# RUN idle' "touch '$TMPDIR/b'; until [ -e '$TMPDIR/a' ]; do sleep 0.05; done; rm '$TMPDIR/a'" >tests/idle.sh
printf '%s\n' "until [ -e '$TMPDIR/b' ]; do sleep 0.05; done; rm '$TMPDIR/b'; touch '$TMPDIR/a'" >tests/busy.sh
"$run" -j 1 -b build script tests/busy.sh tests/idle.sh >idle.log || bad "an idle test does not run beside others"
# again N NAME LINES...: a test that has failed runs again, up to N times.
again() {
	n=$1
	name=$2
	shift 2
	printf '%s\n' "$@" >"tests/$name.sh"
	"$run" -r "$n" -g "${grace:-20000}" -b build -o "$name.all.log" script "tests/$name.sh" >"$name.log"
}
runs="echo x >>'$TMPDIR'/runs; n=\$(wc -l <'$TMPDIR'/runs); [ -z \"\$(ls \"\$TMPDIR\")\" ] || exit 9"
again 2 once "$runs" 'echo "this is run $n"; touch "$TMPDIR/here"; [ $n = 2 ] || exit 3; rm "$TMPDIR/here"' ||
	bad "what passes the second time failed"
[ "$(wc -l <runs)" = 2 ] || bad "it has run $(wc -l <runs) times, not 2"
grep -q '^fails once .* exit code 3, not 0; is run again after all others$' once.log || bad "the first failure is not told"
grep -q '^again once .* failed 1 of 2 runs$' once.log || bad "it is not said to be run again"
grep -q '^    this is run 1$' once.log || bad "the output of the failed run is not shown"
grep -q '^    this is run 2$' once.log && bad "the output of the good run is shown"
tail -2 once.log >tail
printf '%s\n' '1 tests failed first and passed when run again: once' '1 passed, 0 failed, 0 skipped' |
	cmp - tail || bad "the last lines"
grep -q 'this is run 2' once.all.log || bad "the log does not have the output of all runs"
rm runs
again 2 never "$runs" 'echo "this is run $n"; exit 3' && bad "what always fails passed"
[ "$(wc -l <runs)" = 3 ] || bad "it has run $(wc -l <runs) times, not 3"
grep -q '^FAIL  never .* failed 3 of 3 runs: exit code 3, not 0$' never.log || bad "the failure is not told"
grep -q '^    this is run 3$' never.log || bad "the output of the last run is not shown"
grep -q 'run again:' never.log && bad "it is said to have passed"
grep -q '^0 passed, 1 failed, 0 skipped$' never.log || bad "no sum"
rm runs
grace=500 again 1 stays "$runs" '[ $n = 2 ] || setsid sleep 20 &' || bad "a process of the first run fails the second"
grep -q 'left processes behind; is run again' stays.log || bad "leftover process is not named"
rm runs
i=0
while [ $i -lt 17 ]; do
	echo 'echo x >>runs; exit 1' >"tests/many$i.sh"
	i=$((i + 1))
done
"$run" -r 1 -b build script tests/many*.sh >many.log && bad "17 failures passed"
grep -q '^0 passed, 17 failed, 0 skipped$' many.log || bad "no sum of many"
[ "$(wc -l <runs)" = 17 ] || bad "many are run again"
try signal 'kill -SEGV $$' && bad "a signal passed"
grep -q 'signal 11' signal.log || bad "signal is not named"
# -n and -w: at most so many processes, and the words before a program.
mkdir -p build/bin build/tests
printf '%s\n' '#!/bin/sh' 'shift 2; exec "$@"' >build/bin/mpiexec
printf '%s\n' '#!/bin/sh' 'echo "$*" >>'"'$TMPDIR/words'" >before
printf '%s\n' '/* RUN np=0,1,2,4 args="c" */' >tests/few.c
chmod +x build/bin/mpiexec before
"$run" -b build -j 1 -n 2 -w "$TMPDIR/before a b" mpi tests/few.c >few.log || bad "few failed"
[ "$(sort words | uniq -c | tr -s ' ')" = ' 3 a b build/tests/few c' ] || bad "not what it was to run: $(cat words)"
# Several orders, and alternatives of words.
printf '%s\n' '/* RUN np=1,2 */' '/* RUN np=3 env="A=1|2 C=x" args="a|b 7" */' '/* no RUN np=9 */' >tests/rows.c
printf '%s\n' '#!/bin/sh' 'echo "$2 A=$A C=$C $4 $5" >>'"'$TMPDIR/rows'" >build/bin/mpiexec
unset A C
"$run" -b build -j 1 mpi tests/rows.c >rows.log || bad "rows failed"
printf '%s\n' '1 A= C=  ' '2 A= C=  ' '3 A=1 C=x a 7' '3 A=2 C=x a 7' '3 A=1 C=x b 7' '3 A=2 C=x b 7' | cmp -s - rows ||
	bad "not these rows: $(cat rows)"
grep -q '^ok    rows .* np=3 .* A=2 C=x$' rows.log || bad "a row is not named"
printf '%s\n' '/* RUN np=1 */' '/* RUN np=1 env="A=1|2" */' >tests/rows.c
rm rows
A=2 "$run" -b build -j 1 mpi tests/rows.c >rows.log || bad "rows failed"
[ "$(cat rows)" = "$(printf '%s\n' '1 A=2 C=  ' '1 A=1 C=  ')" ] || bad "a row that the environment has is not left out: $(cat rows)"
# A unit test with np=, too, is started by mpiexec.
rm rows
"$run" -b build -j 1 unit tests/rows.c >rows.log || bad "rows of a unit test failed"
[ "$(wc -l <rows)" = 3 ] || bad "not these rows of a unit test: $(cat rows)"
rm -rf "$TMPDIR"/*
