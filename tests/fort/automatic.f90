! SPDX-License-Identifier: BSD-3-Clause
! RUN np=1
! MPI-5.0 3.6: mpi_f08: after MPI_BUFFER_AUTOMATIC a detach gives c_loc(MPI_BUFFER_AUTOMATIC), to
! which c_loc applies.
program automatic
 use, intrinsic :: iso_c_binding
 use mpi_f08
 implicit none
 type(c_ptr) :: p
 integer :: size
 logical :: same
 call MPI_Init()
 call MPI_Buffer_attach(MPI_BUFFER_AUTOMATIC, 0)
 call MPI_Buffer_detach(p, size)
 same = transfer(p, 1_c_intptr_t) == transfer(c_loc(MPI_BUFFER_AUTOMATIC), 1_c_intptr_t)
 if (.not. same) print *, 'MPI_Buffer_detach gives address', transfer(p, 1_c_intptr_t), 'not that of MPI_BUFFER_AUTOMATIC'
 call MPI_Finalize()
 if (.not. same) error stop 1
end program
