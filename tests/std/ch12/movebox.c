/* SPDX-License-Identifier: BSD-3-Clause */
/* RUN np=1,2,4 env="HAFT_RMA=box" time=120 */
/* MPI-5.0 12.3.1, 12.3.2, 12.3.4, 12.3.5, 12.7.2: data moves by way of HAFT_RMA=box. */
#include "tests/std/ch12/move.h"
