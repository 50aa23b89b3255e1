# SPDX-License-Identifier: BSD-3-Clause
# RUN time=60
# MPI-5.0 2.5.1, pitfall 23: a leaked or stale handle is told with the line of the Fortran
# program that made it, not with that of Haft's own procedure; and a C call that follows one of
# Fortran that has failed is told with its own.
set -u
case $B in /*) ;; *) B=$PWD/$B ;; esac
[ -x "$B/bin/mpifort" ] && command -v gfortran >/dev/null && command -v "${FC:-gfortran}" >/dev/null &&
	command -v addr2line >/dev/null || exit 77
top=$PWD
cd "$TMPDIR" || exit 1
bad=0
has() {
	grep -qE "$1" "$2" || {
		echo "no \"$1\" in:"
		cat "$2"
		bad=1
	}
}

for form in "use mpi_f08" "use mpi" "include 'mpif.h'"; do
	case $form in include*) order="implicit none
$form" ;; *) order="$form
implicit none" ;; esac
	case $form in *f08) handle='type(MPI_Comm)' type='type(MPI_Datatype)' req='type(MPI_Request)' ;;
		*) handle=integer type=integer req=integer ;; esac
	# Written here, as the three forms are one text.
	cat >leak.f90 <<END
program leak
$order
$handle :: c
$type :: t
$req :: r
integer :: err, a(1)
call MPI_Init(err)
call MPI_Comm_dup(MPI_COMM_WORLD, c, err)
call MPI_Type_contiguous(3, MPI_INTEGER, t, err)
call MPI_Send_init(a, 1, MPI_INTEGER, 0, 0, MPI_COMM_SELF, r, err)
call MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN, err)
call MPI_Type_contiguous(-3, MPI_INTEGER, t, err)
call in_c()
call MPI_Finalize(err)
end program
END
	"$B/bin/mpicc" -g $SANFLAGS -c "$top/tests/fort/leaks_c.c" -o in_c.o && "$B/bin/mpifort" -g $SANFLAGS leak.f90 in_c.o -o leak || exit 1
	HAFT_LEAKS=1 "$B/bin/mpiexec" -n 1 ./leak >out 2>&1
		[ "$(grep -c 'leak\.f90' out)" -eq 3 ] || has '3 lines of leak.f90' out
	has 'leaks_c.c:10' out
	! grep -q 'fort_' out || has 'no procedure of Haft' out
done
rm -f leak* in_c.* out
exit $bad
