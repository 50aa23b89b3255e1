# SPDX-License-Identifier: BSD-3-Clause
# Programs built by the installed mpicc and mpicxx, in one step and in two, and after a move.
. tests/build/lib.sh
install_tree
cd "$TMPDIR" || exit 1

"$prefix/bin/mpicc" -Wall -Werror sum.c -o one || fail "mpicc"
runs ./one
"$prefix/bin/mpicc" -c sum.c && "$prefix/bin/mpicc" sum.o -o two || fail "mpicc in two steps"
runs ./two
"$prefix/bin/mpicxx" -Wall -Werror sum.cc -o three || fail "mpicxx"
runs ./three
"$prefix/bin/mpic++" -c sum.cc -o sum2.o && "$prefix/bin/mpic++" sum2.o -o four || fail "mpic++"
runs ./four
if command -v clang >/dev/null; then
	HAFT_CC=clang "$prefix/bin/mpicc" -Wall -Werror sum.c -o five || fail "mpicc with clang"
	runs ./five
fi

# Both families' words put together by hand, as configure scripts do.
cc $("$prefix/bin/mpicc" -showme:compile) sum.c $("$prefix/bin/mpicc" -showme:link) -o six ||
	fail "-showme:compile and -showme:link"
runs ./six
eval "$("$prefix/bin/mpicc" -show sum.c -o seven)" || fail "-show"
runs ./seven

# The program finds the installed library, under the name of the standard ABI.
ldd one | grep -q "libmpi_abi.so.1 => $prefix/lib/libmpi_abi.so.1" || fail "ldd: $(ldd one)"

# The whole library inside.
"$prefix/bin/mpicc" sum.c -o eight -static 2>static.log || {
	cat static.log
	fail "mpicc -static"
}
[ -x eight ] && runs ./eight

# Likewise at any address: a run path would make it crash before main.
"$prefix/bin/mpicc" -fPIE sum.c -o eight.pie -static-pie 2>static.log || {
	cat static.log
	fail "mpicc -static-pie"
}
[ -x eight.pie ] && runs ./eight.pie
"$prefix/bin/mpicc" -show sum.c -static-pie | grep -q rpath && fail "mpicc -static-pie: a run path"

# Staged: DESTDIR leaves no trace in installed files.
grep -rl "$TMPDIR" "$prefix/bin/mpicc" "$prefix/lib/pkgconfig" && fail "the prefix is written down"
mv "$prefix" "$TMPDIR/moved here"
prefix="$TMPDIR/moved here"
"$prefix/bin/mpicc" sum.c -o nine || fail "mpicc after a move"
runs ./nine
"$prefix/bin/mpi-info" | grep -q Haft || fail "mpi-info"
"$prefix/bin/mpi-info" --version | grep -q 'MPI  *5.0' || fail "mpi-info --version"
"$prefix/bin/mpi-info" --nosuch >info.log 2>&1 && fail "mpi-info --nosuch"
for p in mpiexec mpirun mpicc mpicxx mpi-info; do
	[ -s "$prefix/share/man/man1/$p.1" ] || fail "no man page of $p"
done
# No compiler: the message says how to install it.
for p in mpicc=gcc mpicxx=g++ mpifort=gfortran; do
	HAFT_CC=no_cc HAFT_CXX=no_cc HAFT_FC=no_cc "$prefix/bin/${p%=*}" sum.c >none.log 2>&1
	[ $? = 127 ] || fail "${p%=*} without a compiler: not 127"
	grep -q "compiler .no_cc' here; .*apt-get install ${p#*=} " none.log || fail "${p%=*} without a compiler says: $(cat none.log)"
done
cd /
finish
