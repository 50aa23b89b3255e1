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
wrong 2 'cannot read hostfile /etc: ' -hostfile /etc true
# Hosts that are not understood: which, where, and valid ones.
for c in "a:0=\`0' is no number" "a:2,,b=without a name" "a,=without a name" "=without a name" \
	"a:2:3=\`a:2:3' is no name" "a:=\`' is no number" "a:+2=\`+2' is no number" "a:2x=\`2x'" \
	"a:99999999999999999999=is no number" "[a=is no [HOST]" "[a]b=is no [HOST]" "[]=is no name" \
	"a, b=\` b' is no name"; do
	wrong 2 "hosts \`${c%%=*}': " -hosts "${c%%=*}" true
	want_err "${c#*=}"
	want_err 'understood is HOST[:SLOTS],...'
done
while IFS='|' read -r line text; do
	printf '# hosts\n\nb slots=2\n%s\n' "$line" >"$TMPDIR/hosts"
	wrong 2 "hostfile $TMPDIR/hosts, line 4: \`$line': $text" -hostfile "$TMPDIR/hosts" true
	want_err 'understood is HOST, HOST:N, or HOST [slots=N] [max_slots=N]'
done <<'EOF'
a slot=2|unknown word `slot' after the host
b slts=2|unknown word `slts' after the host
a:2 c:2|unknown word `c:2' after the host
a = 2|unknown word `' after the host
a slots 2|no = after `slots'
a slots|no = after `slots'
a slots=|`' is no number of slots
a slots = 0|`0' is no number of slots
a slots=2,|`2,' is no number of slots
a slots=-2|`-2' is no number of slots
a slots=2 slots=2|the number of slots is there twice
a:2 slots=2|the number of slots is there twice
a max_slots=2 max-slots=2|max_slots is there twice
a slots=3 max_slots=2|more slots than max_slots
slots=2|`slots=2' is no name of a host
a;b slots=2|`a;b' is no name of a host
-oProxyCommand=x|`-oProxyCommand=x' is no name of a host
a:2:3|`a:2:3' is no name of a host
EOF
printf 'a\0b\n' >"$TMPDIR/hosts"
wrong 2 "hosts, line 1: \`a': a zero byte" -hostfile "$TMPDIR/hosts" true
printf '# none\n' >"$TMPDIR/hosts"
wrong 2 'no host in hostfile' -hosts localhost -hostfile "$TMPDIR/hosts" true
printf 'a max_slots=2\nb slots=1 max_slots=1\n' >"$TMPDIR/hosts"
wrong 2 '4 processes, and the max_slots of all hosts are 3' -hostfile "$TMPDIR/hosts" -n 4 true
wrong 2 'cannot read' -configfile /no/such/file
wrong 127 'not found' no-such-program
wrong 127 'not found' ./no-such-program
wrong 127 'not found' ''
wrong 127 'not found' true : no-such-program
wrong 127 'it is a directory' /etc
# A script whose interpreter is missing.
interpreted() {
	printf "$1" >"$TMPDIR/script"
	chmod +x "$TMPDIR/script"
	wrong 127 "program \`$TMPDIR/script' cannot be executed: its interpreter $2" "$TMPDIR/script"
}
interpreted '#!/no/such/python -u\n' '/no/such/python is not there (2)'
interpreted '#! /no/such/python' '/no/such/python is not there (2)'
interpreted '#!/bin/sh\r\necho hi\r\n' '/bin/sh, followed by a carriage return, is not there (2)'
interpreted '#!/etc/passwd\n' '/etc/passwd: Permission denied (13)'
interpreted '#!/etc\n' '/etc: it is a directory (21)'
printf '#!/no/such/python\n' >"$TMPDIR/inner"
chmod +x "$TMPDIR/inner"
interpreted "#!$TMPDIR/inner\n" '/no/such/python is not there (2)'
for line in '#! /bin/sh' '#!'; do
	printf '%s\necho hi\n' "$line" >"$TMPDIR/script"
	job "$TMPDIR/script"
	want_rc 0
	want_out hi
done
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

# Options of other launchers are no reason to fail.
job --oversubscribe --allow-run-as-root -bind-to core --map-by slot --mca btl self -ppn 2 -quiet \
	--n=2 -- true
want_rc 0
want_err_lines 0

# More ranks than CPUs, as any user.
job -n 16 true
want_rc 0
want_err_lines 0
finish
