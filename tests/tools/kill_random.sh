# SPDX-License-Identifier: BSD-3-Clause
# RUN time=900 alone
# kill -9 at random moments of a job's life, to a rank or to mpiexec: the job ends, and nothing of
# it is left. $KILLS is how often (15).  `make long-kill' does it 100 times.
. tests/tools/lib.sh
storm=$B/tests/life/traffic
kills=${KILLS:-15}
case $B in *-thread* | *-address*) slow=5 ;; *) slow=1 ;; esac

# number N: at random, below N.
number() {
	echo $(($(od -An -N4 -tu4 /dev/urandom) % $1))
}
# The ranks of mpiexec $1, also those not yet running: its children but the first, its guard.
ranks() {
	cut -s -d ' ' -f 2- /proc/$1/task/$1/children 2>/dev/null
}
# start: a job that lasts too long, and a moment of its first half second.
start() {
	n=$((2 + $(number 4)))
	moment=$(number $((500 * slow)))
	said="mpiexec -n $n storm, ${moment} ms"
	behind "$run" -n $n "$storm" $mark
	sleep $((moment / 1000)).$(printf %03d $((moment % 1000)))
}
# ended: the job does so, in time, and leaves nothing.
ended() {
	from=$(date +%s%N)
	wait $pid 2>/dev/null
	rc=$?
	ms=$((($(date +%s%N) - from) / 1000000))
	want_ms $((1000 * slow))
	until_gone $mark $((1000 * slow)) || fail "$said: $(alive $mark) processes are left"
	no_files
}
files_before

i=0
while [ $i -lt $kills ]; do
	i=$((i + 1))
	start
	set --
	while [ $# = 0 ]; do set -- $(ranks $pid); done
	shift $(number $#)
	kill -9 $1
	ended
	want_rc 137
	want_err "(process $1, "
	want_err 'was killed by signal 9 (Killed)'
	want_err_lines 1
done

i=0
while [ $i -lt $((kills / 3 + 1)) ]; do
	i=$((i + 1))
	start
	kill -9 $pid
	ended
done
finish
