# SPDX-License-Identifier: BSD-3-Clause
# RUN time=300
# Configure scripts that look for mpicc, mpicxx and MPI_Init: by hand, with AX_MPI, with
# AX_PROG_CC_MPI and its like (autoconf-archive), in each language.
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
fort=
! "$prefix/bin/mpifort" --version >/dev/null 2>&1 || fort=yes
macros=$(aclocal --print-ac-dir)
ls "$macros/ax_mpi.m4" "$macros/ax_prog_cc_mpi.m4" >/dev/null 2>&1 || finish # no autoconf-archive

# ax NAME: the configure.ac of standard input finds an MPI for each language; make builds with it.
ax() {
	mkdir "$TMPDIR/$1" && cd "$TMPDIR/$1" || exit 1
	cp ../sum.c ../sum.cc .
	printf '      program sum\n      include "mpif.h"\n      integer n, e\n      call MPI_Init(e)\n' >sum.f
	printf '      call MPI_Allreduce(1, n, 1, MPI_INTEGER, MPI_SUM,\n     &    MPI_COMM_WORLD, e)\n' >>sum.f
	printf '      print "(a,i0)", "sum ", n\n      call MPI_Finalize(e)\n      end\n' >>sum.f
	cp sum.f sum.f90
	sed -i -e 's/^     &/      \&/' -e 's/MPI_SUM,$/MPI_SUM, \&/' sum.f90
	cat >configure.ac
	cat >Makefile.in <<-'END'
		all: ; @CC_IS@ sum.c -o sum_c @MPILIBS@ && \
		  @CXX_IS@ sum.cc -o sum_cxx @MPILIBS@ && \
		  { test -z "@F77_IS@" || @F77_IS@ sum.f -o sum_f @MPILIBS@; } && \
		  { test -z "@FC_IS@" || @FC_IS@ sum.f90 -o sum_f90 @MPILIBS@; }
	END
	{ autoreconf -i && ./configure && make; } >log 2>&1 || {
		tail -30 log
		fail "$1: configure and make"
	}
	for p in sum_c sum_cxx ${fort:+sum_f sum_f90}; do
		runs ./$p
		ldd ./$p | grep -q "$prefix/lib" || fail "$1: another MPI: $(ldd ./$p | grep mpi)"
	done
}
# Lines for a configure.ac; those of Fortran only if there is a compiler.
languages() {
	if [ "$fort" = yes ]; then cat; else grep -v -e F77 -e FC; fi
}
export PATH
no='[AC_MSG_ERROR([no MPI])]'
{
	echo 'AC_INIT([sum], [1])'
	languages <<-END
		AC_LANG_PUSH([C]) AX_MPI([CC_IS=\$MPICC], $no) AC_LANG_POP([C])
		AC_LANG_PUSH([C++]) AX_MPI([CXX_IS=\$MPICXX], $no) AC_LANG_POP([C++])
		AC_LANG_PUSH([Fortran 77]) AX_MPI([F77_IS=\$MPIF77], $no) AC_LANG_POP([Fortran 77])
		AC_LANG_PUSH([Fortran]) AX_MPI([FC_IS=\$MPIFC], $no) AC_LANG_POP([Fortran])
	END
	printf 'AC_SUBST(%s)\n' CC_IS CXX_IS F77_IS FC_IS
	printf '%s\n' 'AC_CONFIG_FILES([Makefile])' AC_OUTPUT
} | ax ax_mpi
{
	echo 'AC_INIT([sum], [1])'
	languages <<-END
		AX_PROG_CC_MPI([true], [CC_IS=\$CC], $no)
		AX_PROG_CXX_MPI([true], [CXX_IS=\$CXX], $no)
		AX_PROG_F77_MPI([true], [F77_IS=\$F77], $no)
		AX_PROG_FC_MPI([true], [FC_IS=\$FC], $no)
	END
	printf 'AC_SUBST(%s)\n' CC_IS CXX_IS F77_IS FC_IS MPILIBS
	printf '%s\n' 'AC_CONFIG_FILES([Makefile])' AC_OUTPUT
} | ax ax_prog
cd /
finish
