! SPDX-License-Identifier: BSD-3-Clause
! RUN np=1,2
! MPI-5.0 14, 19.1: files in the module mpi_f08: open, view, access, requests, split collectives,
! large counts, and data representations with procedures of Fortran.
module representation
  use mpi_f08
  use, intrinsic :: iso_c_binding
  implicit none
contains
  ! In the file an INTEGER is its negative value in 8 bytes.
  subroutine extent(datatype, bytes, extra_state, ierror)
    type(MPI_Datatype) :: datatype
    integer(MPI_ADDRESS_KIND) :: bytes, extra_state
    integer :: ierror
    bytes = merge(8, 4, datatype == MPI_INTEGER)
    ierror = merge(MPI_SUCCESS, MPI_ERR_OTHER, extra_state == 7)
  end subroutine

  subroutine store(userbuf, datatype, count, filebuf, position, extra_state, ierror)
    type(c_ptr), value :: userbuf, filebuf
    type(MPI_Datatype) :: datatype
    integer :: count, ierror, i
    integer(MPI_OFFSET_KIND) :: position
    integer(MPI_ADDRESS_KIND) :: extra_state
    integer, pointer :: x(:)
    integer(c_int64_t), pointer :: y(:)
    call c_f_pointer(userbuf, x, [int(position) + count])
    call c_f_pointer(filebuf, y, [count])
    do i = 1, count
      y(i) = -x(int(position) + i)
    end do
    ierror = merge(MPI_SUCCESS, MPI_ERR_OTHER, datatype == MPI_INTEGER .and. extra_state == 7)
  end subroutine

  subroutine fetch(userbuf, datatype, count, filebuf, position, extra_state, ierror)
    type(c_ptr), value :: userbuf, filebuf
    type(MPI_Datatype) :: datatype
    integer :: count, ierror, i
    integer(MPI_OFFSET_KIND) :: position
    integer(MPI_ADDRESS_KIND) :: extra_state
    integer, pointer :: x(:)
    integer(c_int64_t), pointer :: y(:)
    call c_f_pointer(userbuf, x, [int(position) + count])
    call c_f_pointer(filebuf, y, [count])
    do i = 1, count
      x(int(position) + i) = -int(y(i))
    end do
    ierror = merge(MPI_SUCCESS, MPI_ERR_OTHER, datatype == MPI_INTEGER .and. extra_state == 7)
  end subroutine
end module

program files
  use mpi_f08
  use representation
  implicit none
  integer :: rank, size, n, i, x(10), y(10), failed = 0, amode, class, ierror
  integer(MPI_OFFSET_KIND) :: at, bytes
  integer(MPI_COUNT_KIND) :: many
  character(len=400) :: folder, path
  character(len=MPI_MAX_DATAREP_STRING) :: rep
  logical :: flag
  type(MPI_File) :: f
  type(MPI_Status) :: status
  type(MPI_Request) :: request
  type(MPI_Datatype) :: tile, resized, etype, filetype

  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, size)
  call get_environment_variable('TMPDIR', folder)
  if (folder == '') folder = '/tmp'
  path = trim(folder) // '/fortran  ' ! blanks at the end do not count
  if (rank == 0) call MPI_File_delete(path, MPI_INFO_NULL, ierror)
  call MPI_Barrier(MPI_COMM_WORLD)

  call MPI_File_open(MPI_COMM_WORLD, trim(path) // '.none', MPI_MODE_RDONLY, MPI_INFO_NULL, f, ierror)
  call MPI_Error_class(ierror, class)
  call expect(class == MPI_ERR_NO_SUCH_FILE .and. f == MPI_FILE_NULL, 'a missing file')

  call MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_RDWR + MPI_MODE_CREATE + &
      MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, f)
  call MPI_File_get_amode(f, amode)
  call expect(iand(amode, MPI_MODE_RDWR) /= 0, 'amode')
  x = [(100 * rank + i, i = 1, 10)]
  at = 40 * rank
  call MPI_File_write_at_all(f, at, x, 10, MPI_INTEGER, status)
  call MPI_Get_count(status, MPI_INTEGER, n)
  call expect(n == 10, 'count of a write')
  call MPI_File_sync(f)
  call MPI_Barrier(MPI_COMM_WORLD)
  call MPI_File_get_size(f, bytes)
  call expect(bytes == 40 * size, 'size')

  call MPI_Type_vector(5, 1, 2, MPI_INTEGER, tile)
  call MPI_Type_create_resized(tile, 0_MPI_ADDRESS_KIND, 40_MPI_ADDRESS_KIND, resized)
  call MPI_Type_commit(resized)
  call MPI_File_set_view(f, at, MPI_INTEGER, resized, 'native', MPI_INFO_NULL)
  many = 5
  call MPI_File_iread(f, y, many, MPI_INTEGER, request)
  call MPI_Wait(request, status)
  call expect(all(y(1:5) == x(1:9:2)), 'every other element')
  call MPI_File_get_position(f, bytes)
  call expect(bytes == 5, 'position')
  call MPI_File_get_byte_offset(f, 3_MPI_OFFSET_KIND, bytes)
  call expect(bytes == at + 24, 'byte offset')
  call MPI_File_get_view(f, bytes, etype, filetype, rep)
  call expect(bytes == at .and. etype == MPI_INTEGER .and. rep == 'native', 'the view')
  call MPI_Type_free(filetype)
  call MPI_File_seek(f, 0_MPI_OFFSET_KIND, MPI_SEEK_SET)
  y = 0
  call MPI_File_read_all_begin(f, y, 5, MPI_INTEGER)
  call MPI_File_read_all_end(f, y, status)
  call expect(all(y(1:5) == x(1:9:2)), 'a split collective')

  call MPI_Register_datarep('negative', fetch, store, extent, 7_MPI_ADDRESS_KIND)
  call MPI_File_set_view(f, 0_MPI_OFFSET_KIND, MPI_INTEGER, MPI_INTEGER, 'negative', MPI_INFO_NULL)
  call MPI_File_write_ordered(f, x, 10, MPI_INTEGER, status)
  call MPI_File_sync(f)
  call MPI_Barrier(MPI_COMM_WORLD)
  call MPI_File_get_size(f, bytes)
  call expect(bytes == 80 * size, 'size in another representation')
  y = 0
  call MPI_File_read_at(f, 10_MPI_OFFSET_KIND * rank, y, 10, MPI_INTEGER, status)
  call expect(all(x == y), 'data in another representation')
  call MPI_File_get_atomicity(f, flag)
  call expect(.not. flag, 'atomicity')
  call MPI_File_close(f)
  call expect(f == MPI_FILE_NULL, 'a closed file')
  call MPI_Type_free(tile)
  call MPI_Type_free(resized)
  call MPI_Finalize()
  if (failed /= 0) stop 1
contains
  subroutine expect(good, what)
    logical, intent(in) :: good
    character(len=*), intent(in) :: what
    if (good) return
    print *, 'wrong: ', what
    failed = failed + 1
  end subroutine
end program
