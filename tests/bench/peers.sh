#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# peers.sh [-v] - measures Haft beside other MPI libraries and prints one table.
#
#   B=DIR         build directory: $B/bin/mpicc and $B/bin/mpiexec are Haft's (default
#                 build/release)
#   PEERS=LIST    of "openmpi mpich before"; empty: Haft alone
#   BEFORE=DIR    the build directory of an older Haft: the peer `before'
#   HAFT=no       the peers alone
#   OVER=tcp      all libraries by sockets on the loopback; the rows are those of tcp.txt
#   ROWS=REGEX    only rows whose "figure@np" or title matches, as "lat|barrier@16"
#   ROUNDS=N      how often the libraries take turns (default 5)
#   LIMIT=S       seconds after which a job is given up and counts as "> X" (default 20)
#   -v            10th and 90th percentile of all samples below each line
#
# Row by row and round by round each library runs one job, ABC ABC ABC: compared values were
# measured within seconds.  README.md says how to read the table.  Exit code 1: a job of Haft
# failed.
set -u
here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
B=${B:-build/release}
PEERS=${PEERS-openmpi mpich}
ROWS=${ROWS:-.}
ROUNDS=${ROUNDS:-5}
LIMIT=${LIMIT:-20}
OVER=${OVER:-}
case $OVER in
tcp) rows=$here/tcp.txt ;;
'') rows=$here/rows.txt ;;
*) echo "bench: OVER is tcp or nothing, not \`$OVER'" >&2 && exit 1 ;;
esac
verbose=0
[ "${1:-}" = -v ] && verbose=1
BEFORE=${BEFORE:-}
case " $PEERS " in
*" before "*) [ -n "$BEFORE" ] || { echo "bench: the peer \`before' needs BEFORE=DIR" >&2; exit 1; } ;;
esac
all=$PEERS
[ "${HAFT:-yes}" = no ] || all="haft $PEERS"
work=$B/bench
results=$work/results.txt
log=$work/log.txt
# make passes its lists; without it they are looked up.
LINE=${LINE:-tests/bench/line.c}
COPY=${COPY:-tests/bench/copy.c}
BARE=${BARE:-tests/bench/bare_start.c}
RING=${RING:-tests/bench/ring.c}
SOURCES=${SOURCES:-$(sed -n '/^bench_SRCS/,/[^\\]$/s/^\t\([^ ]*\).*/\1/p' "$here/files.mk")}
failed=0
busy=
trap busy_end EXIT

die()
{
	echo "bench: $*" >&2
	exit 1
}

compiler()
{
	case $1 in
	haft) echo "$B/bin/mpicc" ;;
	before) echo "$BEFORE/bin/mpicc" ;;
	*) echo "mpicc.$1" ;;
	esac
}

# By sockets; with many ranks on four hosts, which are so in name only.
launcher_tcp()
{
	[ "$1" != before ] || { B=$BEFORE launcher_tcp haft "$2" && return; }
	local mpich="mpirun.mpich -genv UCX_TLS tcp,self -genv UCX_NET_DEVICES lo"
	case $1 in
	haft)
		if [ "$2" -lt 16 ]; then
			echo "env HAFT_VIA=net $B/bin/mpiexec -n $2"
		else
			echo "$B/bin/mpiexec -launcher fork -iface lo -hosts h1,h2,h3,h4 -ppn $(($2 / 4)) -n $2"
		fi
		;;
	openmpi)
		echo "mpirun.openmpi --allow-run-as-root --oversubscribe --bind-to none --mca pml ob1 \
			--mca btl tcp,self --mca btl_tcp_if_include lo -n $2"
		;;
	mpich)
		if [ "$2" -lt 16 ]; then
			echo "$mpich -genv MPIR_CVAR_NOLOCAL 1 -n $2"
		else
			echo "$mpich -genv MPIR_CVAR_NUM_CLIQUES 4 -n $2"
		fi
		;;
	esac
}

# The command that starts $2 ranks of library $1, up to the program's name.
launcher()
{
	[ "$OVER" != tcp ] || { launcher_tcp "$@" && return; }
	[ "$2" != 0 ] || { echo env && return; }
	case $1 in
	haft) echo "$B/bin/mpiexec -n $2" ;;
	before) echo "$BEFORE/bin/mpiexec -n $2" ;;
	openmpi) echo "mpirun.openmpi --allow-run-as-root --oversubscribe --bind-to none -n $2" ;;
	mpich) echo "mpirun.mpich -n $2" ;;
	esac
}

