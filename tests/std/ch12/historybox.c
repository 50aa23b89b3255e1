/* SPDX-License-Identifier: BSD-3-Clause */
/* RUN np=4 time=120 env="HAFT_RMA=box" */
/* MPI-5.0 12.3.4, 12.7.1: the same on boxes (rma/mailbox.h). */
#include "tests/std/ch12/history.h"
