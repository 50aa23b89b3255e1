! SPDX-License-Identifier: BSD-3-Clause
! streams.f90 - the device with streams of work, for Fortran.  Handles are INTEGERs; functions
! return 0 or an error, and st_error_text has the words.  streams.h says what each does.
module streams
  use, intrinsic :: iso_c_binding
  implicit none
  interface
    integer(c_int) function st_init(threads) bind(C)
      import :: c_int
      integer(c_int), value :: threads
    end function
    integer(c_long) function st_finalize(fd) bind(C)
      import :: c_int, c_long
      integer(c_int), value :: fd
    end function
    integer(c_int) function st_queue_new(queue) bind(C, name='st_queue_new_f')
      import :: c_int
      integer(c_int), intent(out) :: queue
    end function
    integer(c_int) function st_queue_spawn(parent, child) bind(C, name='st_queue_spawn_f')
      import :: c_int
      integer(c_int), value :: parent
      integer(c_int), intent(out) :: child
    end function
    integer(c_int) function st_queue_free(queue) bind(C, name='st_queue_free_f')
      import :: c_int
      integer(c_int), intent(inout) :: queue
    end function
    integer(c_int) function st_queue_sync(queue) bind(C, name='st_queue_sync_f')
      import :: c_int
      integer(c_int), value :: queue
    end function
    integer(c_int) function st_queue_wait(queue, event) bind(C, name='st_queue_wait_f')
      import :: c_int
      integer(c_int), value :: queue, event
    end function
    integer(c_int) function st_queue_name_f(queue, name, length) bind(C)
      import :: c_int, c_char
      integer(c_int), value :: queue, length
      character(kind=c_char), intent(in) :: name(*)
    end function
    integer(c_int) function st_queue_set(queue, key, val) bind(C, name='st_queue_set_f')
      import :: c_int, c_intptr_t
      integer(c_int), value :: queue, key
      integer(c_intptr_t), value :: val
    end function
    integer(c_int) function st_queue_get(queue, key, val, found) bind(C, name='st_queue_get_f')
      import :: c_int, c_intptr_t
      integer(c_int), value :: queue, key
      integer(c_intptr_t), intent(out) :: val
      integer(c_int), intent(out) :: found
    end function
    integer(c_int) function st_key_new(key) bind(C, name='st_key_new_f')
      import :: c_int
      integer(c_int), intent(out) :: key
    end function
    integer(c_int) function st_key_free(key) bind(C)
      import :: c_int
      integer(c_int), intent(inout) :: key
    end function
    integer(c_int) function st_event_new(event) bind(C, name='st_event_new_f')
      import :: c_int
      integer(c_int), intent(out) :: event
    end function
    integer(c_int) function st_event_free(event) bind(C, name='st_event_free_f')
      import :: c_int
      integer(c_int), intent(inout) :: event
    end function
    integer(c_int) function st_event_record(event, queue) bind(C, name='st_event_record_f')
      import :: c_int
      integer(c_int), value :: event, queue
    end function
    integer(c_int) function st_event_sync(event) bind(C, name='st_event_sync_f')
      import :: c_int
      integer(c_int), value :: event
    end function
    integer(c_int) function st_event_query(event, happened) bind(C, name='st_event_query_f')
      import :: c_int
      integer(c_int), value :: event
      integer(c_int), intent(out) :: happened
    end function
    integer(c_int) function st_event_elapsed(from, to, ns) bind(C, name='st_event_elapsed_f')
      import :: c_int, c_int64_t
      integer(c_int), value :: from, to
      integer(c_int64_t), intent(out) :: ns
    end function
    integer(c_int) function st_buffer_new(bytes, buffer) bind(C, name='st_buffer_new_f')
      import :: c_int, c_int64_t
      integer(c_int64_t), value :: bytes
      integer(c_int), intent(out) :: buffer
    end function
    integer(c_int) function st_buffer_free(buffer) bind(C, name='st_buffer_free_f')
      import :: c_int
      integer(c_int), intent(inout) :: buffer
    end function
    integer(c_int) function st_buffer_size(buffer, bytes) bind(C, name='st_buffer_size_f')
      import :: c_int, c_int64_t
      integer(c_int), value :: buffer
      integer(c_int64_t), intent(out) :: bytes
    end function
    integer(c_int) function st_buffer_name_f(buffer, name, length) bind(C)
      import :: c_int, c_char
      integer(c_int), value :: buffer, length
      character(kind=c_char), intent(in) :: name(*)
    end function
    integer(c_int) function st_copy(queue, to, from, bytes) bind(C, name='st_copy_f')
      import :: c_int, c_int64_t
      integer(c_int), value :: queue, to, from
      integer(c_int64_t), value :: bytes
    end function
    integer(c_int) function st_write(queue, to, offset, from, bytes) bind(C, name='st_write_f')
      import :: c_int, c_int64_t, c_ptr
      integer(c_int), value :: queue, to
      integer(c_int64_t), value :: offset, bytes
      type(c_ptr), value :: from
    end function
    integer(c_int) function st_read(queue, to, from, offset, bytes) bind(C, name='st_read_f')
      import :: c_int, c_int64_t, c_ptr
      integer(c_int), value :: queue, from
      integer(c_int64_t), value :: offset, bytes
      type(c_ptr), value :: to
    end function
    integer(c_int) function st_kernel_new(fn, kernel) bind(C, name='st_kernel_new_f')
      import :: c_int, c_funptr
      type(c_funptr), value :: fn
      integer(c_int), intent(out) :: kernel
    end function
    integer(c_int) function st_kernel_free(kernel) bind(C, name='st_kernel_free_f')
      import :: c_int
      integer(c_int), intent(inout) :: kernel
    end function
    integer(c_int) function st_launch(queue, kernel, n, nargs, args) bind(C, name='st_launch_f')
      import :: c_int, c_int64_t
      integer(c_int), value :: queue, kernel, nargs
      integer(c_int64_t), value :: n
      integer(c_int), intent(in) :: args(*)
    end function
  end interface
contains
  ! Trailing blanks do not count.
  integer function st_queue_name(queue, name)
    integer(c_int), intent(in) :: queue
    character(*), intent(in) :: name
    st_queue_name = st_queue_name_f(queue, name, len(name, c_int))
  end function

  integer function st_buffer_name(buffer, name)
    integer(c_int), intent(in) :: buffer
    character(*), intent(in) :: name
    st_buffer_name = st_buffer_name_f(buffer, name, len(name, c_int))
  end function

  ! The words of this thread's last error.
  function st_error_text() result(text)
    character(:), allocatable :: text
    interface
      type(c_ptr) function text_of() bind(C, name='st_error_text')
        import :: c_ptr
      end function
      integer(c_size_t) function strlen(s) bind(C)
        import :: c_ptr, c_size_t
        type(c_ptr), value :: s
      end function
    end interface
    character(kind=c_char), pointer :: s(:)
    type(c_ptr) :: p
    integer :: i
    p = text_of()
    call c_f_pointer(p, s, [strlen(p)])
    allocate (character(size(s)) :: text)
    do i = 1, size(s)
      text(i:i) = s(i)
    end do
  end function
end module
