// SPDX-License-Identifier: BSD-3-Clause
/* RUN np=5 env="HAFT_VIA=net" time=120 */
/* MPI-5.0 11.3: sessions over sockets. */
#include "tests/std/ch11/session.c"
