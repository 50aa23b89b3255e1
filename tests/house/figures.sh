# SPDX-License-Identifier: BSD-3-Clause
# The figures of READMEs are those of the tree: numbers of functions come from the tables, the
# others from the lines that figures.txt names.
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

# The other figures of READMEs: figures.txt says where each comes from, and has them all.
rows=$TMPDIR/rows
grep -v '^#' tests/house/figures.txt | sed 's/ *| */|/g' >"$rows"
squeezed() { tr -s ' \t' '  ' <"$1"; }
while IFS='|' read -r page words file line; do
	squeezed "$page" | grep -qF -- "$words" || { echo "figures.txt: $page has no \`$words'"; bad=1; }
	[ "$file" = fact ] && continue
	squeezed "$file" | grep -qF -- "$line" || { echo "$page: \`$words': $file has no \`$line'"; bad=1; }
done <"$rows"
unit='ns|us|ms|s|KiB|MiB|GiB|GB/s|bytes|bits|functions|lines|instructions|times|%|ranks|hosts|files|words|rounds'
unit="$unit|engines|tests|entries|slots|threads|places"
# Not git's list: a system that runs the tests need not have it.
find ./*.md libmpi libnet libobj libshm tests tools -name README.md | sed 's,^\./,,' | while read -r page; do
	awk '/^```/ { shown = !shown } !shown && !/^    /' "$page" | tr -s ' \t' '  ' |
		grep -E "(^|[^0-9A-Za-z_.])[0-9]+([.,][0-9]+)* ?($unit)([^a-zA-Z0-9_]|$)" | while read -r text; do
		found=
		while IFS='|' read -r at words rest; do
			[ "$at" = "$page" ] || continue
			case $text in *"$words"*) found=1 ;; esac
		done <"$rows"
		[ -n "$found" ] || echo "$page: a figure that figures.txt does not have: $text"
	done
done >"$list"
if [ -s "$list" ]; then
	cat "$list"
	bad=1
fi
rm -f "$list" "$rows"
exit $bad
