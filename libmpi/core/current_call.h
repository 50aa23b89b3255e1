// SPDX-License-Identifier: BSD-3-Clause
/* current_call.h - which MPI function is this thread in?  For the roll-call of a job that hangs. */
#ifndef HAFT_CORE_CURRENT_CALL_H
#define HAFT_CORE_CURRENT_CALL_H

#include <stddef.h>

/* The name of the MPI function that the calling thread is in ("MPI_Recv"), or "", into name (n
 * bytes). Tens of microseconds. */
void haft_current_call(char *name, size_t n);

#endif
