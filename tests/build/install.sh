# SPDX-License-Identifier: BSD-3-Clause
# RUN time=600
# make install and make uninstall: blanks and quotes in PREFIX and DESTDIR; a thing missing for a
# build is named.
. tests/build/lib.sh

# A prefix with a blank and a quote works, and is empty afterwards.
prefix="$TMPDIR/it's my place"
put install PREFIX="$prefix"
"$prefix/bin/mpicc" "$TMPDIR/sum.c" -o "$TMPDIR/sum" || fail "mpicc in $prefix"
runs "$TMPDIR/sum"
for f in hello/hello.c hello/hello_f08.f90 halo/halo.c README.md; do
	[ -f "$prefix/share/doc/haft/examples/$f" ] || fail "the example $f is not installed"
done
"$prefix/bin/mpicc" "$prefix/share/doc/haft/examples/hello/hello.c" -o "$TMPDIR/sum" || fail "hello.c as installed"
echo mine >"$prefix/lib/mine"
put uninstall PREFIX="$prefix"
[ "$(find "$prefix" ! -type d)" = "$prefix/lib/mine" ] || fail "left: $(find "$prefix" ! -type d | head -5)"
rm "$prefix/lib/mine"

# And with DESTDIR.
put install DESTDIR="$TMPDIR/a stage" PREFIX="/my prefix"
[ -x "$TMPDIR/a stage/my prefix/bin/mpiexec" ] || fail "nothing in DESTDIR"
put uninstall DESTDIR="$TMPDIR/a stage" PREFIX="/my prefix"
[ -z "$(find "$TMPDIR/a stage" ! -type d)" ] || fail "make uninstall with DESTDIR leaves files"

# A strict umask, a relative prefix: others can read and run all, and uninstall finds it again.  A
# tilde that the shell has left is no directory.
(umask 077 && put install PREFIX="$(realpath --relative-to=. "$TMPDIR")/strict") || fail "make install with a relative prefix"
left=$(find "$TMPDIR/strict" ! -type l ! -perm -o+r; find "$TMPDIR/strict" -type d ! -perm -o+x)
[ -x "$TMPDIR/strict/bin/mpicc" ] && [ -z "$left" ] || fail "umask 077: others cannot read $(echo "$left" | head -n 3)"
put uninstall PREFIX="$(realpath --relative-to=. "$TMPDIR")/strict"
[ -z "$(find "$TMPDIR/strict" ! -type d 2>/dev/null)" ] || fail "make uninstall with a relative prefix leaves files"
make -s "B=$TMPDIR/b" PREFIX='~/haft' help >"$TMPDIR/make.log" 2>&1 && fail "PREFIX=~/haft is a directory of that name"
grep -q 'the shell has not replaced ~, write $HOME' "$TMPDIR/make.log" || fail "a tilde: $(cat "$TMPDIR/make.log")"

# A header that is not there: its package is named.
make -s "B=$TMPDIR/b" needs=no_such_header.h:libhwloc-dev "$TMPDIR/b/flags" >"$TMPDIR/make.log" 2>&1 &&
	fail "a build without a header begins"
grep -q 'apt-get install libhwloc-dev' "$TMPDIR/make.log" || fail "the package of a header: $(cat "$TMPDIR/make.log")"
make -s "B=$TMPDIR/b" CC=no_such_cc "$TMPDIR/b/flags" >"$TMPDIR/make.log" 2>&1 && fail "a build without a compiler begins"
grep -q 'there is no no_such_cc here' "$TMPDIR/make.log" || fail "no compiler: $(cat "$TMPDIR/make.log")"
finish
