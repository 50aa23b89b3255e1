/* SPDX-License-Identifier: BSD-3-Clause */
/* RUN np=1,2,3,4,7,16 */
/* MPI-5.0 6.3: through shared memory, as it is chosen. */
#include "tests/std/ch06/barrier.h"
