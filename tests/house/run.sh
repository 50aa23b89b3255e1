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
try signal 'kill -SEGV $$' && bad "a signal passed"
grep -q 'signal 11' signal.log || bad "signal is not named"
rm -rf "$TMPDIR"/*
