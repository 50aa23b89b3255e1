// SPDX-License-Identifier: BSD-3-Clause
/* crash.h - a process that crashes leaves its stack for mpiexec. */
#ifndef HAFT_CORE_CRASH_H
#define HAFT_CORE_CRASH_H

/* Watches SIGSEGV, SIGBUS, SIGFPE, SIGILL and SIGABRT, where the program does not handle them,
 * unless HAFT_BACKTRACE says no.  page: the place of this process's struct stack_page, called in
 * the handler; it returns NULL where there is none.  The first call takes effect. */
void haft_crash_watch(void *(*page)(void));

#endif
