// SPDX-License-Identifier: BSD-3-Clause
/* RUN np=4 env="HAFT_VIA=net" time=120 */
/* MPI-5.0 4.2: partitioned messages over sockets. */
#include "tests/std/ch04/part.c"
