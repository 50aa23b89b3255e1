/* SPDX-License-Identifier: BSD-3-Clause */
/* RUN np=1,2,4,8 time=120 */
/* MPI-5.0 12.5.1, 12.5.2, 12.5.3, 12.5.4, 12.5.5: data moves as it is chosen. */
#include "tests/std/ch12/sync.h"
