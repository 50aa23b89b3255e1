! SPDX-License-Identifier: BSD-3-Clause
! RUN np=2
! MPI-5.0 3.3.1.1, 19.1.9.1, 19.1.9.2, 19.1.9.3: MPI_CHARACTER sends characters of a string, not of
! its padded variable; types by precision and range, and by size, carry values of those kinds.
program characters
  use mpi_f08
  implicit none
  integer, parameter :: r9 = selected_real_kind(9, 30), i9 = selected_int_kind(9)
  character(10) :: a, b
  real(r9) :: x
  complex(r9) :: z
  integer(i9) :: k
  type(MPI_Datatype) :: tx, tz, tk, match
  type(MPI_Status) :: s
  integer :: me, n, bytes

  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, me)
  b = '----------'
  a = 'ABC'
  if (me == 1) then
    call MPI_Send(a, 5, MPI_CHARACTER, 0, 1, MPI_COMM_WORLD)
    call MPI_Send(a(2:3), 2, MPI_CHARACTER, 0, 2, MPI_COMM_WORLD)
  else
    call MPI_Recv(b, 10, MPI_CHARACTER, 1, 1, MPI_COMM_WORLD, s)
    call MPI_Get_count(s, MPI_CHARACTER, n)
    if (n /= 5 .or. b /= 'ABC  -----') call fail('MPI_CHARACTER: ' // b)
    call MPI_Recv(b(4:), 7, MPI_CHARACTER, 1, 2, MPI_COMM_WORLD, s)
    if (b /= 'ABCBC-----') call fail('a part of a string: ' // b)
  end if

  call MPI_Type_create_f90_real(9, 30, tx)
  call MPI_Type_create_f90_complex(9, 30, tz)
  call MPI_Type_create_f90_integer(9, tk)
  call MPI_Type_size(tx, n)
  if (n /= storage_size(x) / 8) call fail('size of a real')
  call MPI_Sizeof(x, bytes)
  if (bytes /= n) call fail('MPI_Sizeof')
  call MPI_Type_match_size(MPI_TYPECLASS_REAL, bytes, match)
  call MPI_Type_size(match, n)
  if (n /= bytes) call fail('MPI_Type_match_size')
  x = 1 / 3.0_r9
  z = cmplx(x, -x, r9)
  k = 123456789
  if (me == 1) then
    call MPI_Send(x, 1, tx, 0, 3, MPI_COMM_WORLD)
    call MPI_Send(z, 1, tz, 0, 4, MPI_COMM_WORLD)
    call MPI_Send(k, 1, tk, 0, 5, MPI_COMM_WORLD)
    call MPI_Send(x, 1, match, 0, 6, MPI_COMM_WORLD)
  else
    x = 0
    z = 0
    k = 0
    call MPI_Recv(x, 1, tx, 1, 3, MPI_COMM_WORLD, s)
    call MPI_Recv(z, 1, tz, 1, 4, MPI_COMM_WORLD, s)
    call MPI_Recv(k, 1, tk, 1, 5, MPI_COMM_WORLD, s)
    if (x /= 1 / 3.0_r9 .or. z /= cmplx(x, -x, r9) .or. k /= 123456789) call fail('values of kinds')
    x = 0
    call MPI_Recv(x, 1, match, 1, 6, MPI_COMM_WORLD, s)
    if (x /= 1 / 3.0_r9) call fail('values by size')
  end if
  call MPI_Finalize()
contains
  subroutine fail(what)
    character(*), intent(in) :: what
    print *, 'wrong: ', what
    call MPI_Abort(MPI_COMM_WORLD, 1)
  end subroutine fail
end program characters
