/* SPDX-License-Identifier: BSD-3-Clause */
/* RUN np=2,3,4,7,16 time=120 env="HAFT_COLL=p2p" */
/* MPI-5.0 6.4 to 6.8: the same by messages. */
#include "tests/std/ch06/move.h"
