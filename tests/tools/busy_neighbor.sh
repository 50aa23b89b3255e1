# SPDX-License-Identifier: BSD-3-Clause
# Beside busy processes of other jobs a rank that waits sleeps: a yield would give them the CPU
# for a slice each, at each wait again.
. tests/tools/lib.sh

command -v taskset >/dev/null || exit 77
"$B/bin/mpicc" $san -Wall -I. tests/tools/busy_neighbor.c -o "$TMPDIR/beside" || exit 1
cpus=$(taskset -cp $$ | sed 's/.*: *//')
first=${cpus%%[-,]*}
last=${cpus##*[-,]}
[ "$first" != "$last" ] || { echo "there is one CPU"; exit 77; }
busy=
for cpu in $first $first $first $first $last $last $last $last; do
	taskset -c "$cpu" sh -c 'while :; do :; done' &
	busy="$busy $!"
done
sleep 1
trap 'kill $busy' EXIT
said="taskset -c $first,$last"
timeout $patience taskset -c "$first,$last" "$run" -n 2 "$TMPDIR/beside" >"$out" 2>"$err" </dev/null
rc=$?
cat "$out" "$err"
want_rc 0
finish
