! SPDX-License-Identifier: BSD-3-Clause
! RUN np=1
! MPI-5.0 15.2, 19.1.5: a tool that defines the specific name of a procedure in Fortran gets the
! calls of its form, with the buffer as the program gave it, and goes on to PMPI_.
module seen
  implicit none
  integer :: old = 0, module_mpi = 0, f08 = 0, f08_irecv = 0
end module

! mpif.h
subroutine MPI_Send(buf, count, datatype, dest, tag, comm, ierror)
  use seen
  implicit none
  integer :: buf(*), count, datatype, dest, tag, comm, ierror
  external :: PMPI_Send
  old = old + buf(1)
  call PMPI_Send(buf, count, datatype, dest, tag, comm, ierror)
end subroutine

subroutine MPI_Send_fts(buf, count, datatype, dest, tag, comm, ierror) bind(C, name='mpi_send_fts_')
  use, intrinsic :: iso_c_binding, only: c_int
  use seen
  use mpi, only: PMPI_Send
  implicit none
  type(*), dimension(..) :: buf
  integer(c_int) :: count, datatype, dest, tag, comm
  integer(c_int), intent(inout) :: ierror
  module_mpi = module_mpi + size(buf)
  call PMPI_Send(buf, count, datatype, dest, tag, comm, ierror)
end subroutine

subroutine MPI_Send_f08ts(buf, count, datatype, dest, tag, comm, ierror) bind(C, name='mpi_send_f08ts_')
  use, intrinsic :: iso_c_binding, only: c_int
  use seen
  use mpi_f08, only: PMPI_Send, MPI_Datatype, MPI_Comm
  implicit none
  type(*), dimension(..), intent(in) :: buf
  integer(c_int), intent(in) :: count, dest, tag
  type(MPI_Datatype), intent(in) :: datatype
  type(MPI_Comm), intent(in) :: comm
  integer(c_int), optional, intent(out) :: ierror
  f08 = f08 + size(buf)
  call PMPI_Send(buf, count, datatype, dest, tag, comm, ierror)
end subroutine

subroutine MPI_Irecv_f08ts(buf, count, datatype, source, tag, comm, request, ierror) bind(C, name='mpi_irecv_f08ts_')
  use, intrinsic :: iso_c_binding, only: c_int
  use seen
  use mpi_f08, only: PMPI_Irecv, MPI_Datatype, MPI_Comm, MPI_Request
  implicit none
  type(*), dimension(..), asynchronous :: buf
  integer(c_int), intent(in) :: count, source, tag
  type(MPI_Datatype), intent(in) :: datatype
  type(MPI_Comm), intent(in) :: comm
  type(MPI_Request), intent(out) :: request
  integer(c_int), optional, intent(out) :: ierror
  f08_irecv = f08_irecv + 1
  call PMPI_Irecv(buf, count, datatype, source, tag, comm, request, ierror)
end subroutine

subroutine by_old(n)
  implicit none
  include 'mpif.h'
  integer :: n(4), m(4), request, ierror
  m = 0
  call MPI_Irecv(m, 4, MPI_INTEGER, 0, 1, MPI_COMM_SELF, request, ierror)
  call MPI_Send(n, 4, MPI_INTEGER, 0, 1, MPI_COMM_SELF, ierror)
  call MPI_Wait(request, MPI_STATUS_IGNORE, ierror)
  if (any(m /= n)) stop 1
end subroutine

subroutine by_module(n)
  use mpi
  implicit none
  integer :: n(8), m(8), request, ierror
  m = 0
  call MPI_Irecv(m(2::2), 4, MPI_INTEGER, 0, 1, MPI_COMM_SELF, request, ierror)
  call MPI_Send(n(1::2), 4, MPI_INTEGER, 0, 1, MPI_COMM_SELF, ierror)
  call MPI_Wait(request, MPI_STATUS_IGNORE, ierror)
  if (any(m(2::2) /= n(1::2)) .or. any(m(1::2) /= 0)) stop 2
end subroutine

subroutine by_f08(n)
  use mpi_f08
  implicit none
  integer :: n(8), ierror
  integer, asynchronous :: m(8)
  type(MPI_Request) :: request
  m = 0
  call MPI_Irecv(m(8:2:-2), 4, MPI_INTEGER, 0, 1, MPI_COMM_SELF, request)
  call MPI_Send(n(1::2), 4, MPI_INTEGER, 0, 1, MPI_COMM_SELF, ierror)
  if (ierror /= MPI_SUCCESS) stop 3
  call MPI_Wait(request, MPI_STATUS_IGNORE)
  if (any(m(8:2:-2) /= n(1::2)) .or. any(m(1::2) /= 0)) stop 4
end subroutine

program profile
  use seen
  use mpi, only: MPI_Init, MPI_Finalize
  implicit none
  integer :: n(8), i, ierror
  n = [(i + 6, i = 1, 8)]
  call MPI_Init(ierror)
  call by_old(n)
  call by_module(n)
  call by_f08(n)
  call MPI_Finalize(ierror)
  if (old /= 7 .or. module_mpi /= 4 .or. f08 /= 4 .or. f08_irecv /= 1) then
    print *, old, module_mpi, f08, f08_irecv
    stop 5
  end if
end program
