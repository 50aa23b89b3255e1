# SPDX-License-Identifier: BSD-3-Clause
# RUN time=900
# The manual as HTML: a file a page, links that lead somewhere, and the data of the search.
. tests/build/lib.sh
command -v mandoc >/dev/null || exit 77
top=$PWD
# Some pages stand for all: mandoc takes long for 700.
mkdir -p "$TMPDIR/man/man3"
cp -r "$B/man/man1" "$B/man/man7" "$TMPDIR/man"
cp "$B"/man/man3/MPI_Win_*.3 "$B"/man/man3/MPI_Send*.3 "$TMPDIR/man/man3"
sh tools/man/html.sh "$TMPDIR/man" "$TMPDIR/html" 1.2 libobj/obj.3 || fail html.sh
# Each page is one that mandoc has nothing to say about, but that no date is written.
(cd "$B/man" && mandoc -T lint -W warning "$top"/tools/man/*.[17] "$top/libobj/obj.3" man[137]/*.[137] 2>&1) |
	grep -v -e 'missing date' -e '\.so is fragile' >"$TMPDIR/lint"
[ ! -s "$TMPDIR/lint" ] || fail "mandoc -T lint: $(head -n 5 "$TMPDIR/lint")"
cd "$TMPDIR/html" || exit 1

for page in haft.7 haft-slow.7 mpiexec.1 MPI_Send.3 MPI_Send_c.3 obj.3; do
	grep -q '<h1' "$page.html" || fail "no $page.html"
done
grep -q '<a href="haft-hang.7.html"><b>haft-hang</b>(7)</a>' haft.7.html || fail "haft.7 has no link to haft-hang"
grep -q '\["MPI_Send","3","send a message"\]' pages.js || fail "the search does not know MPI_Send"
grep -q '\["MPI_Send_c","3","see MPI_Send"\]' pages.js || fail "the search does not know MPI_Send_c"
for page in $(ls "$TMPDIR"/man/man[137]/*.[137]); do
	page=${page##*/}
	grep -q "^\\[\"${page%.*}\",\"${page##*.}\",\"..*\"\\],\$" pages.js || fail "pages.js: no line for $page"
done

grep -q '^\["obj","3",".*"\],$' pages.js || fail "the search does not know obj(3)"

# Programs keep their empty lines, and the forms of Fortran their indents without breaks between
# them.
sed -n '/<pre>/,/<\/pre>/p' haft.7.html | grep -qx '' || fail "an example has lost its empty lines"
! grep -l '<br' MPI_Send.3.html || fail "lines of a synopsis are torn apart"

# Topics of newcomers are one link away from the first page, and named beside it.
for want in 'hello world:haft' 'several hosts:haft-hosts' 'more processes than processors:haft-containers' \
	'root:haft-containers' 'Docker:haft-containers' 'VS Code:haft-debug' 'gdb:haft-debug' 'my job hangs:haft-hang' \
	'my job is slow:haft-slow' 'coming from Open MPI or MPICH:haft-migrate'; do
	grep -- "${want%:*}" index.html | grep -qF "href=\"${want##*:}.7.html\"" || fail "the first page does not lead from $want"
done
for word in '-n 8' launch.json gdb; do
	grep -qF -e "$word" haft-containers.7.html haft-debug.7.html || fail "no page shows $word"
done

# Links stay inside the folder, and none is dead.
grep -oh 'href="[^"#]*' ./*.html | sed 's/href="//' | sort -u >links
while IFS= read -r link; do
	[ -z "$link" ] || [ -e "$link" ] || fail "a dead link: $link"
done <links
! grep -l 'https\{0,1\}://[^"]*\.\(js\|css\)' ./*.html || fail "a page loads from a network"
! command -v node >/dev/null || {
	sed -n '/<script>/,/<\/script>/p' index.html | sed '/script>/d' >search.js
	cat pages.js search.js >all.js
	node --check all.js || fail "the script of the search"
	# Words that newcomers type lead to a page, and a name, with or without its first part, to
	# the page of it first.
	{ cat pages.js; sed -n '/^function hits/,/^}/p' search.js; cat <<-'END'; } >ask.js
		for (const ask of ["gdb haft-debug", "vs code haft-debug", "oversubscribed haft-slow", "ssh haft-hosts",
			"docker haft-containers", "mpi_send MPI_Send", "mpi send MPI_Send", "send MPI_Send",
			"hang haft-hang", "window MPI_Win_create"]) {
			const words = ask.split(" "), page = words.pop(), got = hits(words).map(p => p[0]);
			if (!got.includes(page) || /MPI_Send|hang/.test(page) && got[0] != page)
				console.log(ask, "is not found");
		}
	END
	asked=$(node ask.js) && [ -z "$asked" ] || fail "the search: $asked"
}
cd /
finish
