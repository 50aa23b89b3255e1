# SPDX-License-Identifier: BSD-3-Clause
# Programs built by way of pkg-config: mpi, mpi-c, mpi-cxx, shared and static.
. tests/build/lib.sh
command -v pkg-config >/dev/null || exit 77
install_tree
top=$PWD
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

# As a sysroot: each directory is in the stage, once; the run path is where PREFIX says.
in_stage() {
	for word in $(pkg-config --cflags-only-I --libs-only-L "$1"); do
		case ${word#-[IL]} in
		"$stage"/*"$stage"*) fail "$1: the sysroot is there twice: $word" ;;
		"$stage"/*) [ -d "${word#-[IL]}" ] || fail "$1: no directory: $word" ;;
		*) fail "$1: not in the sysroot: $word" ;;
		esac
	done
	pkg-config --libs "$1" | grep -q "$2" || fail "$1: no run path $2: $(pkg-config --libs "$1")"
}
stage=$TMPDIR/stage
export PKG_CONFIG_SYSROOT_DIR="$stage" PKG_CONFIG_LIBDIR="$stage/opt/haft/lib/pkgconfig"
cd "$top" && put install PREFIX=/opt/haft DESTDIR="$stage"
for p in mpi mpi-c mpi-cxx mpi-fort libobj; do
	[ "$p" = mpi-fort ] && [ ! -e "$B/include/mpi_f08.mod" ] && continue
	in_stage $p '[,:]/opt/haft/lib[,:]'
done
cd "$TMPDIR" || exit 1
cc $(pkg-config --cflags mpi) sum.c $(pkg-config --libs mpi) -o staged.out || fail "from the stage"
runs ./staged.out
readelf -d staged.out | grep -q 'RUNPATH.*:/opt/haft/lib\]' || fail "no run path of the target"

# A tree of the system: compilers and loaders know its directories, so there is no run path.
cd "$top" && put install PREFIX=/usr DESTDIR="$stage" LIBDIR=/usr/lib
export PKG_CONFIG_LIBDIR="$stage/usr/lib/pkgconfig"
for p in mpi libobj; do
	case $(pkg-config --cflags --libs $p) in
	*rpath*) fail "$p of /usr has a run path: $(pkg-config --libs $p)" ;;
	esac
done
finish
