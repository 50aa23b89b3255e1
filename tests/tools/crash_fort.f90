! SPDX-License-Identifier: BSD-3-Clause
! crash_fort.f90 - divides by zero in a procedure: crash.sh.
module steps
  implicit none
contains
  subroutine step(n)
    integer, intent(inout) :: n
    n = 7 / n
  end subroutine step
end module steps

program crash_fort
  use mpi_f08
  use steps
  implicit none
  integer, volatile :: n
  integer :: m

  call MPI_Init()
  n = 0
  m = n
  call step(m)
  print *, m
  call MPI_Finalize()
end program crash_fort
