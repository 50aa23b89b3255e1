# SPDX-License-Identifier: BSD-3-Clause
# Settings by the environment: a bad value is said once a job, with its name, its range and the
# value used instead, and the job works; a good value is not mentioned, and the data comes whole.
. tests/tools/lib.sh

# shellcheck disable=SC2086
"$B/bin/mpicc" $san -O1 -o "$TMPDIR/p" tests/tools/sendrecv_ring.c || exit 1
export HAFT_SINGLE_COPY=never

# bad_value NAME VALUE RANGE DEFAULT
bad_value() {
	export "$1=$2"
	job -n 4 "$TMPDIR/p"
	want_rc 0
	want_err "haft: $1=$2 is not understood: it is $3"
	want_err "using $4"
	[ "$(grep -c "$1" "$err")" = 1 ] || fail "$1=$2: said $(grep -c "$1" "$err") times"
	[ "$(wc -l <"$err")" = 1 ] || fail "$1=$2: something else is said: $(cat "$err")"
	"$B/bin/mpi-info" --settings 2>&1 | grep -q "^haft: $1=$2 is not" ||
		fail "mpi-info does not say that $1=$2 is bad"
	[ "$("$B/bin/mpi-info" --settings 2>/dev/null | sed -n "s/^$1  *\([^ ]*\) .*/\1/p")" = "$4" ] ||
		fail "mpi-info does not show $1's default"
	unset "$1"
}
# good_value NAME VALUE SHOWN
good_value() {
	export "$1=$2"
	job -n 4 "$TMPDIR/p"
	want_rc 0
	[ -s "$err" ] && fail "$1=$2: $(cat "$err")"
	[ "$("$B/bin/mpi-info" --settings | sed -n "s/^$1  *\([^ ]*\) .*/\1/p")" = "$3" ] ||
		fail "mpi-info does not show $1=$2 as $3"
	unset "$1"
}
"$B/bin/mpi-info" --settings | grep null && fail "a setting with two words"
now() {
	"$B/bin/mpi-info" --settings | sed -n "s/^$1  *\([^ ]*\) .*/\1/p"
}

bad_value HAFT_RING_AFTER -1 "a number from 0 to" "$(now HAFT_RING_AFTER)"
bad_value HAFT_PIPE_CHUNK 1000 "a number from 256 to 16777216, a multiple of 64" "$(now HAFT_PIPE_CHUNK)"
bad_value HAFT_PIPE_CHUNK 32M "a number from 256 to 16777216, a multiple of 64" "$(now HAFT_PIPE_CHUNK)"
bad_value HAFT_PIPE_CHUNKS 3 "a number from 2 to 8, a power of two" "$(now HAFT_PIPE_CHUNKS)"
bad_value HAFT_PIPE_CHUNKS 16 "a number from 2 to 8, a power of two" "$(now HAFT_PIPE_CHUNKS)"
bad_value HAFT_RING_SLOTS 100 "a number from 4 to 4096, a power of two" "$(now HAFT_RING_SLOTS)"
bad_value HAFT_RING_SLOTS 8k "a number from 4 to 4096, a power of two" "$(now HAFT_RING_SLOTS)"
bad_value HAFT_SPIN often "a number from 0 to" "$(now HAFT_SPIN)"
bad_value HAFT_YIELD 1x "a number from 0 to" "$(now HAFT_YIELD)"
bad_value HAFT_BOOT no "one of auto, alone" auto
bad_value HAFT_CHECK tpyes "a list of words with commas, of types, coll, rma" none
bad_value HAFT_SLEEP no "one of auto, never, always" auto
bad_value HAFT_MOVE no "one of auto, never" auto
bad_value HAFT_EAGER 2M "a number from 0 to" "$(now HAFT_EAGER)"
good_value HAFT_RING_AFTER 0 0
good_value HAFT_RING_AFTER 1M 1048576
good_value HAFT_PIPE_CHUNK 256 256
good_value HAFT_PIPE_CHUNK 1M 1048576
good_value HAFT_PIPE_CHUNKS 2 2
good_value HAFT_PIPE_CHUNKS 8 8
good_value HAFT_RING_SLOTS 4 4
good_value HAFT_RING_SLOTS 4k 4096
good_value HAFT_SPIN 0 0
good_value HAFT_YIELD 0 0
good_value HAFT_SLEEP never never
good_value HAFT_SLEEP always always
good_value HAFT_SLEEP auto auto
good_value HAFT_MOVE never never
for v in 1 on true yes; do good_value HAFT_FT $v yes; done
for v in 0 off false no; do good_value HAFT_FT $v no; done
bad_value HAFT_FT 2 "one of auto, no, yes" auto

# A collective algorithm that is none is answered with those that are.
bad_algorithm() {
	HAFT_COLL_ALGORITHM=$1 job -n 4 "$TMPDIR/p"
	want_rc 0
	want_err "haft: HAFT_COLL_ALGORITHM: $1 is not understood: $2"
	[ "$(wc -l <"$err")" = 1 ] || fail "HAFT_COLL_ALGORITHM=$1: something else is said: $(cat "$err")"
}
bad_algorithm allreduce=fast "the algorithms of MPI_Allreduce are"
want_err " recursive_doubling"
bad_algorithm allreduce "the algorithms of MPI_Allreduce are"
bad_algorithm all=ring "it is operation=algorithm, with one of these operations: Barrier"

# A bad value for the programs only is said, too; a job of one says it for itself.
job -env HAFT_PIPE_CHUNK 100 -n 2 "$TMPDIR/p"
want_rc 0
[ "$(grep -c "HAFT_PIPE_CHUNK=100 is not understood" "$err")" = 1 ] || fail "-env HAFT_PIPE_CHUNK: $(cat "$err")"
HAFT_PIPE_CHUNK=100 "$TMPDIR/p" 2>"$err" || fail "a job of one fails"
[ "$(grep -c "HAFT_PIPE_CHUNK=100 is not understood" "$err")" = 1 ] || fail "job of one: $(cat "$err")"
finish
