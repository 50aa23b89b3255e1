// SPDX-License-Identifier: BSD-3-Clause
/* deadlock.h - a job in which all processes wait for each other, as seen from outside. */
#ifndef MPIEXEC_DEADLOCK_H
#define MPIEXEC_DEADLOCK_H

#include <stddef.h>
#include <stdint.h>

struct job;

/* Between two looks. */
struct deadlock {
	uint64_t state; /* of all sleeps, at the last look; 0: not all processes wait for others */
	int looks;      /* so many looks, one after the other, have found it */
};

/* To be called after each look at all ranks, while HAFT_ENDED is not 0.  Returns a rank, and writes
 * whom it waits for to whom[room], if all processes have waited for each other for HAFT_ENDED
 * seconds; -1: they have not, or not all do.  While j->deadlock.looks is not 0, the next look
 * should come as soon as ended_next says. */
int deadlock_look(struct job *j, uint64_t now, char *whom, size_t room);

#endif
