# SPDX-License-Identifier: BSD-3-Clause
# RUN time=120 alone
# Under hydra, the launcher of MPICH: PMI-1.
. tests/launch/lib.sh
need mpiexec.hydra mpich
launch=mpiexec.hydra
all_well
under -n 3 "$ranks" abort
want_rc 7
namespaced_well
spawn_well

# Two programs: MPI_APPNUM, and one job.
under -n 1 "$ranks" hello : -n 2 "$ranks" hello
want_rc 0
want_ranks 3

# Two programs after another in the place of one rank: the second one says so.
under -n 2 sh -c "$ranks hello; $ranks hello"
want_some_rc
want_err 'second MPI program in the place of one rank'

# The program has closed the descriptor of the launcher.
under -n 2 env PMI_FD=199 "$ranks" hello
want_some_rc
want_err 'is not an open socket'
want_err 'HAFT_BOOT=alone'
want_lines 0
under -n 2 env HAFT_BOOT=alone "$ranks" hello
want_rc 0
want_out 'rank 0 of 1 sum 0'
want_lines 2

# It ends all when one is killed, also with -disable-auto-cleanup (4.0.2): no failure is survived.
HAFT_FT=yes under -disable-auto-cleanup -n 3 "$ranks" kill
want_some_rc
want_ms 4000
all_gone

# The launcher is killed.
behind mpiexec.hydra -n 3 "$ranks" long
until_there "$out" 3 || fail "hydra has not started"
kill -9 $!
wait
said='kill -9 of hydra'
all_gone
finish
