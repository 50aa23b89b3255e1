// SPDX-License-Identifier: BSD-3-Clause
/* mpir.h - mpiexec as a debugger or a tool sees it: the MPIR interface, version 1.1.
 *
 *     tool                              mpiexec                                 ranks
 *      │ MPIR_being_debugged = 1 ─────────►│ mpir_wanted                           │
 *      │ MPIR_executable_path ────────────►│ a server beside the ranks of each host │
 *      │                                   │ starts them ───────────────────────►│ MPI_Init: waits
 *      │◄── breakpoint in MPIR_Breakpoint ─│ mpir_started: MPIR_proctable is full  │
 *      │ attaches, or does not; continues ►│ opens the gate ──────────────────────►│ goes on
 *      │◄── breakpoint, state "aborting" ──│ mpir_failed
 *
 * A tool that attaches to an mpiexec that runs finds the table full. */
#ifndef MPIEXEC_MPIR_H
#define MPIEXEC_MPIR_H

#include <stdbool.h>

struct job;

/* A tool has started this mpiexec: ranks wait in MPI_Init. */
bool mpir_wanted(void);

/* All ranks of the command line have been started: fills the table, stops for the tool, and returns
 * when the ranks may go on. */
void mpir_started(struct job *j);

/* The job fails, with its exit code: stops for the tool. */
void mpir_failed(struct job *j);

#endif
