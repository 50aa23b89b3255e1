#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# html.sh MAN OUT VERSION [PAGE...] - the manual pages of the directory MAN, and those others, as
# HTML in one folder, by mandoc.
#
#     OUT/MPI_Send.3.html    a page; other pages that it names are links
#     OUT/index.html         where to begin, and a search over names, their one line, and words of
#     topics
#     OUT/pages.js           what the search knows: [name, section, line] of each page; the words of
#                            those of sections 1 and 7
#
# Nothing is loaded from a network: the folder can be opened as files, or put on any server.
set -eu
man=$1 out=$2 version=$3
shift 3
set -- "$man"/man1/*.1 "$man"/man7/*.7 "$@" "$man"/man3/*.3
mkdir -p "$out"
rm -f "$out"/*.html "$out"/pages.js
for page; do echo "${page##*/}"; done >"$out/.names"

# Text without filling, as mandoc's HTML keeps it: it drops empty lines, which get a mark here, and
# puts breaks around lines that begin with a blank.
keep() {
	awk '/^\.(nf|EX|Bd)/ { on = 1 } /^\.(fi|EE|Ed)/ { on = 0 } on && /^ / { $0 = "\\&" $0 }
		on && $0 == "" { $0 = "@empty@" } { print }' "$1"
}

# Each page; a page that only says .so is another one's.
for page; do
	real=$page
	so=$(sed -n '1s/^\.so //p' "$page")
	[ -z "$so" ] || real=$man/$so
	keep "$real" | mandoc -T html -O style=style.css >"$out/${page##*/}.raw"
done

# <b>MPI_Send</b>(3) becomes a link where there is such a page.
cat >"$out/.link.awk" <<'END'
BEGIN { while ((getline n < names) > 0) page[n] = 1 }
/@empty@/ { sub(/@empty@/, "") }
/<body>/ { sub(/<body>/, "<body><p class=\"top\"><a href=\"index.html\">all pages</a></p>") }
{
	rest = $0
	line = ""
	while (match(rest, /<b>[A-Za-z_0-9-]+<\/b>\([137]\)/)) {
		hit = substr(rest, RSTART, RLENGTH)
		name = substr(hit, 4, length(hit) - 10) "." substr(hit, length(hit) - 1, 1)
		if (name in page)
			hit = "<a href=\"" name ".html\">" hit "</a>"
		line = line substr(rest, 1, RSTART - 1) hit
		rest = substr(rest, RSTART + RLENGTH)
	}
	to = FILENAME
	sub(/\.raw$/, ".html", to)
	if (to != last)
		close(last)
	print line rest >to
	last = to
}
END
awk -v names="$out/.names" -f "$out/.link.awk" "$out"/*.raw
rm -f "$out"/*.raw

# The words of a page, each once, without the markup.
words() {
	sed -e '/^\.\\"/d' -e 's/^\.[A-Za-z]* *//' -e 's/\\-/-/g' -e 's/\\[a-z]//g' "$1" | tr 'A-Z' 'a-z' |
		tr -cs 'a-z0-9_-' '\n' | sort -u | tr '\n' ' '
}

