# SPDX-License-Identifier: BSD-3-Clause
# RUN time=300
# Meson's dependency('mpi') in C, C++ and Fortran, with a version: by mpicc and its like, which
# Meson asks as it asks those of Open MPI.
. tests/build/lib.sh
command -v meson >/dev/null && command -v ninja >/dev/null || exit 77
install_tree
mkdir "$TMPDIR/src" && cd "$TMPDIR/src" || exit 1
cp ../sum.c .
cp ../sum.cc sumxx.cc
langs="'c', 'cpp'" fort=
if command -v gfortran >/dev/null; then
	langs="$langs, 'fortran'"
	fort="executable('sum_f', 'sum.f90', dependencies: dependency('mpi', language: 'fortran'))"
	cat >sum.f90 <<-'END'
		program main
		  use mpi_f08
		  integer :: n
		  call MPI_Init()
		  call MPI_Allreduce(1, n, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD)
		  print '(a,i0)', 'sum ', n
		  call MPI_Finalize()
		end program
	END
fi
cat >meson.build <<END
project('sum', $langs)
executable('sum_c', 'sum.c', dependencies: dependency('mpi', version: '>=0.1'))
executable('sum_cxx', 'sumxx.cc', dependencies: dependency('mpi', language: 'cpp'))
$fort
END
PATH=$prefix/bin:$PATH
# Meson asks pkg-config for ompi-c before it looks for an mpicc: no other MPI may be seen there.
export PKG_CONFIG_LIBDIR="$prefix/lib/pkgconfig"
{ meson setup b && ninja -C b; } >log 2>&1 || {
	tail -30 log
	fail "meson and ninja"
}
grep -q "Run-time dependency MPI.*found: YES" log || grep -qi 'dependency mpi.*YES' log || fail "not found: $(grep -i mpi log)"
runs ./b/sum_c
runs ./b/sum_cxx
[ -z "$fort" ] || runs ./b/sum_f
ldd ./b/sum_c | grep -q "$prefix/lib" || fail "another MPI: $(ldd ./b/sum_c)"
cd /
finish
