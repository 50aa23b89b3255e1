# SPDX-License-Identifier: BSD-3-Clause
# RUN time=600 alone
# Hostile conditions: ranks that are stopped, system calls that are refused, machines without
# /dev/shm, limits of memory, descriptors and processes, programs that do odd things.  Data is right
# or the error is clear, and no job hangs.
. tests/tools/lib.sh
storm=$B/tests/life/traffic
ways=$B/tests/std/ch03/large_messages
odd=$B/tests/life/hostile_process
refuse=$TMPDIR/refuse
cc -D_GNU_SOURCE -std=gnu11 -O1 tests/tools/refuse.c -o "$refuse" || fail "refuse.c cannot be compiled"
case $B in *-address* | *-thread*) san_space=1 ;; *) san_space= ;; esac

# under COMMAND...: like job, but mpiexec is what COMMAND starts.
under() {
	said="$*"
	from=$(date +%s%N)
	timeout -k 1 $patience "$@" >"$out" 2>"$err" </dev/null
	rc=$?
	ms=$((($(date +%s%N) - from) / 1000000))
}
over() {
	want_rc 0
	want_out 'storm over'
}
# leaks 0|1: whether AddressSanitizer looks for leaks at the end, for which it needs ptrace.
asan=${ASAN_OPTIONS-}
leaks() {
	export ASAN_OPTIONS="${asan:+$asan:}detect_leaks=$1"
}
# clear WORDS: it went well, or an error with one of these words (of grep -E) ended it: no crash.
clear() {
	case $rc in
	0) return ;;
	124 | 132 | 134 | 135 | 136 | 139) fail "$said: ended with $rc after $ms ms" && cat "$err" ;;
	esac
	grep -qiE "$1" "$err" || {
		fail "$said: exit code $rc without \"$1\" on stderr, but:"
		head -20 "$err"
	}
}

# Stopped ranks.
behind "$run" -n 4 "$storm" 7
until_there "$out" 4 || fail "the storm does not start"
for r in 2 0 3; do
	p=$(sed -n "s/^rank $r pid //p" "$out")
	kill -STOP $p
	sleep 2
	kill -CONT $p
	sleep 0.2
done
wait $pid
rc=$?
said="ranks stopped in the storm"
over

# System calls that a sandbox refuses.
for calls in process_vm_readv=EPERM process_vm_readv=ENOSYS,ptrace=EPERM membarrier=EPERM membarrier=ENOSYS \
	futex_waitv=ENOSYS futex_waitv=EPERM,membarrier=EPERM,process_vm_readv=EPERM madvise=EPERM prctl=EPERM \
	getrandom=ENOSYS,pidfd_open=EPERM sched_getaffinity=EPERM,sched_setaffinity=EPERM; do
	case $B:$calls in *-thread*:madvise*) continue ;; esac # ThreadSanitizer itself needs it
	case $calls in *ptrace*) leaks 0 ;; esac
	HAFT_SINGLE_COPY=always under "$refuse" $calls "$run" -n 3 "$storm" 0.1
	[ $rc = 77 ] && echo "no seccomp here" && break
	over
	# The launcher outside of the sandbox, and one rank outside.
	job -n 2 "$refuse" $calls "$storm" 0.1 : -n 1 "$storm" 0.1
	over
	leaks 1
done
# A helper needs membarrier: without it the first rank of each host says so, and nothing else.
HAFT_PROGRESS=thread under "$refuse" membarrier=ENOSYS "$run" -n 3 "$storm" 0.1
[ $rc = 77 ] || {
	want_rc 0
	want_err "rank 0: HAFT_PROGRESS=thread does nothing here, as this system has no membarrier"
	want_err_lines 1
}
# A message that both sides copy, and one of them may not.
for calls in process_vm_writev=EPERM process_vm_readv=EPERM; do
	HAFT_SINGLE_COPY=always job -n 1 "$refuse" $calls "$ways" : -n 1 "$ways"
	want_rc 0
done
for calls in memfd_create=EPERM memfd_create=ENOSYS memfd_create=EMFILE fallocate=ENOSYS; do
	call=${calls%%=*}
	under "$refuse" $calls "$run" -n 2 "$storm" 0.1
	[ $rc = 77 ] && break
	want_rc 1
	want_err "$call"
	want_err_lines 1
	under "$refuse" $calls "$storm" 0.1
	[ $rc != 0 ] || fail "$said: exit code 0"
	want_err "$call"
done

