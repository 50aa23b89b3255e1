// SPDX-License-Identifier: BSD-3-Clause
/* proc.h - CPU time and state of processes, from clocks and proc(5).  Costs the processes
 * nothing. */
#ifndef MPIEXEC_PROC_H
#define MPIEXEC_PROC_H

#include <stdbool.h>
#include <stdint.h>

/* CPU time of a process in ns; 0: it has ended. */
uint64_t proc_cpu(int pid);

/* Resident memory of a process in bytes; 0: it has ended. */
uint64_t proc_memory(int pid);

/* True if a thread of the process is runnable or waits for a disk, as far as /proc shows. */
bool proc_runs(int pid);

/* True if a signal or a debugger has stopped the process. */
bool proc_stopped(int pid);

/* CPU time of `root' and its descendants in ns.  *runs: one of their threads is runnable, or the
 * list of descendants is incomplete, or `pid' is not among them. */
uint64_t proc_family_cpu(int root, int pid, bool *runs);

#endif
