! SPDX-License-Identifier: BSD-3-Clause
! RUN np=1
! manager_f08.f90 - as manager.c: a manager that starts workers on demand and replaces them.
!
!     mpifort manager_f08.f90 -o manager_f08 && ./manager_f08
program manager
  use mpi_f08
  implicit none
  integer, parameter :: workers = 3, tasks = 24, share = 4, steps = 100000
  integer, parameter :: tag_task = 0, tag_result = 1
  double precision, asynchronous :: result(workers)
  double precision :: total
  type(MPI_Comm) :: parent, comm(workers)
  type(MPI_Request) :: answer(workers)
  integer :: done(workers), started, task, i

  call MPI_Init()
  call MPI_Comm_get_parent(parent)
  if (parent /= MPI_COMM_NULL) then
    call work()
    call MPI_Finalize()
    stop
  end if
  comm = MPI_COMM_NULL
  answer = MPI_REQUEST_NULL
  started = 0
  total = 0
  do task = 0, tasks - 1
    i = task + 1
    if (task >= workers) call collect(i)
    if (comm(i) == MPI_COMM_NULL) call start(i)
    call MPI_Send(task, 1, MPI_INTEGER, 0, tag_task, comm(i))
    call MPI_Irecv(result(i), 1, MPI_DOUBLE_PRECISION, 0, tag_result, comm(i), answer(i))
  end do
  do task = 1, workers
    call collect(i)
  end do
  do i = 1, workers
    if (comm(i) == MPI_COMM_NULL) cycle
    call MPI_Send(-1, 1, MPI_INTEGER, 0, tag_task, comm(i))
    call MPI_Comm_disconnect(comm(i))
  end do
  print '(a, f14.12, a, i0, a)', 'pi is ', total, ', found by ', started, ' workers'
  if (abs(total - 3.14159265358979d0) > 1d-9) error stop 'that is not pi'
  call MPI_Finalize()

contains

  subroutine start(i)
    integer, intent(in) :: i
    character(len=1024) :: program

    call get_command_argument(0, program)
    call MPI_Comm_spawn(program, MPI_ARGV_NULL, 1, MPI_INFO_NULL, 0, MPI_COMM_SELF, comm(i), &
                        MPI_ERRCODES_IGNORE)
    done(i) = 0
    started = started + 1
  end subroutine start

  ! Waits for one result, and adds it; a worker that has done its share is let go.
  subroutine collect(i)
    integer, intent(out) :: i

    call MPI_Waitany(workers, answer, i, MPI_STATUS_IGNORE)
    total = total + result(i)
    done(i) = done(i) + 1
    if (done(i) == share) call MPI_Comm_disconnect(comm(i))
  end subroutine collect

  ! The worker: integrates slices of 4 / (1 + x * x) over 0 .. 1.
  subroutine work()
    double precision :: sum, x, h
    integer :: slice, step, n

    h = 1d0 / (dble(tasks) * steps)
    do n = 1, share
      call MPI_Recv(slice, 1, MPI_INTEGER, 0, tag_task, parent, MPI_STATUS_IGNORE)
      if (slice < 0) exit
      sum = 0
      do step = 0, steps - 1
        x = (dble(slice) * steps + step + 0.5d0) * h
        sum = sum + 4 / (1 + x * x)
      end do
      call MPI_Send(sum * h, 1, MPI_DOUBLE_PRECISION, 0, tag_result, parent)
    end do
    call MPI_Comm_disconnect(parent)
  end subroutine work
end program manager
