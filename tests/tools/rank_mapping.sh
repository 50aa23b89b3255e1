# SPDX-License-Identifier: BSD-3-Clause
# Mapping of ranks to hosts, and their environment: -n, several programs, -wdir, -path, variables,
# hosts.
. tests/tools/lib.sh

job -n 3 sh -c "$my echo rank \$r" : sh -c "$my echo other \$r"
want_rc 0
want_lines 4
for r in 0 1 2; do want_out "rank $r"; done
want_out 'other 3'

job sh -c 'echo "$#:$0:$1:$2"' 'a b' '' '*'
want_out "2:a b::*"

# Directories; a relative program is meant from there.
mkdir -p "$TMPDIR/dir/bin"
printf '#!/bin/sh\npwd\n' >"$TMPDIR/dir/here"
printf 'echo no first line $1\n' >"$TMPDIR/dir/bin/there"
chmod +x "$TMPDIR/dir/here" "$TMPDIR/dir/bin/there"
job -wdir "$TMPDIR/dir" ./here : -wd / pwd
want_rc 0
grep -qx "$(cd "$TMPDIR/dir" && pwd -P)" "$out" || fail "-wdir did not change the directory"
grep -qx / "$out" || fail "-wd did not change the directory"
job -wdir "$TMPDIR/dir" here
want_rc 0
want_lines 1
job -path "$TMPDIR/dir/bin" there arg
want_rc 0
want_out 'no first line arg'

# Variables.
export OUTER=outer
job -x A=1 -env B 2 -genv C 3 -x OUTER sh -c 'echo "$A$B$C$OUTER"' : sh -c 'echo "<$A$C$OUTER>"'
want_out '123outer'
want_out '<3outer>'
job -envlist PATH,OUTER -x A=1 /usr/bin/env
want_out 'OUTER=outer'
want_out 'A=1'
grep -q '^HOME=' "$out" && fail "-envlist let HOME pass"
job -genvnone /usr/bin/env
grep -v -e ^HAFT_JOB= -e '^MPI_LOCAL' -e '^\(OMPI\|MV2\)_COMM_WORLD_' -e '^PMI_\(FD\|RANK\|SIZE\)=' -e ^HAFT_INFO_ENV= -e '^$' -e ^GLIBC_TUNABLES= -e ^TSAN_OPTIONS= "$out" && fail "-genvnone let something pass"

# HAFT_JOB tells a rank its place; the tunable for jemalloc is added to the user's own.
job -n 1 /usr/bin/env
want_out 'HAFT_JOB=fd='
want_out 'GLIBC_TUNABLES=glibc.rtld.optional_static_tls='
GLIBC_TUNABLES=glibc.malloc.check=0 job /usr/bin/env
want_out 'GLIBC_TUNABLES=glibc.malloc.check=0:glibc.rtld.optional_static_tls='
GLIBC_TUNABLES=glibc.rtld.optional_static_tls=999 job /usr/bin/env
grep -qx 'GLIBC_TUNABLES=glibc.rtld.optional_static_tls=999' "$out" || fail "the user's tunable"

# Hosts: this machine under any of its names.
printf '# all of them here\n\nlocalhost slots=2 max-slots=4\n127.0.0.1:3\n%s\n' "$(hostname)" \
	>"$TMPDIR/hosts"
for o in -hostfile --hostfile -f -machinefile; do
	job $o "$TMPDIR/hosts" echo hi
	want_rc 0
	want_lines 6
done
job -hostfile "$TMPDIR/hosts" -n 2 echo hi
want_lines 2
job -host localhost:2,127.0.0.1 echo hi
want_lines 3
echo 'localhost' >"$TMPDIR/hosts"
for h in -oProxyCommand=x 'a;b' 'x@-y' 'a$(b)'; do
	job -host "$h" true
	want_rc 2
	want_err "is no name of a host"
done

# Bound to parts of the machine, if it can be asked.
job -bind-to none -n 2 sh -c 'grep Cpus_allowed_list: /proc/self/status'
want_rc 0
[ "$(sort -u "$out")" = "$(grep Cpus_allowed_list: /proc/self/status)" ] || fail "-bind-to none binds: $(cat "$out")"
job -bind-to core -v -n 2 sh -c 'grep Cpus_allowed_list: /proc/self/status'
if grep -q 'needs hwloc' "$err"; then
	want_rc 1
else
	want_rc 0
	sed -n 's/.*, on CPUs //p' "$err" | sort >"$TMPDIR/said"
	sed 's/.*:[^0-9]*//' "$out" | sort | cmp -s - "$TMPDIR/said" || fail "-bind-to core: $(cat "$out" "$err")"
	for m in core numa socket node; do
		job -bind-to hwthread -map-by $m -n 3 true
		want_rc 0
	done
	# Where there is no /sys, as in some containers, hwloc's warnings are not shown.
	if unshare -m mount -t tmpfs none /sys 2>/dev/null; then
		hidden=$(unshare -m sh -c "mount -t tmpfs none /sys && exec '$run' -bind-to core -n 2 sh -c 'env | grep HWLOC_HIDE; :'" 2>&1)
		[ -z "$hidden" ] || fail "-bind-to core without /sys: $hidden"
	fi
fi
job -bind-to toe true
want_rc 2
want_err '-bind-to takes none'

printf '%s\n' "-n 2 -x Q='a b' sh -c 'echo \"\$Q\"'" '# nothing' '-n 1 echo last' >"$TMPDIR/conf"
job -configfile "$TMPDIR/conf"
want_rc 0
want_lines 3
want_out 'a b'
want_out 'last'

# Nothing of mpiexec's own is open in a rank but the segment and its PMI socket.
alone=$(ls /proc/self/fd </dev/null | wc -l)
job ls -l /proc/self/fd
[ "$(grep -c -- '->' "$out")" = $((alone + 2)) ] || {
	fail "a rank has more files open than a program started alone, the segment and the socket"
	cat "$out"
}
finish
