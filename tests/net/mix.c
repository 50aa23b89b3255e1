// SPDX-License-Identifier: BSD-3-Clause
/* RUN np=4 env="HAFT_VIA=net" time=120 */
/* MPI-5.0 6.14: collective calls over sockets. */
#include "tests/std/ch06/mix.h"
