# SPDX-License-Identifier: BSD-3-Clause
# RUN time=120
# Programs built by the installed mpicc and mpicxx, in one step and in two, and after a move.
. tests/build/lib.sh
install_tree
cd "$TMPDIR" || exit 1

"$prefix/bin/mpicc" $san -Wall -Werror sum.c -o one || fail "mpicc"
runs ./one
"$prefix/bin/mpicc" $san -c sum.c && "$prefix/bin/mpicc" $san sum.o -o two || fail "mpicc in two steps"
runs ./two
"$prefix/bin/mpicxx" $san -Wall -Werror sum.cc -o three || fail "mpicxx"
runs ./three
"$prefix/bin/mpic++" $san -c sum.cc -o sum2.o && "$prefix/bin/mpic++" $san sum2.o -o four || fail "mpic++"
runs ./four
if command -v clang >/dev/null && [ -z "$san" ]; then
	HAFT_CC=clang "$prefix/bin/mpicc" -Wall -Werror sum.c -o five || fail "mpicc with clang"
	runs ./five
fi

# Both families' words put together by hand, as configure scripts do.
cc $san $("$prefix/bin/mpicc" -showme:compile) sum.c $("$prefix/bin/mpicc" -showme:link) -o six ||
	fail "-showme:compile and -showme:link"
runs ./six
$("$prefix/bin/mpicc" -show) $san sum.c -o seven 2>/dev/null ||
	eval "$("$prefix/bin/mpicc" -show sum.c $san -o seven)" || fail "-show"
runs ./seven

# The program finds the installed library, under the name of the standard ABI.
ldd one | grep -q "libmpi_abi.so.1 => $prefix/lib/libmpi_abi.so.1" || fail "ldd: $(ldd one)"

# The whole library inside.
if [ -z "$san" ]; then
	"$prefix/bin/mpicc" sum.c -o eight -static 2>static.log || {
		cat static.log
		fail "mpicc -static"
	}
	[ -x eight ] && runs ./eight
fi

# Staged: DESTDIR leaves no trace in what is installed.
grep -rl "$TMPDIR" "$prefix/bin/mpicc" "$prefix/lib/pkgconfig" && fail "the prefix is written down"
mv "$prefix" "$TMPDIR/moved here"
prefix="$TMPDIR/moved here"
"$prefix/bin/mpicc" $san sum.c -o nine || fail "mpicc after a move"
runs ./nine
"$prefix/bin/mpi-info" | grep -q Haft || fail "mpi-info"
"$prefix/bin/mpi-info" --version | grep -q 'MPI  *5.0' || fail "mpi-info --version"
"$prefix/bin/mpi-info" --nosuch >info.log 2>&1 && fail "mpi-info --nosuch"
for p in mpiexec mpirun mpicc mpicxx mpi-info; do
	[ -s "$prefix/share/man/man1/$p.1" ] || fail "no man page of $p"
done
cd /
finish
