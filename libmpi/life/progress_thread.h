// SPDX-License-Identifier: BSD-3-Clause
/* progress_thread.h - HAFT_PROGRESS=thread: a helper that makes progress while the program computes
 * and a CPU is idle.
 *
 *      program   ....computes..............|MPI_Wait|....computes...|MPI_Recv: waits itself
 *      lookout   ~~looks~~|~~~~~~~~~~~~~~~~|looks|~~~|~~~~~~~~~~~~~~|~~sleeps~~~~~~~~~~~~~~
 *      helper    ~~~~~~~~~|passes, passes..|~~~~~|~~~|passes, pass..|~~~~~~~~~~~~~~~~~~~~~~
 *
 * The lookout is a thread that the kernel runs where a CPU is idle, and for a few milliseconds of a
 * second elsewhere (SCHED_IDLE).  So it finds out by running that there is an idle CPU, also where
 * other jobs have the others.  If the program is outside of MPI then, and was when the lookout
 * looked before, it wakes the helper.  That one makes passes of progress until the program calls,
 * or nothing more moves.  The helper has the usual scheduling: it holds the lock of the library,
 * and must not be kept waiting.
 *
 * Both rest, and the program's calls take no lock, while no request needs the helper
 * (p2p_help).  Those that do: long messages, sends that found no room, collective requests, short
 * receives while synchronous messages come (p2p_help_short), and windows whose members combine in
 * private memory or reach it by messages.  The first after a pause wakes the lookout.  Then it
 * looks by itself, often while messages move, seldom after that, and never while the program waits
 * in MPI.  Calls lock meanwhile as core/library_lock.h says, which costs them no atomic
 * instruction. */
#ifndef HAFT_LIFE_PROGRESS_THREAD_H
#define HAFT_LIFE_PROGRESS_THREAD_H

#include <stdint.h>

/* life_progress_start starts the threads, if the setting asks for them and they do not run yet.
 * The caller holds the library lock, as a thread does.  0, or MPI_ERR_OTHER with words.
 * Where the kernel has no membarrier none are started, and the first rank of a host says so.
 * life_progress_stop ends them; the caller holds the library lock, which is released meanwhile. */
int life_progress_start(void);
void life_progress_stop(void);

/* Where the kernel says on which CPU the calling thread is, if it is the first of the process:
 * others may end before the helper does.  NULL: it is not, or the C library has no such word. */
const volatile uint32_t *life_own_cpu(void);

#endif
