# SPDX-License-Identifier: BSD-3-Clause
# RUN time=300
# mpiexec -profile names planted culprits, whatever way the job ends; its sums are right.
. tests/tools/lib.sh

prog=$TMPDIR/profile
"$B/bin/mpicc" $san -g -Wall tests/tools/profile.c -o "$prog" || exit 1
line() { grep -n "line-$1 " tests/tools/profile.c | cut -d: -f1; }
# Where lines cannot be looked up, or the calls of a binding are no jumps, only the rest is asked.
lines=1
command -v addr2line >/dev/null || lines=
case $B in *debug* | *address* | *thread* | *undefined*) lines= ;; esac
want_line() {
	[ -z "$lines" ] || grep -E "^ $1 .*profile.c:$(line "$2")\)" "$err" >/dev/null || {
		fail "$said: no line of $1 at profile.c:$(line "$2"), but:"
		cat "$err"
	}
}

# --- culprits
job -profile -n 4 "$prog" sender
want_rc 0
want_err 'Rank 1 is what the others wait for'
want_err 'late sender'
want_line MPI_Recv recv

job -profile -n 2 "$prog" receiver
want_err 'Rank 1 is what the other waits for'
want_err 'late receiver'
want_line MPI_Ssend ssend

job -profile -n 4 "$prog" loop
want_err 'Rank 3 is what the others wait for'
want_err 'last to come'
want_err ', rank 3'
want_line MPI_Allreduce reduce

job -profile -n 3 "$prog" lock
want_err 'Rank 1 is what the others wait for'
want_line MPI_Win_lock lock

job -profile -n 4 "$prog" chain
want_err 'Rank 1 is what the others wait for'

# --- Fortran: the line of the program, not that of Fortran's library
if command -v gfortran >/dev/null && [ -n "$lines" ]; then
	f90=tests/tools/profile_fort.f90
	"$B/bin/mpifort" -g $f90 -o "$TMPDIR/profile_fort" || fail "mpifort does not compile $f90"
	job -profile -n 2 "$TMPDIR/profile_fort"
	want_rc 0
	want_err 'Rank 1 is what the other waits for'
	for name in send:MPI_Send recv:MPI_Recv reduce:MPI_Allreduce; do
		at=$(grep -n "line-${name%:*}" $f90 | cut -d: -f1)
		grep -qE "^ ${name#*:} .*profile_fort.f90:$at\)" "$err" || {
			fail "$said: no line of ${name#*:} at $f90:$at, but:"
			cat "$err"
		}
	done
fi

# --- whatever the end
for how in kill abort; do
	job -profile -n 3 "$prog" $how
	[ $rc != 0 ] || fail "$said: exit code 0"
	want_err 'Rank 1 is what the others wait for'
	want_err '(has not ended MPI)'
	want_line MPI_Recv dies
done
job -profile -timeout 2 -n 3 "$prog" pause
want_rc 124
want_err 'Rank 1 is what the others wait for'
want_line MPI_Recv dies

# --- several hosts
job -profile -launcher fork -hosts a:2,b:2 -n 4 "$prog" last
want_err '4 ranks on 2 hosts'
want_err 'Rank 3 is what the others wait for'
want_line MPI_Allreduce reduce

# --- MPI_Pcontrol: calls while it is off are not counted
job -profile=$TMPDIR/p.json -n 2 "$prog" parts
want_err 'profile in '
n=$(sed -n 's/.*"call": "MPI_Barrier", "n": \([0-9]*\),.*/\1/p' "$TMPDIR/p.json")
[ "$n" = 2 ] || fail "$said: $n calls of MPI_Barrier, not 2"
grep -q '"name": "solver", "n": 1,' "$TMPDIR/p.json" || fail "$said: no region solver"

# --- MPI_Pcontrol(2): the profile as it is, and the job goes on
for hosts in '' '-launcher fork -hosts a:1,b:1'; do
	rm -f "$TMPDIR"/p.*json
	job -profile=$TMPDIR/p.json $hosts -n 2 "$prog" snapshots
	want_rc 0
	for want in p.1:20 p.2:60 p:60; do
		n=$(sed -n 's/.*"call": "MPI_Barrier", "n": \([0-9]*\),.*/\1/p' \
			"$TMPDIR/${want%:*}.json")
		[ "$n" = "${want#*:}" ] || fail "$said: $n calls of MPI_Barrier in ${want%:*}.json"
	done
done
job -profile -n 2 "$prog" snapshots
want_err 'snapshot 2 of the job, which goes on:'

# --- bytes of blocks with counts of their own, on 3 ranks
job -profile=$TMPDIR/p.json -n 3 "$prog" blocks
want_rc 0
for want in Alltoallv:216 Ialltoallw:144 Reduce_scatter:72 Neighbor_alltoallv:72 \
	Neighbor_alltoallw:144; do
	n=$(sed -n "s/.*\"call\": \"MPI_${want%:*}\",.* \"bytes\": \([0-9]*\),.*/\1/p" "$TMPDIR/p.json" |
		awk '{ n += $1 } END { print n }')
	[ "$n" = "${want#*:}" ] || fail "$said: $n bytes of MPI_${want%:*}, not ${want#*:}"
