# SPDX-License-Identifier: BSD-3-Clause
# RUN time=900
# The manual as HTML: a file a page, links that lead somewhere, and the data of the search.
. tests/build/lib.sh
command -v mandoc >/dev/null || exit 77
# Some pages stand for all: mandoc takes long for 700.
mkdir -p "$TMPDIR/man/man3"
cp -r "$B/man/man1" "$B/man/man7" "$TMPDIR/man"
cp "$B"/man/man3/MPI_Win_*.3 "$B"/man/man3/MPI_Send*.3 "$TMPDIR/man/man3"
sh tools/man/html.sh "$TMPDIR/man" "$TMPDIR/html" 1.2 || fail html.sh
cd "$TMPDIR/html" || exit 1

for page in haft.7 haft-slow.7 mpiexec.1 MPI_Send.3 MPI_Send_c.3; do
	grep -q '<h1' "$page.html" || fail "no $page.html"
done
grep -q '<a href="haft-hang.7.html"><b>haft-hang</b>(7)</a>' haft.7.html || fail "haft.7 has no link to haft-hang"
grep -q '\["MPI_Send","3","send a message"\]' pages.js || fail "the search does not know MPI_Send"
grep -q '\["MPI_Send_c","3","see MPI_Send"\]' pages.js || fail "the search does not know MPI_Send_c"
for page in $(ls "$TMPDIR"/man/man[137]/*.[137]); do
	page=${page##*/}
	grep -q "^\\[\"${page%.*}\",\"${page##*.}\",\"..*\"\\],\$" pages.js || fail "pages.js: no line for $page"
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
}
cd /
finish
