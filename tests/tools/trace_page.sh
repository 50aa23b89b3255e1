# SPDX-License-Identifier: BSD-3-Clause
# RUN time=300
# mpiexec -trace=F.html and -profile=F.html: the pages load nothing, and a browser draws them.
. tests/tools/lib.sh

prog=$TMPDIR/trace
"$B/bin/mpicc" $san -g -Wall -pthread tests/tools/trace.c -o "$prog" || exit 1
for page in trace profile; do
	job -$page=$TMPDIR/$page.html -n 3 "$prog" messages
	want_rc 0
	tail -1 "$TMPDIR/$page.html" | grep -q '</html>' || fail "$said: the page has no end"
	! grep -E '(src|href)=|https?:' "$TMPDIR/$page.html" ||
		fail "$said: the page asks for other files"
done
[ $bad = 0 ] || finish

for browser in chromium chromium-browser google-chrome; do
	command -v $browser >/dev/null && break
	browser=
done
[ -n "$browser" ] || {
	echo "no chromium: nobody looks at the pages"
	rm -rf "${TMPDIR:?}"/*
	exit 77
}
# look FORM PAGE: the browser makes text or a picture of it.  It makes a socket in TMPDIR, whose
# path may be too long for one.
look() {
	TMPDIR=/tmp timeout 120 $browser --headless --no-sandbox --disable-gpu --no-first-run \
		--user-data-dir="$err.home" --window-size=1200,600 "$1" \
		"file://$TMPDIR/$2.html" 2>"$err"
}
look --dump-dom trace >"$out" || fail "$browser: $?"
want_out '36 messages.'
drawn=$(sed -n 's/.*Drawn: \([0-9]*\) spans.*/\1/p' "$out")
[ "${drawn:-0}" -ge 90 ] || fail "$browser has drawn ${drawn:-no} spans"
look --dump-dom profile >"$out" || fail "$browser: $?"
want_out 'MPI_Sendrecv'
# A picture with much in it does not get as small as an empty one of that size.
printf '<!doctype html><html><body></body></html>\n' >"$TMPDIR/empty.html"
for page in empty trace profile; do
	look --screenshot="$TMPDIR/$page.png" $page >"$out" || fail "$browser: $?"
	[ -s "$TMPDIR/$page.png" ] || fail "$browser has made no picture of $page.html"
done
for page in trace profile; do
	[ "$(wc -c <"$TMPDIR/$page.png")" -gt $((2 * $(wc -c <"$TMPDIR/empty.png"))) ] ||
		fail "the picture of $page.html is nearly empty"
done
finish
