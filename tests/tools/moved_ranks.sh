# SPDX-License-Identifier: BSD-3-Clause
# Ranks that move aside keep to masks of the program, of the launcher and of taskset, and to
# cpusets.
. tests/tools/lib.sh

"$B/bin/mpicc" $san -Wall -D_GNU_SOURCE -I. tests/tools/moved_ranks.c -o "$TMPDIR/moved" || exit 1
moved=$TMPDIR/moved
cpus=$(taskset -cp $$ | sed 's/.*: *//')
first=${cpus%%[-,]*}
last=${cpus##*[-,]}
[ "$first" != "$last" ] || { echo "there is one CPU"; exit 77; }

job -n 6 "$moved" free
want_rc 0
job -n 6 -x HAFT_MOVE=never "$moved" bound
want_rc 0
job -n 2 -bind-to core "$moved" bound
want_rc 0

# All of a job on one CPU.
said="taskset -c $last"
timeout $patience taskset -c "$last" "$run" -n 4 "$moved" bound >"$out" 2>"$err" </dev/null
rc=$?
want_rc 0

# A cpuset of two CPUs, which has only the second one after a while: cgroup v1, or v2 where the root
# gives cpusets.
group=
for top in /sys/fs/cgroup/cpuset /sys/fs/cgroup /sys/fs/cgroup/unified; do
	mkdir $top/haft-moved-$$ 2>/dev/null || continue
	group=$top/haft-moved-$$
	[ ! -e $group/cpuset.cpus ] || break
	rmdir $group
	group=
done
if [ -z "$group" ]; then
	echo "cpuset: skipped, no group of processes can be made"
	finish
fi
[ "$(cat $group/cpuset.mems)" ] || cat $top/cpuset.mems >$group/cpuset.mems
echo "$first,$last" >$group/cpuset.cpus
said="cpuset $first,$last, then $last"
behind timeout $patience sh -c 'echo $$ >'$group'/cgroup.procs; exec "$@"' sh "$run" -n 6 "$moved" narrowed
ranks() {
	[ "$(wc -l <$group/cgroup.procs)" -ge 7 ]
}
until_ ranks || fail "$said: the ranks do not start"
sleep 0.5
echo "$last" >$group/cpuset.cpus
wait $pid
rc=$?
want_rc 0
until_ rmdir $group 2>/dev/null || fail "processes are left in the group"
finish
