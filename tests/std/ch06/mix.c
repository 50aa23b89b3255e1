/* SPDX-License-Identifier: BSD-3-Clause */
/* RUN np=2,3,4,7,16 time=120 */
/* MPI-5.0 6.14: through shared memory, as it is chosen. */
#include "tests/std/ch06/mix.h"
