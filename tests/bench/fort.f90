! SPDX-License-Identifier: BSD-3-Clause
! fort.f90 - what a call costs more from Fortran than from C: the best of many short rounds, in
! turns, of calls that do next to nothing.  The first row is no call of MPI: a procedure in C with
! MPI_Send's arguments that returns at once; by it one sees what the compiler's own part costs, by
! address and by
! descriptor.  The last row is what no library can do without: procedures in C, in the program
! itself, that call MPI_Isend and MPI_Wait with handles that they know, look up nothing and check
! nothing.
!
!     call           C ns   mpif.h ns   mpi_f08 ns
program fort
  use, intrinsic :: iso_c_binding
  use mpi_f08
  implicit none
  integer, parameter :: calls = 20000, rounds = 200, kinds = 6
  character(len=20), parameter :: names(kinds) = [character(len=20) :: &
    'an empty one', 'rank', 'rank of a copy', 'send to nobody', 'isend and wait', 'the same, bare']
  interface
    subroutine c_calls(kind, n, comm) bind(C)
      import; integer(c_int), value :: kind, n, comm
    end subroutine
    subroutine old_calls(kind, n, comm)
      integer :: kind, n, comm
    end subroutine
  end interface
  interface
    subroutine empty(buf, count, datatype, dest, tag, comm, ierror) bind(C)
      import
      type(*), dimension(..), intent(in), asynchronous :: buf
      integer, intent(in) :: count, dest, tag
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Comm), intent(in) :: comm
      integer, optional, intent(out) :: ierror
    end subroutine
    subroutine bare_isend(buf, count, datatype, dest, tag, comm, request, ierror) bind(C)
      import
      type(*), dimension(..), intent(in), asynchronous :: buf
      integer, intent(in) :: count, dest, tag
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request), intent(out) :: request
      integer, optional, intent(out) :: ierror
    end subroutine
    subroutine bare_wait(request, status, ierror) bind(C)
      import
      type(MPI_Request), intent(inout) :: request
      type(MPI_Status) :: status
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  double precision :: best(3, kinds), t
  type(MPI_Comm) :: comm
  integer :: k, r

  call MPI_Init()
  call MPI_Comm_dup(MPI_COMM_WORLD, comm)
  best = huge(t)
  do r = 1, rounds
    do k = 1, kinds
      t = MPI_Wtime()
      call c_calls(k, calls, comm%MPI_VAL)
      best(1, k) = min(best(1, k), MPI_Wtime() - t)
      t = MPI_Wtime()
      call old_calls(k, calls, comm%MPI_VAL)
      best(2, k) = min(best(2, k), MPI_Wtime() - t)
      t = MPI_Wtime()
      call new_calls(k, calls, comm)
      best(3, k) = min(best(3, k), MPI_Wtime() - t)
    end do
  end do
  best = best / calls * 1d9
  print '(a20, 3a12)', 'call', 'C ns', 'mpif.h ns', 'mpi_f08 ns'
  do k = 1, kinds
    print '(a20, 3f12.1)', names(k), best(:, k)
  end do
  call MPI_Comm_free(comm)
  call MPI_Finalize()
contains
  subroutine new_calls(kind, n, comm)
    integer :: kind, n, i, rank
    type(MPI_Comm) :: comm
    type(MPI_Request) :: req
    real, asynchronous :: a(4)
    a = 0
    select case (kind)
    case (1)
      do i = 1, n
        call empty(a, 4, MPI_REAL, MPI_PROC_NULL, 0, comm)
      end do
    case (2)
      do i = 1, n
        call MPI_Comm_rank(MPI_COMM_WORLD, rank)
      end do
    case (3)
      do i = 1, n
        call MPI_Comm_rank(comm, rank)
      end do
    case (4)
      do i = 1, n
        call MPI_Send(a, 4, MPI_REAL, MPI_PROC_NULL, 0, comm)
      end do
    case (5)
      do i = 1, n
        call MPI_Isend(a, 4, MPI_REAL, MPI_PROC_NULL, 0, comm, req)
        call MPI_Wait(req, MPI_STATUS_IGNORE)
      end do
    case (6)
      do i = 1, n
        call bare_isend(a, 4, MPI_REAL, MPI_PROC_NULL, 0, comm, req)
        call bare_wait(req, MPI_STATUS_IGNORE)
      end do
    end select
  end subroutine
end program

subroutine old_calls(kind, n, comm)
  implicit none
  include 'mpif.h'
  integer :: kind, n, comm, i, rank, req, ierr
  real :: a(4)
  a = 0
  select case (kind)
  case (1)
    do i = 1, n
      call bare(a, 4, MPI_REAL, MPI_PROC_NULL, 0, comm, ierr)
    end do
  case (2)
    do i = 1, n
      call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
    end do
  case (3)
    do i = 1, n
      call MPI_Comm_rank(comm, rank, ierr)
    end do
  case (4)
    do i = 1, n
      call MPI_Send(a, 4, MPI_REAL, MPI_PROC_NULL, 0, comm, ierr)
    end do
  case (5)
    do i = 1, n
      call MPI_Isend(a, 4, MPI_REAL, MPI_PROC_NULL, 0, comm, req, ierr)
      call MPI_Wait(req, MPI_STATUS_IGNORE, ierr)
    end do
  case (6)
    do i = 1, n
      call bare_isend_old(a, 4, MPI_REAL, MPI_PROC_NULL, 0, comm, req, ierr)
      call bare_wait_old(req, MPI_STATUS_IGNORE, ierr)
    end do
  end select
end subroutine
