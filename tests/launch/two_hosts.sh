# SPDX-License-Identifier: BSD-3-Clause
# RUN time=180 alone
# Under the launchers of others between two hosts of one machine, which they reach by ssh: hydra
# (PMI-1) and Open MPI's mpirun (PMIx).  Ranks of one host share memory, those of two talk by
# sockets.
. tests/launch/lib.sh
. tests/launch/vhosts.sh
vh_need
command -v mpiexec.hydra >/dev/null || need mpirun.openmpi 'mpich or openmpi-bin'

vh_up "$TMPDIR/vh" 2

# across ARGS...: as `under', from beside the hosts.
across() {
	said="$launch $*"
	from=$(date +%s%N)
	vh_root timeout $patience $launch "$@" >"$out" 2>"$err" </dev/null
	rc=$?
	ms=$((($(date +%s%N) - from) / 1000000))
}

both_well() {
	across -n 4 hostname
	want_rc 0
	[ "$(sort "$out" | uniq -c | awk '{ print $1 $2 }' | tr '\n' ' ')" = '2h1 2h2 ' ] ||
		fail "$said: ranks are on: $(cat "$out")"
	across -n 4 "$ranks" hello
	want_rc 0
	want_ranks 4
	want_lines 4
	across -n 4 sh -c "HAFT_VIA=net $ranks hello; true"
	want_rc 0
	want_ranks 4
	for how in abort kill; do
		across -n 4 "$ranks" $how
		want_some_rc
		want_ms 4000
		all_gone
	done
}

if command -v mpiexec.hydra >/dev/null; then
	launch="mpiexec.hydra -launcher ssh -launcher-exec $vh_ssh -localhost $vh_net.254 -hosts h1:2,h2:2"
	both_well
else
	echo "not tested: no mpiexec.hydra (Debian: mpich)"
fi
if command -v mpirun.openmpi >/dev/null; then
	export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
	launch="mpirun.openmpi --mca plm_rsh_agent $vh_ssh --mca oob_tcp_if_include $vh_net.0/24 -H h1:2,h2:2"
	both_well
else
	echo "not tested: no mpirun.openmpi (Debian: openmpi-bin)"
fi
finish
