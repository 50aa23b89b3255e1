# SPDX-License-Identifier: BSD-3-Clause
# Programs built by way of pkg-config: mpi, mpi-c, mpi-cxx, shared and static.
. tests/build/lib.sh
command -v pkg-config >/dev/null || exit 77
install_tree
cd "$TMPDIR" || exit 1
export PKG_CONFIG_LIBDIR="$prefix/lib/pkgconfig"
unset PKG_CONFIG_PATH

for p in mpi mpi-c mpi-cxx; do
	cc=cc src=sum.c
	[ $p = mpi-cxx ] && cc=c++ src=sum.cc
	pkg-config --exists $p || {
		fail "no package $p"
		continue
	}
	pkg-config --validate $p || fail "$p is not valid"
	$cc -Wall -Werror $(pkg-config --cflags $p) $src $(pkg-config --libs $p) -o $p.out || fail "$p"
	runs ./$p.out
	$cc $(pkg-config --cflags $p) $src -static $(pkg-config --static --libs $p) -o $p.static \
		2>static.log || {
		cat static.log
		fail "$p, static"
	}
	[ -x $p.static ] && runs ./$p.static
done
[ "$(pkg-config --modversion mpi)" = "$("$prefix/bin/mpicc" -showme:version | sed 's/.*Haft \([^ ]*\).*/\1/')" ] ||
	fail "version"

# Staged into DESTDIR, found there by --define-prefix or by its place.
cd "$OLDPWD" && make -s FLAVOUR="$(basename "$B" | sed 's/-.*//')" install-tools DESTDIR="$TMPDIR/stage" \
	PREFIX=/opt/haft >"$TMPDIR/log" 2>&1 || fail "DESTDIR: $(cat "$TMPDIR/log")"
[ -x "$TMPDIR/stage/opt/haft/bin/mpiexec" ] || fail "nothing in DESTDIR"
finish
