! SPDX-License-Identifier: BSD-3-Clause
! RUN np=2
! MPI-5.0 6.9.5, 9.3, 13.2, 19.3.3.1, 19.3.6.2 to 19.3.6.4, 19.3.7: operations, error handlers and
! generalized requests of Fortran, called from Fortran and from C; objects of C in Fortran.
module calls_of_mine
  use, intrinsic :: iso_c_binding
  use mpi_f08
  implicit none
  integer :: errors = 0, last_error = 0, frees = 0, cancels = 0
  type(MPI_Comm) :: last_comm
contains
  subroutine sum_of(invec, inoutvec, len, datatype)
    type(c_ptr), value :: invec, inoutvec
    integer :: len
    type(MPI_Datatype) :: datatype
    integer, pointer :: a(:), b(:)
    if (datatype /= MPI_INTEGER) call MPI_Abort(MPI_COMM_WORLD, 90)
    call c_f_pointer(invec, a, [len])
    call c_f_pointer(inoutvec, b, [len])
    b = a + b
  end subroutine
  subroutine big_sum_of(invec, inoutvec, len, datatype)
    type(c_ptr), value :: invec, inoutvec
    integer(kind=MPI_COUNT_KIND) :: len
    type(MPI_Datatype) :: datatype
    integer, pointer :: a(:), b(:)
    if (datatype /= MPI_INTEGER) call MPI_Abort(MPI_COMM_WORLD, 91)
    call c_f_pointer(invec, a, [len])
    call c_f_pointer(inoutvec, b, [len])
    b = a + b
  end subroutine
  subroutine on_error(comm, error_code)
    type(MPI_Comm) :: comm
    integer :: error_code
    errors = errors + 1
    last_comm = comm
    last_error = error_code
  end subroutine
  subroutine query(extra_state, status, ierror)
    integer(kind=MPI_ADDRESS_KIND) :: extra_state
    type(MPI_Status) :: status
    integer :: ierror
    call MPI_Status_set_elements(status, MPI_INTEGER, int(extra_state))
    call MPI_Status_set_cancelled(status, .false.)
    status%MPI_SOURCE = 17
    status%MPI_TAG = MPI_UNDEFINED
    ierror = MPI_SUCCESS
  end subroutine
  subroutine release(extra_state, ierror)
    integer(kind=MPI_ADDRESS_KIND) :: extra_state
    integer :: ierror
    frees = frees + int(extra_state)
    ierror = MPI_SUCCESS
  end subroutine
  subroutine cancel(extra_state, complete, ierror)
    integer(kind=MPI_ADDRESS_KIND) :: extra_state
    logical :: complete
    integer :: ierror
    if (.not. complete) cancels = cancels + int(extra_state)
    ierror = MPI_SUCCESS
  end subroutine
end module

program calls
  use calls_of_mine
  implicit none
  interface
    subroutine c_reduce(comm, op, type) bind(C)
      import; integer(c_int), value :: comm, op, type
    end subroutine
    subroutine c_err(comm) bind(C)
      import; integer(c_int), value :: comm
    end subroutine
    function c_op() bind(C)
      import; integer(c_int) :: c_op
    end function
  end interface
  type(MPI_Op) :: op, big, theirs
  type(MPI_Errhandler) :: handler, same
  type(MPI_Comm) :: comm
  type(MPI_Request) :: req
  type(MPI_Status) :: status
  integer :: rank, a(3), b(3), n, ierr
  logical :: flag
  character(len=MPI_MAX_ERROR_STRING) :: words

  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Op_create(sum_of, .true., op)
  call MPI_Op_commutative(op, flag)
  if (.not. flag) stop 1
  a = [1, 2, 3] + rank
  call MPI_Allreduce(a, b, 3, MPI_INTEGER, op, MPI_COMM_WORLD)
  if (any(b /= [3, 5, 7])) stop 2
  call c_reduce(MPI_COMM_WORLD%MPI_VAL, op%MPI_VAL, MPI_INTEGER%MPI_VAL)
  call MPI_Op_create_c(big_sum_of, .false., big)
  call MPI_Op_commutative(big, flag)
  if (flag) stop 3
  call MPI_Allreduce(a, b, 3, MPI_INTEGER, big, MPI_COMM_WORLD)
  if (any(b /= [3, 5, 7])) stop 4
  theirs%MPI_VAL = c_op()
  call MPI_Allreduce(a, b, 3, MPI_INTEGER, theirs, MPI_COMM_WORLD)
  if (any(b /= [3, 5, 7])) stop 5
  call MPI_Op_free(op)
  call MPI_Op_free(big)
  call MPI_Op_free(theirs)
  if (op /= MPI_OP_NULL) stop 6

  ! an error in Fortran, one in C, both to Fortran's handler
  call MPI_Comm_dup(MPI_COMM_WORLD, comm)
  call MPI_Comm_create_errhandler(on_error, handler)
  call MPI_Comm_set_errhandler(comm, handler)
  call MPI_Comm_get_errhandler(comm, same)
  if (same /= handler) stop 7
  call MPI_Errhandler_free(same)
  call MPI_Errhandler_free(handler)
  call MPI_Send(a, 1, MPI_INTEGER, 99, 0, comm, ierr)
  if (ierr /= MPI_ERR_RANK .or. errors /= 1 .or. last_error /= ierr .or. last_comm /= comm) stop 8
  call c_err(comm%MPI_VAL)
  if (errors /= 2 .or. last_error /= MPI_ERR_TAG) stop 9
  call MPI_Error_string(ierr, words, n)
  if (index(words, 'rank') == 0 .or. words(n + 1:) /= ' ') stop 10
  call MPI_Comm_free(comm)

  ! generalized requests
  call MPI_Grequest_start(query, release, cancel, 5_MPI_ADDRESS_KIND, req)
  call MPI_Test(req, flag, status)
  if (flag) stop 11
  call MPI_Cancel(req)
  if (cancels /= 5) stop 12
  call MPI_Grequest_complete(req)
  call MPI_Wait(req, status)
  call MPI_Get_elements(status, MPI_INTEGER, n)
  if (n /= 5 .or. status%MPI_SOURCE /= 17 .or. frees /= 5 .or. req /= MPI_REQUEST_NULL) stop 13
  call MPI_Finalize()
end program
