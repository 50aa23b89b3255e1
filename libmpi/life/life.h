// SPDX-License-Identifier: BSD-3-Clause
/* life.h - starting and stopping the common part of the World Model and sessions. */
#ifndef HAFT_LIFE_LIFE_H
#define HAFT_LIFE_LIFE_H

#include <stdbool.h>

/* MPI_Init and MPI_Init_thread, but for the extra steps of a spawned process (dyn/parent.c). */
int life_init(int *argc, char ***argv);
int life_init_thread(int *argc, char ***argv, int required, int *provided);

/* Makes MPI run, with at least this level of thread support; does next to nothing where it runs
 * already.  The caller then notes in haft_life that it needs MPI.  0, or an error class with words;
 * MPI_ERR_OTHER in a forked child. */
int life_up(int level);

/* Stops MPI if neither the World Model nor a session needs it any more.  stopped: no process of the
 * job sends any more. */
void life_down(bool stopped);

/* Of a profile that no mpiexec reads: gathers the tables of all ranks, and reports.  Collective
 * over MPI_COMM_WORLD, in MPI_Finalize. */
void life_profile_gather(void);

/* In debug and MEAN=1 builds: the invariants of all engines must hold now, or the job ends.  call:
 * the name of the MPI call that is about to stop MPI. */
void life_invariants_check(const char *call);

/* MPI_Finalize, but for ports and names. */
int life_finalize(void);

/* Notes what MPI_Finalize has returned: mpiexec names a failed one if the process exits after
 * it. */
void life_finalize_returned(int err);

/* true: one of MPI_THREAD_SINGLE .. MPI_THREAD_MULTIPLE. */
bool life_thread_level_valid(int level);

#endif
