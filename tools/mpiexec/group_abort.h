// SPDX-License-Identifier: BSD-3-Clause
/* group_abort.h - MPI_Abort of a group whose others live on (HAFT_FT): group_abort.c. */
#ifndef MPIEXEC_GROUP_ABORT_H
#define MPIEXEC_GROUP_ABORT_H

#include <stdint.h>

struct job;

/* The request haft_abort of the process of entry `r' (requests.c). */
void group_abort_do(struct job *j, int r, const char *line);

/* Kills the processes that have outlived SIGTERM, when it is time to: j->group_kill_ns. */
void group_abort_clock(struct job *j, uint64_t now);

#endif
