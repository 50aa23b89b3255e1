! SPDX-License-Identifier: BSD-3-Clause
! RUN np=1
! MPI-5.0 2.5.1, 9.3, 19.3.4: an INTEGER that is no handle is refused by each form of a procedure,
! whatever it is: 0, negative, of another class, freed; the error handler learns of it, with ierror
! and without.
module cases
  implicit none
  integer, parameter :: n = 12
  integer :: bad(n), freed, kind_of_other, heard = 0, wrong = 0
contains
  subroutine want(what, i, got, class)
    character(*), intent(in) :: what
    integer, intent(in) :: i, got, class
    if (got == class) return
    print '(2a,i0,a,i0,a,i0)', what, ' of ', bad(i), ' gives ', got, ', not ', class
    wrong = wrong + 1
  end subroutine
end module

! mpif.h: by address
subroutine by_address(class_comm, class_type, class_request)
  use cases
  implicit none
  include 'mpif.h'
  integer, intent(in) :: class_comm, class_type, class_request
  integer :: i, x, ierror, request, s
  integer :: status(MPI_STATUS_SIZE)
  logical :: flag
  x = 1
  do i = 1, n
    call MPI_Send(x, 1, MPI_INTEGER, MPI_PROC_NULL, 0, bad(i), ierror)
    call want('MPI_Send', i, ierror, class_comm)
    call MPI_Send(x, 1, bad(i), MPI_PROC_NULL, 0, MPI_COMM_SELF, ierror)
    call want('MPI_Send, type', i, ierror, class_type)
    call MPI_Recv(x, 1, bad(i), MPI_PROC_NULL, 0, MPI_COMM_SELF, status, ierror)
    call want('MPI_Recv, type', i, ierror, class_type)
    request = 77
    call MPI_Isend(x, 1, MPI_INTEGER, MPI_PROC_NULL, 0, bad(i), request, ierror)
    call want('MPI_Isend', i, ierror, class_comm)
    if (request /= 77) stop 20
    call MPI_Type_size(bad(i), s, ierror)
    call want('MPI_Type_size', i, ierror, class_type)
    call MPI_Comm_rank(bad(i), s, ierror)
    call want('MPI_Comm_rank', i, ierror, class_comm)
    call MPI_Barrier(bad(i), ierror)
    call want('MPI_Barrier', i, ierror, class_comm)
    request = bad(i)
    call MPI_Wait(request, status, ierror)
    call want('MPI_Wait', i, ierror, class_request)
    if (bad(i) >= 0 .and. request /= bad(i)) stop 21
    request = bad(i)
    call MPI_Test(request, flag, status, ierror)
    call want('MPI_Test', i, ierror, class_request)
    if (bad(i) >= 0 .and. request /= bad(i)) stop 22
  end do
end subroutine

! mpi_f08: by descriptor; every second time without ierror
subroutine by_descriptor
  use cases
  use mpi_f08
  implicit none
  integer :: i, x(4), ierror, before
  type(MPI_Comm) :: comm
  type(MPI_Datatype) :: type
  type(MPI_Request) :: request
  x = 1
  do i = 1, n
    comm%MPI_VAL = bad(i)
    type%MPI_VAL = bad(i)
    call MPI_Send(x, 1, MPI_INTEGER, MPI_PROC_NULL, 0, comm, ierror)
    call want('f08 MPI_Send', i, ierror, MPI_ERR_COMM)
    call MPI_Send(x(1:4:2), 1, MPI_INTEGER, MPI_PROC_NULL, 0, comm, ierror)
    call want('f08 MPI_Send of a section', i, ierror, MPI_ERR_COMM)
    call MPI_Recv(x, 1, type, MPI_PROC_NULL, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE, ierror)
    call want('f08 MPI_Recv, type', i, ierror, MPI_ERR_TYPE)
    call MPI_Irecv(x, 1, type, MPI_PROC_NULL, 0, MPI_COMM_SELF, request, ierror)
    call want('f08 MPI_Irecv, type', i, ierror, MPI_ERR_TYPE)
    request%MPI_VAL = bad(i)
    call MPI_Wait(request, MPI_STATUS_IGNORE, ierror)
    call want('f08 MPI_Wait', i, ierror, MPI_ERR_REQUEST)
    if (bad(i) >= 0 .and. request%MPI_VAL /= bad(i)) stop 23
    request%MPI_VAL = bad(i)
    before = heard
    call MPI_Send(x, 1, type, MPI_PROC_NULL, 0, MPI_COMM_SELF)
    call MPI_Send(x, 1, MPI_INTEGER, MPI_PROC_NULL, 0, comm)
    call MPI_Wait(request, MPI_STATUS_IGNORE)
    if (heard /= before + 3) stop 24
  end do
end subroutine

subroutine hears(comm, code)
  use cases
  implicit none
  integer :: comm, code
  if (comm == 0 .or. code == 0) stop 25
  heard = heard + 1
end subroutine

program refuse
  use cases
  ! not MPI_Wait and MPI_Test, which by_address() calls without an interface
  use mpi, only: MPI_COMM_SELF, MPI_COMM_WORLD, MPI_INTEGER, MPI_PROC_NULL, MPI_INFO_NULL, MPI_ERR_COMM, &
    MPI_ERR_TYPE, MPI_ERR_REQUEST, MPI_Init, MPI_Finalize, MPI_Comm_create_errhandler, MPI_Comm_set_errhandler, &
    MPI_Errhandler_free, MPI_Comm_dup, MPI_Comm_free, MPI_Type_contiguous, MPI_Type_free, MPI_Send_init, &
    MPI_Request_free, MPI_Info_create, MPI_Info_free
  implicit none
  external :: hears
  integer :: ierror, handler, comm, type, request
  call MPI_Init(ierror)
  call MPI_Comm_create_errhandler(hears, handler, ierror)
  call MPI_Comm_set_errhandler(MPI_COMM_SELF, handler, ierror)
  call MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler, ierror)

  ! one of each kind that is gone, and an info that is not
  call MPI_Comm_dup(MPI_COMM_SELF, comm, ierror)
  call MPI_Type_contiguous(3, MPI_INTEGER, type, ierror)
  call MPI_Send_init(freed, 1, MPI_INTEGER, MPI_PROC_NULL, 0, comm, request, ierror)
  bad(1:3) = [comm, type, request]
  call MPI_Request_free(request, ierror)
  call MPI_Type_free(type, ierror)
  call MPI_Comm_free(comm, ierror)
  call MPI_Info_create(kind_of_other, ierror)
  bad(4:) = [kind_of_other, MPI_INFO_NULL, 0, -1, -huge(1) - 1, huge(1), 16777216, 4095, 4096]
  call by_address(MPI_ERR_COMM, MPI_ERR_TYPE, MPI_ERR_REQUEST)
  call by_descriptor
  call MPI_Info_free(kind_of_other, ierror)
  call MPI_Errhandler_free(handler, ierror)
  call MPI_Finalize(ierror)
  if (wrong > 0) stop 1
end program
