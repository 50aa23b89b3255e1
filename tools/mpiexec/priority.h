// SPDX-License-Identifier: BSD-3-Clause
/* priority.h - mpiexec runs before the ranks of its host. */
#ifndef HAFT_TOOLS_MPIEXEC_PRIORITY_H
#define HAFT_TOOLS_MPIEXEC_PRIORITY_H

#include <sys/types.h>

/* To be called before `nranks' ranks are started on `ncpus' CPUs.  Where ranks are many more than
 * CPUs, this process is scheduled before them from now on, as far as the system permits it.
 * Processes that it starts begin with the same priority, until priority_keep.  Never fails. */
void priority_raise(int nranks, int ncpus);

/* The child's, before exec: takes the priority that mpiexec had.  A system call only. */
void priority_of_rank(void);

/* That of a fork server: keeps the better one, which its ranks do not inherit.  If they would not
 * have mpiexec's then, it takes that, too.  A system call only. */
void priority_of_server(void);

/* A fork server has become a rank: it gets the priority of one. */
void priority_give(pid_t pid);

/* The ranks are started: processes that mpiexec starts from now on begin with the usual one. */
void priority_keep(void);

#endif
