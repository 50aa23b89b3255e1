// SPDX-License-Identifier: BSD-3-Clause
/* call_count.h - counts calls of MPI between MPI_Init and MPI_Finalize: at the end each process
 * writes lines "MPI_Send 12" to $COUNT_FILE, the counter's own suffix and .PID.  profile_count.h
 * counts by PMPI, qmpi_count.h by QMPI. */
#ifndef TESTS_TOOLS_CALL_COUNT_H
#define TESTS_TOOLS_CALL_COUNT_H

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

struct count {
	const char *name;
	long n;
	struct count *next;
};

static struct count *counts;

/* Counts a call; runs: MPI is running. */
static inline void count_once(struct count *c, int runs)
{
	if (!runs)
		return;
	if (c->n++ == 0) {
		c->next = counts;
		counts = c;
	}
}

/* At the end of the process. */
static inline void count_write(const char *suffix)
{
	const char *file = getenv("COUNT_FILE");
	char path[4096];
	FILE *f;

	if (file == NULL || counts == NULL)
		return;
	snprintf(path, sizeof(path), "%s%s.%d", file, suffix, (int)getpid());
	f = fopen(path, "w");
	for (const struct count *c = counts; f != NULL && c != NULL; c = c->next)
		fprintf(f, "%s %ld\n", c->name, c->n);
	if (f != NULL)
		fclose(f);
}

#endif
