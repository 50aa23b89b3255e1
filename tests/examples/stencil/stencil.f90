! SPDX-License-Identifier: BSD-3-Clause
! RUN np=1,2,4
! MPI-5.0 8.5, 19.1.12: heat in a plate cut into tiles: rows and columns of the tile itself are sent
! and received, nonblocking, as sections of the array; with mpi_f08.
!
!     +-----+-----+     u(0:n+1, 0:m+1): a tile with a rim of its neighbours' values
!     |  0  |  1  |     u(1, 1:m)   a row: not one piece of memory, and not copied
!     +-----+-----+     u(1:n, 1)   a column
!     |  2  |  3  |
!     +-----+-----+
program stencil
  use mpi_f08
  implicit none
  integer, parameter :: side = 48, steps = 200
  type(MPI_Comm) :: plate
  type(MPI_Request) :: r(8)
  integer :: size, rank, dims(2), at(2), n, m, i, j, s, up, down, left, right
  double precision, allocatable, asynchronous :: u(:, :)
  double precision, allocatable :: v(:, :), whole(:, :), next(:, :)
  double precision :: worst, all_worst

  call MPI_Init()
  call MPI_Comm_size(MPI_COMM_WORLD, size)
  dims = 0
  call MPI_Dims_create(size, 2, dims)
  call MPI_Cart_create(MPI_COMM_WORLD, 2, dims, [.false., .false.], .true., plate)
  call MPI_Comm_rank(plate, rank)
  call MPI_Cart_coords(plate, rank, 2, at)
  call MPI_Cart_shift(plate, 0, 1, up, down)
  call MPI_Cart_shift(plate, 1, 1, left, right)
  n = side / dims(1)
  m = side / dims(2)
  allocate(u(0:n + 1, 0:m + 1), v(n, m), whole(0:side + 1, 0:side + 1), next(side, side))

  ! the same on every rank: the whole plate, to compare with
  whole = 0
  whole(:, 0) = 100
  whole(0, :) = 50
  u = whole(at(1) * n:at(1) * n + n + 1, at(2) * m:at(2) * m + m + 1)
  do s = 1, steps
    call MPI_Irecv(u(0, 1:m), m, MPI_DOUBLE_PRECISION, up, 1, plate, r(1))
    call MPI_Irecv(u(n + 1, 1:m), m, MPI_DOUBLE_PRECISION, down, 2, plate, r(2))
    call MPI_Irecv(u(1:n, 0), n, MPI_DOUBLE_PRECISION, left, 3, plate, r(3))
    call MPI_Irecv(u(1:n, m + 1), n, MPI_DOUBLE_PRECISION, right, 4, plate, r(4))
    call MPI_Isend(u(n, 1:m), m, MPI_DOUBLE_PRECISION, down, 1, plate, r(5))
    call MPI_Isend(u(1, 1:m), m, MPI_DOUBLE_PRECISION, up, 2, plate, r(6))
    call MPI_Isend(u(1:n, m), n, MPI_DOUBLE_PRECISION, right, 3, plate, r(7))
    call MPI_Isend(u(1:n, 1), n, MPI_DOUBLE_PRECISION, left, 4, plate, r(8))
    call MPI_Waitall(8, r, MPI_STATUSES_IGNORE)
    do j = 1, m
      do i = 1, n
        v(i, j) = 0.25d0 * (u(i - 1, j) + u(i + 1, j) + u(i, j - 1) + u(i, j + 1))
      end do
    end do
    u(1:n, 1:m) = v
    next = 0.25d0 * (whole(0:side - 1, 1:side) + whole(2:side + 1, 1:side) + &
      whole(1:side, 0:side - 1) + whole(1:side, 2:side + 1))
    whole(1:side, 1:side) = next
  end do
  worst = maxval(abs(u(1:n, 1:m) - whole(at(1) * n + 1:at(1) * n + n, at(2) * m + 1:at(2) * m + m)))
  call MPI_Allreduce(worst, all_worst, 1, MPI_DOUBLE_PRECISION, MPI_MAX, plate)
  if (rank == 0) print '(a, es9.2)', 'differs from the whole plate by ', all_worst
  deallocate(u, v, whole, next)
  call MPI_Comm_free(plate)
  call MPI_Finalize()
  if (all_worst > 1d-9) stop 1
end program
