! SPDX-License-Identifier: BSD-3-Clause
! RUN np=1,3
! MPI-5.0 19.1.3: module mpi: interfaces check the arguments, buffers come with descriptors.
program hello
  use mpi
  implicit none
  integer :: rank, size, ierror, n, status(MPI_STATUS_SIZE)
  real :: a(4), b(4)
  character(len=20) :: text

  call MPI_Init(ierror)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
  call MPI_Comm_size(MPI_COMM_WORLD, size, ierror)
  if (.not. MPI_SUBARRAYS_SUPPORTED .or. .not. MPI_ASYNC_PROTECTS_NONBLOCKING) stop 1
  a = real(rank)
  call MPI_Sendrecv(a, 4, MPI_REAL, mod(rank + 1, size), 1, &
    b, 4, MPI_REAL, mod(rank + size - 1, size), 1, MPI_COMM_WORLD, status, ierror)
  if (any(b /= real(mod(rank + size - 1, size)))) stop 2
  call MPI_Get_count(status, MPI_REAL, n, ierror)
  if (n /= 4) stop 3
  text = '?'
  if (rank == 0) text = 'hello from zero'
  call MPI_Bcast(text, len(text), MPI_CHARACTER, 0, MPI_COMM_WORLD, ierror)
  if (text /= 'hello from zero') stop 4
  call MPI_Reduce(a(1), b(2), 1, MPI_REAL, MPI_SUM, 0, MPI_COMM_WORLD, ierror)
  if (rank == 0 .and. b(2) /= real(size * (size - 1) / 2)) stop 5
  call MPI_Finalize(ierror)
end program