# Other file systems.  mounted WHAT COMMANDS: the storm where these have changed the mounts.
mounted() {
	unshare -m true 2>/dev/null || { echo "$1: skipped, no unshare -m here" && return; }
	under unshare -m sh -c "($2) >&2 || exit 77; exec \"\$@\"" sh "$run" -n 3 "$storm" 0.1
	said=$1
	[ $rc = 77 ] && { echo "$1: skipped: $(head -1 "$err")" && return; }
	over
}
mounted '/dev/shm of 1 MiB' 'mount -t tmpfs -o size=1m none /dev/shm'
mounted 'no /dev/shm' 'mount -t tmpfs none /mnt && touch /mnt/null && mount --bind /dev/null /mnt/null &&
	mount --move /mnt /dev && ! [ -e /dev/shm ]'
mounted '/tmp not writable' 'mount -t tmpfs -o ro none /tmp'
case $B in
*-address*) ;; # it reads its options there, and where there is no leak
*) mounted 'no /proc' 'umount -l /proc' ;;
esac
TMPDIR=/no/such/folder under "$run" -n 3 "$storm" 0.1
over

# Limits of address space, from before the start and from after MPI_Init.
mem='memory|shared object|cannot allocate|resource'
if [ -z "$san_space" ]; then
	for kib in 8000 30000 60000 120000 500000 1500000 2500000; do
		under sh -c "ulimit -v $kib; exec \"\$@\"" sh "$run" -n 4 "$storm" 0.1
		clear "$mem"
		under sh -c "ulimit -v $kib; exec \"\$@\"" sh "$storm" 0.1
		clear "$mem"
	done
	for bytes in 0 100000 1000000 4000000 20000000; do
		job -n 3 "$odd" limit $bytes
		clear "$mem"
	done
	# One that the ranks have and mpiexec has not: no rank becomes a job of its own.
	job -n 2 sh -c 'ulimit -v 2000000; exec "$@"' sh "$storm" 0.1
	clear 'cannot map the shared memory of its job'
	[ "$(grep -c '^rank 0 pid' "$out")" -le 1 ] || fail "$said: two ranks 0"
fi

# A limit of real memory: the process that the kernel kills is named.
for top in /sys/fs/cgroup /sys/fs/cgroup/unified; do
	grep -qs memory $top/cgroup.subtree_control || continue
	group=$top/haft-harsh-$$
	mkdir $group 2>/dev/null || continue
	for mib in 8 16 32; do
		echo ${mib}M >$group/memory.max
		under sh -c "echo \$\$ >$group/cgroup.procs; exec \"\$@\"" sh "$run" -n 4 "$storm" 0.1 4000000
		[ $rc = 137 ] || clear "$mem|killed by signal 9"
	done
	until_ rmdir $group 2>/dev/null || fail "processes are left in the group"
done
[ -n "${group:-}" ] || echo "cgroup: skipped, no memory.max that may be set"

# Descriptors, files, processes.
for n in 4 8 12 16 24; do
	under sh -c "ulimit -n $n; exec \"\$@\"" sh "$run" -n 4 "$storm" 0.1
	clear 'too many open files|need [0-9]* open files|error while loading'
done
under sh -c 'ulimit -f 0; exec "$@"' sh "$run" -n 2 "$storm" 0.1
clear 'file too large|file size|ulimit'
if [ "$(id -u)" = 0 ] && setpriv --reuid=65534 --clear-groups "$run" -n 1 true 2>/dev/null; then
	for n in 1 3 6; do
		under setpriv --reuid=65534 --clear-groups sh -c "ulimit -u $n; exec \"\$@\"" sh "$run" -n 4 "$storm" 0.1
		clear 'resource temporarily unavailable|fork'
	done
else
	echo "ulimit -u: skipped, no other user"
fi

# 64 ranks on one CPU.
cpu=$(sed -n 's/^Cpus_allowed_list:[^0-9]*\([0-9]*\).*/\1/p' /proc/self/status)
under taskset -c "$cpu" "$run" -n 64 "$storm" 0.1 20000
over

# Odd programs.
for how in fork close closeall; do
	job -n 3 "$odd" $how
	want_rc 0
done
job -n 2 "$odd" child "$storm"
want_rc 0
[ "$(grep -c 'storm over' "$out")" = 2 ] || fail "$said: children do not run alone"
job -n 2 "$odd" exec "$storm"
[ $rc != 0 ] || fail "$said: the place of a rank is used twice"
want_err 'can run one MPI program, not several'
finish
