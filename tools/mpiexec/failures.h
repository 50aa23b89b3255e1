// SPDX-License-Identifier: BSD-3-Clause
/* failures.h - deaths that the job survives (HAFT_FT): failures.c. */
#ifndef MPIEXEC_FAILURES_H
#define MPIEXEC_FAILURES_H

#include "tools/mpiexec/job.h"

/* Reads HAFT_FT. */
void failures_init(struct job *j, const struct plan *p);

/* A rank has died, and is no longer counted as alive.  True: the others have been told, and the job
 * goes on.  False: the death is judged as any other. */
bool failure_survived(struct job *j, const struct death *d);

/* The hosts h with lost[h] cannot be reached any more; their ranks still count as alive.  As
 * failure_survived, for all of these. */
bool failure_hosts_survived(struct job *j, const bool *lost);

/* At the end of the job: the exit code is that of the first failure unless a process has handled
 * it. */
void failures_end(struct job *j);

#endif
