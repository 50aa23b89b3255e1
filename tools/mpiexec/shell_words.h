// SPDX-License-Identifier: BSD-3-Clause
/* shell_words.h - completion of the words of mpiexec and mpi-info by a shell. */
#ifndef HAFT_TOOLS_MPIEXEC_SHELL_WORDS_H
#define HAFT_TOOLS_MPIEXEC_SHELL_WORDS_H

/* Writes a script of bash to standard output. */
void shell_words_print(void);

#endif
