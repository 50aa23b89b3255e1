# SPDX-License-Identifier: BSD-3-Clause
# RUN time=900
# A rank dies in every collective call: blocking, nonblocking, persistent; at its start, and inside.
# All survivors return, recover, and go on: any_call.c.  Windows and files are in any_access.c,
# messages in any_message.c.  Each call gets one way to die, which is another one for each call.
# With EVERY=n all combinations count, and each n-th is run: make check-ft runs them all, in an
# hour.  ONLY=WORD: the calls with this word.
. tests/tools/lib.sh

"$B/bin/mpicc" $san -O1 -o "$TMPDIR/any_call" -I. tests/ft/any_call.c || fail "any_call.c"
"$B/bin/mpicc" $san -O1 -o "$TMPDIR/any_message" -I. tests/ft/any_message.c || fail "any_message.c"
"$B/bin/mpicc" $san -O1 -o "$TMPDIR/any_access" -I. tests/ft/any_access.c || fail "any_access.c"
runs=0
every=${EVERY:-0}

# die WAY PLACE VICTIM NAME CALL FORM ARENA COUNT: one job.
die() {
	way=$1 death="$3@$4:3$2"
	shift 4
	program=any_call
	case $1 in
	Win* | File* | Rget) program=any_access ;;
	Sendrecv | Isend | Issend | Irecv | Startall | Pready | *robe) program=any_message ;;
	Finalize) program=any_message death="${death%:3*}:1${death##*:3}" ;;
	esac
	hosts= with=$way
	[ "$way" = two ] && with= && hosts="-launcher fork -hosts one:3,two:2"
	runs=$((runs + 1))
	if env HAFT_FT=yes "HAFT_DIE=$death" $with timeout "$patience" "$run" $hosts -n 5 \
		"$TMPDIR/$program" "$@" >"$out" 2>&1 </dev/null; then
		return
	fi
	# The code of the dead, as none has looked at the failure: but an error of a test is 1.  The
	# others may have ended before it died.
	[ "$1" = Finalize ] && tail -1 "$out" | grep -q -e 'the job went on' -e 'killed by signal 9' &&
		! grep -q '\.c:' "$out" && return
	fail "HAFT_FT=yes HAFT_DIE=$death $with mpiexec $hosts -n 5 $program $*"
	head -20 "$out"
}

collectives="Barrier Bcast Gather Gatherv Scatter Scatterv Allgather Allgatherv Alltoall Alltoallv
	Alltoallw Reduce Allreduce Reduce_scatter Reduce_scatter_block"
rings="Neighbor_allgather Neighbor_allgatherv Neighbor_alltoall Neighbor_alltoallv
	Neighbor_alltoallw"
makers="Comm_dup Comm_split Comm_split_type Comm_create Comm_create_group Cart_create
	Dist_graph_create Dist_graph_create_adjacent"

# lower NAME: its first letter.
lower() {
	printf '%s%s' "$(printf '%.1s' "$1" | tr '[:upper:]' '[:lower:]')" "${1#?}"
}

# Lines of NAME CALL FORM ARENA; NAME is what HAFT_DIE counts.
all_calls() {
	for c in $collectives Scan Exscan $rings; do
		a=intra
		case $c in Neigh*) a=ring ;; esac
		echo "$c $c b $a"
		echo "I$(lower $c) $c i $a"
		echo "Start $c p $a"
	done
	for c in $collectives; do
		echo "$c $c b inter"
		echo "I$(lower $c) $c i inter"
	done
	for c in $makers; do echo "$c $c b intra"; done
	echo "Comm_idup Comm_dup i intra"
	echo "Comm_dup Comm_dup b inter"
	echo "Comm_split Comm_split b inter"
	echo "Intercomm_merge Intercomm_merge b inter"
}

