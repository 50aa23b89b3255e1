// SPDX-License-Identifier: BSD-3-Clause
/* life.h - starting and stopping what the World Model and sessions share. */
#ifndef HAFT_LIFE_LIFE_H
#define HAFT_LIFE_LIFE_H

#include <stdbool.h>

/* life_up makes MPI run, with at least this level of thread support; where it runs already, next to
 * nothing.  0 or an error class with words.  The caller notes in haft_life who needs it. */
int life_up(int level);

/* life_down lets MPI rest if neither the World Model nor a session needs it any more.
 * stopped: all processes have said that they send nothing any more. */
void life_down(bool stopped);

/* Is it one of MPI_THREAD_SINGLE .. MPI_THREAD_MULTIPLE? */
bool life_thread_level_valid(int level);

#endif
