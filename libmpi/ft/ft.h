// SPDX-License-Identifier: BSD-3-Clause
/* ft.h - failures of processes, as the other folders see them. */
#ifndef HAFT_FT_FT_H
#define HAFT_FT_FT_H

#include <stdbool.h>

/* Begins to listen for news of failures.  p2p is open. */
void ft_open(void);

/* Are failures survived, as far as is known here?  (HAFT_FT) */
bool ft_is_on(void);

/* A call of MPI begins: ends the process if HAFT_DIE says so.  For HAFT_GATE_DIE. */
void ft_die_count(const char *name);

/* Waits until all living processes of MPI_COMM_WORLD have called it, or have left MPI: the end of
 * MPI_Finalize where failures are survived.  0 or an error class with words. */
int ft_finalize(void);

#endif
