// SPDX-License-Identifier: BSD-3-Clause
/* shell_words.h - completion of the words of mpiexec and mpi-info by a shell. */
#ifndef HAFT_TOOLS_MPIEXEC_SHELL_WORDS_H
#define HAFT_TOOLS_MPIEXEC_SHELL_WORDS_H

#include <stdbool.h>

/* Writes a script of the shell (bash, zsh, fish) to standard output; false: it is another shell. */
bool shell_words_print(const char *shell);

#endif