build()
{
	local lib
	mkdir -p "$work" || die "cannot make $work"
	for lib in $all; do
		command -v "$(compiler "$lib")" >/dev/null || die "no $(compiler "$lib")"
		# MPICH 4.0's header says that MPI_STATUSES_IGNORE is too small an array.
		(cd "$top" && $(compiler "$lib") -std=gnu11 -D_GNU_SOURCE -O2 -Wall -I. \
			-Wno-stringop-overflow -o "$work/mpi.$lib" $SOURCES -lm) ||
			die "does not compile with $lib"
	done
	(cd "$top" && ${CC:-cc} -std=gnu11 -D_GNU_SOURCE -O2 -Wall -o "$work/line" \
		$LINE) || die "line.c does not compile"
	(cd "$top" && ${CC:-cc} -std=gnu11 -D_GNU_SOURCE -O2 -Wall -I. -o "$work/copy" \
		$COPY) || die "copy.c does not compile"
	(cd "$top" && ${CC:-cc} -std=gnu11 -D_GNU_SOURCE -O2 -Wall -o "$work/bare_start" \
		$BARE) || die "bare_start.c does not compile"
	(cd "$top" && ${CC:-cc} -std=gnu11 -D_GNU_SOURCE -O2 -Wall -I. -o "$work/ring" \
		$RING) || die "ring.c does not compile"
}

# The first processor that this shell may use.
first_cpu()
{
	taskset -cp $$ | sed 's/.*: *//; s/[-,].*//'
}

# line_probe WHEN: the bare cache line.
line_probe()
{
	"$work/line" 2>>"$log" | awk -v when="$1" '{
		printf "cache line %s: %.0f ns one way (p10 %.0f, p90 %.0f)\n", when, $14, $6, $22 }'
}

# copy_probe WHEN: the cost of copying between two processes without any library.
copy_probe()
{
	"$work/copy" 2>>"$log" | awk -v when="$1" '/ rows / {
		printf "bare rows %s, us: y face 64 KiB pipe %.3g, read %.3g, by both %.3g;", when, $5, $6, $7
		printf " 1 MiB %.4g, %.4g, %.4g; 8 MiB %.4g, %.4g, %.4g;", $9, $10, $11, $13, $14, $15
		printf " 8 MiB without gaps %.4g, %.4g, %.4g\n", $17, $18, $19; next }
		{ printf "bare copies %s, us: 64 KiB pipe %.3g, read %.3g, by both %.3g;", when, $5, $6, $7
		printf " 1 MiB %.4g, %.4g, %.4g; fold of 1 MiB %.4g;", $9, $10, $11, $12
		printf " lines of 64 KiB %.3g\n", $13 }'
}

# bare_of FIGURE NP: the bare figure for a target of the kind b<=X, measured now; empty if there is
# none.
bare_of()
{
	case $1 in
	rate8) "$work/ring" 2>>"$log" | awk '{ print $5 }' ;;
	lat8) "$work/line" 2>>"$log" | awk '{ print $14 / 1e3 }' ;;
	start) "$work/bare_start" "$2" 2>>"$log" | awk '$2 == "together" { print $4 }' ;;
	lat64k | lat1m | allreduce1m)
		"$work/copy" 2>>"$log" | awk -v figure="$1" '
			function least(a, b, c) { return a < b ? (a < c ? a : c) : (b < c ? b : c) }
			/ rows / { next }
			figure == "lat64k" { print least($5, $6, $7) }
			figure == "lat1m" { print least($9, $10, $11) }
			figure == "allreduce1m" { print $12 }'
		;;
	apps.*) # of Haft's own jobs of this row; nothing where it is not above the ideal
		awk -v id="$2.free" -v figure="$1.bare" '
			$1 == id && $2 == "haft" && $4 == "=" && $5 == figure { print $(7 + int((NF - 6) / 2)) }
			' "$results" | sort -g | awk '{ v[NR] = $1 }
			END { if (NR && v[int((NR + 1) / 2)] > 0) print v[int((NR + 1) / 2)] }'
		;;
	esac
}

# Seconds since the epoch, as EPOCHREALTIME has them in any locale.
now()
{
	echo "${EPOCHREALTIME/,/.}"
}

# Four processes a CPU that compute, as another job's do.
busy_begin()
{
	local i
	for ((i = 4 * $(nproc); i > 0; i--)); do
		bash -c 'while :; do :; done' &
		busy="$busy $!"
	done
}

busy_end()
{
	[ -n "$busy" ] || return
	kill $busy
	wait $busy 2>/dev/null
	busy=
}

