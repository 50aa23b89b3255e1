/* SPDX-License-Identifier: BSD-3-Clause */
/* RUN np=4 time=120 */
/* MPI-5.0 12.3.4, 12.7.1: fetch-and-op and compare-and-swap of several processes at one place are
 * atomic: some order of them explains all that they returned. */
#include "tests/std/ch12/history.h"
