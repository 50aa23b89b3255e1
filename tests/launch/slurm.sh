# SPDX-License-Identifier: BSD-3-Clause
# RUN time=180 alone
# Under Slurm, in a cluster of our own of two nodes on this host: srun --mpi=pmi2 (PMI-1),
# --mpi=pmix (PMIx), --mpi=none.
. tests/launch/lib.sh
need srun slurm-client
need slurmctld slurmctld
need slurmd slurmd
need munged munge
PATH=$PATH:/usr/sbin:/sbin
dir=$TMPDIR/c
pids=

# The daemons stay in the foreground: they are our children, and end by their numbers.
daemons_end() {
	for p in $pids; do
		kill "$p" 2>/dev/null
	done
	wait
	pids=
}
trap 'daemons_end; rm -rf "${TMPDIR:?}"/*' EXIT

skip() {
	echo "skipped: $1"
	tail -n 5 "$dir"/log/* 2>/dev/null
	exit 77
}

# One key, one socket: nothing of the system's munge and Slurm, should they run, is used.
cluster_write() {
	mkdir -p "$dir/state" "$dir/log" "$dir/munge" "$dir/spool"
	chmod 755 "$dir" "$dir/munge"
	chmod 700 "$dir/log"
	head -c 1024 /dev/urandom >"$dir/munge.key"
	chmod 400 "$dir/munge.key"
	port=$((20000 + $$ % 10000))
	host=$(hostname -s)
	user=$(id -un)
	cat >"$dir/slurm.conf" <<-E
		ClusterName=haft
		SlurmctldHost=$host(127.0.0.1)
		SlurmUser=$user
		SlurmdUser=$user
		AuthType=auth/munge
		AuthInfo=socket=$dir/munge/s
		CredType=cred/munge
		SlurmctldPort=$port
		StateSaveLocation=$dir/state
		SlurmctldPidFile=$dir/slurmctld.pid
		SlurmdPidFile=$dir/slurmd-%n.pid
		SlurmdSpoolDir=$dir/spool/%n
		ProctrackType=proctrack/linuxproc
		TaskPlugin=task/none
		JobAcctGatherType=jobacct_gather/none
		AccountingStorageType=accounting_storage/none
		SelectType=select/cons_tres
		SelectTypeParameters=CR_Core
		SwitchType=switch/none
		MpiDefault=none
		ReturnToService=2
		SlurmdParameters=config_overrides
		SchedulerType=sched/builtin
		KillWait=2
		TmpFS=$dir
		NodeName=n1 NodeHostname=$host NodeAddr=127.0.0.1 Port=$((port + 1)) CPUs=8 CoresPerSocket=8 RealMemory=1000
		NodeName=n2 NodeHostname=$host NodeAddr=127.0.0.1 Port=$((port + 2)) CPUs=8 CoresPerSocket=8 RealMemory=1000
		PartitionName=ci Nodes=n[1-2] Default=YES MaxTime=INFINITE State=UP
	E
	echo 'CgroupPlugin=cgroup/v1' >"$dir/cgroup.conf"
	export SLURM_CONF=$dir/slurm.conf
}

cluster_start() {
	munged --foreground --force --key-file="$dir/munge.key" --socket="$dir/munge/s" \
		--pid-file="$dir/munge/pid" --log-file="$dir/log/munged" \
		--seed-file="$dir/munge/seed" >"$dir/log/munge" 2>&1 &
	pids="$! $pids"
	t=0
	until [ -S "$dir/munge/s" ]; do
		t=$((t + 1))
		[ $t -le 500 ] || skip 'munged does not start'
		sleep 0.1
	done
	slurmctld -D >"$dir/log/ctld" 2>&1 &
	pids="$! $pids"
	for n in n1 n2; do
		slurmd -D -N $n >"$dir/log/$n" 2>&1 &
		pids="$! $pids"
	done
	t=0
	until [ "$(sinfo -h -o %D -t idle 2>/dev/null)" = 2 ]; do
		t=$((t + 1))
		[ $t -le 1500 ] || skip 'no Slurm of our own starts here'
		sleep 0.1
	done
}

cluster_write
cluster_start

launch='srun --mpi=pmi2 -N1'
all_well
namespaced_well
export SPAWNS_APART=1
spawn_well
unset SPAWNS_APART
for nodes in 1 2; do
	launch="srun --mpi=pmi2 -N$nodes --kill-on-bad-exit=0"
	survivors_well
done
launch='srun --mpi=pmi2 -N1'

# A dead rank is noticed: srun by itself would let the others wait.
under -n 3 "$ranks" kill
want_some_rc
want_err 'rank 2 (process '
want_err 'has died before MPI_Finalize'
# Two nodes that are one host: they share memory.
launch='srun --mpi=pmi2 -N2 --ntasks-per-node=2'
under -n 4 "$ranks" hello
want_rc 0
want_ranks 4

# Nothing to find each other by.
launch='srun --mpi=none -N1'
under -n 3 "$ranks" hello
want_some_rc
want_err 'srun --mpi=pmi2'
want_lines 0
under -n 3 env HAFT_BOOT=alone "$ranks" hello
want_rc 0
want_lines 3
under -n 1 "$ranks" hello
want_rc 0
want_ranks 1
spawns=$B/tests/launch/spawns
SPAWNS_APART=1 under -n 1 "$spawns"
want_rc 0
want_out 'parents are well'
# Our own mpiexec in a step.
under -n 1 "$run" -n 2 "$ranks" hello
want_rc 0
want_ranks 2

# A batch script, and an allocation, have several tasks to come, but are one process.
launch='salloc -n4'
under "$ranks" hello
want_rc 0
want_ranks 1
printf '#!/bin/sh\n%s hello && %s -n 2 %s hello && srun --mpi=pmi2 -n 3 %s hello\n' \
	"$ranks" "$run" "$ranks" "$ranks" >"$TMPDIR/batch"
launch='sbatch --wait -n4'
under -o "$TMPDIR/batch.out" "$TMPDIR/batch"
want_rc 0
cp "$TMPDIR/batch.out" "$out"
for n in 1 2 3; do
	want_ranks $n
done
want_lines 6

# Our mpiexec over the nodes of an allocation.
launch='salloc -N2 --ntasks-per-node=2'
under "$run" -launcher slurm -iface lo -hosts n1:2,n2:2 -v "$ranks" hello
want_rc 0
want_ranks 4
want_err 'rank 3 is process '
under "$run" -iface lo -v "$ranks" hello
want_rc 0
want_ranks 4
want_err 'rank 1 is process '
want_err 'on n1: '
want_err 'on n2: '
under "$run" -launcher slurm -iface lo -hosts n1,n9 true
want_some_rc
want_err 'host n9 (rank 1): its proxy could not be started'

# Spawns on the nodes of the allocation, by programs of one node: the children are placed there by a
# service of ours.
me=$TMPDIR/spawner
"$B/bin/mpicc" $san -Wall tests/tools/spawner.c -o "$me" || exit 1
export HAFT_IFACE=lo
files="-k haft_outfile=$TMPDIR/o.%h.%r"
# placed HOSTS...: the children are there, one each.
placed() {
	want_rc 0
	want_out 'spawn: MPI_SUCCESS'
	got=$(cd "$TMPDIR" && printf '%s\n' o.* | cut -d. -f2 | sort | tr '\n' ' ')
	[ "$got" = "$1" ] || fail "$said: children on $got, not $1"
	rm -f "$TMPDIR"/o.*
}
launch='salloc -N2 --ntasks-per-node=2'
under "$me" -n 4 -k map=node $files "$me" child say
placed 'n1 n1 n2 n2 '
under "$me" -u
want_out 'universe 4'
for how in none pmi2 pmix; do
	srun --mpi=list 2>&1 | grep -q $how || continue
	under srun --mpi=$how -N1 -n1 -w n1 "$me" -n 3 -k host=n2 $files "$me" child say
	placed 'n2 n2 n2 '
	under srun --mpi=$how -N1 -n1 -w n1 "$me" -n 2 -k host=n9 "$me" child say
	want_out 'spawn: MPI_ERR_SPAWN, 0 processes, 2 codes'
done
under srun --mpi=pmi2 -N2 -n2 "$me" -n 2 -k map=node $files "$me" child say
placed 'n1 n2 '
unset HAFT_IFACE
until_gone "$me" 3000 || fail "Slurm: children are left"

if srun --mpi=list 2>&1 | grep -q pmix; then
	launch='srun --mpi=pmix -N1 --kill-on-bad-exit=0'
	survivors_well
	launch='srun --mpi=pmix -N1'
	foreign_leaks
	all_well
	export SPAWNS_APART=1 SPAWNS_NAMELESS=1 # Slurm has no names by PMIx
	spawn_well
else
	echo "not tested: srun --mpi=pmix (Debian: slurm-wlm-basic-plugins)"
fi
finish
