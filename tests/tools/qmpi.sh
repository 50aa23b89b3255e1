# SPDX-License-Identifier: BSD-3-Clause
# RUN time=300
# mpiexec -tool: tools in each rank, two at once count what a PMPI library counts, in C and Fortran,
# on several hosts; a tool that is not there is named; the line of a call; a program without shared
# libraries.
. tests/tools/lib.sh

# A library that is loaded first does not go with a sanitizer's.
[ -z "$san" ] || exit 77
top=$PWD
cc="$B/bin/mpicc -Wall -Wextra -I$top"
so="$cc -w -fPIC -shared"

"$B/bin/mpicc" -g -Wall tests/tools/profile.c -o "$TMPDIR/prog" || exit 1
"$B/dev/gen" tool.c >"$TMPDIR/tool.c" && "$B/dev/gen" count.c >"$TMPDIR/count.c" || exit 1
for t in a b; do
	$so -DTOOL="\"$t\"" "$TMPDIR/tool.c" -o "$TMPDIR/$t.so" || exit 1
done
$so "$TMPDIR/count.c" -o "$TMPDIR/count.so" || exit 1
$cc -fPIC -shared tests/tools/qmpi_where.c -o "$TMPDIR/where.so" || exit 1
$cc -fPIC -shared tests/examples/tool/counts.c -o "$TMPDIR/counts.so" || exit 1

# --- two tools, and a PMPI library above them, count the same; its own calls are seen below it
sums() {
	cat "$TMPDIR"/$1.[0-9]* | awk '$1 !~ /^MPI_(Initialized|Finalized)$/ { n[$1] += $2 }
		END { for (f in n) print f, n[f] }' | sort
}
few=10
alike() {
	rm -f "$TMPDIR"/n.*
	job -env COUNT_FILE "$TMPDIR/n" -tool "$TMPDIR/a.so,$TMPDIR/b.so,$TMPDIR/count.so" "$@"
	want_rc 0
	sums n >"$TMPDIR/pmpi"
	for t in a b; do
		sums n.$t >"$TMPDIR/qmpi"
		diff "$TMPDIR/pmpi" "$TMPDIR/qmpi" >"$TMPDIR/diff" || {
			fail "$said: tool $t counts other calls (>) than PMPI (<):"
			head -20 "$TMPDIR/diff"
		}
	done
	[ "$(wc -l <"$TMPDIR/pmpi")" -ge $few ] || fail "$said: only $(wc -l <"$TMPDIR/pmpi") functions"
}
alike -n 3 "$TMPDIR/prog" sums
alike -launcher fork -hosts a:2,b:1 -n 3 "$TMPDIR/prog" sums
few=500
"$B/dev/gen" garbage.c >"$TMPDIR/garbage.c" &&
	$cc -w tests/abi/garbage_handles.c "$TMPDIR/garbage.c" -o "$TMPDIR/garbage" &&
	alike -n 1 "$TMPDIR/garbage"

# --- a PMPI library is no QMPI tool
want_err "count.so, which no loaded library has registered"

# --- the line of a call, which is behind libmpifort_abi.so in Fortran
# lines SOURCE PROGRAM CALL:MARK...
lines() {
	source=$1 program=$2
	shift 2
	job -tool "$TMPDIR/where.so" -n 2 $program
	want_rc 0
	for name; do
		at=$(grep -n "line-${name#*:}\\>" "$source" | cut -d: -f1)
		address=$(awk -v call="${name%:*}" '$1 == call { print $3; exit }' "$out")
		addr2line -e "${program%% *}" "$address" | grep -q ":$at\\>" ||
			fail "$said: ${name%:*} at $address, not in line $at of $source"
	done
}
if command -v addr2line >/dev/null; then
	lines tests/tools/profile.c "$TMPDIR/prog sender" MPI_Recv:recv
	if command -v gfortran >/dev/null; then
		f90=tests/tools/profile_fort.f90
		"$B/bin/mpifort" -g $f90 -o "$TMPDIR/fort" || fail "mpifort does not compile $f90"
		few=3
		alike -n 2 "$TMPDIR/fort"
		lines $f90 "$TMPDIR/fort" MPI_Send:send MPI_Recv:recv MPI_Allreduce:reduce
	fi
fi

# --- the example; its own calls count with no tool; several programs
said_sends() {
	[ "$(grep -c 'rank [01]: 3 sends, 120 bytes' "$out")" = "$1" ] || {
		fail "$said: not $1 lines of 3 sends, but:"
		cat "$out"
	}
}
cat >"$TMPDIR/three.c" <<'END'
#include <mpi.h>
int main(void)
{
	int rank, size, x[10] = {0}, y[10];

	MPI_Init(0, 0);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	for (int i = 0; i < 3; i++) {
		MPI_Send(x, 10, MPI_INT, (rank + 1) % size, 0, MPI_COMM_WORLD);
		MPI_Recv(y, 10, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	}
	MPI_Finalize();
}
END
$cc "$TMPDIR/three.c" -o "$TMPDIR/three" || fail "cannot compile"
job -tool "$TMPDIR/counts.so" -n 2 "$TMPDIR/three"
said_sends 2
job -tool "$TMPDIR/counts.so" -n 1 "$TMPDIR/three" : -n 1 "$TMPDIR/three"
said_sends 2
job -tool "$TMPDIR/counts.so,$TMPDIR/where.so" -n 2 "$TMPDIR/three"
said_sends 2
[ "$(grep -c MPI_Send "$out")" = 6 ] || fail "$said: the second tool sees no sends"

# --- a profile names the program's lines, not the tool's
if command -v addr2line >/dev/null; then
	job -profile -tool "$TMPDIR/where.so" -n 2 "$TMPDIR/prog" receiver
	case $B in *release) want_err 'profile.c:' ;; esac
	! grep -q 'qmpi_where.c:' "$err" || fail "$said: the profile names the tool"
fi

# --- lists by name, the same tool twice, and one that is not there
job -env QMPI_TOOL_LIST counts:counts:nothing -env LD_PRELOAD "$TMPDIR/counts.so" -n 2 "$TMPDIR/three"
said_sends 4
want_err 'haft: QMPI_TOOL_LIST names the tool nothing, which no loaded library has registered'
[ "$(grep -c 'names the tool nothing' "$err")" = 1 ] || fail "$said: not one line"
job -env QMPI_TOOL_LIST other -env LD_PRELOAD "$TMPDIR/counts.so" -n 2 "$TMPDIR/three"
said_sends 0

# --- a tool in a program without libmpi_abi.so
"${CC:-cc}" -I"$B/include" "$TMPDIR/three.c" tests/examples/tool/counts.c "$B/lib/libmpi_abi.a" -ldl -lpthread \
	-o "$TMPDIR/static" || fail "cannot link with libmpi_abi.a"
job -env QMPI_TOOL_LIST counts -n 2 "$TMPDIR/static"
said_sends 2

# --- errors
job -tool "$TMPDIR/none.so" -n 1 true
want_rc 2
want_err 'none.so: No such file'
job -tool , -n 1 true
want_rc 2
mkdir "$TMPDIR/a b" && cp "$TMPDIR/where.so" "$TMPDIR/a b/"
job -tool "$TMPDIR/a b/where.so" -n 1 true
want_rc 2
want_err 'no path with a colon or a blank'
finish
