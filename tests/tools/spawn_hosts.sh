# SPDX-License-Identifier: BSD-3-Clause
# RUN time=60
# MPI-5.0 11.8, 11.10.2: spawns on hosts that are not of the job: add-host extends a job of several
# hosts; a service starts them for a program without mpiexec and for a job of one host.  Hosts are
# so in name only.
. tests/tools/lib.sh

me=$TMPDIR/spawner
"$B/bin/mpicc" $san -Wall tests/tools/spawner.c -o "$me" || exit 1
echo 'mpiexec = -launcher fork' >"$TMPDIR/conf"
files="-k haft_outfile=$TMPDIR/o.%h.%r"

# placed WHERE: the children have written o.HOST.RANK there.
placed() {
	[ "$(cd "$TMPDIR" && echo o.*)" = "$1" ] || fail "$said: places $(cd "$TMPDIR" && echo o.*), not $1"
	rm -f "$TMPDIR"/o.*
}

# alone ARGS...: as `job', a program without mpiexec.
alone() {
	said="without mpiexec: $*"
	HAFT_CONF=$TMPDIR/conf timeout $patience "$me" "$@" >"$out" 2>"$err" </dev/null
	rc=$?
}

# --- without mpiexec: the keys name any host
alone -n 3 -k host=a,b $files "$me" child say
want_rc 0
want_out 'spawn: MPI_SUCCESS, 3 processes, 0 codes'
placed 'o.a.0 o.a.2 o.b.1'
printf 'a slots=2\nb slots=1\n' >"$TMPDIR/hosts"
alone -n 3 -k hostfile="$TMPDIR/hosts" $files "$me" child say
placed 'o.a.0 o.a.1 o.b.2'
alone -n 2 -k add-host=c:2 -k host=c $files "$me" child say
placed 'o.c.0 o.c.1'
# Again and again by one service, with other hosts, and on this one.
alone -n 2 -k host=a,b -r 3 "$me" child say
want_rc 0
[ "$(grep -c MPI_SUCCESS "$out")" = 3 ] || fail "$said: $(cat "$out")"
alone -n 2 -k host=a /no/such/program
want_rc 0
want_out 'spawn: MPI_ERR_SPAWN, 0 processes, 2 codes'
want_out 'host a: program `/no/such/program'
alone -n 3 -k host=a,b -k soft=1:3 "$me" child say
want_out 'spawn: MPI_SUCCESS, 3 processes, 0 codes'

# --- a job of one host
job -launcher fork -n 2 "$me" -n 2 -k add-host=c -k host=c $files "$me" child say
want_rc 0
want_out 'spawn: MPI_SUCCESS, 2 processes, 0 codes'
placed 'o.c.0 o.c.1'

# --- a job of several hosts: the new one gets a proxy
job -launcher fork -hosts a,b -n 2 "$me" -n 3 -k add-host=c -k host=b:1,c:1 $files "$me" child say
want_rc 0
placed "o.b.0 o.b.2 o.c.1"
job -launcher fork -hosts a,b,c,d,e,f,g -fanout 2 -n 7 "$me" -r 2 -n 2 -k add-host=h,i -k host=h:1,i:1 \
	$files "$me" child say
want_rc 0
placed 'o.h.0 o.i.1'

# --- a program that is missing on the hosts, with and without soft
"$B/bin/mpicc" $san -Wall -I. tests/std/ch11/spawn_errors.c -o "$TMPDIR/errors" || exit 1
for hosts in a:2,b:2 a:9; do
	job -launcher fork -hosts $hosts -n 2 "$TMPDIR/errors"
	want_rc 0
done

# --- children that fail before MPI_Init, on the host of their parents and on others
"$B/bin/mpicc" $san -Wall -I. tests/std/ch11/spawn_fails.c -o "$TMPDIR/fails" || exit 1
for n in 2 4; do
	job -launcher fork -hosts a:1,b:1,c:2 -n $n "$TMPDIR/fails"
	want_rc 0
	want_err 'had not called MPI_Init: its parents get MPI_ERR_SPAWN'
done

