! SPDX-License-Identifier: BSD-3-Clause
! RUN np=2
! MPI-5.0 14, 19.1: files by mpif.h.
      program files
      implicit none
      include 'mpif.h'
      integer f, rank, ierr, x(4), y(4), i, n, status(MPI_STATUS_SIZE)
      integer request, bad
      integer(kind=MPI_OFFSET_KIND) at
      character*400 path
      bad = 0
      call MPI_INIT(ierr)
      call MPI_COMM_RANK(MPI_COMM_WORLD, rank, ierr)
      call get_environment_variable('TMPDIR', path)
      if (path .eq. ' ') path = '/tmp'
      path = trim(path) // '/old'
      call MPI_FILE_OPEN(MPI_COMM_WORLD, path,
     &     MPI_MODE_RDWR + MPI_MODE_CREATE + MPI_MODE_DELETE_ON_CLOSE,
     &     MPI_INFO_NULL, f, ierr)
      if (ierr .ne. MPI_SUCCESS) bad = bad + 1
      do i = 1, 4
         x(i) = 10 * rank + i
      end do
      at = 16 * rank
      call MPI_FILE_SET_VIEW(f, at, MPI_INTEGER, MPI_INTEGER,
     &     'external32', MPI_INFO_NULL, ierr)
      call MPI_FILE_IWRITE(f, x, 4, MPI_INTEGER, request, ierr)
      call MPI_WAIT(request, status, ierr)
      at = 0
      call MPI_FILE_READ_AT_ALL(f, at, y, 4, MPI_INTEGER, status, ierr)
      call MPI_GET_COUNT(status, MPI_INTEGER, n, ierr)
      if (n .ne. 4) bad = bad + 1
      do i = 1, 4
         if (y(i) .ne. x(i)) bad = bad + 1
      end do
      call MPI_FILE_SEEK(f, at, 77, ierr)
      if (ierr .eq. MPI_SUCCESS) bad = bad + 1
      call MPI_FILE_CLOSE(f, ierr)
      if (f .ne. MPI_FILE_NULL) bad = bad + 1
      call MPI_FINALIZE(ierr)
      if (bad .ne. 0) stop 1
      end
