# SPDX-License-Identifier: BSD-3-Clause
# Jobs over several hosts, which here are such in name only (-launcher fork, or a command that drops
# the name): places, output, input, variables, exit codes; names that a shell would love.
. tests/tools/lib.sh

far="-launcher fork"

# Mapping of ranks to hosts.
# where ARGS...: the hosts of the ranks, in their order.
where() {
	job $far -v "$@" true
	want_rc 0
	got=$(sed -n 's/^mpiexec: rank \([0-9]*\) is process [0-9]* on \([^:]*\):.*/\1 \2/p' "$err" |
		sort -n | cut -d' ' -f2 | tr '\n' ' ')
}
for c in "-hosts a:2,b:2=a a b b " "-hosts a:2,b:2 -rr=a b a b " "-H a,b -n 4=a b a b " \
	"-host a,b -ppn 2=a a b b " "-hosts a,b,c -ppn 2 -n 3=a a b " "-hosts a:3,b -n 6=a a a b a a " \
	"-hosts a:3,b --map-by node -n 4=a b a a " "-hosts a,a,b=a a b " "-hosts [a]:2,b=a a b "; do
	where ${c%%=*}
	[ "$got" = "${c#*=}" ] || fail "${c%%=*}: ranks on $got, not ${c#*=}"
done
printf '# hosts\na slots=2 # two\n\nb:1\n' >"$TMPDIR/hosts"
for o in -hostfile -f -machinefile; do
	where $o "$TMPDIR/hosts"
	[ "$got" = "a a b " ] || fail "$o: ranks on $got"
done
# Spaces, and limits: those hold in each lap, and are the slots where these are not said.
# lines TEXT PLACES ARGS...
lines() {
	printf "$1" >"$TMPDIR/hosts"
	places=$2
	shift 2
	where -hostfile "$TMPDIR/hosts" "$@"
	[ "$got" = "$places" ] || fail "$(cat "$TMPDIR/hosts"), $*: ranks on $got, not $places"
}
lines '\ta\tslots = 2 # two\r\n b slots= 1\n' 'a a b '
lines '\357\273\277a\r\nb' 'a b '
lines 'a max_slots=2\nb\n' 'a a b '
lines 'a max-slots=2 slots=1\nb\n' 'a b a b b ' -n 5
lines 'a slots=1 max_slots=2\nb\n' 'a a b b b ' -n 5 -ppn 3
lines 'a max_slots=1\na max_slots=1\nb\n' 'a a b b ' -n 4
lines 'a max_slots=1\na\nb\n' 'a a b a a ' -n 5
lines '[fe80::1]:2\nfe80::2\n' 'fe80 fe80 fe80 '

# One rank of each program; labels; a tree that is deep.
job $far -hosts a:2,b:2,c -l -n 2 sh -c 'echo one' : -n 3 sh -c 'echo two >&2'
want_rc 0
[ "$(sort "$out")" = "$(printf '[0] one\n[1] one')" ] || fail "labels on stdout: $(cat "$out")"
[ "$(sort "$err")" = "$(printf '[2] two\n[3] two\n[4] two')" ] || fail "labels on stderr: $(cat "$err")"
job $far -hosts a,b,c,d,e,f,g -fanout 2 sh -c "$my echo \$r"
want_rc 0
[ "$(sort -n "$out" | tr '\n' ' ')" = "0 1 2 3 4 5 6 " ] || fail "a tree: $(cat "$out")"

# Much output, line by line, and none is lost, also when the reader is slow.
job $far -hosts a,b -n 4 sh -c "$my i=0; while [ \$i -lt 3000 ]; do echo \"\$r line \$i ..............................\"; i=\$((i+1)); done"
want_rc 0
want_lines 12000
[ "$(sort -u "$out" | wc -l)" = 12000 ] || fail "lines are mixed"
n=$(timeout $patience "$run" $far -hosts a,b -n 4 head -c 300000 /dev/zero | (sleep 1; wc -c))
[ "$n" = 1200000 ] || fail "a slow reader gets $n bytes"
timeout $patience "$run" $far -hosts a,b -n 2 yes | head -1 >"$out"
[ "$(cat "$out")" = y ] || fail "a reader that goes"

# Input: to rank 0, to another, to all; a long one; one that no rank reads.
printf 'one\ntwo\n' >"$TMPDIR/in"
for c in "=0 " "-stdin 1=1 " "-stdin all=0 1 2 " "-stdin none="; do
	timeout $patience "$run" $far -hosts a:2,b ${c%%=*} sh -c "$my read x && echo \$r; :" <"$TMPDIR/in" >"$out" ||
		fail "${c%%=*}: $?"
	[ "$(sort "$out" | tr '\n' ' ')" = "${c#*=}" ] || fail "${c%%=*}: read by $(cat "$out")"
done
n=$(head -c 3000000 /dev/zero | timeout $patience "$run" $far -hosts a,b -stdin 1 sh -c 'cat | wc -c' | sort -n | tail -1)
[ "$n" = 3000000 ] || fail "of a long stdin came $n"
yes | timeout $patience "$run" $far -hosts a,b true || fail "input that nobody wants"

# Variables, directories, the mask; values are carried, not run.
evil='$(touch '$TMPDIR/ran'); `touch '$TMPDIR/ran'` "'"'"' | & \ *'
mkdir "$TMPDIR/$(echo "$evil" | tr / _)"
cd "$TMPDIR/$(echo "$evil" | tr / _)" || exit 1
printf '#!/bin/sh\npwd; echo "$V"; echo "$1"; umask\n' >"./$(echo "$evil" | tr / _)"
chmod +x "./$(echo "$evil" | tr / _)"
(
	umask 027
	V="$evil" job $far -hosts a,b -n 1 "./$(echo "$evil" | tr / _)" "$evil"
	want_rc 0
	printf '%s\n%s\n%s\n0027\n' "$PWD" "$evil" "$evil" | cmp -s - "$out" || fail "evil names: $(cat "$out")"
	exit $bad
) || bad=1

