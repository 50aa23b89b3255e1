// SPDX-License-Identifier: BSD-3-Clause
/* RUN np=2 env="HAFT_VIA=net" time=120 */
/* MPI-5.0 3.7.3, 3.8.4: requests that are freed or cancelled on their way over sockets. */
#include "tests/std/ch03/leave.c"
