/* SPDX-License-Identifier: BSD-3-Clause */
/* RUN np=2,4 env="HAFT_VIA=net HAFT_PROGRESS=thread" time=120 */
/* MPI-5.0 12.7.3: the same over sockets, locks and all. */
#include "tests/std/ch12/helper.c"
