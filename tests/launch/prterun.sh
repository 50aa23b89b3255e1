# SPDX-License-Identifier: BSD-3-Clause
# RUN time=180 alone
# Under prterun, the launcher of Open MPI 5: PMIx.  Debian 12 has no package of it.
. tests/launch/lib.sh
need prterun 'prrte (Open MPI 5)'
export PRTE_ALLOW_RUN_AS_ROOT=1 PRTE_ALLOW_RUN_AS_ROOT_CONFIRM=1
launch='prterun --map-by :OVERSUBSCRIBE'
foreign_leaks
all_well

# With room for the children, and without: then our own service starts them.
launch='prterun --bind-to none --map-by :OVERSUBSCRIBE:INHERIT --host localhost:8'
spawn_well
launch='prterun --bind-to none --host localhost:3'
export SPAWNS_APART=1
spawn_well
unset SPAWNS_APART

launch='prterun --map-by :OVERSUBSCRIBE --runtime-options recoverable'
survivors_well

# The launcher is killed.
prterun --map-by :OVERSUBSCRIBE -n 3 "$ranks" long >"$out" 2>"$err" </dev/null &
until_there "$out" 3 || fail "prterun has not started"
kill -9 $!
wait
said='kill -9 of prterun'
all_gone
finish
