# SPDX-License-Identifier: BSD-3-Clause
# RUN time=300
# A configure script that looks for mpicc, mpicxx and MPI_Init as AX_MPI does, by automake and by hand.
. tests/build/lib.sh
command -v autoreconf >/dev/null && command -v automake >/dev/null || exit 77
install_tree
mkdir "$TMPDIR/src" && cd "$TMPDIR/src" || exit 1
cp ../sum.c .
cp ../sum.cc sumxx.cc
cat >configure.ac <<'END'
AC_INIT([sum], [1])
AM_INIT_AUTOMAKE([foreign])
AC_CHECK_PROGS([MPICC], [mpcc mpicc hcc], [no])
AC_CHECK_PROGS([MPICXX], [mpCC mpic++ mpicxx mpiCC], [no])
CC=$MPICC
CXX=$MPICXX
AC_PROG_CC
AC_PROG_CXX
MPILIBS=none
AC_CHECK_FUNC([MPI_Init], [MPILIBS=" "])
AS_IF([test "$MPILIBS" = none], [AC_CHECK_LIB([mpi], [MPI_Init], [MPILIBS="-lmpi"])])
AS_IF([test "$MPILIBS" = none], [AC_MSG_ERROR([no MPI])])
AC_CHECK_HEADERS([mpi.h], [], [AC_MSG_ERROR([no mpi.h])])
AC_CONFIG_FILES([Makefile])
AC_OUTPUT
END
cat >Makefile.am <<'END'
bin_PROGRAMS = sum_c sum_cxx
sum_c_SOURCES = sum.c
sum_cxx_SOURCES = sumxx.cc
END
PATH=$prefix/bin:$PATH
{ autoreconf -i && ./configure && make; } >log 2>&1 || {
	tail -30 log
	fail "configure and make"
}
runs ./sum_c
runs ./sum_cxx
cd /
finish
