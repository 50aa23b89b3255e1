# SPDX-License-Identifier: BSD-3-Clause
# Wrong usage gets one clear line and exit code 2, or 127 if the program cannot be run.
. tests/tools/lib.sh

# wrong CODE TEXT ARGS...
wrong() {
	code=$1 text=$2
	shift 2
	job "$@"
	want_rc "$code"
	want_err "$text"
	want_err_lines 1
	want_lines 0
}

wrong 2 'no program given'
wrong 2 'no program given' -n 2
wrong 2 'no program given' -n 2 true :
wrong 2 'no program given' : true
wrong 2 'no program given' true : : true
wrong 2 'a job has 1 to' -n 0 true
wrong 2 'a job has 1 to' -n -3 true
wrong 2 'a job has 1 to' -n 99999999 true
wrong 2 "not \`x'" -n x true
wrong 2 "not \`4x'" -np 4x true
wrong 2 "not \`'" -np '' true
wrong 2 'needs a value' -n
wrong 2 'needs a name and a value' -env A
wrong 2 'unknown option -nosuch' -nosuch true
wrong 2 'unknown option --nosuch=3' --nosuch=3 true
wrong 2 'no name of a variable' -x =3 true
wrong 2 'no name of a variable' -env A=B 3 true
wrong 2 'positive number of seconds' -timeout 0 true
wrong 2 'positive number of seconds' -timeout soon true
wrong 2 'working directory' -wdir /no/such/dir true
wrong 2 'is no directory' -wdir /etc/passwd true
wrong 2 "is no name of a host" -host -oProxyCommand=x true
wrong 2 'cannot read hostfile' -hostfile /no/such/file true
wrong 2 'cannot read' -configfile /no/such/file
wrong 127 'not found' no-such-program
wrong 127 'not found' ./no-such-program
wrong 127 'not found' ''
wrong 127 'not found' true : no-such-program
wrong 127 'it is a directory' /etc
# A folder of PATH that may not be looked into (root may) has no program.
mkdir "$TMPDIR/closed"
chmod 0 "$TMPDIR/closed"
(
	[ "$(id -u)" != 0 ] || run="setpriv --reuid=65534 --clear-groups $run"
	if [ "$(id -u)" != 0 ] || $run -n 1 true 2>/dev/null; then
		PATH=$TMPDIR/closed:$PATH
		said='a closed folder in PATH'
		timeout $patience $run no-such-program >"$out" 2>"$err"
		rc=$?
		want_rc 127
		want_err 'not found'
	fi
	exit $bad
) || bad=1
echo 'echo hi' >"$TMPDIR/plain"
wrong 127 'Permission denied' "$TMPDIR/plain"

MPIEXEC_TIMEOUT=x wrong 2 'MPIEXEC_TIMEOUT' true

job --help
want_rc 0
want_out 'usage: mpiexec'
job --version
want_rc 0
want_out 'Haft'
[ "$(readlink "$B/bin/mpirun")" = mpiexec ] || fail "mpirun is not mpiexec"

# What other launchers want is no reason to fail.
job --oversubscribe --allow-run-as-root -bind-to core --map-by slot --mca btl self -ppn 2 -quiet \
	--n=2 -- true
want_rc 0
want_err_lines 0

# More ranks than CPUs, as whoever I am.
job -n 16 true
want_rc 0
want_err_lines 0
finish
