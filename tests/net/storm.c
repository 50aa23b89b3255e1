// SPDX-License-Identifier: BSD-3-Clause
/* RUN np=4,7 env="HAFT_VIA=net" time=120 */
/* MPI-5.0 3.5, 3.7: random traffic between all pairs, over sockets. */
#include "tests/std/ch03/storm.c"
