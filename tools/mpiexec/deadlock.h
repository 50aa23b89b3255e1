// SPDX-License-Identifier: BSD-3-Clause
/* deadlock.h - a job in which all processes wait for each other, as seen from outside. */
#ifndef MPIEXEC_DEADLOCK_H
#define MPIEXEC_DEADLOCK_H

#include <stddef.h>
#include <stdint.h>

struct job;

/* Between two checks. */
struct deadlock {
	uint64_t state; /* of all sleeps, at the last check; 0: not all processes wait for others */
	int checks;     /* so many checks, one after the other, have found it */
};

/* To be called after each check of all ranks, while HAFT_ENDED is not 0.  Returns a rank, and
 * writes whom it waits for to whom[room], if all processes have waited for each other for
 * HAFT_ENDED seconds; -1: they have not, or not all do.  While j->deadlock.checks is not 0, the
 * next check should come as soon as ended_next says. */
int deadlock_find(struct job *j, uint64_t now, char *whom, size_t room);

#endif
