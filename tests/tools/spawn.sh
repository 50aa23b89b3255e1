# SPDX-License-Identifier: BSD-3-Clause
# MPI-5.0 11.8, 11.8.4: mpiexec as the server of MPI_Comm_spawn: keys, places, errors, ends, leaks.
. tests/tools/lib.sh

me=$TMPDIR/spawner
"$B/bin/mpicc" $san -Wall tests/tools/spawner.c -o "$me" || exit 1

# --- keys, output
job -l -n 1 "$me" -n 2 -k wdir=/ -k "env=SPAWN_TEST=a b" "$me" child say
want_rc 0
want_out '[0] spawn: MPI_SUCCESS, 2 processes, 0 codes'
want_out '[1:0] child 0 of 2 in /, SPAWN_TEST=a b'
want_out '[1:1] child 1 of 2 in /, SPAWN_TEST=a b'
cp "$me" "$TMPDIR/elsewhere"
mkdir "$TMPDIR/bin" && mv "$TMPDIR/elsewhere" "$TMPDIR/bin/spawner_elsewhere"
job -n 1 "$me" -k path="$TMPDIR/bin" -k haft_outfile="$TMPDIR/o.%r" spawner_elsewhere child say
want_rc 0
want_out 'spawn: MPI_SUCCESS, 1 processes, 0 codes'
grep -q 'child 0 of 1' "$TMPDIR/o.0" || fail "haft_outfile: no output there"
printf 'wdir=/\n# a comment\n' >"$TMPDIR/keys"
job -n 1 "$me" -k file="$TMPDIR/keys" "$me" child say
want_out 'child 0 of 1 in /,'

# --- errors: with the name and the reason, and nothing is started
here="-launcher fork -hosts a:2,b:2"
: >"$TMPDIR/plain"
printf '#!/no/such/python\n' >"$TMPDIR/script"
chmod +x "$TMPDIR/script"
for where in "-n 1" "$here -n 2"; do
	job $where "$me" -n 3 /no/such/program
	want_rc 0
	want_out 'spawn: MPI_ERR_SPAWN, 0 processes, 3 codes'
	want_out "\`/no/such/program' not found from directory"
	want_out ': No such file or directory (2)'
	job $where "$me" -n 2 "$TMPDIR/plain"
	want_out "\`$TMPDIR/plain' cannot be executed: Permission denied (13)"
	job $where "$me" -n 2 "$TMPDIR/bin"
	want_out 'it is a directory (21)'
	job $where "$me" -n 2 "$TMPDIR/script"
	want_out 'spawn: MPI_ERR_SPAWN, 0 processes, 2 codes'
	want_out "\`$TMPDIR/script' cannot be executed: its interpreter /no/such/python is not there (2)"
	job $where "$me" -k wdir=/no/such/directory "$me" child say
	want_out 'spawn: MPI_ERR_SPAWN, 0 processes, 1 codes'
	want_out "working directory \`/no/such/directory': No such file or directory (2)"
	job $where "$me" -k wdir=no_such "$me" child say
	want_out "working directory \`$PWD/no_such': No such file or directory (2)"
	job $where "$me" -k wdir="$TMPDIR/plain" "$me" child say
	want_out 'is no directory (20)'
done
for key in mpi_initial_errhandler soft appnum npernode haft_stdin; do
	job -n 1 "$me" -k $key=rubbish "$me" child say
	want_out "MPI_ERR_INFO_VALUE"
	want_out "$key is \`rubbish': it is "
done
job -n 1 "$me" -k env==x "$me" child say
want_out 'MPI_ERR_INFO_VALUE'
want_out 'env is `=x'"': it is lines of NAME=VALUE"
for value in 1:2:-1 3:1 2:1:1; do
	job -n 1 "$me" -n 3 -k soft=$value "$me" child say
	want_out "MPI_ERR_INFO_VALUE"
	want_out "soft is \`$value': it is "
done
for value in localhost:xx localhost: :2 localhost:2x localhost:-1 localhost:0 localhost,b:1:1 \
	'[::1' '[::1]2' '[::1]:' '[]:2' ::g -oProxyCommand=x 'a;b'; do
	for key in host add-host; do
		job -n 1 "$me" -k $key=$value "$me" child say
		want_out "MPI_ERR_INFO_VALUE"
		want_out "a host is \`${value#localhost,}': it is HOST or HOST:N"
	done
done
job -n 1 "$me" -n 2 -k haft_stdin=2 "$me" child say
want_out "MPI_ERR_INFO_VALUE"
want_out 'haft_stdin is 2: the children are 0 to 1'
job -n 1 "$me" -k arch=vax "$me" child say
want_out 'arch is vax'

