! SPDX-License-Identifier: BSD-3-Clause
! RUN np=1,2,3,5
! MPI-5.0 14.3, 14.4.2: a distributed array is one file, whatever the number of ranks
! checkpoint_f08 - the heat equation in columns, saved after half of its sweeps and resumed.
!
!      u(0:n+1, first-1:last+1)     this rank's columns of the plate, with a frame
!      file                         all columns in order: a view shows this rank's
program checkpoint
  use mpi_f08
  implicit none
  integer, parameter :: n = 100, half = 15
  double precision, allocatable :: u(:, :), v(:, :)
  double precision :: straight, resumed
  integer :: rank, ranks, first, last, left, right, step
  type(MPI_Datatype) :: part
  character(len=400) :: name

  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks)
  call get_environment_variable('TMPDIR', name)
  if (name == '') name = '.'
  name = trim(name) // '/heat_f08.checkpoint'
  first = n * rank / ranks + 1
  last = n * (rank + 1) / ranks
  left = merge(rank - 1, MPI_PROC_NULL, rank > 0)
  right = merge(rank + 1, MPI_PROC_NULL, rank + 1 < ranks)
  allocate (u(0:n + 1, first - 1:last + 1), v(0:n + 1, first - 1:last + 1))
  call MPI_Type_create_subarray(2, [n, n], [n, last - first + 1], [0, first - 1], &
       MPI_ORDER_FORTRAN, MPI_DOUBLE_PRECISION, part)
  call MPI_Type_commit(part)

  call reset()
  call sweeps(2 * half)
  straight = total()
  call reset()
  call sweeps(half)
  call save_plate()
  call reset()
  call load_plate()
  if (step /= half) error stop 'the checkpoint has another step'
  call sweeps(half)
  resumed = total()
  if (straight /= resumed) error stop 'the resumed plate differs'

  call MPI_Barrier(MPI_COMM_WORLD)
  if (rank == 0) call MPI_File_delete(name, MPI_INFO_NULL)
  call MPI_Type_free(part)
  call MPI_Finalize()

contains

  subroutine reset()
    step = 0
    u = 0
    u(0, :) = 100
    v = u
  end subroutine reset

  subroutine sweeps(count)
    integer, intent(in) :: count
    integer :: i, j, k

    do k = 1, count
       call MPI_Sendrecv(u(0, first), n + 2, MPI_DOUBLE_PRECISION, left, 0, &
            u(0, last + 1), n + 2, MPI_DOUBLE_PRECISION, right, 0, MPI_COMM_WORLD, &
            MPI_STATUS_IGNORE)
       call MPI_Sendrecv(u(0, last), n + 2, MPI_DOUBLE_PRECISION, right, 0, &
            u(0, first - 1), n + 2, MPI_DOUBLE_PRECISION, left, 0, MPI_COMM_WORLD, &
            MPI_STATUS_IGNORE)
       do j = first, last
          do i = 1, n
             v(i, j) = (u(i - 1, j) + u(i + 1, j) + u(i, j - 1) + u(i, j + 1)) / 4
          end do
       end do
       u(1:n, first:last) = v(1:n, first:last)
       step = step + 1
    end do
  end subroutine sweeps

  ! Opens the file, and checks that it could: files return their errors.
  subroutine open_plate(amode, file)
    integer, intent(in) :: amode
    type(MPI_File), intent(out) :: file
    integer :: err

    call MPI_File_open(MPI_COMM_WORLD, name, amode, MPI_INFO_NULL, file, err)
    if (err /= MPI_SUCCESS) error stop 'cannot open the checkpoint in TMPDIR'
  end subroutine open_plate

  subroutine save_plate()
    type(MPI_File) :: file
    integer :: bytes

    call open_plate(MPI_MODE_CREATE + MPI_MODE_WRONLY, file)
    if (rank == 0) call MPI_File_write_at(file, 0_MPI_OFFSET_KIND, step, 1, MPI_INTEGER, &
         MPI_STATUS_IGNORE)
    call MPI_Type_size(MPI_INTEGER, bytes)
    call MPI_File_set_view(file, int(bytes, MPI_OFFSET_KIND), MPI_DOUBLE_PRECISION, part, &
         'native', MPI_INFO_NULL)
    v(1:n, first:last) = u(1:n, first:last)
    call write_columns(file, v(1:n, first:last), n * (last - first + 1))
    call MPI_File_close(file)
  end subroutine save_plate

  subroutine write_columns(file, columns, count)
    type(MPI_File), intent(in) :: file
    integer, intent(in) :: count
    double precision, intent(in) :: columns(count)

    call MPI_File_write_all(file, columns, count, MPI_DOUBLE_PRECISION, MPI_STATUS_IGNORE)
  end subroutine write_columns

  subroutine load_plate()
    type(MPI_File) :: file
    double precision, allocatable :: columns(:, :)
    integer :: bytes

    allocate (columns(n, first:last))
    call open_plate(MPI_MODE_RDONLY, file)
    call MPI_File_read_at_all(file, 0_MPI_OFFSET_KIND, step, 1, MPI_INTEGER, &
         MPI_STATUS_IGNORE)
    call MPI_Type_size(MPI_INTEGER, bytes)
    call MPI_File_set_view(file, int(bytes, MPI_OFFSET_KIND), MPI_DOUBLE_PRECISION, part, &
         'native', MPI_INFO_NULL)
    call MPI_File_read_all(file, columns, n * (last - first + 1), MPI_DOUBLE_PRECISION, &
         MPI_STATUS_IGNORE)
    call MPI_File_close(file)
    u(1:n, first:last) = columns
  end subroutine load_plate

  ! The sum of all temperatures, each with a weight of its own.
  double precision function total()
    double precision :: mine
    integer :: i, j

    mine = 0
    do j = first, last
       do i = 1, n
          mine = mine + u(i, j) * (i + n * j)
       end do
    end do
    call MPI_Allreduce(mine, total, 1, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD)
  end function total
end program checkpoint
