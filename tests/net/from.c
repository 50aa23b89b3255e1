// SPDX-License-Identifier: BSD-3-Clause
/* RUN np=5 env="HAFT_VIA=net" time=120 */
/* MPI-5.0 7.4.2: communicators from groups over sockets. */
#include "tests/std/ch07/from.c"