# job LIB FIGURE NP PLACE ROUND: runs it, appends its lines to the results.
job()
{
	local lib=$1 figure=$2 np=$3 place=$4 round=$5 prefix= options= start end rc out
	case $place in
	cores) options="-p" ;;
	share) prefix="taskset -c $(first_cpu)"; options="-t 400 -b 20" ;;
	helper) prefix="env HAFT_PROGRESS=thread"; options="-t 400 -b 20" ;;
	busy) options="-t 3000 -b 1000"; busy_begin ;;
	*) options="-t 400 -b 20" ;;
	esac
	[ "$figure" != profcall ] || prefix="env HAFT_PROFILE=$work/profile.txt"
	[ "$figure" != tracecall ] || prefix="env HAFT_TRACE=$work/trace.pftrace"
	out=$work/out.txt
	echo "--- $lib $figure@$np round $round" >>"$log"
	start=$(now)
	# The shell between writes "Killed" into the log and not into the table.
	bash -c '"$@"; exit' - timeout -k 5 "$LIMIT" $prefix $(launcher "$lib" "$np") \
		"$work/mpi.$lib" $options -l $((LIMIT * 3 / 4)) "$figure" \
		>"$out" 2>>"$log" </dev/null
	rc=$?
	end=$(now)
	busy_end
	[ $rc = 137 ] && rc=124
	if [ "$figure" = start ] && [ $rc = 0 ]; then
		awk -v a="$start" -v b="$end" 'BEGIN { printf "= start s %.6f\n", b - a }' >"$out"
	elif [ "$figure" = start ] && [ $rc = 124 ]; then
		echo "> start s $LIMIT" >"$out"
	elif [ $rc = 124 ] && ! grep -q '^>' "$out"; then
		echo "exceeded the limit" >>"$log"
		echo "! $figure time" >>"$out"
	elif ! grep -q '^[=>] [a-z]' "$out"; then
		echo "exit code $rc" >>"$log"
		echo "! $figure failed" >"$out"
	elif [ $rc != 0 ] && ! grep -q '^>' "$out"; then
		echo "exit code $rc after the measurement" >>"$log"
		echo "! $figure failed" >"$out"
	fi
	# Launchers draw lines of === around their words.
	grep '^[=>!] [a-z]' "$out" | sed "s|^|$np.$place $lib $round |" >>"$results"
	! grep -q '^[>!]' "$out"
}

# row FIGURE NP PLACE ROUNDS: all rounds; a library that has failed or exceeded the limit is
# not tried again.
row()
{
	local figure=$1 np=$2 place=$3 rounds=$4 round lib gone=" "
	[ "$rounds" = n ] || [ "$rounds" -gt "$ROUNDS" ] && rounds=$ROUNDS
	for ((round = 1; round <= rounds; round++)); do
		for lib in $all; do
			[ "$place" = alone ] && [ "$lib" != haft ] && continue
			case $gone in *" $lib "*) continue ;; esac
			job "$lib" "$figure" "$np" "$place" "$round" && continue
			gone="$gone$lib "
			[ "$lib" = haft ] && failed=1
		done
	done
}

table()
{
	awk -v libs="$all" -v verbose=$verbose -v mode="$1" -v figure="$2" -v id="$3" \
		-v first="$4" -v target="$5" -v title="$6" -v bare="${7:-}" -f "$here/table.awk" "$results"
}

build
: >"$results"
: >"$log"
echo "$(nproc) processors, load average $(cut -d' ' -f1 /proc/loadavg)"
line_probe before
copy_probe before
table head "" "" "" "" row
np=
while IFS='|' read -r figure n place rounds first target title; do
	case $figure in '#'* | '') continue ;; esac
	read -r figure n place rounds first target <<<"$figure $n $place $rounds $first $target"
	title=$(sed 's/^ *//; s/ *$//' <<<"$title")
	if [ "$n" != = ]; then
		np=$n
		main=$figure
	fi
	grep -Eq "$ROWS" <<<"$main@$np $title" || continue
	[ "$place" = alone ] && [ "${HAFT:-yes}" = no ] && continue
	[ "$n" = = ] || row "$figure" "$np" "$place" "$rounds"
	bare=
	case $first$target in *b*) bare=$(bare_of "$figure" "$np") ;; esac
	table row "$figure" "$np.$place" "$first" "$target" "$title" "$bare"
done <"$rows"
line_probe after
copy_probe after
grep -q ' [>!] ' "$results" && echo "* some rounds gave no figure: $log"
exit $failed
