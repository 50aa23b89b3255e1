! SPDX-License-Identifier: BSD-3-Clause
! RUN np=1,3
! MPI-5.0 19.1.2, 19.2: mpi_f08: handles are types, the error argument may be left out, counts may
! be large.
program hello08
  use mpi_f08
  implicit none
  integer :: rank, size, n
  integer(kind=MPI_COUNT_KIND) :: big
  type(MPI_Comm) :: comm
  type(MPI_Request) :: req(2)
  type(MPI_Status) :: status, statuses(2)
  real :: a(4), b(4)
  logical :: flag
  character(len=MPI_MAX_OBJECT_NAME) :: name

  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, size)
  call MPI_Comm_dup(MPI_COMM_WORLD, comm)
  if (comm == MPI_COMM_WORLD .or. comm == MPI_COMM_NULL) stop 1
  if (MPI_COMM_WORLD%MPI_VAL /= 257) stop 2
  call MPI_Comm_set_name(comm, '  twice  ')
  call MPI_Comm_get_name(comm, name, n)
  if (name /= '  twice' .or. n /= 7) stop 3
  call MPI_Comm_test_inter(comm, flag)
  if (flag) stop 4
  a = real(rank)
  call MPI_Irecv(b, 4_MPI_COUNT_KIND, MPI_REAL, mod(rank + size - 1, size), 1, comm, req(1))
  call MPI_Isend(a, 4, MPI_REAL, mod(rank + 1, size), 1, comm, req(2))
  call MPI_Waitall(2, req, statuses)
  if (any(req /= MPI_REQUEST_NULL)) stop 5
  if (any(b /= real(mod(rank + size - 1, size)))) stop 6
  call MPI_Get_count(statuses(1), MPI_REAL, big)
  if (big /= 4) stop 7
  if (statuses(1)%MPI_SOURCE /= mod(rank + size - 1, size)) stop 8
  call MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, comm, flag, MPI_STATUS_IGNORE)
  if (flag) stop 9
  call MPI_Sendrecv(MPI_BOTTOM, 0, MPI_REAL, rank, 2, b, 4, MPI_REAL, rank, 2, comm, status)
  if (status%MPI_TAG /= 2) stop 10
  n = rank
  call MPI_Allreduce(MPI_IN_PLACE, n, 1, MPI_INTEGER, MPI_MAX, comm)
  if (n /= size - 1) stop 11
  call MPI_Comm_free(comm)
  if (comm /= MPI_COMM_NULL) stop 12
  call MPI_Finalize()
end program
