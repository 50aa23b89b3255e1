// SPDX-License-Identifier: BSD-3-Clause
/* RUN np=3 env="HAFT_VIA=net" time=120 */
/* MPI-5.0 3.8.1: probes of messages that come over sockets. */
#include "tests/std/ch03/probe.c"
