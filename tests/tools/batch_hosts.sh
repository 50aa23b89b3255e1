# SPDX-License-Identifier: BSD-3-Clause
# The hosts of an allocation (Slurm, PBS, LSF, SGE), where the user names none: the variables are
# made up, and the hosts are such in name only (-launcher fork).
. tests/tools/lib.sh
unset SLURM_JOB_NODELIST SLURM_NODELIST SLURM_TASKS_PER_NODE SLURM_JOB_CPUS_PER_NODE SLURM_HET_SIZE \
	PBS_NODEFILE OAR_NODEFILE LSB_MCPU_HOSTS LSB_HOSTS PE_HOSTFILE SLURMD_NODENAME

# where PLACES VARIABLE=VALUE... [-- ARGS...]: the hosts of the ranks, in their order.
where() {
	places=$1
	shift
	vars=
	while [ $# -gt 0 ] && [ "$1" != -- ]; do
		vars="$vars '$1'"
		shift
	done
	[ $# = 0 ] || shift
	said="$vars $*"
	eval "env $vars timeout $patience \"\$run\" -launcher fork -v \"\$@\" true" >"$out" 2>"$err" </dev/null
	rc=$?
	want_rc 0
	got=$(sed -n 's/^mpiexec: rank \([0-9]*\) is process [0-9]*\( on \([^:]*\)\)\{0,1\}:.*/\1 \3/p' "$err" |
		sort -n | cut -d' ' -f2 | tr '\n' ' ')
	[ "$got" = "$places" ] || fail "$said: ranks on $got, not $places"
}
# refused WORDS VARIABLE=VALUE...
refused() {
	words=$1
	shift
	said=$*
	env "$@" timeout $patience "$run" -launcher fork true >"$out" 2>"$err" </dev/null
	rc=$?
	want_rc 2
	want_err "$words"
	want_err 'name them by -hosts or -hostfile'
	want_err_lines 1
}

n=SLURM_JOB_NODELIST t=SLURM_TASKS_PER_NODE
where 'a a b b c ' $n=a,b,c "$t=2(x2),1"
where 'n09 n10 n11 n7 x ' "$n=n[09-11,7],x" "$t=1(x5)"
where 'r1n1 r1n2 r2n1 r2n2 ' "$n=r[1-2]n[1-2]" $t=1,1,1,1
where 'n1-ib n2-ib ' "$n=n[1-2]-ib"
where 'n1 n1 n2 ' "SLURM_NODELIST=n[1-2]" SLURM_JOB_CPUS_PER_NODE=2,1
where 'n1 n2 n1 ' "$n=n[1-2]" "$t=4(x2)" -- -rr -n 3
where 'n1 n2 n2 n2 ' "$n=n[1-2]" $t=1,3
where 'n1 n2 ' "$n=n[1-2]" "$t=4(x2)" -- -ppn 1
where 'b c ' "$n=n[1-2]" -- -hosts b,c
# An allocation of this host alone: no proxy, but its slots.
where '   ' $n=localhost $t=3
where '  ' $n=me SLURMD_NODENAME=me $t=2
where ' ' $n=me SLURMD_NODENAME=me $t=2 -- -n 1
refused 'no ]' "$n=n[1-2"
refused 'no number' "$n=n[1-]"
refused 'no range' "$n=n[3-1]"
refused 'no range' "$n=n[1-99999999]"
refused 'a host without a name' $n=a,,b
refused 'more numbers than hosts' $n=a,b $t=1,1,1
refused 'more numbers than hosts' $n=a,b "$t=2(x3)"
refused 'fewer numbers than hosts' $n=a,b $t=1
refused 'fewer numbers than hosts' $n=a,b,c "$t=1(x2)"
refused 'no number' $n=a,b $t=x
refused 'no slots' $n=a,b $t=0,1
refused 'something after a number' $n=a,b "$t=1(2)"
refused 'several components' $n=a SLURM_HET_SIZE=2

printf 'a\na\nb\n' >"$TMPDIR/nodes"
where 'a a b ' PBS_NODEFILE="$TMPDIR/nodes"
where 'a a b ' OAR_NODEFILE="$TMPDIR/nodes"
where 'a a b ' LSB_MCPU_HOSTS='a 2 b 1'
where 'a b b ' LSB_HOSTS='a b b'
refused 'a host without a number' LSB_MCPU_HOSTS='a 2 b'
refused '`x'"' is no number of slots" LSB_MCPU_HOSTS='a x b 2'
refused 'no host in LSB_HOSTS' LSB_HOSTS=' '
# Kubernetes' MPI operator; the user's hosts go before those of the system.
printf 'a slots=2\nb slots=1\n' >"$TMPDIR/operator"
for v in OMPI_MCA_orte_default_hostfile I_MPI_HYDRA_HOST_FILE HYDRA_HOST_FILE; do
	where 'a a b ' $v="$TMPDIR/operator"
	where 'a a b ' $v="$TMPDIR/operator" $n=x,y
	where 'c ' $v="$TMPDIR/operator" -- -hosts c
done
printf 'a 2 all.q@a UNDEFINED\nb 1 all.q@b UNDEFINED\n' >"$TMPDIR/pe"
where 'a a b ' PE_HOSTFILE="$TMPDIR/pe"
refused 'No such file' PE_HOSTFILE=/no/such/file
refused 'Is a directory in PE_HOSTFILE' PE_HOSTFILE=/
: >"$TMPDIR/pe"
refused 'no host in PE_HOSTFILE' PE_HOSTFILE="$TMPDIR/pe"
echo 'a -2 all.q@a UNDEFINED' >"$TMPDIR/pe"
refused '`-2'"' is no number of slots" PE_HOSTFILE="$TMPDIR/pe"
printf 'a 2 all.q@a UNDEFINED\nb\n' >"$TMPDIR/pe"
refused 'a host without a number' PE_HOSTFILE="$TMPDIR/pe"
finish
