# SPDX-License-Identifier: BSD-3-Clause
# evidence.awk - what of the standard has a test: reads tests/sections.txt, the generator's list of
# functions, the functions that test programs call (one a line), and the sources of the tests.
#
#     awk -f evidence.awk kind=sections sections.txt kind=list gen/list kind=called called \
#         kind=test TEST...
#
# A test names its sections in a comment: MPI-5.0 7.4.2, 3.7.3 to 3.7.6: words.  Ends with 1 if a
# section or a function has none.
BEGIN { FS = "\t" }

kind == "sections" && !/^#/ {
	order[++sections] = $1
	must[$1] = $2 == "T"
	words[$1] = $3
	split($1, part, ".")
	chapter[part[1]] = 1
	next
}
kind == "list" && !/^#/ && $5 != "removed" && $5 != "deprecated" {
	split($3, part, ".")
	if (part[1] in chapter && $1 !~ /_FN(_NULL)?(_C)?$/) # callbacks, not called
		function_of[$1] = $3
	engine[$1] = $4
	next
}
kind == "called" { called[$1] = 1; next }
# One section, once a test.
function name(section) {
	if (!((section, FILENAME) in seen))
		tests[section]++
	seen[section, FILENAME] = 1
}
# All sections from one to another of the same parent: 3.7.3 to 3.7.6.
function name_all(from, to,  parent, i) {
	parent = from
	sub(/[0-9]+$/, "", parent)
	for (i = substr(from, length(parent) + 1) + 0; i <= substr(to, length(parent) + 1) + 0; i++)
		name(parent i)
}
kind == "test" && match($0, /MPI-5\.0 [0-9]([0-9., ]|to )*/) {
	n = split(substr($0, RSTART + 8, RLENGTH - 8), tag, /, */)
	for (i = 1; i <= n; i++) {
		sub(/[. ]+$/, "", tag[i])
		if (split(tag[i], end, / to /) == 2)
			name_all(end[1], end[2])
		else
			name(tag[i])
	}
}

END {
	for (i = 1; i <= sections; i++) {
		s = order[i]
		if (!must[s])
			continue
		all++
		printf "%-8s %3d  %s\n", s, tests[s], words[s]
		if (tests[s] == 0)
			missing[++nmissing] = s " " words[s]
	}
	for (f in function_of) {
		functions++
		if (!(f in called) && engine[f] != "NONE")
			idle[++nidle] = f
		waiting += engine[f] == "NONE"
	}
	printf "\n%d sections, %d without a test\n", all, nmissing
	for (i = 1; i <= nmissing; i++)
		print "    " missing[i]
	printf "%d functions, %d of them not there yet, %d that no test calls\n", functions, waiting, nidle
	for (i = 1; i <= nidle; i++)
		print "    " idle[i]
	exit nmissing + nidle > 0
}
