// SPDX-License-Identifier: BSD-3-Clause
/* progress_thread.h - HAFT_PROGRESS=thread: a thread that makes progress while the program
 * computes.
 *
 *      program           ....computes.............|MPI_Recv|....computes....
 *      progress thread   ~~~sleeps~~|serves|~~~~~~~~~~~~~~~~~~|serves|~~~~~~
 *
 * It is one more thread that waits in MPI, until MPI ends.  Its polls serve operations on windows
 * by message and rendezvous messages.  So calls lock as they do at MPI_THREAD_MULTIPLE, whatever
 * level the program has asked for. */
#ifndef HAFT_LIFE_PROGRESS_THREAD_H
#define HAFT_LIFE_PROGRESS_THREAD_H

/* life_progress_start starts the thread, if the setting asks for it and it does not run yet;
 * several threads are admitted already.  0, or MPI_ERR_OTHER with words.  life_progress_stop ends
 * it; the caller holds the library lock, which is released meanwhile. */
int life_progress_start(void);
void life_progress_stop(void);

#endif
