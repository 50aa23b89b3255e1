// SPDX-License-Identifier: BSD-3-Clause
/* RUN np=2 env="HAFT_VIA=net" time=120 */
/* MPI-5.0 11.6: eight threads a rank over sockets. */
#include "tests/thread/storm.c"
