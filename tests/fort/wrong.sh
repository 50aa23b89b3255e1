# SPDX-License-Identifier: BSD-3-Clause
# RUN time=120
# MPI-5.0 19.1.2, 19.1.3: a wrong argument ends at the compiler: of another type, kind, rank or
# class of handle, a constant for a result, missing, under a name that there is not.  Each line of
# wrong.f90 is one such call, and has to be an error of its own; right.f90, with the same
# declarations, compiles.
set -u
case $B in /*) ;; *) B=$PWD/$B ;; esac
[ -x "$B/bin/mpifort" ] && grep -q 'GNU Fortran' "$B/include/haft/compiler" 2>/dev/null || exit 77
cd "$TMPDIR" || exit 1
bad=0

# judge MODULE: of head, right and wrong
judge() {
	{ cat head right; printf 'end subroutine\nend module\n'; } >right.f90
	{ cat head wrong; printf 'end subroutine\nend module\n'; } >wrong.f90
	"$B/bin/mpifort" -fsyntax-only right.f90 >right.log 2>&1 || {
		echo "use $1: does not compile:"
		cat right.log
		bad=1
	}
	"$B/bin/mpifort" -fsyntax-only -fmax-errors=0 wrong.f90 >wrong.log 2>&1
	sed -n 's/^wrong\.f90:\([0-9]*\):.*/\1/p' wrong.log >lines
	n=$(wc -l <head)
	while read -r call; do
		n=$((n + 1))
		grep -qx $n lines && continue
		echo "use $1: compiles: $call"
		bad=1
	done <wrong
}

