// SPDX-License-Identifier: BSD-3-Clause
/* worlds.h - the processes of one MPI_COMM_WORLD: those of the command line, or of one spawn.
 *
 *   world 0   numbers 0 .. n-1      the command line
 *   world 1   numbers n .. n+m-1    MPI_Comm_spawn of a rank of world 0
 *   ...                             a number is never used again; an entry is
 *
 * A process has a rank in its world, a number in the universe (all worlds of one mpiexec), and a
 * entry in mpiexec's table of processes.  In world 0 the three are equal.  On one host the entry is
 * also the seat in the segment. */
#ifndef HAFT_TOOLS_MPIEXEC_WORLDS_H
#define HAFT_TOOLS_MPIEXEC_WORLDS_H

#include <stdbool.h>
#include <stdint.h>
#include "tools/mpiexec/job_plan.h"

/* A text that the ranks of a spawned world get from the PMI server. */
struct preput {
	char *key, *value;
};

/* The first process of a spawn that has ended before MPI_Init. */
struct spawn_failure {
	int first; /* number of the first process of its world; 0: there is none */
	int n;     /* processes of that */
	int world; /* its id */
	int rank, pid, host, status;
};

struct world {
	struct world *next;
	int id;    /* 0: the command line */
	int first; /* number of rank 0 in the universe */
	int n;     /* ranks */
	int alive; /* of them */
	struct app *app;
	int napps;
	int *entry;   /* by rank */
	int *host_of; /* by rank: index of its host */
	struct preput *preput;
	int npreputs;
	struct spawn_failure spawn_failure; /* .n 0: none, or its parents do not know */
	int stdin_to;     /* of a spawned one: the rank that reads mpiexec's stdin, or STDIN_... */
	bool starting;    /* hosts have not said yet how its start went */
	bool mark;        /* of job_mark_connected */
	bool ending;      /* it is ended alone, and other worlds go on */
	bool killed;      /* ... and has got SIGKILL */
	bool late;        /* its parents have waited for long, which has been said */
	uint64_t kill_ns; /* when to send it; 0: never */
	uint64_t awaited_ns; /* since when parents wait for it at a port; 0: they do not */
	uint64_t drain_ns;   /* when to stop reading the output of its background processes; 0: it
			    * lives, or has none */
};

/* A world of n ranks.  It takes over app[], whose numbers add up to n.  host_of is all 0, entry all
 * -1. */
struct world *world_new(int id, int first, struct app *app, int napps);

/* Frees a spawned world, with its programs and all that they point to. */
void world_free(struct world *w);

/* The program of a rank, and its index in w->app. */
const struct app *world_app(const struct world *w, int rank, int *index);

/* Frees all that the program points to: every text must be malloc'ed. */
void app_free(struct app *a);

#endif
