// SPDX-License-Identifier: BSD-3-Clause
/* limits.h - words for limits of this host that a large job meets, and ranks that die of memory. */
#ifndef HAFT_TOOLS_MPIEXEC_LIMITS_H
#define HAFT_TOOLS_MPIEXEC_LIMITS_H

#include <stdbool.h>

/* Words behind the text of `err' that name the limit which it means: " (ulimit -u: 600)".  "" for
 * other errors, and where there is no limit.  Valid until the next call. */
const char *limit_words(int err);

/* To be called before the first rank is started. */
void limit_memory_begin(void);

/* In a vforked child, system calls only: where memory is scarce the kernel kills this process
 * before mpiexec, which can say so.  The program of the rank inherits that, and its children do. */
void limit_memory_rank(void);

/* Has the kernel killed processes of this host for lack of memory since limit_memory_begin? */
bool limit_memory_met(void);

/* Words behind those of a death by SIGKILL, malloc'ed: the kernel has ended processes of this host
 * for lack of memory since limit_memory_begin.  NULL: it has not, or it was asked often. */
char *limit_memory_words(void);

#endif