cat >head <<'END'
module w
use mpi_f08
implicit none
contains
subroutine bad_op(a, b) bind(C)
integer :: a, b
end subroutine
subroutine bad_errh(comm)
type(MPI_Comm) :: comm
end subroutine
subroutine win_errh(win, code)
type(MPI_Win) :: win
integer :: code
end subroutine
subroutine comm_errh(comm, code)
type(MPI_Comm) :: comm
integer :: code
end subroutine
subroutine good_op(invec, inoutvec, len, datatype)
use, intrinsic :: iso_c_binding
type(c_ptr), value :: invec, inoutvec
integer :: len
type(MPI_Datatype) :: datatype
end subroutine
subroutine old_copy(comm, keyval, extra, vin, vout, flag, ierror)
integer :: comm, keyval, extra, vin, vout, ierror
logical :: flag
end subroutine
subroutine p
integer :: i, j, r(3), iarr(8)
integer(MPI_COUNT_KIND) :: n
integer(2) :: half
real :: x
real(8) :: d
logical :: flag
character(80) :: s
type(MPI_Comm) :: c
type(MPI_Request) :: q, qq(4)
type(MPI_Datatype) :: t
type(MPI_Group) :: g
type(MPI_Info) :: f
type(MPI_Win) :: w_
type(MPI_Op) :: o
type(MPI_Status) :: st, sts(4)
type(MPI_Errhandler) :: e
type(MPI_Message) :: m
type(MPI_Session) :: se
integer(MPI_ADDRESS_KIND) :: a
END
cat >right <<'END'
call MPI_Init()
call MPI_Init(ierror=i)
call MPI_Init_thread(required=MPI_THREAD_SINGLE, provided=i, ierror=j)
call MPI_Send(buf=x, count=1, datatype=MPI_REAL, dest=0, tag=0, comm=c, ierror=i)
call MPI_Send(x, n, MPI_REAL, 0, 0, c)
call MPI_Recv(source=0, tag=1, comm=c, buf=iarr(1:8:3), count=1, datatype=t, status=st)
call MPI_Recv(s, 80, MPI_CHARACTER, 0, 0, c, MPI_STATUS_IGNORE, i)
call MPI_Waitall(4, qq, sts)
call MPI_Waitall(4, qq, MPI_STATUSES_IGNORE)
call MPI_Op_create(good_op, .true., o)
call MPI_Comm_create_errhandler(comm_errh, e)
call MPI_Win_create_errhandler(win_errh, e)
call MPI_Comm_create_keyval(MPI_COMM_DUP_FN, MPI_COMM_NULL_DELETE_FN, i, 0_MPI_ADDRESS_KIND)
call MPI_Comm_set_attr(c, i, a)
call MPI_Get_address(x, a)
call MPI_Win_create(x, a, 1, f, c, w_)
call MPI_Win_create(x, a, a, f, c, w_)
call MPI_Status_f2f08(iarr, st)
call MPI_Status_f082f(st, iarr)
if (c == MPI_COMM_WORLD .and. q /= MPI_REQUEST_NULL) i = c%MPI_VAL
i = st%MPI_SOURCE + st%MPI_TAG + st%MPI_ERROR
call MPI_Type_create_struct(2, r, [a, a], [t, MPI_REAL], t)
call MPI_Type_create_struct(2_MPI_COUNT_KIND, [n, n], [n, n], [t, MPI_REAL], t)
call MPI_Gatherv(MPI_IN_PLACE, 1, MPI_REAL, x, r, r, MPI_REAL, 0, c)
call MPI_Bcast(d, 1, MPI_DOUBLE_PRECISION, 0, c)
call MPI_Bcast(MPI_BOTTOM, 1, t, 0, c)
if (m == MPI_MESSAGE_NO_PROC .or. se == MPI_SESSION_NULL .or. g == MPI_GROUP_EMPTY) i = 0
END
cat >wrong <<'END'
call MPI_Init(x)
call MPI_Init_thread(MPI_THREAD_SINGLE, 3)
call MPI_Comm_size(257, i)
call MPI_Comm_size(c, x)
call MPI_Comm_size(c, 4)
call MPI_Comm_rank(c, half)
call MPI_Comm_rank(t, i)
call MPI_Send(x, 1, MPI_REAL, 0, MPI_COMM_WORLD)
call MPI_Send(x, 1, MPI_REAL, 0, 0, c, st)
call MPI_Send(x, 1.0, MPI_REAL, 0, 0, c)
call MPI_Send(x, 1, MPI_SUM, 0, 0, c)
call MPI_Send(x, 1, MPI_REAL, 0, .true., c)
call MPI_Send(x, 1, MPI_REAL, c, 0, 0)
call MPI_Send(x, [1], MPI_REAL, 0, 0, c)
call MPI_Recv(x, 1, MPI_REAL, 0, 0, c)
call MPI_Recv(x, 1, MPI_REAL, 0, 0, c, r)
call MPI_Recv(x, 1, MPI_REAL, 0, 0, c, sts)
call MPI_Recv(1.0, 1, MPI_REAL, 0, 0, c, MPI_REQUEST_NULL)
call MPI_Isend(x, 1, MPI_REAL, 0, 0, c, st)
call MPI_Isend(x, 1, MPI_REAL, 0, 0, c, i)
call MPI_Isend(x, 1, MPI_REAL, 0, 0, c, MPI_REQUEST_NULL)
call MPI_Wait(c, MPI_STATUS_IGNORE)
call MPI_Wait(q, r)
call MPI_Wait(q)
call MPI_Waitall(4, q, MPI_STATUSES_IGNORE)
call MPI_Waitall(4, qq, st)
call MPI_Waitany(4, qq, x, st)
call MPI_Test(q, i, MPI_STATUS_IGNORE)
call MPI_Testall(4, qq, i, MPI_STATUSES_IGNORE)
call MPI_Comm_free(MPI_COMM_WORLD)
call MPI_Comm_dup(c, MPI_COMM_WORLD)
call MPI_Comm_split(c, 1, 2, g)
call MPI_Comm_group(g, c)
call MPI_Group_incl(g, 3, r, c)
call MPI_Group_incl(g, r, 3, g)
call MPI_Allreduce(x, d, 1, MPI_REAL, MPI_REAL, c)
call MPI_Allreduce(x, d, 1, MPI_SUM, MPI_SUM, c)
call MPI_Bcast(x, 1, MPI_REAL, c)
call MPI_Gatherv(x, 1, MPI_REAL, x, 1, r, MPI_REAL, 0, c)
call MPI_Alltoallw(x, r, r, t, x, r, r, t, c)
call MPI_Type_contiguous(2, t, c)
call MPI_Type_vector(2, 2, 2, t, MPI_REAL)
call MPI_Type_create_hvector(2, 1, 4, t, t)
call MPI_Type_create_struct(2, r, r, t, t)
call MPI_Type_commit(MPI_REAL)
call MPI_Type_size(t, flag)
call MPI_Type_get_extent(t, i, a)
call MPI_Op_create(bad_op, .true., o)
call MPI_Op_create(good_op, 1, o)
call MPI_Op_create(good_op, .true., t)
call MPI_Comm_create_errhandler(bad_errh, e)
call MPI_Comm_create_errhandler(win_errh, e)
call MPI_Win_create_errhandler(comm_errh, e)
call MPI_Comm_create_keyval(old_copy, MPI_COMM_NULL_DELETE_FN, i, a)
call MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, i, 0)
call MPI_Comm_set_attr(c, i, 4)
call MPI_Comm_get_attr(c, i, i, flag)
call MPI_Comm_get_attr(c, i, a, i)
call MPI_Win_create(x, 4, 1, f, c, w_)
call MPI_Win_create(x, a, 1, c, f, w_)
call MPI_Win_free(c)
call MPI_Put(x, 1, MPI_REAL, 0, 0, 1, MPI_REAL, w_)
call MPI_Put(x, 1, MPI_REAL, 0, a, 1, MPI_REAL, c)
call MPI_Get_address(x, i)
call MPI_Info_set(f, 'a', 1)
call MPI_Info_set(c, 'a', 'b')
call MPI_Info_get_nkeys(f, x)
call MPI_Get_processor_name(i, s)
call MPI_Error_string(s, i, i)
call MPI_Comm_set_name(c, 3)
call MPI_Probe(0, 0, c, i)
call MPI_Mprobe(0, 0, c, q, st)
call MPI_Mrecv(x, 1, MPI_REAL, q, st)
call MPI_Cart_create(c, 2, r, r, .false., c)
call MPI_Cart_create(c, 2, r, [.true., .false.], 0, c)
call MPI_Session_finalize(c)
call MPI_Session_init(f, e, c)
call MPI_Get_count(r, t, i)
call MPI_Type_dup(t, g)
call MPI_Pack(x, 1, t, x, 4, a, c)
call MPI_Abort(1, c)
call MPI_Barrier()
call MPI_Barrier(comunicator=c)
call MPI_Alloc_mem(4, f, a)
call MPI_Psend_init(x, 2, 3, t, 0, 0, c, f, q)
call MPI_Start(c)
call MPI_Startall(2, q)
call MPI_Status_f2f08(st, iarr)
call MPI_Status_set_elements(st, t, x)
if (c == q) stop
if (c == 257) stop
if (st == st) stop
c = MPI_INFO_NULL
i = c
d = MPI_Wtime(c)
END
judge mpi_f08

