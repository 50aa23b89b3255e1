! SPDX-License-Identifier: BSD-3-Clause
! RUN np=4 env="HAFT_FT=yes"
! The extension for failures in Fortran's three forms: a process dies; the others hear of it,
! acknowledge, agree, and go on without it.
module death
  use, intrinsic :: iso_c_binding
  interface
    integer(c_int) function raise(signal) bind(c)
      import c_int
      integer(c_int), value :: signal
    end function
  end interface
end module

! mpif.h
subroutine old_form(comm, living)
  implicit none
  include 'mpif.h'
  integer :: comm, living, rest, request, ierror, n, flag, class
  logical :: revoked

  call MPIX_Comm_ack_failed(comm, 2, n, ierror)
  call MPI_Error_class(ierror, class, flag)
  if (class /= MPI_ERR_ARG) stop 20
  call MPIX_Comm_ack_failed(comm, 1, n, ierror)
  if (ierror /= MPI_SUCCESS .or. n /= 1) stop 21
  flag = 6
  call MPIX_Comm_iagree(comm, flag, request, ierror)
  call MPI_Wait(request, MPI_STATUS_IGNORE, ierror)
  if (ierror /= MPI_SUCCESS .or. flag /= 6) stop 22
  call MPIX_Comm_ishrink(comm, rest, request, ierror)
  call MPI_Wait(request, MPI_STATUS_IGNORE, ierror)
  if (ierror /= MPI_SUCCESS) stop 23
  call MPI_Comm_size(rest, n, ierror)
  if (n /= living) stop 24
  call MPIX_Comm_is_revoked(rest, revoked, ierror)
  if (revoked) stop 25
  call MPI_Comm_free(rest, ierror)
end subroutine

subroutine module_form(comm, living)
  use mpi
  implicit none
  integer :: comm, living, rest, ierror, n, flag, group

  call MPIX_Comm_get_failed(comm, group, ierror)
  call MPI_Group_size(group, n, ierror)
  if (n /= 1) stop 30
  call MPI_Group_free(group, ierror)
  flag = 5
  call MPIX_Comm_agree(comm, flag, ierror)
  if (ierror /= MPI_SUCCESS .or. flag /= 5) stop 31
  call MPIX_Comm_shrink(comm, rest, ierror)
  if (ierror /= MPI_SUCCESS) stop 32
  call MPI_Comm_size(rest, n, ierror)
  if (n /= living) stop 33
  call MPI_Comm_free(rest, ierror)
end subroutine

program failures
  use mpi_f08
  use death
  implicit none
  integer :: rank, size, ierror, class, flag, n, next
  logical :: revoked
  type(MPI_Comm) :: comm, rest
  type(MPI_Group) :: group

  call MPI_Init()
  call MPI_Comm_dup(MPI_COMM_WORLD, comm)
  call MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN)
  call MPI_Comm_rank(comm, rank)
  call MPI_Comm_size(comm, size)
  if (rank == 1) n = raise(9_c_int)
  call MPI_Recv(n, 1, MPI_INTEGER, 1, 0, comm, MPI_STATUS_IGNORE, ierror)
  call MPI_Error_class(ierror, class)
  if (class /= MPIX_ERR_PROC_FAILED) stop 1
  flag = 3
  call MPIX_Comm_agree(comm, flag, ierror)
  call MPI_Error_class(ierror, class)
  if (class /= MPIX_ERR_PROC_FAILED .or. flag /= 3) stop 2
  call old_form(comm%MPI_VAL, size - 1)
  call module_form(comm%MPI_VAL, size - 1)
  call MPIX_Comm_failure_get_acked(comm, group)
  call MPI_Group_size(group, n)
  if (n /= 1) stop 3
  call MPI_Group_free(group)
  if (rank == 0) call MPIX_Comm_revoke(comm)
  next = mod(rank + 1, size)
  if (next == 1) next = 2
  call MPI_Recv(n, 1, MPI_INTEGER, next, 7, comm, MPI_STATUS_IGNORE, ierror)
  call MPI_Error_class(ierror, class)
  if (class /= MPIX_ERR_REVOKED) stop 4
  call MPI_Comm_is_revoked(comm, revoked)
  if (.not. revoked) stop 5
  call MPIX_Comm_shrink(comm, rest)
  call MPI_Comm_size(rest, n)
  if (n /= size - 1) stop 6
  call MPI_Allreduce(MPI_IN_PLACE, n, 1, MPI_INTEGER, MPI_SUM, rest)
  if (n /= (size - 1)**2) stop 7
  call MPI_Comm_free(rest)
  call MPI_Comm_free(comm)
  call MPI_Finalize()
end program
