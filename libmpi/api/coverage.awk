# SPDX-License-Identifier: BSD-3-Clause
# coverage.awk - reads the generator's list: how many entry points have an engine, and which do not.
BEGIN { FS = "\t" }
$2 == "ft" { next } # an extension
$5 == "removed" { removed++; removed_done += $4 != "NONE"; next }
{
	if (!($2 in all)) order[++chapters] = $2
	all[$2]++; total++
	if ($4 != "NONE") { done[$2]++; works++ }
	else missing[$2] = missing[$2] " " substr($1, 5)
}
END {
	for (i = 1; i <= chapters; i++) {
		c = order[i]
		printf "%-5s %3d of %3d\n", c, done[c], all[c]
		n = split(missing[c], names, " ")
		line = ""
		for (j = 1; j <= n; j++) {
			if (length(line) + length(names[j]) > 88) { print "      " line; line = "" }
			line = line " " names[j]
		}
		if (line != "") print "      " line
	}
	printf "and %d of %d functions removed from MPI\n", removed_done, removed
	printf "coverage: %d of %d\n", works, total
}
