! SPDX-License-Identifier: BSD-3-Clause
! saxpy.f90 - y = y + 2 x on the device, from Fortran: the kernel is a subroutine with array
! arguments.
module kernels
  use, intrinsic :: iso_c_binding
contains
  subroutine saxpy(n, x, y) bind(C)
    integer(c_int64_t), intent(in) :: n
    real(c_float), intent(in) :: x(n)
    real(c_float), intent(inout) :: y(n)
    y = y + 2 * x
  end subroutine
end module

program main
  use streams
  use kernels
  implicit none
  integer, parameter :: n = 1000
  real(c_float), target :: x(n), y(n)
  integer(c_int) :: queue, child, kernel, event, last, a, b, c, key, found, happened
  integer(c_intptr_t) :: val
  integer(c_int64_t) :: size_of_c, ns
  integer(c_int64_t), parameter :: bytes = 4 * n

  call ok(st_init(2))
  call ok(st_queue_new(queue))
  call ok(st_queue_name(queue, 'fortran   '))
  call ok(st_key_new(key))
  call ok(st_queue_set(queue, key, -7_c_intptr_t))
  call ok(st_queue_spawn(queue, child))
  call ok(st_queue_get(child, key, val, found))
  print '(a,i0,a,i0)', 'inherited: ', found, ' ', val
  call ok(st_key_free(key))

  x = 3
  y = 1
  call ok(st_buffer_new(bytes, a))
  call ok(st_buffer_new(bytes, b))
  call ok(st_buffer_new(bytes, c))
  call ok(st_buffer_name(c, 'result  '))
  call ok(st_buffer_size(c, size_of_c))
  if (size_of_c /= bytes) error stop 'the size of a buffer'
  call ok(st_event_new(event))
  call ok(st_event_new(last))
  call ok(st_kernel_new(c_funloc(saxpy), kernel))
  call ok(st_write(queue, a, 0_c_int64_t, c_loc(x), bytes))
  call ok(st_write(queue, b, 0_c_int64_t, c_loc(y), bytes))
  call ok(st_event_record(event, queue))
  call ok(st_queue_wait(child, event))
  call ok(st_launch(child, kernel, int(n, c_int64_t), 2, [a, b]))
  call ok(st_copy(child, c, b, bytes))
  call ok(st_read(child, c_loc(y), c, 0_c_int64_t, bytes))
  call ok(st_event_record(last, child))
  call ok(st_kernel_free(kernel)) ! the launch holds it
  call ok(st_queue_sync(child))
  print '(a,f0.1)', 'y = ', sum(y) / n
  call ok(st_event_query(last, happened))
  call ok(st_event_elapsed(event, last, ns))
  if (happened == 0 .or. ns < 0) error stop 'an event after the work'

  call ok(st_queue_free(queue))
  if (st_queue_sync(a) == 0) error stop 'a buffer was taken for a queue'
  print '(a)', st_error_text()
  if (st_queue_sync(c) == 0) error stop 'another buffer was taken for a queue'
  print '(a)', st_error_text()
  call ok(st_queue_free(child))
  call ok(st_event_free(event))
  call ok(st_event_free(last))
  call ok(st_buffer_free(a))
  call ok(st_buffer_free(b))
  call ok(st_buffer_free(c))
  print '(i0,a)', st_finalize(1), ' left'
contains
  subroutine ok(rc)
    integer(c_int), intent(in) :: rc
    if (rc /= 0) then
      print '(a)', st_error_text()
      error stop 'a call failed'
    end if
  end subroutine
end program
