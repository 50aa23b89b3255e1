# SPDX-License-Identifier: BSD-3-Clause
# RUN time=300
# mpiexec -top: each second a line a rank; q leaves that, and the job goes on.
. tests/tools/lib.sh

prog=$TMPDIR/profile
"$B/bin/mpicc" $san -g -Wall tests/tools/profile.c -o "$prog" || exit 1
want_line() {
	grep -Eq "$1" "$err" || {
		fail "$said: no line $1, but:"
		head -20 "$err"
	}
}

# --- as lines: rank 1 sleeps, the others wait for it
for hosts in '' '-launcher fork -hosts a:2,b:2'; do
	job -top $hosts -n 3 "$prog" asleep
	want_rc 0
	want_line '^ +0  in MPI_Barrier for 1 +[0-9]+ %'
	want_line '^ +1  asleep +0 %'
	want_line '^ +2  in MPI_Barrier( for [01])? +[0-9]+ %'
done

# --- the holder of a lock, and a late receiver
job -top -n 2 "$prog" busy
want_rc 0
want_line '^ +0  in MPI_Win_lock held by 1 '
want_line '^ +0  in MPI_Send to 1 '

# --- before MPI_Init, and after it
job -top -n 1 sleep 2.3
want_rc 0
want_line '^ +0  asleep, before MPI_Init'

# --- with a profile: the same tables
job -top -profile -n 3 "$prog" asleep
want_line '^ +0  in MPI_Barrier for 1'
want_err 'Rank 1 is what the others wait for'

# --- on a terminal: drawn in place, the output of ranks above; q takes it away
command -v script >/dev/null || finish
screen() {
	said="mpiexec -top on a terminal, $1"
	{
		sleep 1.6
		printf "$2"
		sleep 3
	} | timeout $patience script -qefc \
		"'$run' -top -n 3 '$prog' asleep; echo code \$?" /dev/null >"$out" 2>"$err"
}
screen 'without a key' ''
want_out 'code 0'
want_out 'q leaves this view'
grep -q "$(printf '\033')\[[0-9]*A" "$out" || fail "$said: it is not drawn in place"
all=$(grep -c 'q leaves this view' "$out")
screen 'and q' q
want_out 'code 0'
few=$(grep -c 'q leaves this view' "$out")
[ "$few" -lt "$all" ] || fail "$said: drawn $few times, $all times without q"
finish