# mpiexec's own path is the one that passes through a remote shell.
cp "$run" "./$(echo "$evil" | tr / _).mpi"
printf '#!/bin/sh\nshift\nexec sh -c "$*"\n' >rsh
printf '#!/bin/sh\nshift\nexec "$@"\n' >drop
chmod +x rsh drop
for l in "rsh -launcher-exec ./rsh" "exec -launcher-exec ./drop" ./drop; do
	said="-launcher $l"
	timeout $patience "./$(echo "$evil" | tr / _).mpi" -launcher $l -iface lo -hosts a,b -fanout 1 echo hi >"$out" 2>"$err" ||
		fail "-launcher $l: $(cat "$err")"
	want_lines 2
done
[ -z "$(find "$TMPDIR" -name '*ran')" ] || fail "a shell has run a name"
cd - >/dev/null || exit 1

# The failed rank, and the exit code.
job $far -hosts a,b sh -c "$my [ \$r = 0 ] || exit 7; sleep $mark"
want_rc 7
want_err 'rank 1 (process '
want_err ' on b, sh) exited with code 7'
# A rank that lost another one is not reported as the first failure, in any order of the notices.
"$B/bin/mpicc" $san tests/tools/lost_rank.c -o "$TMPDIR/lost" || exit 1
lost() {
	job $far -hosts a,b:2,c "$TMPDIR/lost" $1 $2
	want_rc $3
	want_err 'rank 1 (process '
	want_err "$4"
	want_err_lines $5
}
for late in "" late; do
	lost kill "$late" 137 ' was killed by signal 9' 1
	lost ignored "$late" 137 ' was killed by signal 9' 1
	lost exit "$late" 3 ' exited with code 3 before MPI_Finalize' 1
	lost zero "$late" 1 ' exited with code 0 before MPI_Finalize' 1
	lost abort "$late" 7 ' has aborted the job with code 7' 2
done
# So it is where several abort at once, and where some are told by others that it is missed.
for c in -n:4 -hosts:a:2,b:2 -hosts:a,b,c,d; do
	for i in 1 2 3 4 5; do
		job -x HAFT_VIA=net $far ${c%%:*} ${c#*:} "$TMPDIR/lost" amid
		want_rc 3
		want_err 'rank 1 (process '
		want_err ' exited with code 3 before MPI_Finalize'
	done
done
# No rank is lost.
job $far -hosts a,b,c "$TMPDIR/lost" error
want_rc 58
want_err 'rank 1 (process '
want_err 'has aborted the job with code 58'
job $far -hosts a,b no-such-program
want_rc 127
want_err 'not found'
job $far -hosts a,b -wdir /no/such/dir true
want_rc 2
want_err '/no/such/dir'
job $far -iface no-such-if -hosts a,b true
want_rc 1
want_err 'no-such-if'
export HAFT_IFACE=no-such-if
job $far -hosts a,b true
want_rc 1
want_err 'HAFT_IFACE no-such-if'
job -x HAFT_VIA=net -n 2 true # one host, by sockets
want_rc 1
want_err 'HAFT_IFACE no-such-if: no interface'
want_err_lines 1
job -x HAFT_VIA=net -iface lo -n 3 "$TMPDIR/lost" error
want_rc 58
job -n 2 true
want_rc 0
job $far -iface lo -hosts a,b true
want_rc 0
unset HAFT_IFACE
export HAFT_VIA=shm
job $far -hosts a,b "$TMPDIR/lost" error
want_rc 16
want_err 'HAFT_VIA=shm is for processes of one host, but rank '
! grep -E 'on host (.*) and rank .* on host \1:' "$err" || fail "$said: two hosts have one name"
want_err 'unset HAFT_VIA'
unset HAFT_VIA
# The time may be over before the hosts have begun: then there is more of it.
for t in 0.5 10 60; do
	job $far -hosts a,b -timeout $t sleep $mark
	grep -q 'ranks 0-1: running, have not' "$err" && break
done
want_rc 124
want_err 'ranks 0-1: running, have not called MPI_Init'
# Two hosts fail at once: either may be the first to be heard of.
job -launcher exec -launcher-exec false -hosts a,b true
want_rc 1
grep -qE '^mpiexec: host (a \(rank 0\)|b \(rank 1\)): its proxy could not be started: false exited with code 1$' "$err" ||
	fail "-launcher-exec false: $(cat "$err")"
job -launcher exec -launcher-exec false -hosts a:2 true
want_rc 1
want_err 'host a (ranks 0-1): its proxy could not be started: false exited with code 1'
job -launcher /no/such/command -hosts a,b true
want_rc 1
case $san in
*thread*) want_err '/no/such/command exited with code 127' ;; # its vfork is a fork, which tells no more
*)
	want_err '/no/such/command: No such file'
	mkdir "$TMPDIR/no_ssh"
	PATH=$TMPDIR/no_ssh "$run" -hosts a,b true >"$out" 2>"$err"
	want_err 'ssh: No such file or directory; apt-get install openssh-client'
	;;
esac
job -launcher exec -hosts a,b true
want_rc 2
job -prefix /no/such/place -launcher exec -launcher-exec "$TMPDIR/$(echo "$evil" | tr / _)/drop" -hosts a,b true
want_rc 1
want_err 'exited with code 127: is there a /no/such/place/bin/mpiexec on that host?'
finish