done

# --- a persistent collective call counts at each start what the blocking one counts
job -profile=$TMPDIR/p.json -n 3 "$prog" both
want_rc 0
sed -n 's/.*"call": "\(MPI_[A-Za-z_]*\)",.* "bytes": \([0-9]*\),.*/\1 \2/p' "$TMPDIR/p.json" |
	awk '$1 == "MPI_Start" { started += $2; next } $1 !~ /_init$/ { called += $2 }
		END { print called, started; exit !(called > 0 && called == started) }' >"$out" ||
	fail "$said: bytes of blocking calls, and of MPI_Start: $(cat "$out")"

# --- bytes and messages: 3 rounds of 10 ints to the next rank, 16 bytes to itself
job -profile=$TMPDIR/p.csv -n 2 "$prog" sums
got=$(cut -d, -f1-4 "$TMPDIR/p.csv" | sort | tr '\n' ' ')
[ "$got" = '0,0,1,16 0,1,3,120 1,0,3,120 1,1,1,16 rank,peer,messages,bytes ' ] || fail "$said: $got"

# --- calls: as a profiling library counts them, over the whole table of functions
count=$TMPDIR/libcount.so
"$B/dev/gen" count.c >"$TMPDIR/count.c" &&
	"$B/bin/mpicc" $san -w -fPIC -shared -I. "$TMPDIR/count.c" -o "$count" ||
	fail "no library that counts"
counted() {
	rm -f "$TMPDIR"/count.[0-9]*
	job -profile=$TMPDIR/p.json -env LD_PRELOAD "$count" -env COUNT_FILE "$TMPDIR/count" "$@"
	want_rc 0
	awk '{ n[$1] += $2 } END { for (f in n) print f, n[f] }' "$TMPDIR"/count.[0-9]* |
		sort >"$TMPDIR/theirs"
	calls=$TMPDIR/calls
	sed -n 's/.*"call": "\([^"]*\)", "n": \([0-9]*\),.*/\1 \2/p' "$TMPDIR/p.json" >"$calls"
	sed -n 's/^ "counted": {\(.*\)},$/\1/p' "$TMPDIR/p.json" | tr -d ' "' |
		tr ',:' '\n ' >>"$calls"
	awk 'NF == 2 { n[$1] += $2 } END { for (f in n) print f, n[f] }' "$calls" |
		sort >"$TMPDIR/ours"
	diff "$TMPDIR/theirs" "$TMPDIR/ours" >"$TMPDIR/diff" || {
		fail "$said: the profile counts other calls (>) than PMPI (<):"
		head -20 "$TMPDIR/diff"
	}
	[ "$(wc -l <"$TMPDIR/ours")" -ge "$few" ] ||
		fail "$said: only $(wc -l <"$TMPDIR/ours") functions"
}
if [ -z "$san" ]; then
	few=10
	counted -n 3 "$prog" sums
	few=500
	"$B/dev/gen" garbage.c >"$TMPDIR/garbage.c" &&
		"$B/bin/mpicc" -w -I. tests/abi/garbage_handles.c "$TMPDIR/garbage.c" \
			-o "$TMPDIR/garbage" &&
		counted -n 1 "$TMPDIR/garbage"
fi

# --- threads: all calls are counted
"$B/bin/mpicc" $san -g -Wall -pthread tests/tools/trace.c -o "$TMPDIR/trace" || fail "trace.c"
job -profile=$TMPDIR/p.json -n 2 "$TMPDIR/trace" threads
want_rc 0
n=$(sed -n 's/.*"call": "MPI_Sendrecv", "n": \([0-9]*\),.*/\1/p' "$TMPDIR/p.json" |
	awk '{ n += $1 } END { print n }')
[ "$n" = 300 ] || fail "$said: $n calls of MPI_Sendrecv, not 300"

# --- HTML: one page, which loads nothing
job -profile=$TMPDIR/p.html -n 2 "$prog" sums
tail -1 "$TMPDIR/p.html" | grep -q '</html>' || fail "$said: the page has no end"
! grep -E '(src|href)=|https?:' "$TMPDIR/p.html" || fail "$said: the page asks for other files"

# --- without our mpiexec: the process itself reports in MPI_Finalize
said='HAFT_PROFILE without mpiexec'
HAFT_PROFILE=- "$prog" sums 2>"$err" || fail "$said: exit code $?"
want_err '1 rank on 1 host'
want_line MPI_Startall startall

# --- errors
job -profile=$TMPDIR/p.pdf -n 1 true
want_rc 2
want_err 'must end with .html'
finish
