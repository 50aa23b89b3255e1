// SPDX-License-Identifier: BSD-3-Clause
/* priority.h - mpiexec runs before the ranks of its host. */
#ifndef HAFT_TOOLS_MPIEXEC_PRIORITY_H
#define HAFT_TOOLS_MPIEXEC_PRIORITY_H

/* To be called before `nranks' ranks are started on `ncpus' CPUs.  Where ranks are many more than
 * CPUs, this process is scheduled before them from now on, as far as the system permits it.
 * Processes that it starts have the priority that it had.  Never fails. */
void priority_raise(int nranks, int ncpus);

#endif
