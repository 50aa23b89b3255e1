/* SPDX-License-Identifier: BSD-3-Clause */
/* RUN np=2 env="HAFT_READ=always" */
/* MPI-5.0 3.5: large messages, read from the sender's memory. */
#include "tests/std/ch03/ways.h"
