// SPDX-License-Identifier: BSD-3-Clause
/* RUN np=2 env="HAFT_VIA=net" time=120 */
/* MPI-5.0 3.8.4: synchronous sends that are cancelled, over sockets. */
#include "tests/std/ch03/cancel.c"
