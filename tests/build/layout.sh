# SPDX-License-Identifier: BSD-3-Clause
# RUN time=600
# The layout of a distribution: libraries in a multiarch directory, what linkers read in one below it,
# headers in one of their own, programs with a suffix, all staged; the compiler's flags of dpkg.
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
put uninstall "$@"
[ -z "$(find "$stage" ! -type d)" ] || fail "uninstall leaves $(find "$stage" ! -type d | head -5)"

# Flags of a distribution reach every command.
make -n "B=$TMPDIR/b" CPPFLAGS=-DFROM_CPPFLAGS CFLAGS=-DFROM_CFLAGS "$TMPDIR/b/obj/libobj/class.o" \
	>"$TMPDIR/make.log" 2>&1
grep -q -- '-DFROM_CPPFLAGS .*-DFROM_CFLAGS' "$TMPDIR/make.log" || fail "CPPFLAGS and CFLAGS are not used"
finish
