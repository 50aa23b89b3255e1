! SPDX-License-Identifier: BSD-3-Clause
! RUN np=1,3
! MPI-5.0 6.3, 6.9: pi by the rule of the middle: a value to all, a sum from all; with mpif.h.
      PROGRAM PI
      IMPLICIT NONE
      INCLUDE 'mpif.h'
      INTEGER N, I, RANK, SIZE, IERR
      DOUBLE PRECISION H, PART, TOTAL

      CALL MPI_INIT(IERR)
      CALL MPI_COMM_RANK(MPI_COMM_WORLD, RANK, IERR)
      CALL MPI_COMM_SIZE(MPI_COMM_WORLD, SIZE, IERR)
      IF (RANK .EQ. 0) N = 100000
      CALL MPI_BCAST(N, 1, MPI_INTEGER, 0, MPI_COMM_WORLD, IERR)
      H = 1.0D0 / N
      PART = 0
      DO I = RANK + 1, N, SIZE
        PART = PART + 4.0D0 / (1.0D0 + (H * (I - 0.5D0))**2)
      END DO
      CALL MPI_REDUCE(H * PART, TOTAL, 1, MPI_DOUBLE_PRECISION,
     &  MPI_SUM, 0, MPI_COMM_WORLD, IERR)
      IF (RANK .EQ. 0) THEN
        PRINT '(A, F14.10)', 'pi is about ', TOTAL
        IF (ABS(TOTAL - 4 * ATAN(1.0D0)) .GT. 1.0D-9) STOP 1
      END IF
      CALL MPI_FINALIZE(IERR)
      END
