// SPDX-License-Identifier: BSD-3-Clause
/* progress_thread.h - HAFT_PROGRESS=thread: a thread that does for others what they need while the
 * program computes.
 *
 *      program   ....computes.............|MPI_Recv|....computes....
 *      helper    ~~~sleeps~~|serves|~~~~~~~~~~~~~~~~~~|serves|~~~~~~   at the door of this rank
 *
 * It is one more thread that waits in MPI, for the end of MPI: what comes meanwhile (operations on
 * windows by message, requests to send) is served by its passes.  So calls lock as they do at
 * MPI_THREAD_MULTIPLE, whatever level the program has asked for. */
#ifndef HAFT_LIFE_PROGRESS_THREAD_H
#define HAFT_LIFE_PROGRESS_THREAD_H

/* Starts the helper, if the setting says so and it does not run yet.  Several threads are let in.
 * 0, or MPI_ERR_OTHER with words.  life_progress_stop ends it; the caller has the library's lock,
 * which is given up meanwhile. */
int life_progress_start(void);
void life_progress_stop(void);

#endif
