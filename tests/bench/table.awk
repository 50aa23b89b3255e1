# SPDX-License-Identifier: BSD-3-Clause
# table.awk - one line of the table out of the results.
#
#   in:   NP.PLACE LIB ROUND SIGN FIGURE UNIT VALUE...     SIGN: = distribution, > bound, ! failed
#   bare: the bare figure beside the row, or nothing
#   out:  title | a median for each library | ratio | target | state
#
# A library's figure is the median of its rounds' medians.  The ratio is the median over the rounds
# of Haft's median through the best peer's median of the same round; the best peer is the one
# with the best figure.  Where every peer exceeded the limit the ratio is a bound.  A star: in some
# round there was no figure.

function sort(v, n,    i, j, x)
{
	for (i = 2; i <= n; i++) {
		x = v[i]
		for (j = i - 1; j >= 1 && v[j] > x; j--)
			v[j + 1] = v[j]
		v[j + 1] = x
	}
}

function quantile(v, n, q,    at, i)
{
	sort(v, n)
	at = 1 + q * (n - 1)
	i = int(at)
	return i >= n ? v[n] : v[i] + (at - i) * (v[i + 1] - v[i])
}

function show(x)
{
	if (x < 0)
		return "-" show(-x)
	if (x >= 100)
		return sprintf("%.0f", x)
	if (x >= 10)
		return sprintf("%.1f", x)
	return sprintf(x >= 1 ? "%.2f" : "%.3f", x)
}

function cell(lib)
{
	if (rounds[lib])
		return show(median[lib]) (lib in bound || lib in trouble ? "*" : "")
	if (lib in bound)
		return "> " show(bound[lib])
	return lib in trouble ? trouble[lib] : "-"
}

function spread(lib,    v, n, i)
{
	n = samples[lib]
	if (n < 2)
		return "-"
	for (i = 1; i <= n; i++)
		v[i] = sample[lib, i]
	return show(quantile(v, n, 0.1)) ".." show(quantile(v, n, 0.9))
}

function best_peer(    i, best)
{
	for (i = 1; i <= libs_n; i++)
		if (lib[i] != "haft" && rounds[lib[i]])
			if (best == "" || (more ? median[lib[i]] > median[best] : median[lib[i]] < median[best]))
				best = lib[i]
	return best
}

# Sets ratio and ratio_text.
function compare(    best, v, n, r, i)
{
	ratio_text = "-"
	if (!rounds["haft"])
		return
	best = best_peer()
	for (r = 1; best != "" && r <= round_max; r++)
		if ((("haft", r) in middle) && ((best, r) in middle) && middle[best, r] != 0)
			v[++n] = middle["haft", r] / middle[best, r]
	if (n) {
		ratio = quantile(v, n, 0.5)
		ratio_text = sprintf(ratio < 0.1 ? "%.2g" : "%.2f", ratio)
		return
	}
	for (i = 1; i <= libs_n; i++)
		if (lib[i] != "haft" && lib[i] in bound && (ratio == "" || median["haft"] / bound[lib[i]] > ratio))
			ratio = median["haft"] / bound[lib[i]]
	if (ratio != "")
		ratio_text = sprintf("< %.2g", ratio)
}

# 1 reached, 0 not, "" cannot be told.
function reached(goal,    x, limit)
{
	if (goal == "-" || !rounds["haft"])
		return ""
	x = substr(goal, 1, 1) == "r" ? ratio : median["haft"]
	if (substr(goal, 1, 1) == "b")
		x = bare ? median["haft"] / bare : ""
	limit = substr(goal, 4) + 0
	if (x == "")
		return ""
	return substr(goal, 2, 2) == "<=" ? x <= limit : x >= limit
}

function state()
{
	if (target == "-")
		return ""
	if (index(" " libs " ", " haft ") && !rounds["haft"])
		return "MISS"
	if (reached(target) == 1)
		return "ok"
	if (reached(first) == 1)
		return substr(first, 1, 1) == "b" ? "bare" : "first"
	return reached(target) == "" ? "-" : "MISS"
}

function line(title, text, factor, goal, word,    i, s)
{
	s = sprintf("%-36s", title)
	for (i = 1; i <= libs_n; i++)
		s = s sprintf(" %12s", text[lib[i]])
	s = s sprintf(" %8s %8s  %s", factor, goal, word)
	sub(/ +$/, "", s)
	print s
}

BEGIN {
	libs_n = split(libs, lib, " ")
	name["haft"] = "Haft"
	name["openmpi"] = "Open MPI"
	name["mpich"] = "MPICH"
	name["before"] = "before"
	ratio = ""
	if (mode == "head") {
		line(title, name, "ratio", "target", "state")
		exit
	}
}

$1 != id || $5 != figure {
	next
}

$4 == "!" {
	trouble[$2] = $6
}

$4 == ">" {
	bound[$2] = $6 == "us" || $6 == "s" ? $7 : 0
}

$4 == "=" {
	more = $6 ~ /\/s$|^x$/
	n = NF - 6
	middle[$2, $3] = $(7 + int(n / 2))
	sequence[$2, ++rounds[$2]] = middle[$2, $3]
	if ($3 > round_max)
		round_max = $3
	for (i = 7; i <= NF; i++)
		sample[$2, ++samples[$2]] = $i
}

END {
	if (mode == "head")
		exit
	for (i = 1; i <= libs_n; i++) {
		l = lib[i]
		for (r = 1; r <= rounds[l]; r++)
			v[r] = sequence[l, r]
		if (rounds[l])
			median[l] = quantile(v, rounds[l], 0.5)
		text[l] = cell(l)
		wide[l] = spread(l)
	}
	compare()
	word = state()
	if (bare)
		word = word sprintf(" (%.2f x bare)", median["haft"] / bare)
	line(title, text, ratio_text, target == "-" ? "" : target, word)
	if (verbose)
		line("    p10..p90", wide, "", "", "")
}
