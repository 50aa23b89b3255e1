// SPDX-License-Identifier: BSD-3-Clause
/* abort.h - the end of processes of other universes that are members of an aborted group (MPI-5.0
 * 9.3, 11.4.2).  Those of this universe are ended by mpiexec. */
#ifndef HAFT_DYN_ABORT_H
#define HAFT_DYN_ABORT_H

struct comm;

/* From now on this process can be aborted so. */
void dyn_abort_open(void);

/* Tells the members of both groups; then the caller ends its own job.  NULL: nothing. */
void dyn_abort_members(const struct comm *c, int code, const char *words);

/* Ends the members of both groups, and this process; the others go on.  For jobs that survive
 * failures (ft_is_on).  NULL: this process alone. */
__attribute__((noreturn)) void dyn_abort_group(const struct comm *c, int code, const char *words);

#endif
