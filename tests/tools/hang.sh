# SPDX-License-Identifier: BSD-3-Clause
# RUN idle
# The hang watch (HAFT_HANG) and its report; the end of jobs that wait for ever (HAFT_ENDED).
. tests/tools/lib.sh

hang=$TMPDIR/hang
"$B/bin/mpicc" $san -Wall tests/tools/hang.c -o "$hang" -lpthread || exit 1
"$B/bin/mpicc" $san -Wall tests/tools/spawner.c -o "$TMPDIR/spawner" || exit 1
export HAFT_HANG=1
export HAFT_ENDED=0 # jobs here are looked at while they hang
asks='have slept for'

# part NAME: runs this function beside the others, with files of its own: nearly all of the time is
# that of sleeping jobs.
parts=
part() {
	mkdir "$TMPDIR/$1"
	(
		out=$TMPDIR/$1/out
		err=$TMPDIR/$1/err
		bad=0
		"$1"
		exit $bad
	) >"$TMPDIR/$1/log" 2>&1 &
	parts="$parts $!:$1"
}

# The report is there to its last line.
told() {
	grep -qE '(a cycle: |no cycle).*' "$err" || { case $1 in waitany | unready | unmatched | many | elsewhere | disk) ;; *) false ;; esac && [ "$(wc -l <"$err")" -ge 3 ]; }
}
# hangs N NAME...: runs a job that hangs until mpiexec has reported it and its N ranks.
hangs() {
	n=$1
	shift
	said="hang $*"
	behind "$run" ${far:-} -n $n "$hang" "$@"
	until_ told "$1" || fail "$said: nothing is told"
	want_err "$asks"
}
stop() {
	kill -TERM $pid
	wait $pid
}
never() {
	job -n "$@"
	want_rc 0
	! grep -F "$asks" "$err" || fail "$said: that does not hang"
}

part_receives() {
	hangs 2 recv
	sleep 2.5
	want_waited 'rank 0' ' in MPI_Recv to receive from rank 1, tag 7, MPI_COMM_WORLD'
	want_err 'a cycle: 0 waits for 1, 1 waits for 0'
	[ "$(grep -cF "$asks" "$err")" = 1 ] || fail "the report is said more than once"
	# At once, when it is asked for.
	kill -USR1 $pid
	until_err 'what the 2 processes of the job do'
	stop

	# Over hosts.
	far="-launcher fork -hosts a:2,b:2"
	hangs 4 missing
	sleep 1.5
	want_err 'in MPI_Barrier of ocean, for rank 1'
	want_waited 'rank 1' ' in MPI_Recv to receive from rank 0, tag 1, ocean'
	want_err 'a cycle: 0 waits for 1, 1 waits for 0'
	[ "$(grep -cF "$asks" "$err")" = 1 ] || fail "over hosts the report is said more than once"
	kill -USR1 $pid
	until_err 'what the 4 processes of the job do'
	stop
	far=

	hangs 3 ssend
	stop
	want_err 'in MPI_Ssend to send 4 bytes to rank 1, tag 3, MPI_COMM_WORLD'
	want_err 'a cycle: 0 waits for 1, 1 waits for 2, 2 waits for 0'
}

part_barriers() {
	for n in 3 16; do
		hangs $n missing
		stop
		want_err 'in MPI_Barrier of ocean, for rank 1'
		want_waited 'rank 1' ' in MPI_Recv to receive from rank 0, tag 1, ocean'
		want_err 'a cycle: 0 waits for 1, 1 waits for 0'
	done
	HAFT_COLL=p2p
	export HAFT_COLL
	hangs 2 missing
	stop
	unset HAFT_COLL
	want_err 'in MPI_Barrier of ocean, for rank 1'
}

