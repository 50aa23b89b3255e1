# SPDX-License-Identifier: BSD-3-Clause
# RUN time=60
# kill -9 of mpiexec leaves no process alive after 1 s, and no file anywhere.
. tests/tools/lib.sh

files() {
	ls -A /dev/shm /tmp 2>/dev/null | grep -i -e haft -e mpiexec
}
before=$(files)

"$run" -n 4 sh -c 'sleep 63.5 & setsid sleep 63.5 & echo up; sleep 63.5; true' >"$out" 2>"$err" &
pid=$!
until_there "$out" 4 || fail "the job does not start"
sleep 0.2
[ "$(alive 63.5)" -ge 12 ] || fail "the job is not there"
kill -9 $pid
wait $pid 2>/dev/null
until_gone 63.5 1000 || fail "$(alive 63.5) processes are left after kill -9 of mpiexec"

# Its guard, too, and also where the guard was killed with it.
guard() {
	for try in 1 2 3 4 5 6 7 8 9 10; do
		for p in $(cat /proc/$1/task/$1/children); do
			grep -q haft-guard /proc/$p/comm && echo $p && return
		done
		sleep 0.1
	done
}
"$run" -n 4 sh -c 'echo up; exec sleep 63.5' >"$out" 2>"$err" &
pid=$!
until_there "$out" 4 || fail "the job does not start"
g=$(guard $pid)
[ -n "$g" ] || fail "no guard"
kill -9 $g
kill -9 $pid
wait $pid 2>/dev/null
until_gone 63.5 1000 || fail "processes are left after kill -9 of mpiexec and its guard"

"$run" -n 2 sh -c 'echo up; exec sleep 1' >"$out" 2>"$err" &
pid=$!
until_there "$out" 2
g=$(guard $pid)
wait $pid
[ -e /proc/$g ] && fail "the guard outlives a job that has ended well"
[ "$(files)" = "$before" ] || fail "files are left"
finish
