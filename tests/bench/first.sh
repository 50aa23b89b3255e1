#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# first.sh - the first messages of many short jobs of two ranks: do the ranks find CPUs of their
# own?
#
#   B=DIR         build directory, whose bench/mpi.LIB `make bench-peers' has made
#   LIBS=LIST     of "haft openmpi mpich" (default haft)
#   STARTS=N      jobs of each kind (default 200)
#   KINDS=LIST    of the kinds below (default all), for parts of a long measurement
#
#   job    one job at a time          bound  with rank r bound to processor r, after MPI_Init
#   two    two jobs at once           multiple  at MPI_THREAD_MULTIPLE
#
# A line for each library and kind: microseconds of a message of the first 4,000 after one round
# trip, as the least, median, 90th percentile and worst of all jobs.
set -u
B=${B:-build/release}
LIBS=${LIBS:-haft}
STARTS=${STARTS:-200}
KINDS=${KINDS:-bound job multiple-bound multiple two-bound two}

start()
{
	local lib=$1
	shift
	case $lib in
	haft) "$B/bin/mpiexec" -n 2 "$B/bench/mpi.haft" "$@" first ;;
	openmpi) mpirun.openmpi --allow-run-as-root --oversubscribe --bind-to none -n 2 \
		"$B/bench/mpi.openmpi" "$@" first ;;
	mpich) mpirun.mpich -n 2 "$B/bench/mpi.mpich" "$@" first ;;
	esac </dev/null 2>/dev/null | awk '$1 == "=" { print $4 }'
}

many()
{
	local lib=$1 kind=$2 i
	for ((i = 0; i < STARTS; i++)); do
		case $kind in
		job) start "$lib" ;;
		bound) start "$lib" -p ;;
		multiple) start "$lib" -m ;;
		multiple-bound) start "$lib" -m -p ;;
		two) start "$lib" & start "$lib"; wait ;;
		two-bound) start "$lib" -p & start "$lib" -p; wait ;;
		esac
	done
}

for lib in $LIBS; do
	for kind in $KINDS; do
		many "$lib" "$kind" | sort -g | awk -v lib="$lib" -v kind="$kind" '{ v[NR] = $1 }
			END { printf "%-8s %-15s %4d jobs: %.3f %.3f %.3f %.3f\n", lib, kind, NR,
				v[1], v[int((NR + 1) / 2)], v[int(NR * 0.9)], v[NR] }'
	done
done
