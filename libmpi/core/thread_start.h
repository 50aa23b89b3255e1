// SPDX-License-Identifier: BSD-3-Clause
/* thread_start.h - threads of the library: signals are the program's threads' business. */
#ifndef HAFT_CORE_THREAD_START_H
#define HAFT_CORE_THREAD_START_H

#include <pthread.h>
#include <signal.h>

/* As pthread_create; the thread takes no signals.  Any thread. */
static inline int haft_thread_start(
	pthread_t *thread, const pthread_attr_t *attr, void *(*run)(void *arg), void *arg)
{
	sigset_t all, before;
	int err;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	err = pthread_create(thread, attr, run, arg);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return err;
}

#endif
