# SPDX-License-Identifier: BSD-3-Clause
# Settings that were renamed: the old name works as an alias, the new one goes before it, and a
# mistake is reported under the name that was used.  An old word works too.
. tests/tools/lib.sh

# shown NAME: the value that mpi-info shows.
shown() { "$B/bin/mpi-info" --settings 2>"$err" | sed -n "s/^$1  *\([^ ]*\) .*/\1/p"; }

# alias OLD NEW VALUE SHOWN OTHER OTHER_SHOWN
alias_of() {
	[ "$(export "$1=$3"; shown "$2")" = "$4" ] || fail "$1=$3: $2 is $(export "$1=$3"; shown "$2")"
	[ "$(export "$1=$3" "$2=$5"; shown "$2")" = "$6" ] || fail "$2=$5 does not go before $1=$3"
	(export "$1=$3"; shown "$2" >/dev/null)
	[ -s "$err" ] && fail "$1: something is said: $(cat "$err")"
}
alias_of HAFT_EARLY HAFT_UNEXPECTED 1M 1048576 2M 2097152
alias_of HAFT_READ HAFT_SINGLE_COPY never never always always
alias_of HAFT_PLACE HAFT_REORDER core core socket socket
alias_of HAFT_RING HAFT_RING_AFTER 7 7 8 8
alias_of HAFT_CHUNK HAFT_PIPE_CHUNK 4k 4096 8k 8192
alias_of HAFT_CHUNKS HAFT_PIPE_CHUNKS 8 8 2 2
alias_of HAFT_SLOTS HAFT_RING_SLOTS 16 16 32 32
alias_of HAFT_COLL_PLAN HAFT_COLL_ALGORITHM allreduce=ring allreduce=ring bcast=ring bcast=ring
alias_of HAFT_RMA HAFT_RMA box mailbox mailbox mailbox
(export HAFT_EARLY=soon; shown HAFT_UNEXPECTED >/dev/null)
grep -q 'HAFT_EARLY=soon is not understood' "$err" || fail "a bad value of an alias: $(cat "$err")"
finish
