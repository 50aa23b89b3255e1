! SPDX-License-Identifier: BSD-3-Clause
! RUN np=2
! MPI-5.0 19.1.8, 19.1.17.7, 19.1.14, 19.1.15: MPI_F_SYNC_REG takes any buffer; special constants
! are told from variables by their addresses; a derived type is described by addresses of its
! components.
program sync_reg
  use mpi_f08
  implicit none
  type :: point
    sequence
    integer :: id
    double precision :: x(2)
  end type point
  type(point) :: p(3)
  type(MPI_Datatype) :: one, all
  type(MPI_Request) :: r
  type(MPI_Status) :: s
  integer(MPI_ADDRESS_KIND) :: at(2), lower, extent
  integer :: me, i, n, sum
  integer, target :: word

  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, me)

  ! 19.1.17.7: the compiler may keep no copy of word across the call.
  word = -1
  if (me == 0) then
    call MPI_Irecv(word, 1, MPI_INTEGER, 1, 1, MPI_COMM_WORLD, r)
    call MPI_Wait(r, MPI_STATUS_IGNORE)
    call MPI_F_SYNC_REG(word)
    if (word /= 7) call fail('MPI_F_SYNC_REG')
  else
    word = 7
    call MPI_F_SYNC_REG(word)
    call MPI_Send(word, 1, MPI_INTEGER, 0, 1, MPI_COMM_WORLD)
  end if

  ! 19.1.14: MPI_BOTTOM with addresses, MPI_IN_PLACE, MPI_STATUSES_IGNORE.
  call MPI_Get_address(word, at(1))
  call MPI_Type_create_hindexed(1, [1], at(1:1), MPI_INTEGER, one)
  call MPI_Type_commit(one)
  word = 10 + me
  if (me == 0) then
    call MPI_Recv(MPI_BOTTOM, 1, one, 1, 2, MPI_COMM_WORLD, s)
    call MPI_F_SYNC_REG(word)
    if (word /= 11) call fail('MPI_BOTTOM')
  else
    call MPI_F_SYNC_REG(word)
    call MPI_Send(MPI_BOTTOM, 1, one, 0, 2, MPI_COMM_WORLD)
  end if
  call MPI_Type_free(one)
  sum = me + 1
  call MPI_Allreduce(MPI_IN_PLACE, sum, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD)
  if (sum /= 3) call fail('MPI_IN_PLACE')

  ! 19.1.15: an array of a derived type.
  call MPI_Get_address(p(1)%id, at(1))
  call MPI_Get_address(p(1)%x, at(2))
  at(2) = MPI_Aint_diff(at(2), at(1))
  at(1) = 0
  call MPI_Type_create_struct(2, [1, 2], at, [MPI_INTEGER, MPI_DOUBLE_PRECISION], one)
  call MPI_Get_address(p(1), lower)
  call MPI_Get_address(p(2), extent)
  extent = MPI_Aint_diff(extent, lower)
  call MPI_Type_create_resized(one, 0_MPI_ADDRESS_KIND, extent, all)
  call MPI_Type_commit(all)
  do i = 1, 3
    p(i) = point(0, [0d0, 0d0])
    if (me == 1) p(i) = point(i, [i + 0.25d0, -i * 1d0])
  end do
  if (me == 1) then
    call MPI_Send(p, 3, all, 0, 3, MPI_COMM_WORLD)
  else
    call MPI_Recv(p, 3, all, 1, 3, MPI_COMM_WORLD, s)
    call MPI_Get_count(s, all, n)
    if (n /= 3) call fail('count of a derived type')
    do i = 1, 3
      if (p(i)%id /= i .or. p(i)%x(1) /= i + 0.25d0 .or. p(i)%x(2) /= -i * 1d0) call fail('derived type')
    end do
  end if
  call MPI_Type_free(one)
  call MPI_Type_free(all)
  call MPI_Finalize()
contains
  subroutine fail(what)
    character(*), intent(in) :: what
    print *, 'wrong: ', what
    call MPI_Abort(MPI_COMM_WORLD, 1)
  end subroutine fail
end program sync_reg
