// SPDX-License-Identifier: BSD-3-Clause
/* debug.h - MPI_Init waits for a debugger, or for a tool that starts the job. */
#ifndef HAFT_DEBUG_DEBUG_H
#define HAFT_DEBUG_DEBUG_H

#include <stdatomic.h>
#include <stdint.h>

/* In MPI_Init: waits while *hold is not 0 and no debugger has set MPIR_debug_gate.  NULL: does not
 * wait. */
void debug_hold(const _Atomic uint32_t *hold);

#endif
