// SPDX-License-Identifier: BSD-3-Clause
/* proc.h - what the kernel tells of a process and of those that it has started: clocks and
 * proc(5).  Nothing of it costs the process anything. */
#ifndef MPIEXEC_PROC_H
#define MPIEXEC_PROC_H

#include <stdbool.h>
#include <stdint.h>

/* CPU time of a process, ns; 0: it has gone. */
uint64_t proc_cpu(int pid);

/* Can a thread of it run, or does it wait for a disk, as far as /proc tells? */
bool proc_runs(int pid);

/* Has a signal, or a debugger, stopped it? */
bool proc_stopped(int pid);

/* CPU time of `root', of what it has started, and so on, ns.  Process `pid' is to be one of them.
 * *runs: a thread of one of them can run; or not all of them are known, or pid is not. */
uint64_t proc_family_cpu(int root, int pid, bool *runs);

#endif
