! SPDX-License-Identifier: BSD-3-Clause
! profile_fort.f90 - rank 1 is late with its messages: profile.sh looks for the lines of the calls.
program profile_fort
  use mpi_f08
  implicit none
  integer :: rank, i
  real :: x(100)
  type(MPI_Status) :: status

  x = 0
  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  do i = 1, 8
    if (rank == 1) call sleep_ms(20)
    if (rank == 1) call MPI_Send(x, 100, MPI_REAL, 0, 7, MPI_COMM_WORLD) ! line-send
    if (rank == 0) call MPI_Recv(x, 100, MPI_REAL, 1, 7, MPI_COMM_WORLD, status) ! line-recv
    call MPI_Allreduce(MPI_IN_PLACE, x, 10, MPI_REAL, MPI_SUM, MPI_COMM_WORLD) ! line-reduce
  end do
  call MPI_Finalize()

contains

  subroutine sleep_ms(ms)
    integer, intent(in) :: ms
    integer(8) :: from, now, rate

    call system_clock(from, rate)
    do
      call system_clock(now)
      if (now - from > ms * rate / 1000) exit
    end do
  end subroutine
end program
