// SPDX-License-Identifier: BSD-3-Clause
/* gdb_run.h - mpiexec -gdb: one gdb with an inferior for each of some ranks of this host.
 *
 *     ranks: started, and stopped before main (HAFT_JOB ...,stop=)
 *        ^
 *        └── attach ── gdb, a child of mpiexec with its terminal and its stdin
 *                        each rank goes on to main; then gdb's user has the word
 *
 * The job ends when its ranks and gdb have ended. */
#ifndef MPIEXEC_GDB_RUN_H
#define MPIEXEC_GDB_RUN_H

#include <stdbool.h>
#include <sys/types.h>
#include "tools/mpiexec/job_plan.h"

#define GDB_RANKS 8 /* inferiors that a user can keep apart */

struct job;

/* Once all options are read: ends mpiexec if gdb cannot have these ranks. */
void gdb_settle(struct plan *p);

/* All ranks have been started: starts gdb, if the plan asks for it. */
void gdb_start(struct job *j, const sigset_t *mask);

/* gdb runs; gdb_reap: true if this child was it, and gives the terminal back. */
bool gdb_runs(void);
bool gdb_reap(pid_t pid);

#endif
