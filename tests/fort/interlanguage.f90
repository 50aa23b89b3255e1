! SPDX-License-Identifier: BSD-3-Clause
! RUN np=2
! MPI-5.0 19.3.3.2, 19.3.3.3, 19.3.6.1, 19.3.9, 19.3.10, 20.4.4: a session of Fortran gives C its
! communicators; a type that one language made describes data for the other; constants are the same.
program interlanguage
  use, intrinsic :: iso_c_binding
  use mpi_f08
  implicit none
  interface
    integer(c_int) function c_answer(comm, rowtype, prec) bind(c)
      import
      integer(c_int), value :: comm, rowtype, prec
    end function c_answer
    integer(c_int) function c_constants(any_source, any_tag, undefined, max_name) bind(c)
      import
      integer(c_int), value :: any_source, any_tag, undefined, max_name
    end function c_constants
  end interface
  type(MPI_Session) :: session
  type(MPI_Group) :: group
  type(MPI_Comm) :: comm
  type(MPI_Datatype) :: rows
  type(MPI_Status) :: status
  integer :: me, a(6), i
  double precision :: d(3)

  call MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, session)
  call MPI_Group_from_session_pset(session, 'mpi://WORLD', group)
  call MPI_Comm_create_from_group(group, 'interlanguage', MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, comm)
  call MPI_Group_free(group)
  call MPI_Comm_rank(comm, me)
  if (c_constants(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_UNDEFINED, MPI_MAX_OBJECT_NAME) /= 0) &
    call fail('constants differ')

  call MPI_Type_vector(3, 1, 2, MPI_INTEGER, rows)
  call MPI_Type_commit(rows)
  if (me == 0) then
    a = [(i, i = 1, 6)]
    d = [0.5d0, 1.5d0, 2.5d0]
    call MPI_Send(a, 1, rows, 1, 1, comm)
    call MPI_Send(d, 3, MPI_DOUBLE_PRECISION, 1, 2, comm)
    call MPI_Recv(a, 3, MPI_INTEGER, 1, 3, comm, status)
    if (any(a(1:3) /= [-1, -3, -5])) call fail('answer of C')
  else if (c_answer(comm%MPI_VAL, rows%MPI_VAL, MPI_DOUBLE_PRECISION%MPI_VAL) /= 0) then
    call fail('what C received')
  end if
  call MPI_Type_free(rows)
  call MPI_Comm_free(comm)
  call MPI_Session_finalize(session)
contains
  subroutine fail(what)
    character(*), intent(in) :: what
    print *, 'wrong: ', what
    call MPI_Abort(comm, 1)
  end subroutine fail
end program interlanguage
