! SPDX-License-Identifier: BSD-3-Clause
! RUN np=1,3
! MPI-5.0 6.3, 12.1: pi from darts: each rank throws its own and the hits are counted; with module
! mpi.
program pi90
  use mpi
  implicit none
  integer, parameter :: throws = 200000
  integer :: rank, size, ierr, i, hits, all_hits
  integer, allocatable :: seed(:)
  real :: x, y
  double precision :: about

  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, size, ierr)
  call random_seed(size=i)
  allocate(seed(i))
  seed = 1234 + 77 * rank
  call random_seed(put=seed)
  deallocate(seed)
  hits = 0
  do i = 1, throws
    call random_number(x)
    call random_number(y)
    if (x * x + y * y <= 1) hits = hits + 1
  end do
  call MPI_Allreduce(hits, all_hits, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierr)
  about = 4 * dble(all_hits) / (dble(throws) * size)
  if (rank == 0) print '(a, f8.4)', 'pi is about ', about
  call MPI_Finalize(ierr)
  if (abs(about - 3.14159265d0) > 0.02d0) stop 1
end program
