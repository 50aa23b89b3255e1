# SPDX-License-Identifier: BSD-3-Clause
# RUN idle
# kill -9 of mpiexec leaves no process alive after 1 s, and no file anywhere.
. tests/tools/lib.sh

files_before

several() { [ "$(alive "$mark")" -ge "$1" ]; }
behind "$run" -n 4 sh -c "sleep $mark & setsid sleep $mark & echo up; sleep $mark; true"
until_there "$out" 4 || fail "the job does not start"
until_ several 12 || fail "the job is not there"
said="kill -9 of mpiexec"
kill -9 $pid
wait $pid 2>/dev/null
until_gone "$mark" 1000 || fail "$(alive "$mark") processes are left after $said"

# Its guard, too, and also where the guard was killed with it.
guard() {
	for p in $(cat /proc/$1/task/$1/children); do
		grep -q haft-guard /proc/$p/comm && g=$p && return
	done
}
behind "$run" -n 4 sh -c "echo up; exec sleep $mark"
until_there "$out" 4 || fail "the job does not start"
until_ guard $pid || fail "no guard"
said="kill -9 of mpiexec and its guard"
kill -9 $g
kill -9 $pid
wait $pid 2>/dev/null
until_gone "$mark" 1000 || fail "processes are left after $said"

behind "$run" -n 2 sh -c "$await echo up; await '$TMPDIR/go'"
until_there "$out" 2
until_ guard $pid || fail "no guard"
touch "$TMPDIR/go"
wait $pid
until_ [ ! -e /proc/$g ] || fail "the guard outlives a job that has ended well"
no_files
finish
