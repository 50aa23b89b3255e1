# SPDX-License-Identifier: BSD-3-Clause
# RUN time=600
# The layout of a distribution: libraries in a multiarch directory, what linkers read in one below
# it, headers in one of their own, programs with a suffix, all staged; the compiler's flags of dpkg.
. tests/build/lib.sh
stage="$TMPDIR/a stage"
triplet=$(cc -print-multiarch)
[ -n "$triplet" ] || triplet=x86_64-linux-gnu
set -- DESTDIR="$stage" PREFIX=/usr LIBDIR=/usr/lib/$triplet \
	DEVDIR=/usr/lib/$triplet/haft INCLUDEDIR=/usr/include/$triplet/haft SUFFIX=.haft
put install "$@"
usr=$stage/usr

# The wrapper finds the stage's directories; the program finds the library by its run path.
"$usr/bin/mpicc.haft" "$TMPDIR/sum.c" -o "$TMPDIR/sum" || fail "mpicc.haft"
got=$(timeout 200 "$usr/bin/mpiexec.haft" -n 3 "$TMPDIR/sum" 2>&1)
[ "$(echo "$got" | grep -c '^sum 3$')" = 3 ] || fail "mpiexec.haft says: $got"
for p in mpirun mpic++ mpiCC mpicxx mpifort mpifc mpif77 mpif90; do
	[ -x "$usr/bin/$p.haft" ] || fail "no $p.haft"
	[ -e "$usr/share/man/man1/$p.haft.1" ] || fail "no man page of $p.haft"
done
[ -e "$usr/lib/$triplet/haft/libmpi.so" ] || fail "libmpi.so leads nowhere"
[ -e "$usr/lib/$triplet/haft/libobj.so" ] || fail "libobj.so leads nowhere"

# In the place it is made for no directory of the system is named.
pc=$usr/lib/$triplet/haft/pkgconfig/mpi-c.pc
if command -v pkg-config >/dev/null; then
	got=$(PKG_CONFIG_LIBDIR=${pc%/*} pkg-config --cflags --libs mpi-c libobj)
	case $got in *rpath*) fail "a run path into the system: $got" ;; esac
	case $got in *"-I/usr/include/$triplet/haft "*"-L/usr/lib/$triplet/haft "*) ;; *) fail "mpi-c.pc: $got" ;; esac
fi
for f in "$usr/bin/mpi-info" "$usr/lib/$triplet/libmpifort_abi.so.1"; do
	! readelf -d "$f" | grep -q RUNPATH || fail "$f has a run path into the system"
done

# Fedora's loader looks into /usr/lib64, where its libc is; Debian's does not.
mkdir "$TMPDIR/lib64"
cp -a /usr/lib64/. "$TMPDIR/lib64" 2>/dev/null
: >"$TMPDIR/lib64/libc.so.6"
beside() {
	unshare -rm sh -c 'mount --bind "$1" /usr/lib64 && LIBDIR=/usr/lib64 exec sh tools/pack/layout.sh beside' sh "$1"
}
if [ -d /usr/lib64 ] && unshare -rm true 2>/dev/null; then
	got=$(beside "$TMPDIR/lib64")
	[ "$got" = -Wl,--as-needed ] || fail "a run path into lib64: $got"
	rm "$TMPDIR/lib64/libc.so.6"
	got=$(beside "$TMPDIR/lib64")
	[ "$got" = '-Wl,-rpath,$ORIGIN' ] || fail "no run path into a lib64 that no loader knows: $got"
fi
put uninstall "$@"
[ -z "$(find "$stage" ! -type d)" ] || fail "uninstall leaves $(find "$stage" ! -type d | head -5)"

# Flags of a distribution reach every command: compilers of C and Fortran, and linkers.
make -n "B=$TMPDIR/b" CPPFLAGS=-DFROM_CPPFLAGS CFLAGS=-DFROM_CFLAGS LDFLAGS=-Wl,-z,from_ld FCFLAGS=-ffrom_fc all \
	>"$TMPDIR/make.log" 2>&1
# without FLAG COMMANDS: the commands that have not got it.
without() {
	sed -e ':a' -e '/\\$/{N;s/\\\n//;ba' -e '}' "$TMPDIR/make.log" | grep -E -- "$2" | grep -v -- "$1" | head -n 3
}
for f in '-DFROM_CPPFLAGS .*-DFROM_CFLAGS%^[^ ]*gcc .* -c ' '-z,from_ld%^[^ ]*gcc .*-Wl,--as-needed' \
	'-ffrom_fc%gfortran .* -c '; do
	got=$(without "${f%%%*}" "${f#*%}")
	[ -z "$got" ] || fail "${f%%%*} is not in: $got"
done
[ "$(grep -c -- '-DFROM_CPPFLAGS' "$TMPDIR/make.log")" -gt 100 ] || fail "CPPFLAGS: $(head -n 5 "$TMPDIR/make.log")"
[ "$(grep -c -- '-z,from_ld' "$TMPDIR/make.log")" -ge 6 ] || fail "LDFLAGS: $(grep -c -- '-z,from_ld' "$TMPDIR/make.log")"

# Each directory by itself, none below another.
set -- PREFIX="$TMPDIR/all" BINDIR="$TMPDIR/programs here" LIBDIR="$TMPDIR/run" DEVDIR="$TMPDIR/dev" \
	INCLUDEDIR="$TMPDIR/head ers" MANDIR="$TMPDIR/pages" DATADIR="$TMPDIR/data"
put install "$@"
[ -f "$TMPDIR/run/libmpi_abi.so.1" ] && [ -f "$TMPDIR/head ers/mpi.h" ] && [ -f "$TMPDIR/pages/man7/haft.7" ] &&
	[ -f "$TMPDIR/data/bash-completion/completions/mpiexec" ] && [ -e "$TMPDIR/dev/libmpi.so" ] ||
	fail "a directory is not where it was asked for"
"$TMPDIR/programs here/mpicc" "$TMPDIR/sum.c" -o "$TMPDIR/sum" || fail "mpicc of BINDIR"
prefix=$TMPDIR/any
mkdir "$prefix"
ln -s "$TMPDIR/programs here" "$prefix/bin"
runs "$TMPDIR/sum"
"$TMPDIR/programs here/mpi-info" --version | grep -q Haft || fail "mpi-info of BINDIR"
put uninstall "$@"
left=$(find "$TMPDIR/programs here" "$TMPDIR/run" "$TMPDIR/dev" "$TMPDIR/head ers" "$TMPDIR/pages" "$TMPDIR/data" ! -type d 2>/dev/null)
[ -z "$left" ] || fail "uninstall leaves $left"
finish
