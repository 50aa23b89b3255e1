! SPDX-License-Identifier: BSD-3-Clause
! RUN np=2,3
! MPI-5.0 19.1.3: arguments of programs of MPI-1 for procedures of module mpi: an element for the
! array that begins there, parts of derived types, constants, expressions and INTENT(IN) arguments
! for data that are only read.
module boxes
  use mpi
  implicit none
  type box
    integer :: status(MPI_STATUS_SIZE), statuses(MPI_STATUS_SIZE, 3), reqs(2)
    integer, allocatable :: some(:), theirs(:, :)
  end type
contains
  subroutine only_reads(comm, n, counts, x, t)
    integer, intent(in) :: comm, n, counts(8), t
    real(8), intent(in) :: x(:)
    real(8) :: y(64)
    integer :: i, ierr, size, displs(8)
    displs = [(n * i, i=0, 7)]
    y = 0
    call MPI_Comm_size(comm, size, ierr)
    call MPI_Allgatherv(x, n, t, y, counts, displs, t, comm, ierr)
    if (any(y(1:n * size) /= 3)) call bad('MPI_Allgatherv')
    y = 0
    call MPI_Allgatherv(x, n, t, y, counts(1), displs(1), t, comm, ierr)
    if (any(y(1:n * size) /= 3)) call bad('MPI_Allgatherv, elements')
  end subroutine
  subroutine bad(what)
    character(*), intent(in) :: what
    integer :: ierr
    print *, what
    call MPI_Abort(MPI_COMM_WORLD, 1, ierr)
  end subroutine
end module

program legacy
  use boxes
  implicit none
  integer, parameter :: twos(8) = 2, one(1) = 1
  type(box) :: b
  integer :: ierr, me, n, next, last, i, t, cart, reqs(2, 2), dims(2), long(20), k(4)
  integer, allocatable :: status(:)
  integer(MPI_ADDRESS_KIND) :: at
  logical :: flag
  real(8) :: x(2)

  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, me, ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, n, ierr)
  next = mod(me + 1, n)
  last = mod(me + n - 1, n)
  x = 3
  call only_reads(MPI_COMM_WORLD, 2, twos, x, MPI_DOUBLE_PRECISION)

  allocate (b%some(2), b%theirs(MPI_STATUS_SIZE, 2), status(MPI_STATUS_SIZE))
  call MPI_Isend(me, 1, MPI_INTEGER, next, 2, MPI_COMM_WORLD, reqs(1, 2), ierr)
  call MPI_Irecv(i, 1, MPI_INTEGER, last, 2, MPI_COMM_WORLD, reqs(2, 2), ierr)
  call MPI_Waitall(2, reqs(1, 2), MPI_STATUSES_IGNORE, ierr)
  if (i /= last .or. any(reqs(:, 2) /= MPI_REQUEST_NULL)) call bad('MPI_Waitall')
  call MPI_Isend(me, 1, MPI_INTEGER, next, 2, MPI_COMM_WORLD, b%some(1), ierr)
  call MPI_Irecv(i, 1, MPI_INTEGER, last, 2, MPI_COMM_WORLD, b%some(2), ierr)
  call MPI_Waitall(2, b%some, b%theirs, ierr)
  if (b%theirs(MPI_SOURCE, 2) /= last) call bad('MPI_Waitall, of a derived type')
  b%statuses = 0
  call MPI_Sendrecv(me, 1, MPI_INTEGER, next, 3, i, 1, MPI_INTEGER, last, 3, MPI_COMM_WORLD, b%status, ierr)
  call MPI_Sendrecv(me, 1, MPI_INTEGER, next, 3, i, 1, MPI_INTEGER, last, 3, MPI_COMM_WORLD, b%statuses(1, 2), ierr)
  call MPI_Sendrecv(me, 1, MPI_INTEGER, next, 3, i, 1, MPI_INTEGER, last, 3, MPI_COMM_WORLD, b%statuses(:, 3), ierr)
  call MPI_Sendrecv(me, 1, MPI_INTEGER, next, 3, i, 1, MPI_INTEGER, last, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
  call MPI_Sendrecv(me, 1, MPI_INTEGER, next, 3, i, 1, MPI_INTEGER, last, 3, MPI_COMM_WORLD, status, ierr)
  call MPI_Sendrecv(me, 1, MPI_INTEGER, next, 3, i, 1, MPI_INTEGER, last, 3, MPI_COMM_WORLD, long, ierr)
  k = [b%status(MPI_SOURCE), b%statuses(MPI_SOURCE, 2), b%statuses(MPI_SOURCE, 3), status(MPI_SOURCE)]
  if (any(k /= last) .or. long(MPI_SOURCE) /= last .or. any(b%statuses(:, 1) /= 0)) call bad('MPI_Sendrecv')
  call MPI_Get_count(b%statuses(1, 2), MPI_INTEGER, i, ierr)
  if (i /= 1) call bad('MPI_Get_count')

  call MPI_Allreduce(MPI_IN_PLACE, x(1), 2, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, ierr)
  if (any(x /= 3 * n)) call bad('MPI_Allreduce')
  call MPI_Get_address(x, at, ierr)
  call MPI_Type_create_hindexed(1, one, [at], MPI_DOUBLE_PRECISION, t, ierr)
  call MPI_Type_commit(t, ierr)
  x(1) = me
  call MPI_F_sync_reg(x) ! the compiler cannot know that the call writes to x
  call MPI_Bcast(MPI_BOTTOM, 1, t, 0, MPI_COMM_WORLD, ierr)
  call MPI_F_sync_reg(x)
  if (x(1) /= 0) call bad('MPI_Bcast of MPI_BOTTOM')
  call MPI_Type_free(t, ierr)

  dims = 0
  call MPI_Dims_create(n, 2, dims(1), ierr)
  call MPI_Cart_create(MPI_COMM_WORLD, 2, dims, (/.true., .false./), .false., cart, ierr)
  call MPI_Comm_free(cart, ierr)
  call MPI_Initialized(flag, ierr)
  if (cart /= MPI_COMM_NULL .or. .not. flag) call bad('MPI_Comm_free')
  call MPI_Finalize(ierr)
end program