job -n 1 "$me" -k hostfile=/etc "$me" child say
want_out 'hostfile /etc: Is a directory'
job -n 1 "$me" -k file=/etc "$me" child say
want_out 'file /etc: Is a directory'
job -n 1 "$me" -k hostfile=/dev/null "$me" child say
want_out 'hostfile /dev/null names no host'
job -n 1 "$me" -k host=no-such-host.invalid "$me" child say
want_out 'unknown host `no-such-host.invalid'
job -n 1 "$me" -k host= "$me" child say
want_out 'names no host'
job -n 1 "$me" -k haft_outfile=/proc/no/such/file "$me" child say
want_out 'spawn: MPI_ERR_SPAWN, 0 processes, 1 codes'
want_out 'output to /proc/no/such/file'

# IPv6 addresses, as in -hosts.
for value in ::1 '[::1]' '[::1]:2' '[::1]:1,localhost'; do
	for key in host add-host; do
		job -n 1 "$me" -n 2 -k $key=$value "$me" child say
		want_out 'spawn: MPI_SUCCESS, 2 processes, 0 codes'
	done
done
for line in '::1 slots=2' '[::1] slots=2' '[::1]:2'; do
	echo "$line" >"$TMPDIR/six"
	job -n 1 "$me" -n 2 -k hostfile="$TMPDIR/six" "$me" child say
	want_out 'spawn: MPI_SUCCESS, 2 processes, 0 codes'
	job -launcher fork -hosts '[::1]:1,a:2' -n 2 "$me" -n 2 -k hostfile="$TMPDIR/six" \
		-k haft_outfile="$TMPDIR/six.%h.%r" "$me" child say
	[ "$(cd "$TMPDIR" && echo six.*)" = 'six.::1.0 six.::1.1' ] ||
		fail "$line places $(cd "$TMPDIR" && echo six.*)"
	rm -f "$TMPDIR"/six.*
done

# --- soft, slots
job -n 1 "$me" -n 2 -k soft=5:9 "$me" child say
want_out 'soft is `5:9'
job -n 1 "$me" -n 2 -k soft= "$me" child say
want_out 'which has no number from 0 to 2'
job -n 1 "$me" -n 3 -k soft=0:3 /no/such/program
want_out 'spawn: MPI_SUCCESS, 0 processes, 3 codes'
job $here -nooversubscribe -n 2 "$me" -n 4 "$me" child say
want_out 'spawn: MPI_ERR_SPAWN, 0 processes, 4 codes'
want_out 'a has 2 slots, 2 used (2 by world 0); b has 2 slots, 0 used'
job $here -nooversubscribe -n 2 "$me" -n 4 -k soft=1:4 "$me" child say
want_out 'spawn: MPI_SUCCESS, 2 processes, 2 codes'
want_out 'child 1 of 2'
job $here -n 2 "$me" -n 5 -r 2 "$me" child say
want_out 'spawn: MPI_SUCCESS, 5 processes, 0 codes'
want_rc 0
job $here -n 2 "$me" -n 3 -k host=b "$me" child say
want_out 'child 2 of 3'
job $here -n 2 "$me" -n 3 -k host=b:1,a:1 -k haft_outfile="$TMPDIR/on.%h.%r" "$me" child say
want_rc 0
[ "$(cd "$TMPDIR" && echo on.*)" = 'on.a.0 on.a.2 on.b.1' ] ||
	fail "host=b:1,a:1 places $(cd "$TMPDIR" && echo on.*)"
job $here -n 2 "$me" -n 3 -k npernode=1 -k haft_outfile="$TMPDIR/per.%h.%r" "$me" child say
[ "$(cd "$TMPDIR" && echo per.*)" = 'per.a.0 per.a.2 per.b.1' ] ||
	fail "npernode=1 places $(cd "$TMPDIR" && echo per.*)"
job $here -n 2 "$me" -n 3 -k host=b,c "$me" child say
want_out 'unknown host `c'
want_out 'the hosts of this job are a, b'
# add-host is no choice among hosts: those of the job stay.
job $here -n 1 "$me" -n 3 -k add-host=b -k haft_outfile="$TMPDIR/add.%h.%r" "$me" child say
[ "$(cd "$TMPDIR" && echo add.*)" = 'add.a.0 add.b.1 add.b.2' ] ||
	fail "add-host=b places $(cd "$TMPDIR" && echo add.*)"
# Slots of children that have disconnected are free at once when these end, and those that have
# called MPI_Finalize are waited for: no spawn is refused.
for where in "-ppn 4" "-launcher fork -hosts a:2,b:2"; do
	job $where -nooversubscribe -n 2 "$me" -n 2 -r 20 "$me" child quiet
	want_rc 0
	want_ms 5000
	[ "$(grep -c MPI_SUCCESS "$out")" = 20 ] || fail "$said: $(cat "$out")"
	job $where -nooversubscribe -n 2 "$me" -n 2 -r 2 "$me" child linger
	want_rc 0
	[ "$(grep -c MPI_SUCCESS "$out")" = 2 ] || fail "$said: $(cat "$out")"
