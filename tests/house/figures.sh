# SPDX-License-Identifier: BSD-3-Clause
# The figures of README.md are those of the tables: how many functions there are, and how many of each
# kind have an engine.
set -u
list=$TMPDIR/list
"$B/dev/gen" list | grep -v '^#' | awk -F'\t' '$5 != "removed"' >"$list" || exit 1
bad=0

# count FIELD...: functions of these chapters: those with an engine, "of", all.
count() {
	awk -F'\t' -v want=" $* " 'index(want, " " $2 " ") { n++; done += $4 != "NONE" }
		END { print done " of " n }' "$list"
}
# cell WORDS CHAPTER...: the table of README.md has this row.
cell() {
	words=$1
	shift
	grep -qF "| $words | $(count "$@") |" README.md && return
	echo "README.md: not \`$words': $(count "$@")"
	bad=1
}
all=$(awk -F'\t' '$2 != "ft"' "$list" | wc -l) # beyond MPI 5.0: ft
grep -q "All $all C functions of MPI" README.md || { echo "README.md: not $all functions"; bad=1; }
grep -q "MPI has $all C functions" libmpi/README.md || { echo "libmpi/README.md: not $all"; bad=1; }
cell 'point-to-point, requests, probes' p2p
cell 'partitioned communication' part
cell datatypes type
cell 'collectives, three kinds' coll
cell 'communicators, groups, attributes' comm
cell 'topologies, neighborhood collectives' topo
cell 'one-sided communication' rma
cell files io
cell 'environment, errors, memory' env
cell 'info objects' info
cell 'handle conversion, status, ABI' lang abi
cell 'MPI-1 names' old
cell 'generalized requests, extensions' ext
cell 'tools interface (MPI_T)' tool
cell 'init, sessions, spawn, connect' dyn
cell 'fault tolerance, beyond MPI 5.0' ft
rm -f "$list"
exit $bad
