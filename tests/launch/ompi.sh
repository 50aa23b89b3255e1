# SPDX-License-Identifier: BSD-3-Clause
# RUN time=180 alone
# Under Open MPI's mpirun: PMIx.
. tests/launch/lib.sh
need mpirun.openmpi openmpi-bin
ldconfig -p 2>/dev/null | grep -q 'libpmix\.so\.2' || [ -e /usr/lib/x86_64-linux-gnu/libpmix.so.2 ] ||
	need libpmix.so.2 libpmix2
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
launch='mpirun.openmpi --oversubscribe'
foreign_leaks
all_well
namespaced_well

# With room for the children, and without: then our own service starts them.
launch='mpirun.openmpi --host localhost:8'
spawn_well
launch='mpirun.openmpi --host localhost:3'
export SPAWNS_APART=1
spawn_well
unset SPAWNS_APART

# Bound to a core each, as is its habit: we count the CPUs of all.
launch='mpirun.openmpi'
[ "$(nproc)" -lt 2 ] || {
	under -n 2 "$ranks" hello
	want_rc 0
	want_ranks 2
}

launch='mpirun.openmpi --oversubscribe --enable-recovery'
survivors_well
launch='mpirun.openmpi'

# No libpmix: an error, never two jobs of one.
mkdir "$TMPDIR/none"
: >"$TMPDIR/none/libpmix.so.2"
under -n 2 env LD_LIBRARY_PATH="$TMPDIR/none" "$ranks" hello
want_some_rc
want_err 'install libpmix.so.2'
want_lines 0

# The launcher is killed.
behind mpirun.openmpi --oversubscribe -n 3 "$ranks" long
until_there "$out" 3 || fail "mpirun has not started"
kill -9 $!
wait
said='kill -9 of mpirun'
all_gone
finish