for line in 'exit 3' 'kill -9 $$'; do
	alone -n 2 -k host=a,b sh -c "$line"
	want_rc 0
	want_out 'spawn: MPI_ERR_SPAWN, 0 processes, 2 codes'
	case $line in exit*) how='exited with code 3' ;; *) how='was killed by signal 9' ;; esac
	want_out "$how before MPI_Init"
	want_out ' of world 1 (process '
done

# --- a host that cannot be had
said='a host that cannot be had'
: >"$TMPDIR/no_ssh"
printf '#!/bin/sh\nexit 5\n' >"$TMPDIR/no_ssh" && chmod +x "$TMPDIR/no_ssh"
job -launcher-exec "$TMPDIR/no_ssh" -n 1 "$me" -n 1 -k add-host=nowhere "$me" child say
want_rc 0
want_out 'spawn: MPI_ERR_SPAWN, 0 processes, 1 codes'
want_out 'host nowhere cannot be used: its proxy could not be started'
want_out 'exited with code 5'

# --- standard input, to children on other hosts
head -c 300000 /dev/zero >"$TMPDIR/input"
# fed ARGS...: as `job', with an input.
fed() {
	said="with input: mpiexec $*"
	timeout $patience "$run" "$@" <"$TMPDIR/input" >"$out" 2>"$err"
	rc=$?
	want_rc 0
}
fed -launcher fork -hosts a,b -stdin none -n 2 "$me" -n 3 -k host=b -k haft_stdin=1 "$me" child read
want_out 'child 0 has read 0 bytes'
want_out 'child 1 has read 300000 bytes'
fed -launcher fork -hosts a,b -stdin none -n 2 "$me" -n 3 -k host=a,b -k haft_stdin=all "$me" child read
[ "$(grep -c 'has read 300000 bytes' "$out")" = 3 ] || fail "$said: $(cat "$out")"
# The second of two worlds that want it gets its end.
fed -launcher fork -hosts a,b -stdin none -n 2 "$me" -r 2 -n 1 -k host=b -k haft_stdin=0 "$me" child read
want_out 'child 0 has read 300000 bytes'
want_out 'child 0 has read 0 bytes'
said='with input, without mpiexec'
HAFT_CONF=$TMPDIR/conf timeout $patience "$me" -n 2 -k host=a,b -k haft_stdin=1 "$me" child read \
	<"$TMPDIR/input" >"$out" 2>"$err"
want_out 'child 1 has read 300000 bytes'

# --- ends
alone -n 2 -k host=a,b "$me" child die
until_err 'rank 1 of world 1 (process '
until_err 'was killed by signal 9'
until_gone "$me" 3000 || fail "$said: processes are left"
# Children that end on their way to the port of their parents: the spawn fails at once, with words.
patience=20
alone -n 2 -k host=a,b /bin/sh -c 'kill -9 $$'
want_rc 0
want_out 'spawn: MPI_ERR_SPAWN, 0 processes, 2 codes'
want_out ' before MPI_Init was complete'
alone -n 2 -k host=a,b /bin/true
want_rc 0
want_out ' before MPI_Init was complete'
# One of two: the other is ended as well, although it never comes to MPI.
alone -n 2 -k host=a,b /bin/sh -c "$my"' [ "$r" = 0 ] || exec sleep '$mark
want_rc 0
want_out 'rank 0 of world '
want_out 'on host a) exited with code 0 before MPI_Init was complete'
until_gone $mark 3000 || fail "$said: a child that was given up is left"
behind env HAFT_CONF=$TMPDIR/conf "$me" -n 2 -k host=a,b "$me" child sleep $mark
until_ eval '[ "$(alive $mark)" = 3 ]' || fail "the children do not start"
kill -9 $pid
until_gone $mark 3000 || fail "after kill -9 of the program its children are left"
# Children that have left the program go on, and it can spawn again.
alone -n 1 -k host=a -r 2 "$me" child alone
want_rc 0
[ "$(grep -c MPI_SUCCESS "$out")" = 2 ] || fail "$said: $(cat "$out" "$err")"
finish
