// SPDX-License-Identifier: BSD-3-Clause
/* ft.h - failures of processes, as the other folders see them. */
#ifndef HAFT_FT_FT_H
#define HAFT_FT_FT_H

#include <stdbool.h>

struct comm;

/* Begins to handle notices of failures.  p2p is open. */
void ft_open(void);

/* Are failures survived, as far as is known here?  (HAFT_FT) */
bool ft_is_on(void);

/* A call of MPI begins: ends the process if HAFT_DIE says so.  For HAFT_GATE_DIE. */
void ft_die_count(const char *name);

/* As MPIX_Comm_agree, for spawns, which are to succeed in all members or in none.  By itself it is
 * no reason to survive failures.  *flag stays if c has too many members for an agreement.  A settle
 * has no order with agreements and shrinks on c.  If c is revoked, before or meanwhile, it returns
 * the error of c; in members that have the decision by then it succeeds. */
int ft_settle(struct comm *c, int *flag);

/* As MPIX_Comm_shrink, within MPIX_Comm_replace: members that call others get MPI_ERR_OTHER. */
int ft_replace_shrink(struct comm *c, struct comm **newcomm);

/* The end of MPI_Finalize where failures are survived, or calls differ.  barrier: the result of the
 * barrier over MPI_COMM_WORLD.  If that has failed, waits until all living processes of
 * MPI_COMM_WORLD have called it, or have left MPI.  0 or an error class with words. */
int ft_finalize(int barrier);

#endif
