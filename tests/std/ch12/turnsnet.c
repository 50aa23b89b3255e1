/* SPDX-License-Identifier: BSD-3-Clause */
/* RUN np=4 env="HAFT_VIA=net" time=120 */
/* MPI-5.0 12.5.3: no process shares memory with another. */
#include "tests/std/ch12/turns.c"
