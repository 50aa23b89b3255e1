# SPDX-License-Identifier: BSD-3-Clause
# RUN time=120
# Limits that a large job meets are named: descriptors, processes, memory.  Memory ends a rank, and
# not mpiexec, which tells it; the ranks that are not started yet are never started.
. tests/tools/lib.sh

# 48 hosts: a proxy of each takes pipes of mpiexec.
hosts=$(seq -s, -f 'n%02g' 48)
for n in 40 64; do
	(
		ulimit -n $n
		job -launcher fork -hosts "$hosts" -n 96 true
		want_rc 1
		want_err "Too many open files (ulimit -n: $n)"
		exit $bad
	) || bad=1
done

if [ "$(id -u)" != 0 ]; then
	echo "processes, memory: skipped, not root"
	finish
fi

other="setpriv --reuid=61234 --regid=61234 --clear-groups"
if $other "$run" -n 1 true 2>/dev/null; then
	for where in '' "-launcher fork -hosts $hosts"; do
		said="ulimit -u 100, $where"
		timeout 60 prlimit --nproc=100 $other "$run" $where -n 300 sleep 60 >"$out" 2>"$err"
		[ $? = 1 ] || fail "$said: no exit code 1"
		want_err 'Resource temporarily unavailable'
		want_err '(ulimit -u: 100; pids.max of the cgroup)'
	done
else
	echo "processes: skipped, no other user"
fi

greedy=$TMPDIR/greedy
cc -std=gnu11 -O1 tests/tools/greedy.c -o "$greedy" || fail "greedy.c cannot be compiled"

# A group of 48 MiB, and ranks that take 4 MiB each: cgroup v1, or v2 where the root gives memory.
# Of 4 hosts: the proxies of 48 take all of it, and are busy with pages that come and go.
group=
for top in /sys/fs/cgroup/memory /sys/fs/cgroup /sys/fs/cgroup/unified; do
	mkdir $top/haft-limits-$$ 2>/dev/null || continue
	group=$top/haft-limits-$$
	for file in memory.limit_in_bytes memory.max; do
		[ ! -e $group/$file ] || { echo 48M >$group/$file; break 2; }
	done
	rmdir $group
	group=
done
if [ -z "$group" ]; then
	echo "memory: skipped, no group of processes can be made"
	finish
fi
for where in '' "-launcher fork -hosts n01,n02,n03,n04"; do
	said="48 MiB, $where"
	mkdir -p "$TMPDIR/up"
	timeout 60 sh -c 'echo $$ >'$group'/cgroup.procs; exec "$@"' sh "$run" $where -n 480 \
		sh -c "$my : >'$TMPDIR/up/'\$r; exec '$greedy' 4" \
		>"$out" 2>"$err"
	rc=$?
	[ $rc != 124 ] && [ $rc != 0 ] || fail "$said: exit code $rc"
	want_err 'was killed by signal 9 (Killed); since the job began the kernel has killed'
	want_err 'for lack of memory'
	[ "$(ls "$TMPDIR/up" | wc -l)" -lt 480 ] || fail "$said: all were started"
	rm -r "$TMPDIR/up"
done
until_ rmdir $group 2>/dev/null || fail "processes are left in the group"
finish