# The purpose of a page: the line after .SH NAME, without the names and the markup.
{
	echo 'const pages = ['
	awk 'FNR == 1 { name = FILENAME; sub(/.*\//, "", name); section = name; sub(/.*\./, "", section)
			sub(/\.[137]$/, "", name); on = 0 }
		FNR == 1 && /^\.so / { sub(/.*\//, ""); sub(/\.[137]$/, "")
			printf "[\"%s\",\"%s\",\"see %s\"],\n", name, section, $0 }
		on == 1 { on = 2; gsub(/\\-/, "-"); sub(/^[^-]*[^ ]* - /, ""); gsub(/\\f./, ""); gsub(/["\\]/, "")
			printf "[\"%s\",\"%s\",\"%s\"],\n", name, section, $0 }
		sub(/^\.Nd /, "") { printf "[\"%s\",\"%s\",\"%s\"],\n", name, section, $0 }
		/^\.SH NAME/ && on == 0 { on = 1 }' "$@"
	echo '];'
	echo 'const texts = {'
	for page in "$man"/man1/*.1 "$man"/man7/*.7; do
		printf '"%s":"%s",\n' "${page##*/}" "$(words "$page")"
	done
	echo '};'
} >"$out/pages.js"

cat >"$out/style.css" <<'END'
body { max-width: 56em; margin: 2em auto; padding: 0 1em; font: 16px/1.5 sans-serif; color: #222; }
pre, code, .Li { font-family: monospace; }
pre { background: #f4f4f2; padding: 0.6em 1em; overflow-x: auto; font-size: 13px; }
h1.Sh { font-size: 1.3em; }
h2.Ss { font-size: 1.1em; }
.permalink { color: inherit; }
table.head, table.foot { width: 100%; color: #777; font-size: 85%; }
td.head-rtitle, td.foot-os { text-align: right; }
a { color: #0b5394; text-decoration: none; }
input { width: 100%; font: inherit; padding: 0.4em; box-sizing: border-box; }
.top { font-size: 85%; }
#found td { padding: 0.1em 1em 0.1em 0; vertical-align: top; }
END

# row TEXT PAGE...: a line of the first page.
row() {
	printf '<li>%s: ' "$1"
	shift
	for p; do printf '<a href="%s.html">%s</a> ' "$p" "${p%.*}"; done
	echo '</li>'
}
{
	cat <<-END
		<!DOCTYPE html>
		<html lang="en"><head><meta charset="utf-8"><title>Haft $version: MPI 5.0</title>
		<link rel="stylesheet" href="style.css"></head><body>
		<h1>Haft $version</h1>
		<p><input id="word" autofocus placeholder="search: a function, a word"></p>
		<table id="found"></table>
		<div id="start"><h2>Begin</h2><ul>
	END
	row 'hello world, labels, files for output' haft.7
	row 'several hosts, ssh, which network' haft-hosts.7
	row 'Slurm and other batch systems' haft-slurm.7
	row 'root, more processes than processors, Docker, Kubernetes, CI' haft-containers.7
	row 'compiling: C, C++, Fortran' mpicc.1 haft-fortran.7
	row 'options of mpiexec; settings' mpiexec.1 haft-settings.7
	row 'threads and OpenMP' haft-threads.7
	row 'windows; files' haft-one-sided.7 haft-files.7
	row 'coming from Open MPI or MPICH; one program, several MPIs' haft-migrate.7 haft-abi.7
	echo '</ul><h2>When something is wrong</h2><ul>'
	row 'an error message' haft-errors.7
	row 'my job hangs' haft-hang.7
	row 'my job is slow' haft-slow.7 haft-profile.7 haft-trace.7
	row 'wrong results, crashes, leaks; gdb, VS Code, valgrind' haft-debug.7
	row 'this machine' mpi-info.1 mpiexec.1
	cat <<-END
		</ul></div>
		<h2>All pages</h2><table id="all"></table>
		<script src="pages.js"></script>
		<script>
		function show(table, list) {
			table.textContent = "";
			for (const [name, section, text] of list) {
				const row = table.insertRow(), link = document.createElement("a");
				link.href = name + "." + section + ".html";
				link.textContent = name + "(" + section + ")";
				row.insertCell().append(link);
				row.insertCell().append(text);
			}
		}
		// The pages for these words: of this name, with the words in the name, in name and purpose, in the text.
		function hits(words) {
			const line = p => (p[0] + " " + p[2]).toLowerCase();
			const text = p => " " + (texts[p[0] + "." + p[1]] || "");
			const names = [words[0], words.join("_"), "mpi_" + words.join("_"), "haft-" + words.join("-")];
			const rank = p => !words.every(w => line(p).includes(w) || text(p).includes(" " + w)) ? 4 :
				!words.every(w => line(p).includes(w)) ? 3 :
				!words.every(w => p[0].toLowerCase().includes(w)) ? 2 : !names.includes(p[0].toLowerCase()) ? 1 : 0;
			const ranked = pages.map(p => [rank(p), p]).filter(r => r[0] < 4);
			return ranked.sort((a, b) => a[0] - b[0]).map(r => r[1]);
		}
		function search() {
			const words = word.value.toLowerCase().split(/\s+/).filter(w => w);
			show(found, words.length ? hits(words).slice(0, 50) : []);
			start.hidden = words.length > 0;
		}
		const word = document.getElementById("word"), found = document.getElementById("found");
		const start = document.getElementById("start");
		word.addEventListener("input", search);
		show(document.getElementById("all"), pages);
		</script></body></html>
	END
} >"$out/index.html"
rm -f "$out"/.[nl]*
