// SPDX-License-Identifier: BSD-3-Clause
/* current_call.h - the MPI function that a thread is in, for mpiexec's report of a job that
 * hangs. */
#ifndef HAFT_CORE_CURRENT_CALL_H
#define HAFT_CORE_CURRENT_CALL_H

#include <stddef.h>

/* Writes the name of the MPI function that the calling thread is in ("MPI_Recv"), or "", into name
 * (n bytes).  Tens of microseconds. */
void haft_current_call(char *name, size_t n);

/* The call that has last passed the gate in this thread: a call that does has no frame of its own
 * name on the stack.  Written by bind/gate.c. */
extern __thread const char *haft_gated_call;

#endif
