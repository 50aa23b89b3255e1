# SPDX-License-Identifier: BSD-3-Clause
# lib.sh - installs the tree into a temporary prefix, and has a program to build against it.
# To be sourced from the top of the tree.
set -u
unset MAKEFLAGS MAKELEVEL MFLAGS HAFT_CC MPICH_CC OMPI_CC HAFT_CXX MPICH_CXX OMPI_CXX
case $B in /*) ;; *) B=$PWD/$B ;; esac
prefix=$TMPDIR/prefix
bad=0

fail() {
	echo "$*"
	bad=1
}
finish() {
	rm -rf "${TMPDIR:?}"/*
	exit $bad
}

# A library with a sanitizer in it is not for users' programs.
case $(basename "$B") in
*-address* | *-undefined* | *-thread*) exit 77 ;;
esac

# put TARGET WORDS...: make with the words of this flavour, which the name of the build directory
# tells.  Two tests run side by side: where a source is newer than the build, both would build it.
put() {
	f=$(basename "$B")
	case $f in *-mean*) set -- "$@" MEAN=1 ;; esac
	case $f in *-clang*) set -- "$@" CC=clang ;; esac
	flock "$B/install.lock" make -s "FLAVOUR=${f%%-*}" "$@" >"$TMPDIR/make.log" 2>&1 || {
		cat "$TMPDIR/make.log"
		fail "make $*"
		return 1
	}
}

# Installs the build as it is.
install_tree() {
	put install PREFIX="$prefix" || exit 1
}

# runs PROGRAM: it is a job of 3 that finds its sum.
runs() {
	got=$(timeout 200 "$prefix/bin/mpiexec" -n 3 "$@" 2>&1) || fail "$* fails: $got"
	[ "$(echo "$got" | grep -c '^sum 3$')" = 3 ] || fail "$* says: $got"
}

# The program, valid as C and as C++.
cp tests/build/sum.c "$TMPDIR/sum.c"
cp "$TMPDIR/sum.c" "$TMPDIR/sum.cc"
