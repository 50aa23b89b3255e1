! SPDX-License-Identifier: BSD-3-Clause
! RUN np=2
! MPI-5.0 19.1.12: sections of arrays as buffers: strided, of several dimensions, backwards, part of
! the last row, nonblocking, as operands and blocks of collectives, of derived types, assumed size,
! no size.
module section_calls
  use mpi_f08
  implicit none
  type :: point
    real :: x, y
    integer :: n
  end type
contains
  subroutine assumed_size(a, n, peer)
    integer :: n, peer
    real :: a(2, *)
    call MPI_Send(a, 2 * n, MPI_REAL, peer, 5, MPI_COMM_WORLD)
  end subroutine
  subroutine assumed_shape(a, peer)
    real :: a(:, :)
    integer :: peer
    call MPI_Send(a, size(a), MPI_REAL, peer, 6, MPI_COMM_WORLD)
  end subroutine
end module

program section
  use mpi_f08
  use section_calls
  implicit none
  integer :: rank, peer, i, j, n
  real, asynchronous :: a(9, 8), b(5, 8)
  real :: c(40), d(3, 3, 3), e(3, 3, 3)
  complex :: z(10), w(5)
  type(point) :: p(6)
  real :: xs(6)
  integer, asynchronous :: k(8), l(8)
  integer :: all(16)
  type(MPI_Request) :: r(2)
  type(MPI_Status) :: status
  type(MPI_Datatype) :: gaps

  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  peer = 1 - rank
  a = reshape([(real(i), i = 1, 72)], [9, 8])
  d = reshape([(real(i), i = 1, 27)], [3, 3, 3])

  ! every other row; a column is not dense, the whole is not either
  b = -1
  if (rank == 0) then
    call MPI_Send(a(1:9:2, :), 40, MPI_REAL, 1, 1, MPI_COMM_WORLD)
    call MPI_Send(a(1:9:2, :), 7, MPI_REAL, 1, 2, MPI_COMM_WORLD)
    call MPI_Send(a(9:1:-2, 8:1:-1), 40, MPI_REAL, 1, 3, MPI_COMM_WORLD)
    call MPI_Send(d(1:3:2, 2:3, 1:3:2), 8, MPI_REAL, 1, 4, MPI_COMM_WORLD)
    call assumed_size(a, 3, 1)
    call assumed_shape(a(2:4:2, 1:8:7), 1)
    call MPI_Send(a(2:1, :), 0, MPI_REAL, 1, 7, MPI_COMM_WORLD)
    call MPI_Send(a(3, 2), 1, MPI_REAL, 1, 8, MPI_COMM_WORLD)
  else
    call MPI_Recv(b, 40, MPI_REAL, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
    if (any(b /= a(1:9:2, :))) stop 1
    c = -1
    call MPI_Recv(c, 40, MPI_REAL, 0, 2, MPI_COMM_WORLD, status)
    call MPI_Get_count(status, MPI_REAL, n)
    if (n /= 7 .or. any(c(1:7) /= [1., 3., 5., 7., 9., 10., 12.]) .or. c(8) /= -1) stop 2
    call MPI_Recv(b, 40, MPI_REAL, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
    if (any(b /= a(9:1:-2, 8:1:-1))) stop 3
    e = 0
    call MPI_Recv(e(2:1:-1, 1:3:2, 1:2), 8, MPI_REAL, 0, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
    if (any(e(2:1:-1, 1:3:2, 1:2) /= d(1:3:2, 2:3, 1:3:2)) .or. any(e(3, :, :) /= 0)) stop 4
    call MPI_Recv(c, 6, MPI_REAL, 0, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
    if (any(c(1:6) /= [1., 2., 3., 4., 5., 6.])) stop 5
    call MPI_Recv(c, 4, MPI_REAL, 0, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
    if (any(c(1:4) /= [2., 4., 65., 67.])) stop 6
    call MPI_Recv(c, 0, MPI_REAL, 0, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
    call MPI_Recv(c(17), 1, MPI_REAL, 0, 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
    if (c(17) /= a(3, 2)) stop 8
  end if

  ! nonblocking: the section is read and written in place
  b = -1
  call MPI_Irecv(b(5:1:-2, 2:8:3), 9, MPI_REAL, peer, 9, MPI_COMM_WORLD, r(1))
  call MPI_Isend(d(:, 2, :), 9, MPI_REAL, peer, 9, MPI_COMM_WORLD, r(2))
  call MPI_Waitall(2, r, MPI_STATUSES_IGNORE)
  if (any(b(5:1:-2, 2:8:3) /= d(:, 2, :))) stop 9
  if (count(b == -1) /= 31) stop 10

  ! one element is several of the datatype; components of derived types
  z = [(cmplx(real(i), -real(i)), i = 1, 10)]
  call MPI_Sendrecv(z(2::2), 10, MPI_REAL, peer, 10, w, 5, MPI_COMPLEX, peer, 10, MPI_COMM_WORLD, status)
  if (any(w /= z(2::2))) stop 11
  call MPI_Sendrecv(z(1::3), 7, MPI_REAL, peer, 11, c, 40, MPI_REAL, peer, 11, MPI_COMM_WORLD, status)
  call MPI_Get_count(status, MPI_REAL, n)
  if (n /= 7 .or. any(c(1:7) /= [1., -1., 4., -4., 7., -7., 10.])) stop 12
  p%x = [(real(i), i = 1, 6)]
  p%y = 0
  p%n = 0
  call MPI_Sendrecv(p%x, 6, MPI_REAL, peer, 12, xs, 6, MPI_REAL, peer, 12, MPI_COMM_WORLD, status)
  if (any(xs /= p%x)) stop 13
  call MPI_Sendrecv(xs, 6, MPI_REAL, peer, 13, p%y, 6, MPI_REAL, peer, 13, MPI_COMM_WORLD, status)
  if (any(p%y /= xs) .or. any(p%n /= 0) .or. any(p%x /= xs)) stop 14

  ! collectives: whole buffers, operands, blocks
  b = -1
  if (rank == 0) b(1:5:4, 3) = [1., 2.]
  call MPI_Bcast(b(1:5:4, 3), 2, MPI_REAL, 0, MPI_COMM_WORLD)
  if (b(1, 3) /= 1 .or. b(5, 3) /= 2 .or. b(2, 3) /= -1) stop 15
  k = [(i + 10 * rank, i = 1, 8)]
  l = -1
  call MPI_Allreduce(k(1:8:2), l(8:1:-2), 4, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD)
  if (any(l(8:1:-2) /= 2 * [1, 3, 5, 7] + 10) .or. any(l(1:8:2) /= -1)) stop 16
  l = k
  call MPI_Allreduce(MPI_IN_PLACE, l(1:8:2), 4, MPI_INTEGER, MPI_MAX, MPI_COMM_WORLD)
  if (any(l(1:8:2) /= [11, 13, 15, 17]) .or. any(l(2:8:2) /= k(2:8:2))) stop 17
  all = -1
  call MPI_Allgather(k(2:8:2), 4, MPI_INTEGER, all(1:16:2), 4, MPI_INTEGER, MPI_COMM_WORLD)
  if (any(all(1:16:2) /= [2, 4, 6, 8, 12, 14, 16, 18]) .or. any(all(2:16:2) /= -1)) stop 18
  l = -1
  call MPI_Alltoall(k(8:1:-2), 2, MPI_INTEGER, l(1:8:2), 2, MPI_INTEGER, MPI_COMM_WORLD)
  do j = 0, 1
    do i = 1, 2
      if (l(1 + 2 * (2 * j + i - 1)) /= 8 - 2 * (2 * rank + i - 1) + 10 * j) stop 19
    end do
  end do

  ! the same, nonblocking and persistent: the copies stay with the request
  l = -1
  call MPI_Iallreduce(k(1:8:2), l(8:1:-2), 4, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, r(1))
  call MPI_Wait(r(1), MPI_STATUS_IGNORE)
  if (any(l(8:1:-2) /= 2 * [1, 3, 5, 7] + 10) .or. any(l(1:8:2) /= -1)) stop 20
  call MPI_Type_vector(2, 1, 2, MPI_INTEGER, gaps)
  call MPI_Type_commit(gaps)
  if (rank == 0) then
    call MPI_Send_init(k(1:7:2), 1, gaps, 1, 14, MPI_COMM_WORLD, r(1))
    do i = 1, 3
      k(1) = 100 * i
      k(5) = 200 * i
      call MPI_Start(r(1))
      call MPI_Wait(r(1), MPI_STATUS_IGNORE)
    end do
  else
    call MPI_Recv_init(l(2:8:2), 1, gaps, 0, 14, MPI_COMM_WORLD, r(1))
    do i = 1, 3
      l = i
      call MPI_Start(r(1))
      call MPI_Wait(r(1), MPI_STATUS_IGNORE)
      if (l(2) /= 100 * i .or. l(6) /= 200 * i .or. count(l == i) /= 6) stop 21
    end do
  end if
  call MPI_Request_free(r(1))
  call MPI_Type_free(gaps)
  call MPI_Finalize()
end program