part_windows() {
	# Windows.
	hangs 2 locked
	stop
	want_err 'in MPI_Win_lock of window `lagoon'"', for rank 0, which is locked by rank 0"
	want_err 'a cycle: 0 waits for 1, 1 waits for 0'
	hangs 3 crossed
	stop
	want_err 'in MPI_Win_lock of a window of 3 processes, for rank 0, which is locked by rank 0'
	want_err 'for rank 2, which is locked by rank 2'
	want_err 'a cycle: 0 waits for 1, 1 waits for 2, 2 waits for 0'
	hangs 2 incomplete
	stop
	want_err 'in MPI_Win_wait of window `lagoon'"', for rank 1"
	hangs 3 unfreed
	stop
	want_err 'in MPI_Win_free of a window of 3 processes, for rank 1'
	hangs 2 unposted
	stop
	want_err 'in MPI_Put of window `lagoon'"', for rank 1"
	want_err 'a cycle: 0 waits for 1, 1 waits for 0'
}

part_requests() {
	# Rank 0 waits for its own MPI_Pready.
	hangs 2 unready
	stop
	want_err 'in MPI_Wait to send partitions to rank 1, tag 5, MPI_COMM_WORLD: MPI_Pready is missing for 2 of 3 partitions (0, 2)'
	want_err 'in MPI_Wait to receive partitions from rank 0, tag 5, MPI_COMM_WORLD: 2 of 3 partitions have not come (0, 2)'
	! grep -F 'a cycle' "$err" || fail "unready: there is no cycle"

	# A message of another kind is no match.
	hangs 2 unmatched
	stop
	want_err 'in MPI_Wait to send partitions to rank 1, tag 5, MPI_COMM_WORLD; not matched by an MPI_Precv_init yet'
	want_waited 'rank 1' ' in MPI_Recv to receive from rank 0, tag 5, MPI_COMM_WORLD'

	# No rank can help one that waits for a disk.
	hangs 2 disk
	stop
	want_waited 'rank 1' ' in MPI_Wait of /proc/self/exe for the disk'
	want_waited 'rank 0' ' in MPI_Recv to receive from rank 1, tag 1, MPI_COMM_WORLD'
	! grep -F 'a cycle' "$err" || fail "disk: there is no cycle"

	hangs 2 tag
	stop
	want_err 'to receive from rank 0, tag 5, MPI_COMM_WORLD; 1 message unreceived, from rank 0, tag 6'

	hangs 2 waitall
	stop
	want_err 'in MPI_Waitall to receive from rank 1, tag 1, MPI_COMM_WORLD (2 requests are open)'

	hangs 2 waitany
	stop
	want_err 'in MPI_Waitany to receive from rank 1, tag 1, MPI_COMM_WORLD (or another of its 2 requests)'
	! grep -F 'a cycle' "$err" || fail "Waitany: there may be no cycle"
}

part_calls() {
	for name in iallreduce ibarrier; do
		hangs 4 $name
		stop
		want_err 'in MPI_Wait for a collective call of MPI_COMM_WORLD, for rank 2'
		want_waited 'rank 2' ' in MPI_Probe to receive from rank 0, tag 4'
		want_err 'a cycle: 0 waits for 2, 2 waits for 0'
	done

	# An error in one rank only.
	hangs 3 refused
	stop
	want_err ' of MPI_COMM_WORLD, for rank 1'
	want_waited 'rank 1' ' in MPI_Recv to receive from rank 0, tag 6, MPI_COMM_WORLD'

	# Ranks of other communicators.
	hangs 8 long
	stop
	want_err 'in MPI_Send to send 400000 bytes to rank 2 (5 in MPI_COMM_WORLD), tag 9, half'

	hangs 3 any
	stop
	want_waited 'ranks 0-2' ' in MPI_Recv to receive from any rank, any tag, MPI_COMM_WORLD'
	want_err 'no cycle is seen: rank 0 would take a message of any rank'

	hangs 3 final
	stop
	want_waited 'rank 0' ' in MPI_Finalize'
	want_err 'for rank 1'
}

