! SPDX-License-Identifier: BSD-3-Clause
! RUN np=1
! MPI-5.0 15.2, 19.3.5, 9.2, 19.1.7, 20.4: profiling of Fortran, statuses in all directions, memory
! as a pointer, sizes, error of a handle that is none, neighbours of the two modules.
module tool
  implicit none
  integer :: barriers = 0, sizes = 0
end module

! A tool: procedures of the specific names take the place of the library's (MPI-5.0 19.1.5).
subroutine MPI_Barrier_f08(comm, ierror)
  use mpi_f08, only: MPI_Comm, PMPI_Barrier
  use tool
  implicit none
  type(MPI_Comm), intent(in) :: comm
  integer, optional, intent(out) :: ierror
  barriers = barriers + 1
  call PMPI_Barrier(comm, ierror)
end subroutine

subroutine MPI_Comm_size(comm, size, ierror)
  use mpi, only: PMPI_Comm_size
  use tool
  implicit none
  integer :: comm, size, ierror
  sizes = sizes + 1
  call PMPI_Comm_size(comm, size, ierror)
end subroutine

subroutine with_old_module(comm)
  use mpi
  use, intrinsic :: iso_c_binding
  implicit none
  integer :: comm, n, ierror, keys
  type(c_ptr) :: p
  integer(kind=MPI_ADDRESS_KIND) :: address
  double precision, pointer :: a(:)
  double precision :: d
  complex :: c(3)
  integer(8) :: i8
  call MPI_Comm_size(comm, n, ierror)
  if (n /= 1) stop 11
  ! memory in both forms
  call MPI_Alloc_mem(80_MPI_ADDRESS_KIND, MPI_INFO_NULL, p, ierror)
  call c_f_pointer(p, a, [10])
  a = 2
  if (sum(a) /= 20) stop 12
  call MPI_Free_mem(a, ierror)
  call MPI_Alloc_mem(80_MPI_ADDRESS_KIND, MPI_INFO_NULL, address, ierror)
  if (address == 0) stop 13
  call c_f_pointer(transfer(address, p), a, [10])
  call MPI_Free_mem(a, ierror)
  call MPI_Sizeof(d, n, ierror)
  if (n /= 8) stop 14
  call MPI_Sizeof(c, n, ierror)
  if (n /= 8) stop 15
  call MPI_Sizeof(i8, n, ierror)
  if (n /= 8) stop 16
  call MPI_Info_create(keys, ierror)
  call MPI_Info_free(keys, ierror)
end subroutine

program more
  use mpi_f08
  use tool
  implicit none
  interface
    subroutine c_statuses(f, f08) bind(C)
      import
      integer :: f(MPI_STATUS_SIZE)
      type(MPI_Status) :: f08
    end subroutine
    function c_ignores(one, many) bind(C)
      import
      type(MPI_Status) :: one, many(*)
      integer :: c_ignores
    end function
  end interface
  type(MPI_Status) :: status, other
  integer :: f(MPI_STATUS_SIZE), n, ierror
  type(MPI_Info) :: info
  type(MPI_Comm) :: gone
  logical :: yes, no, set
  character(len=8) :: value

  ! before MPI_Init: Fortran's values are known
  call MPI_Abi_get_fortran_booleans(4, yes, no, set)
  if (.not. set .or. .not. yes .or. no) stop 1
  call MPI_Abi_get_fortran_info(info)
  n = 8
  call MPI_Info_get_string(info, 'mpi_integer_size', n, value, set)
  if (.not. set .or. value /= '4' .or. n /= 1) stop 2
  call MPI_Info_free(info)

  call MPI_Init()
  call MPI_Barrier(MPI_COMM_WORLD)
  call MPI_Barrier(MPI_COMM_SELF, ierror)
  if (barriers /= 2) stop 3
  call with_old_module(MPI_COMM_WORLD%MPI_VAL)
  if (sizes /= 1) stop 4
  call MPI_Comm_size(MPI_COMM_WORLD, n)
  if (sizes /= 1) stop 5

  n = 0
  call MPI_Sendrecv(n, 1, MPI_INTEGER, 0, 9, ierror, 1, MPI_INTEGER, 0, 9, MPI_COMM_WORLD, status)
  call MPI_Status_f082f(status, f)
  if (f(MPI_SOURCE) /= 0 .or. f(MPI_TAG) /= 9) stop 6
  call MPI_Status_f2f08(f, other)
  call MPI_Get_count(other, MPI_INTEGER, n)
  if (n /= 1 .or. other%MPI_TAG /= 9) stop 7
  call c_statuses(f, status)
  if (f(MPI_TAG) /= 10 .or. status%MPI_TAG /= 11) stop 8
  if (c_ignores(MPI_STATUS_IGNORE, MPI_STATUSES_IGNORE) /= 1) stop 9

  ! a handle that is none is told as such, whatever it is
  call MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN)
  gone%MPI_VAL = 1234567890
  call MPI_Comm_size(gone, n, ierror)
  if (ierror /= MPI_ERR_COMM) stop 10
  call MPI_Comm_dup(MPI_COMM_SELF, gone)
  other%MPI_TAG = gone%MPI_VAL
  call MPI_Comm_free(gone)
  gone%MPI_VAL = other%MPI_TAG
  call MPI_Comm_size(gone, n, ierror)
  if (ierror /= MPI_ERR_COMM) stop 17
  call MPI_Finalize()
end program
