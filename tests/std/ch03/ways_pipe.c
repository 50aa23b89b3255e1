/* SPDX-License-Identifier: BSD-3-Clause */
/* RUN np=2 env="HAFT_READ=never" */
/* MPI-5.0 3.5: large messages, through the pipe. */
#include "tests/std/ch03/ways.h"
