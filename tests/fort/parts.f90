! SPDX-License-Identifier: BSD-3-Clause
! RUN np=1
! MPI-5.0 19.1.12: sections of arrays as buffers of everything that is not a plain send: packing,
! buffered and replacing sends, partitioned and persistent ones, collectives with counts for each
! rank and in place, windows; dimensions up to seven, steps backwards, components of a type,
! CHARACTERs of several bytes.
module parts_of
  use mpi_f08
  implicit none
  type point
    sequence
    integer :: id
    real :: x(3)
    character(len=3) :: name
    character(len=1) :: pad
  end type
  integer :: wrong = 0
contains
  subroutine want(good, what)
    logical, intent(in) :: good
    character(*), intent(in) :: what
    if (good) return
    print '(2a)', 'wrong: ', what
    wrong = wrong + 1
  end subroutine

  subroutine dimensions
    integer :: a(2, 3, 2, 3, 2, 3, 4), b(1, 2, 2, 2, 1, 2, 2), i
    type(MPI_Request) :: q(2)
    a = reshape([(i, i = 1, size(a))], shape(a))
    b = 0
    call MPI_Isend(a(2:2, 3:1:-2, :, 1:3:2, 2:2, 1:3:2, 4:1:-3), size(b), MPI_INTEGER, 0, 1, MPI_COMM_SELF, q(1))
    call MPI_Irecv(b, size(b), MPI_INTEGER, 0, 1, MPI_COMM_SELF, q(2))
    call MPI_Waitall(2, q, MPI_STATUSES_IGNORE)
    call want(all(b == a(2:2, 3:1:-2, :, 1:3:2, 2:2, 1:3:2, 4:1:-3)), 'seven dimensions, sent')
    a = 0
    call MPI_Sendrecv(b, size(b), MPI_INTEGER, 0, 2, a(1:1, 1:3:2, :, 3:1:-2, 2:2, 1:2, 1:4:3), size(b), MPI_INTEGER, &
      0, 2, MPI_COMM_SELF, MPI_STATUS_IGNORE)
    call want(all(a(1:1, 1:3:2, :, 3:1:-2, 2:2, 1:2, 1:4:3) == b) .and. count(a /= 0) == size(b), 'seven dimensions, received')
    call MPI_Send(a(2:1, :, :, :, :, :, :), 0, MPI_INTEGER, MPI_PROC_NULL, 2, MPI_COMM_SELF)
    call MPI_Bcast(a(:, 3:2, 1, 1, 1, 1, 1), 0, MPI_INTEGER, 0, MPI_COMM_SELF)
  end subroutine

  subroutine components
    type(point) :: p(6)
    real :: x(3), y(6)
    character(len=3) :: n(3)
    character(len=5) :: w(4)
    integer :: i
    p = [(point(i, [real :: i, 10 * i, 100 * i], char(96 + i) // 'yz', '.'), i = 1, 6)]
    call MPI_Sendrecv(p(5:1:-2)%x(2), 3, MPI_REAL, 0, 3, x, 3, MPI_REAL, 0, 3, MPI_COMM_SELF, MPI_STATUS_IGNORE)
    call want(all(x == [50., 30., 10.]), 'a component')
    y = [(real(-i), i = 1, 6)]
    call MPI_Sendrecv(y, 6, MPI_REAL, 0, 3, p%x(3), 6, MPI_REAL, 0, 3, MPI_COMM_SELF, MPI_STATUS_IGNORE)
    call want(all(p%x(3) == y) .and. all(p%x(1) == -y), 'into a component')
    call MPI_Sendrecv(p(2:6:2)%name, 9, MPI_CHARACTER, 0, 3, n, 9, MPI_CHARACTER, 0, 3, MPI_COMM_SELF, MPI_STATUS_IGNORE)
    call want(all(n == ['byz', 'dyz', 'fyz']), 'CHARACTERs of a component')
    w = ['abcde', 'fghij', 'klmno', 'pqrst']
    call MPI_Sendrecv(w(4:1:-2)(2:4), 6, MPI_CHARACTER, 0, 3, w(1:3:2)(1:3), 6, MPI_CHARACTER, 0, 3, MPI_COMM_SELF, &
      MPI_STATUS_IGNORE)
    call want(all(w == ['qrsde', 'fghij', 'ghino', 'pqrst']), 'substrings')
  end subroutine

  subroutine packing
    integer :: a(4, 4), b(4, 4), i, at, n
    character :: room(400)
    integer(MPI_ADDRESS_KIND) :: one, two
    a = reshape([(i, i = 1, 16)], [4, 4])
    at = 0
    call MPI_Pack(a(4:1:-2, 2:4:2), 4, MPI_INTEGER, room, size(room), at, MPI_COMM_SELF)
    n = at
    call want(n == 16, 'bytes packed')
    b = 0
    at = 0
    call MPI_Unpack(room, n, at, b(1:3:2, 4:1:-3), 4, MPI_INTEGER, MPI_COMM_SELF)
    call want(all(b(1:3:2, 4:1:-3) == a(4:1:-2, 2:4:2)) .and. sum(b) == sum(a(4:1:-2, 2:4:2)), 'packed and unpacked')
    call MPI_Get_address(a(2:4:2, 3), one)
    call MPI_Get_address(a(2, 3), two)
    call want(one == two, 'the address of a section')
    call MPI_Get_address(a(4:1:-1, 3), one)
    call MPI_Get_address(a(4, 3), two)
    call want(one == two, 'the address of a section backwards')
  end subroutine

  subroutine sends
    integer :: a(8), b(8), i, bytes
    character :: room(1000)
    type(MPI_Request) :: q(2)
    logical :: flag
    a = [(i, i = 1, 8)]
    bytes = size(room)
    call MPI_Buffer_attach(room, bytes)
    call MPI_Bsend(a(7:1:-2), 4, MPI_INTEGER, 0, 5, MPI_COMM_SELF)
    b = 0
    call MPI_Recv(b(2:8:2), 4, MPI_INTEGER, 0, 5, MPI_COMM_SELF, MPI_STATUS_IGNORE)
    call want(all(b == [0, 7, 0, 5, 0, 3, 0, 1]), 'bsend')
    call detach
    call MPI_Sendrecv_replace(a(8:2:-2), 4, MPI_INTEGER, 0, 6, 0, 6, MPI_COMM_SELF, MPI_STATUS_IGNORE)
    call want(all(a == [(i, i = 1, 8)]), 'sendrecv_replace')
    b = 0
    call MPI_Psend_init(a(1:7:2), 2, 2_MPI_COUNT_KIND, MPI_INTEGER, 0, 7, MPI_COMM_SELF, MPI_INFO_NULL, q(1))
    call MPI_Precv_init(b(8:2:-2), 2, 2_MPI_COUNT_KIND, MPI_INTEGER, 0, 7, MPI_COMM_SELF, MPI_INFO_NULL, q(2))
    do i = 1, 3
      a = a + 10
      call MPI_Startall(2, q)
      call MPI_Pready(1, q(1))
      call MPI_Pready(0, q(1))
      call MPI_Waitall(2, q, MPI_STATUSES_IGNORE)
      call MPI_Parrived(q(2), 1, flag)
      call want(all(b(8:2:-2) == a(1:7:2)) .and. all(b(1:7:2) == 0), 'partitions')
    end do
    call MPI_Request_free(q(1))
    call MPI_Request_free(q(2))
  end subroutine

  subroutine detach
    use, intrinsic :: iso_c_binding, only: c_ptr
    type(c_ptr) :: where
    integer :: bytes
    call MPI_Buffer_detach(where, bytes)
    call want(bytes == 1000, 'detach')
  end subroutine

  subroutine collectives
    integer :: a(6), b(6), i
    type(MPI_Request) :: q
    type(MPI_Datatype) :: types(1)
    a = [(i, i = 1, 6)]
    b = 0
    call MPI_Gatherv(a(5:1:-2), 3, MPI_INTEGER, b(2:6:2), [3], [0], MPI_INTEGER, 0, MPI_COMM_SELF)
    call want(all(b == [0, 5, 0, 3, 0, 1]), 'gatherv')
    b = 0
    call MPI_Iscatterv(a(6:2:-2), [2], [1], MPI_INTEGER, b(1:3:2), 2, MPI_INTEGER, 0, MPI_COMM_SELF, q)
    call MPI_Wait(q, MPI_STATUS_IGNORE)
    call want(all(b == [4, 0, 2, 0, 0, 0]), 'iscatterv')
    call MPI_Allreduce(MPI_IN_PLACE, a(1:5:2), 3, MPI_INTEGER, MPI_SUM, MPI_COMM_SELF)
    call want(all(a == [(i, i = 1, 6)]), 'allreduce in place')
    b = 0
    call MPI_Iallgatherv(a(6:4:-2), 2, MPI_INTEGER, b(6:2:-2), [2], [1], MPI_INTEGER, MPI_COMM_SELF, q)
    call MPI_Wait(q, MPI_STATUS_IGNORE)
    call want(all(b == [0, 4, 0, 6, 0, 0]), 'iallgatherv')
    types = MPI_INTEGER
    b = 0
    call MPI_Alltoallw(a(1:6:2), [2], [4], types, b(6:2:-2), [2], [0], types, MPI_COMM_SELF)
    call want(all(b == [0, 0, 0, 5, 0, 3]), 'alltoallw')
    call MPI_Reduce_scatter(a(6:2:-2), b(1:5:2), [3], MPI_INTEGER, MPI_SUM, MPI_COMM_SELF)
    call want(all(b(1:5:2) == [6, 4, 2]), 'reduce_scatter')
    b = 0
    call MPI_Allreduce_init(a(2:6:2), b(5:1:-2), 3, MPI_INTEGER, MPI_SUM, MPI_COMM_SELF, MPI_INFO_NULL, q)
    do i = 1, 3
      a = a + i
      call MPI_Start(q)
      call MPI_Wait(q, MPI_STATUS_IGNORE)
      call want(all(b(5:1:-2) == a(2:6:2)) .and. all(b(2:6:2) == 0), 'allreduce_init')
    end do
    call MPI_Request_free(q)
  end subroutine

  subroutine windows
    integer :: a(8), b(8), c(8), i
    type(MPI_Win) :: win
    type(MPI_Request) :: q
    a = [(i, i = 1, 8)]
    b = 0
    call MPI_Win_create(b, 32_MPI_ADDRESS_KIND, 4, MPI_INFO_NULL, MPI_COMM_SELF, win)
    call MPI_Win_lock_all(0, win)
    call MPI_Put(a(8:2:-2), 4, MPI_INTEGER, 0, 0_MPI_ADDRESS_KIND, 4, MPI_INTEGER, win)
    call MPI_Rput(a(1:7:2), 4, MPI_INTEGER, 0, 4_MPI_ADDRESS_KIND, 4, MPI_INTEGER, win, q)
    call MPI_Wait(q, MPI_STATUS_IGNORE)
    call MPI_Win_flush(0, win)
    c = 0
    call MPI_Get(c(7:1:-2), 4, MPI_INTEGER, 0, 0_MPI_ADDRESS_KIND, 4, MPI_INTEGER, win)
    call MPI_Rget(c(2:8:2), 4, MPI_INTEGER, 0, 4_MPI_ADDRESS_KIND, 4, MPI_INTEGER, win, q)
    call MPI_Wait(q, MPI_STATUS_IGNORE)
    call MPI_Win_flush(0, win)
    call want(all(c == [2, 1, 4, 3, 6, 5, 8, 7]), 'put and get')
    call MPI_Accumulate(a(2:8:2), 4, MPI_INTEGER, 0, 0_MPI_ADDRESS_KIND, 4, MPI_INTEGER, MPI_SUM, win)
    call MPI_Win_flush(0, win)
    call MPI_Get_accumulate(a(1:7:2), 4, MPI_INTEGER, c(8:2:-2), 4, MPI_INTEGER, 0, 0_MPI_ADDRESS_KIND, 4, &
      MPI_INTEGER, MPI_SUM, win)
    call MPI_Win_unlock_all(win)
    call want(all(c(8:2:-2) == 10), 'what get_accumulate gets')
    call want(all(b(1:4) == [11, 13, 15, 17]), 'accumulate')
    call MPI_Win_free(win)
  end subroutine
end module

program parts
  use parts_of
  implicit none
  call MPI_Init()
  call dimensions
  call components
  call packing
  call sends
  call collectives
  call windows
  call MPI_Finalize()
  if (wrong > 0) stop 1
end program
