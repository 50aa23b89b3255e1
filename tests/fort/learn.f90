! SPDX-License-Identifier: BSD-3-Clause
! RUN np=1
! MPI-5.0 3.7.5, 3.7.6, 4.2, 19.1.12: results of operations on sections that are copied, and
! when: the position of a request that failed, the data once a status, an arrival or a reply tells.
program learn
  use mpi_f08
  implicit none
  type(MPI_Request) :: q(4)
  type(MPI_Datatype) :: gap
  integer, asynchronous :: a(40), b(40), cube(4, 4, 4)
  character(len=3) :: name
  integer :: i, k, ix, err
  logical :: flag

  call MPI_Init()
  call MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN)
  call MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN)
  a = [(i, i = 1, 40)]

  ! The request that failed is the third of four.
  q = MPI_REQUEST_NULL
  do k = 1, 2
    call MPI_Irecv(b, 1, MPI_INTEGER, 0, 7, MPI_COMM_SELF, q(3))
    call MPI_Send(a, 2, MPI_INTEGER, 0, 7, MPI_COMM_SELF)
    ix = -1
    if (k == 1) call MPI_Waitany(4, q, ix, MPI_STATUS_IGNORE, err)
    if (k == 2) call MPI_Testany(4, q, ix, flag, MPI_STATUS_IGNORE, err)
    call check(err == MPI_ERR_TRUNCATE .and. ix == 3, 'position of a failed request')
  end do

  ! A datatype with a gap: every second one of three numbers; no datatype describes a section of
  ! those.
  call MPI_Type_create_resized(MPI_INTEGER, 0_MPI_ADDRESS_KIND, 8_MPI_ADDRESS_KIND, gap)
  call MPI_Type_commit(gap)
  b = 0
  call MPI_Irecv(b(1:40:2), 5, gap, 0, 1, MPI_COMM_SELF, q(1))
  call MPI_Send(a, 5, MPI_INTEGER, 0, 1, MPI_COMM_SELF)
  flag = .false.
  do while (.not. flag)
    call MPI_Request_get_status(q(1), flag, MPI_STATUS_IGNORE)
  end do
  call check(all(b(1:17:4) == a(1:5)), 'data after MPI_Request_get_status')
  b = -7
  call MPI_Wait(q(1), MPI_STATUS_IGNORE)
  call check(all(b == -7), 'the user changed it meanwhile')

  call MPI_Irecv(b(1:40:2), 5, gap, 0, 1, MPI_COMM_SELF, q(1))
  call MPI_Request_free(q(1))
  call MPI_Ssend(a, 5, MPI_INTEGER, 0, 1, MPI_COMM_SELF)
  call MPI_Barrier(MPI_COMM_SELF)
  call check(all(b(1:17:4) == a(1:5)), 'data of a request that was freed')

  call MPI_Psend_init(a(1:40:2), 4, 5_MPI_COUNT_KIND, MPI_INTEGER, 0, 3, MPI_COMM_SELF, MPI_INFO_NULL, q(1))
  call MPI_Precv_init(b(40:1:-2), 4, 5_MPI_COUNT_KIND, MPI_INTEGER, 0, 3, MPI_COMM_SELF, MPI_INFO_NULL, q(2))
  do k = 1, 3
    b = 0
    call MPI_Startall(2, q)
    do i = 3, 0, -1
      a(10 * i + 1:10 * i + 10) = 100 * k + i
      call MPI_Pready(i, q(1))
    end do
    flag = .false.
    do while (.not. flag)
      call MPI_Parrived(q(2), 2, flag)
    end do
    call check(all(b(20:11:-2) == 100 * k + 2), 'a partition of a section that has arrived')
    call MPI_Waitall(2, q, MPI_STATUSES_IGNORE)
    call check(all(b(40:1:-2) == a(1:40:2)) .and. all(b(1:40:2) == 0), 'partitions of sections')
  end do
  call MPI_Request_free(q(1))
  call MPI_Request_free(q(2))
  call MPI_Type_free(gap)

  ! A section of nothing has no element: an error, whichever dimension is empty; and no error for
  ! none.
  call MPI_Send(cube(1:4:2, 1:0, 1:3), 1, MPI_INTEGER, MPI_PROC_NULL, 0, MPI_COMM_SELF, err)
  call check(err == MPI_ERR_BUFFER, 'an element of a section of nothing')
  call MPI_Send(cube(1:4:2, 1:3, 1:0), 1, MPI_INTEGER, MPI_PROC_NULL, 0, MPI_COMM_SELF, err)
  call check(err == MPI_ERR_BUFFER, 'an element of a section of nothing')
  call MPI_Send(cube(1:4:2, 1:0, 1:3), 0, MPI_INTEGER, MPI_PROC_NULL, 0, MPI_COMM_SELF, err)
  call check(err == MPI_SUCCESS, 'nothing of a section of nothing')

  ! Any character may begin a name.
  call MPI_Comm_set_name(MPI_COMM_SELF, achar(127) // 'x')
  name = '---'
  call MPI_Comm_get_name(MPI_COMM_SELF, name, i)
  call check(name == achar(127) // 'x ' .and. i == 2, 'a name that begins with a control character')
  call MPI_Finalize()
contains
  subroutine check(ok, what)
    logical, intent(in) :: ok
    character(*), intent(in) :: what
    if (.not. ok) then
      print *, 'FAILED: ', what
      error stop 1
    end if
  end subroutine
end program
