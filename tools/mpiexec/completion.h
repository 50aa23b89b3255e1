// SPDX-License-Identifier: BSD-3-Clause
/* completion.h - what a shell reads to complete the words of mpiexec and mpi-info. */
#ifndef HAFT_TOOLS_MPIEXEC_COMPLETION_H
#define HAFT_TOOLS_MPIEXEC_COMPLETION_H

/* Writes a script of bash to standard output. */
void completion_print(void);

#endif
