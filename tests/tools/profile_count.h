// SPDX-License-Identifier: BSD-3-Clause
/* profile_count.h - counts calls of MPI between MPI_Init and MPI_Finalize, by PMPI, for profile.sh:
 * at the end each process writes lines "MPI_Send 12" to $COUNT_FILE.PID. */
#ifndef TESTS_TOOLS_PROFILE_COUNT_H
#define TESTS_TOOLS_PROFILE_COUNT_H

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

struct count {
	const char *name;
	long n;
	struct count *next;
};

static struct count *counts;

static void count_call(struct count *c)
{
	int up, down;

	PMPI_Initialized(&up);
	PMPI_Finalized(&down);
	if (!up || down)
		return;
	if (c->n++ == 0) {
		c->next = counts;
		counts = c;
	}
}

__attribute__((destructor)) static void count_write(void)
{
	const char *file = getenv("COUNT_FILE");
	char path[4096];
	FILE *f;

	if (file == NULL || counts == NULL)
		return;
	snprintf(path, sizeof(path), "%s.%d", file, (int)getpid());
	f = fopen(path, "w");
	for (const struct count *c = counts; f != NULL && c != NULL; c = c->next)
		fprintf(f, "%s %ld\n", c->name, c->n);
	if (f != NULL)
		fclose(f);
}

#endif
