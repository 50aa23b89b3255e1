# SPDX-License-Identifier: BSD-3-Clause
# RUN time=120 alone
# Programs of MPICH under our mpiexec, which is their PMI server.
. tests/launch/lib.sh
need mpicc.mpich libmpich-dev
case $B in *-address* | *-undefined* | *-thread*) exit 77 ;; esac # theirs are built without
theirs=$TMPDIR/theirs
mpicc.mpich -I. tests/launch/ranks.c -o "$theirs" || exit 1
ldd "$theirs" | grep -q libmpich || {
	echo "skipped: mpicc.mpich does not link libmpich"
	rm -rf "${TMPDIR:?}"/*
	exit 77
}

for n in 1 2 4; do
	job -n $n "$theirs" hello
	want_rc 0
	want_ranks $n
	want_err_lines 0
done
job -n 1 "$theirs" hello : -n 1 "$theirs" hello
want_rc 0
want_ranks 2
job -n 2 sh -c "$theirs hello; true"
want_rc 0
want_ranks 2

# They end as ours do.
job -n 3 "$theirs" abort
want_rc 7
want_err 'rank 2 (process '
want_err 'has aborted the job with code 7'
job -n 3 "$theirs" kill
want_rc 137
want_err 'rank 2 (process '
want_err 'killed by signal 9 (Killed)'
want_ms 3000
job -n 3 "$theirs" exit
want_rc 1
want_err 'exited with code 0 before MPI_Finalize'
job -n 2 "$theirs" late
want_rc 3
want_err 'rank 0 (process '
[ "$(alive "$theirs")" = 0 ] || fail 'ranks of MPICH are left'

# They have the names of our mpiexec, and spawn by it.  MPICH with the UCX netmod, as Debian 12 has
# it, spawns under no launcher (pmi_client.c sends what another one would).
mpicc.mpich tests/launch/theirs.c -o "$TMPDIR/theirs_dyn" || exit 1
for n in 1 3; do
	job -n $n "$TMPDIR/theirs_dyn" names
	want_rc 0
	want_out 'names are well'
done
if timeout 60 mpiexec.hydra -n 2 "$TMPDIR/theirs_dyn" spawn >/dev/null 2>&1 </dev/null; then
	for n in 1 3; do
		job -n $n "$TMPDIR/theirs_dyn" spawn
		want_rc 0
		want_out 'spawn is well'
	done
else
	echo 'not tested: a spawn by MPICH, which cannot do it here under its own launcher'
fi

# Two MPIs in one job.
job -n 2 "$ranks" kill : -n 1 "$theirs" hello
want_some_rc
[ $rc != 124 ] && want_ms 5000

# Over several hosts they would each be alone: they are refused.
job -launcher fork -hosts a,b "$theirs" hello
want_rc 1
want_err 'a program of another MPI'
want_lines 0

# Another launcher in between: its ranks are not ours.
command -v mpiexec.hydra >/dev/null && {
	job -n 1 mpiexec.hydra -n 2 "$ranks" hello
	want_rc 0
	want_ranks 2
	launch=mpiexec.hydra
	under -n 1 "$run" -n 2 "$ranks" hello
	want_rc 0
	want_ranks 2
}
finish