part_threads() {
	# Several threads: each of their waits, and no cycle, as one of them may help.
	hangs 2 many threads
	all_told() { kill -USR1 $pid && sleep 0.2 && grep 'rank 0: .*tag 2.*another thread.* in MPI_Recv .*another thread.* in MPI_Recv to receive from rank 1, tag 2' "$err"; }
	until_ all_told >/dev/null || fail "$said: not all threads are told"
	stop
	for tag in 21 22 23; do want_err "in MPI_Recv to receive from rank 1, tag $tag, MPI_COMM_WORLD"; done
	! grep -F 'a cycle' "$err" || fail "many: a thread may help"

	# How long each has waited: the first for 3 s before the other begins, less one for
	# rounding.
	export GO="$TMPDIR/go"
	hangs 2 ages threads
	sleep 3
	: >"$GO"
	all_told() { kill -USR1 $pid && sleep 0.2 && grep 'rank 0: .*another thread' "$err"; }
	until_ all_told >/dev/null || fail "$said: not all threads are told"
	stop
	rm "$GO"
	want_err 'another thread, for '
	sed -nE 's/.*rank 0: has waited ([0-9]+) s .*another thread, for ([0-9]+) s, in MPI_Recv .*/\1 \2/p' "$err" |
		awk '{ d = $1 - $2 } $1 < $2 { d = -d } d < 2 { bad = 1 } END { exit bad }' || {
		fail "$said: these are not the ages of two threads:"
		cat "$err"
	}

	# A rank sleeps outside of MPI while others wait: here and on another host.
	for far in '' '-launcher fork -hosts a:1,b:2'; do
		hangs 3 elsewhere
		want_err "$asks"
		want_err ', and the others have used no CPU time: does the job hang?'
		grep -qE 'rank 1: has been outside of MPI for [0-9]+ s and has used no CPU time' "$err" || {
			fail "$said: it is not told where rank 1 is"
			cat "$err"
		}
		want_err ' in MPI_Barrier of MPI_COMM_WORLD, for rank 1'
		stop
	done
	far=

	# A stopped rank is not reported as waiting: its message may have arrived.
	behind "$run" -n 2 "$hang" stopped
	said='hang stopped'
	until_ parent
	all_told() { kill -USR1 $pid && sleep 0.2 && grep 'rank 1: stopped by a signal' "$err" && grep 'rank 0: has waited .* in MPI_Recv' "$err"; }
	until_ all_told >/dev/null || fail "$said: that is not told"
	stop
	! grep -F 'a cycle' "$err" || fail "$said: it is no cycle"
}

part_before_init() {
	# Spawned processes that never call MPI_Init, asleep or not, are named: here, on other
	# hosts, and where the spawn itself waits for them.
	for far in '' '-launcher fork -hosts a:1,b:2'; do
		for what in "sleep $mark" "sh $TMPDIR/spin"; do
			said="before MPI_Init $far $what"
			echo 'while :; do :; done' >"$TMPDIR/spin"
			behind "$run" $far -n 1 "$TMPDIR/spawner" -n 2 $what
			until_err 'ranks 0-1 of world 1: running, have not called MPI_Init (processes '
			want_err "$asks"
			want_err ', and the others have not called MPI_Init: does the job hang?'
			want_err ", ${what%% *})"
			[ -z "$far" ] || grep -qE 'processes [0-9]+ on b, [0-9]+ on [ab], ' "$err" || fail "$said: no hosts"
			stop
			[ "$(grep -cF "$asks" "$err")" = 1 ] || fail "$said: it is said more than once"
		done
	done
	far=
	said='before MPI_Init, at a port'
	echo 'mpiexec = -launcher fork' >"$TMPDIR/conf"
	behind env HAFT_CONF=$TMPDIR/conf "$TMPDIR/spawner" -n 2 -k host=a,b sleep $mark
	until_err 'ranks 0-1 of world 1: running, have not called MPI_Init (processes '
	want_err 'a spawn has waited for its children for '
	! grep -F 'the host has not answered' "$err" || fail "$said: the program is no host"
	until_ grep -qE 'rank 0: has waited [0-9]+ s in MPI_Comm_spawn at port .* for its children' "$err" ||
		fail "$said: the spawn is not told"
	stop
}