done
# Messages name a child in one way.
job -v -n 1 "$me" -n 2 "$me" child quiet
want_err 'rank 1 of world 1 is process '
# b has no first rank: its only seat is for a spawned process.
job $here -x HAFT_SEATS=1 -n 2 "$me" -n 2 "$me" child say
want_out 'spawn: MPI_SUCCESS, 2 processes, 0 codes'
job $here -x HAFT_SEATS=1 -n 2 "$me" -n 3 "$me" child say
want_out 'b has 2 slots, 0 used, and 1 of 1 seats free (HAFT_SEATS)'
job $here -n 2 "$me" -n 3 /no/such/program
want_out 'spawn: MPI_ERR_SPAWN'
want_out ': program `/no/such/program'

job -n 1 "$me" -n 1025 true
want_out 'and 1024 of 1025 seats free (HAFT_SEATS)'
job -x HAFT_SEATS=1100 -n 1 "$me" -n 1100 true
want_out 'spawn: MPI_SUCCESS, 1100 processes'

# --- MPI_UNIVERSE_SIZE
job -usize 7 -n 2 "$me" -u
want_out 'universe 7'
job -usize none -n 2 "$me" -u
want_out 'universe not set'
job $here -n 2 "$me" -u
want_out 'universe 4'
MPIEXEC_UNIVERSE_SIZE=9 job -n 1 "$me" -u
want_out 'universe 9'
said='without mpiexec: MPIEXEC_UNIVERSE_SIZE'
MPIEXEC_UNIVERSE_SIZE=9 timeout $patience "$me" -n 1 "$me" child universe >"$out" 2>"$err" </dev/null
want_out 'universe 9'

# Processes that were spawned have it only if there is room for more, or -usize was given.
job $here -n 2 "$me" -n 1 "$me" child universe
want_out 'universe 4'
job $here -n 2 "$me" -n 2 "$me" child universe
want_out 'universe not set'
job $here -usize 4 -n 2 "$me" -n 2 "$me" child universe
want_out 'universe 4'

# --- ends: a failure ends connected worlds, and nothing else
job -n 2 "$me" -n 2 "$me" child die
want_rc 137
want_err 'rank 1 of world 1'
job $here -n 2 "$me" -n 2 "$me" child die
want_rc 137

# --- killed: nothing is left
begin -n 1 "$me" -n 3 "$me" child sleep $mark
until_ eval '[ "$(alive $mark)" -ge 5 ]' || fail "the children do not start"
kill -9 $pid
until_gone $mark 1000 || fail "after kill -9 of mpiexec processes are left"

# A child before MPI_Init: its parents get an error, its siblings end, and the job goes on.
for line in 'kill -9 $$' 'exit 7'; do
	for where in "" "$here"; do
		job $where -n 2 "$me" -n 2 sh -c "$line; sleep $mark"
		want_rc 0
		want_err 'MPI_ERR_SPAWN, the others of its spawn end, and the job goes on'
	done
done
want_err 'exited with code 7'
until_gone $mark 1000 || fail "siblings of a child that has ended before MPI_Init are left"
# The process that spawns, in the middle of it.
begin -n 1 "$me" -r 100000 "$me" child quiet
until_there "$out" 3
root=
for child in $(cat /proc/$pid/task/$pid/children); do
	tr '\0' ' ' <"/proc/$child/cmdline" 2>/dev/null | grep -q -e '-r 100000' && root=$child
done
kill -9 "$root" 2>/dev/null
wait $pid
rc=$?
said='kill -9 of the root of a spawn'
want_rc 137
until_gone "$me" 1000 || fail "$said: processes are left"

# --- without mpiexec
said="a program without mpiexec"
timeout $patience "$me" -n 2 -k env=SPAWN_TEST=x "$me" child say >"$out" 2>"$err" </dev/null
rc=$?
want_rc 0
want_out 'spawn: MPI_SUCCESS, 2 processes, 0 codes'
want_out 'child 1 of 2'
behind "$me" -n 2 "$me" child sleep $mark
until_ eval '[ "$(alive $mark)" = 3 ]' || fail "$said: the children do not start"
kill -9 $pid
until_gone $mark 1000 || fail "$said: after kill -9 of it processes are left"

# Its service ends also if a process that a child has left holds the output.
service_gone() {
	! cat /proc/[0-9]*/cmdline 2>/dev/null | tr '\0' '\n' | grep -qx -e "[0-9]*,[0-9]*,$pid"
}
behind "$me" -n 1 "$me" child leave $mark
until_ grep -q left "$out" || fail "$said: the child leaves no process"
kill -9 $pid
until_ service_gone || fail "$said: after kill -9 of it its service is left"
kill "$(sed -n 's/^left //p' "$out")"

# --- many rounds: mpiexec has as many files after them as before
behind "$run" -n 1 "$me" -r 60 "$me" child quiet
until_there "$out" 10
few=$(ls /proc/$pid/fd 2>/dev/null | wc -l)
until_there "$out" 50
many=$(ls /proc/$pid/fd 2>/dev/null | wc -l)
wait $pid || fail "60 rounds: exit code $?"
[ "$many" -le $((few + 8)) ] || fail "$few files after 10 rounds, and $many after 50"
[ "$(grep -c MPI_SUCCESS "$out")" = 60 ] || fail "60 rounds: not all have succeeded"
finish