# Algorithms of collectives by messages.
algorithms="barrier=dissemination barrier=binomial bcast=scatter_allgather bcast=binomial
	gather=binomial gather=linear scatter=binomial scatter=linear allgather=recursive_doubling
	allgather=bruck allgather=ring alltoall=bruck alltoall=pairwise alltoall=linear
	reduce=ordered_gather reduce=ordered_scatter reduce=rabenseifner reduce=binomial
	allreduce=ring allreduce=rabenseifner allreduce=recursive_doubling
	reduce_scatter=recursive_halving reduce_scatter=pairwise reduce_scatter=nonoverlapping
	scan=ordered_gather scan=ordered_chain scan=recursive_doubling"

# ways NAME CALL FORM ARENA: all deaths of one call.
all_ways() {
	for way in HAFT_COLL=shm HAFT_COLL=p2p HAFT_VIA=net two; do
		for place in "" +1 +3 +9; do
			for victim in 0 2 4; do
				for count in 1 300 20000; do
					[ $((n % every)) = 0 ] && die $way "$place" $victim "$@" $count
					n=$((n + 1))
				done
			done
		done
	done
}

# nth N WORD...
nth() {
	shift $(($1 % ($# - 1) + 1))
	echo "$1"
}

n=0
all_calls | grep -e "${ONLY:-.}" >"$TMPDIR/calls"
while read -r name call form arena; do
	if [ "$every" != 0 ]; then
		all_ways "$name" "$call" "$form" "$arena"
		continue
	fi
	die "$(nth $n HAFT_COLL=shm HAFT_COLL=p2p HAFT_VIA=net two)" \
		"$(nth $((n * 7 / 4)) +0 +1 +3 +9)" "$(nth $((n / 3)) 0 2 4)" \
		"$name" "$call" "$form" "$arena" "$(nth $n 1 300 20000)"
	n=$((n + 1))
done <"$TMPDIR/calls"


for algorithm in $algorithms; do
	kind=${algorithm%=*}
	call=$(printf '%s' "$kind" | cut -c1 | tr '[:lower:]' '[:upper:]')${kind#?}
	case $call in *${ONLY:-}*) ;; *) continue ;; esac
	for place in +0 +1 +4; do
		for victim in 0 1 2 3 4; do
			[ "$every" != 0 ] || [ $((n % 11)) = 0 ] &&
				die HAFT_COLL_ALGORITHM=$algorithm $place $victim $call $call b intra 300
			n=$((n + 1))
		done
	done
done
# Windows and files.
for call in Win_lock Win_flush Win_lock_all Rget Win_fence Win_post File_write_at_all \
	File_write_shared File_write_ordered File_read_all File_sync; do
	case $call in *${ONLY:-}*) ;; *) continue ;; esac
	for way in HAFT_RMA=auto HAFT_RMA=msg HAFT_VIA=net two; do
		for place in +0 +2 +7; do
			for victim in 0 2 4; do
				[ "$every" != 0 ] || [ $((n % 9)) = 0 ] &&
					die $way $place $victim $call $call b x 1
				n=$((n + 1))
			done
		done
	done
done
# Some members go on before others know of the death, or of the revocation.
for call in File_write_shared File_write_ordered Win_fence; do
	case $call in *${ONLY:-}*) ;; *) continue ;; esac
	for i in 1 2 3 4 5 6 7 8 9 10; do
		die two +0 4 $call $call b x 1
	done
done
# Messages.
for call in Sendrecv Isend Issend Irecv Startall Pready Probe Mprobe Iprobe Finalize; do
	case $call in *${ONLY:-}*) ;; *) continue ;; esac
	for way in HAFT_VIA=auto HAFT_EAGER=0 HAFT_VIA=net two; do
		for place in +0 +1 +3 +9; do
			for victim in 0 2 4; do
				[ "$every" != 0 ] || [ $((n % 11)) = 0 ] &&
					die $way $place $victim $call $call
				n=$((n + 1))
			done
		done
	done
done
echo "$runs deaths"
finish