part_twice_told() {
	export GO="$TMPDIR/go_twice"
	# Ranks move and then all sleep again: a second report.
	hangs 2 again threads
	: >"$GO"
	twice() { [ "$(grep -cF "$asks" "$err")" = 2 ]; }
	until_ twice
	[ "$(grep -cF "$asks" "$err")" = 2 ] || fail "again: the second sleep is not told"
	stop
}

part_asleep() {
	never 2 "$hang" slow
	never 16 "$hang" slow
	never 2 "$hang" lazy
}

part_computing() {
	never 2 "$hang" test
	never 2 "$hang" turns
	never 2 "$hang" compiles
	HAFT_HANG=2 # where others compete for the CPUs, the thread gets little of them
	never 2 "$hang" busy threads
}

part_ended() {
	# A rank waits for one that has ended, or is in MPI_Finalize: the job is ended.
	HAFT_ENDED=1
	HAFT_HANG=0
	job -n 2 "$hang" left
	want_rc 1
	want_err 'rank 0 waits in MPI_Recv for rank 1, which has ended: that would be for ever, and the job is ended (HAFT_ENDED)'
	want_waited 'rank 0' ' in MPI_Recv to receive from rank 1, tag 0'
	want_err 'rank 1: has ended'
	job -launcher fork -hosts a:2,b:1 "$hang" leftany
	want_rc 1
}

part_finalized() {
	HAFT_ENDED=1
	HAFT_HANG=1
	job -n 3 "$hang" leftany
	want_rc 1
	want_err 'rank 2 waits in MPI_Recv for any rank, and all others have ended'
	for HAFT_HANG in 0 1; do # 0: ended all the same, and not reported before
		job -n 3 "$hang" final
		want_rc 1
		want_err 'rank 1 waits in MPI_Recv for rank 0, which is in MPI_Finalize'
		[ "$(grep -cF "$asks" "$err")" = $HAFT_HANG ] || fail "HAFT_HANG=$HAFT_HANG"
	done
	job -n 3 "$hang" finalany
	want_rc 1
	want_err 'rank 0 waits in MPI_Probe for any rank, and all others have ended'
	job -n 3 "$hang" finalsome
	want_rc 1
	want_err 'rank 0 waits in MPI_Waitsome for one of several, and all others have ended'
}

