// SPDX-License-Identifier: BSD-3-Clause
/* RUN np=3 env="HAFT_VIA=net" time=120 */
/* MPI-5.0 3.2: every size around each change of protocol, over sockets. */
#include "tests/std/ch03/sizes.c"
