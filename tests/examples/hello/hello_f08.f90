! SPDX-License-Identifier: BSD-3-Clause
! RUN np=1,2,4
! MPI-5.0 19.1.2: the smallest program of MPI in Fortran: each process says which one it is.
program hello
   use mpi_f08
   implicit none
   integer :: rank, size

   call MPI_Init()
   call MPI_Comm_rank(MPI_COMM_WORLD, rank)
   call MPI_Comm_size(MPI_COMM_WORLD, size)
   print '(a,i0,a,i0)', 'Hello from rank ', rank, ' of ', size
   call MPI_Finalize()
end program hello