part_deadlock() {
	# All processes wait for each other: the job is ended.
	HAFT_ENDED=1
	HAFT_HANG=0
	for args in '2 recv' '3 missing' '3 crossed' '2 waitall' '2 waitany' '3 any' \
		'2 -launcher fork -hosts a,b missing' '2 -launcher fork -hosts a,b any'; do
		job -n ${args% *} "$hang" ${args##* }
		want_rc 1
		want_err 'a deadlock): that would be for ever, and the job is ended (HAFT_ENDED); its processes:'
	done
	job -n 1 "$hang" any
	want_rc 1
	want_err 'for any rank, and no other process is there (a deadlock)'
	# Not if a process waits for a thread of its own, a file or a client, or sleeps outside of
	# MPI.
	for name in unready disk elsewhere; do
		behind "$run" -n 3 "$hang" $name
		said="deadlock of $name"
		sleep 4
		kill -0 $pid || fail "$said: the job is ended: $(cat "$err")"
		stop
	done
}

part_dups() {
	# A communicator that MPI_Finalize does not compare, with calls before and without.
	export HAFT_ENDED=1
	for how in HAFT_COLL=shm HAFT_COLL=p2p HAFT_VIA=net; do
		export "${how?}"
		for name in finaldup finalused; do
			job -n 3 "$hang" $name
			want_rc 1
			want_err ' waits in MPI_Barrier for rank 0, which is in MPI_Finalize'
			grep -qE 'in MPI_Barrier of communicator [0-9a-f]+ \(size 3\), for rank 0' "$err" ||
				fail "$how $name: the communicator is not described: $(cat "$err")"
		done
		unset "${how%%=*}"
	done
}

part_mixed() {
	HAFT_ENDED=1
	HAFT_HANG=0
	job -n 2 "$hang" mixed
	[ $rc != 0 ] || fail "mixed: exit code 0"
	grep -qE 'another call|calls' "$err" || fail "mixed: $(cat "$err")"
	# So it is if the report came before HAFT_ENDED was over.
	HAFT_HANG=1
	HAFT_ENDED=3
	job -n 3 "$hang" final
	want_rc 1
	want_err 'rank 1 waits in MPI_Recv for rank 0, which is in MPI_Finalize'
	HAFT_ENDED=0
}

part_timeout_only() {
	HAFT_HANG=0
	job -timeout 2 -n 2 "$hang" recv
	want_rc 124
	! grep -F "$asks" "$err" || fail "HAFT_HANG=0 does not switch it off"
}

# want_stack RANKS TEXT: the stack of these ranks; lines of the source are those of hang.c.
line_of() { grep -nF -e "$1" tests/tools/hang.c | head -1 | cut -d: -f1; }
want_stack() {
	until_err "stack of $1: $2"
}

part_stacks() {
	command -v addr2line >/dev/null || return 0
	recv="MPI_Recv <- recv_recv (hang.c:$(line_of 'MPI_Recv(x, 1, MPI_INT, 1 - rank, 7'))"
	"$B/bin/mpicc" $san -g -O0 tests/tools/hang.c -o "$TMPDIR/lines" -lpthread || bad=1
	hang=$TMPDIR/lines
	main="main (hang.c:"
	hangs 2 recv
	want_stack 'ranks 0-1' "$recv <- $main"
	# Once more when it is asked for.
	twice() { [ "$(grep -cF "stack of ranks 0-1: $recv <- $main" "$err")" = 2 ]; }
	kill -USR1 $pid
	until_ twice || fail "SIGUSR1 prints no stacks: $(cat "$err")"
	stop

	# Equal ones in one line, on several hosts; and when the time of a job is over.
	barrier="MPI_Barrier <- missing (hang.c:$(($(line_of 'if (rank != 1)') + 1))) <- $main"
	for far in '' '-launcher fork -hosts a:3,b:2'; do
		job $far -timeout 2 -n 5 "$hang" missing
		want_rc 124
		want_err "stack of ranks 0, 2-4: $barrier"
		want_err "stack of rank 1: MPI_Recv <- missing (hang.c:"
	done
	far=
	HAFT_ENDED=1
	job -launcher fork -hosts a:2,b:1 "$hang" leftany
	HAFT_ENDED=0
	want_rc 1
	want_err 'stack of rank 2: MPI_Recv <- leave (hang.c:'

	# Functions without debug information; nothing but offsets.
	"$B/bin/mpicc" $san -O0 tests/tools/hang.c -o "$hang" -lpthread || bad=1
	hangs 2 recv
	stop
	want_stack 'ranks 0-1' 'MPI_Recv <- recv_recv'
	strip "$hang"
	hangs 2 recv
	stop
	want_stack 'ranks 0-1' 'MPI_Recv <- lines+0x'
}

for name in stacks receives barriers windows requests calls threads before_init twice_told asleep computing ended finalized deadlock dups mixed timeout_only; do
	part part_$name
done
for p in $parts; do
	wait ${p%%:*} || {
		cat "$TMPDIR/${p#*:}/log"
		bad=1
	}
done
finish
