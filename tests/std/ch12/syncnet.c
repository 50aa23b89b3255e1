/* SPDX-License-Identifier: BSD-3-Clause */
/* RUN np=2,4 env="HAFT_VIA=net" time=120 */
/* MPI-5.0 12.5.1, 12.5.2, 12.5.3, 12.5.4, 12.5.5: no process shares memory with another. */
#include "tests/std/ch12/sync.h"