cat >head <<'END'
module w
use mpi
implicit none
contains
subroutine bad_op(a)
integer :: a
end subroutine
subroutine p
integer :: i, j, r(3), iarr(8), c, q, qq(4), t, g, f, w_, o, e, ierr
integer :: st(MPI_STATUS_SIZE), sts(MPI_STATUS_SIZE, 4)
integer(MPI_COUNT_KIND) :: n
integer(2) :: half
real :: x
real(8) :: d
logical :: flag
character(80) :: s
type(MPI_Comm) :: tc
integer(MPI_ADDRESS_KIND) :: a
END
cat >right <<'END'
call MPI_Init(ierror=i)
call MPI_Send(buf=x, count=1, datatype=MPI_REAL, dest=0, tag=0, comm=c, ierror=i)
call MPI_Recv(source=0, tag=1, comm=c, buf=iarr(1:8:3), count=1, datatype=t, status=st, ierror=ierr)
call MPI_Recv(s, 80, MPI_CHARACTER, 0, 0, c, MPI_STATUS_IGNORE, i)
call MPI_Waitall(4, qq, sts, ierr)
call MPI_Waitall(4, qq, MPI_STATUSES_IGNORE, ierr)
call MPI_Op_create(bad_op, .true., o, ierr)
call MPI_Comm_create_errhandler(bad_op, e, ierr)
call MPI_Comm_create_keyval(MPI_COMM_DUP_FN, MPI_COMM_NULL_DELETE_FN, i, 0_MPI_ADDRESS_KIND, ierr)
call MPI_Keyval_create(MPI_DUP_FN, MPI_NULL_DELETE_FN, i, 0, ierr)
call MPI_Comm_set_attr(c, i, a, ierr)
call MPI_Get_address(x, a, ierr)
call MPI_Win_create(x, a, 1, f, c, w_, ierr)
call MPI_Type_create_struct(2, r, [a, a], [t, MPI_REAL], t, ierr)
call MPI_Gatherv(MPI_IN_PLACE, 1, MPI_REAL, x, r, r, MPI_REAL, 0, c, ierr)
call MPI_Bcast(MPI_BOTTOM, 1, t, 0, c, ierr)
tc%MPI_VAL = c
END
cat >wrong <<'END'
call MPI_Init()
call MPI_Init(x)
call MPI_Comm_size(257, i)
call MPI_Comm_size(x, i, i)
call MPI_Comm_size(c, i, half)
call MPI_Comm_size(tc, i, ierr)
call MPI_Comm_size(c, 4, ierr)
call MPI_Comm_rank(c, x, ierr)
call MPI_Send(x, 1, MPI_REAL, 0, 0, MPI_COMM_WORLD)
call MPI_Send(x, 1.0, MPI_REAL, 0, 0, c, ierr)
call MPI_Send(x, 1, MPI_REAL, 0, .true., c, ierr)
call MPI_Send(x, n, MPI_REAL, 0, 0, c, ierr)
call MPI_Recv(x, 1, MPI_REAL, 0, 0, MPI_COMM_WORLD, i, i)
call MPI_Recv(x, 1, MPI_REAL, 0, 0, MPI_COMM_WORLD, ierr)
call MPI_Isend(x, 1, MPI_REAL, 0, 0, c, 5, ierr)
call MPI_Wait(q, i, ierr)
call MPI_Wait(5, st, ierr)
call MPI_Waitall(4, qq, i, ierr)
call MPI_Test(q, i, st, ierr)
call MPI_Comm_free(MPI_COMM_WORLD, ierr)
call MPI_Comm_split(c, 1, 2, x, ierr)
call MPI_Group_incl(g, r, 3, g, ierr)
call MPI_Bcast(x, 1, MPI_REAL, x, c, ierr)
call MPI_Allreduce(x, d, 1, MPI_REAL, MPI_SUM, ierr)
call MPI_Type_create_hvector(2, 1, 4, t, t, ierr)
call MPI_Type_create_struct(2, r, r, r, t, ierr)
call MPI_Get_address(x, i, ierr)
call MPI_Type_get_extent(t, i, j, ierr)
call MPI_Comm_set_attr(c, i, 4, ierr)
call MPI_Comm_get_attr(c, i, i, flag, ierr)
call MPI_Win_create(x, 4, 1, f, c, w_, ierr)
call MPI_Put(x, 1, MPI_REAL, 0, 0, 1, MPI_REAL, w_, ierr)
call MPI_Info_set(f, 'a', 1, ierr)
call MPI_Get_processor_name(i, s, ierr)
call MPI_Cart_create(c, 2, r, r, .false., c, ierr)
call MPI_Barrier(comm=c)
call MPI_Barrier(x, ierr)
END
judge mpi

rm -rf "$TMPDIR"/*
exit $bad
