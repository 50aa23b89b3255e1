// SPDX-License-Identifier: BSD-3-Clause
/* spawn.h - MPI_Comm_spawn: starts a further world for a process that runs.
 *
 *   mcmd=spawn ──> spawn_request.c ──> spawn_app.c ──> placement.c ──> spawn.c ──> spawn_result
 *                  programs            their keys      hosts, entries  start */
#ifndef HAFT_TOOLS_MPIEXEC_SPAWN_H
#define HAFT_TOOLS_MPIEXEC_SPAWN_H

#include <stdbool.h>
#include "tools/mpiexec/spawn_app.h"
#include "tools/mpiexec/spawn_request.h"
#include "tools/mpiexec/worlds.h"

struct job;
struct marshal;

/* A spawn that is under way. */
struct spawn {
	struct spawn *next;
	struct job *j;
	int root;   /* number of the process that has asked */
	int parent; /* id of its world */
	struct spawn_request q;
	struct spawn_app *app; /* by part of the request */
	bool *found;           /* by part: the program is there */
	struct world *w;       /* NULL: no process is started */
	int *errs;             /* by rank: errno of one that could not be started */
	int waits;             /* hosts that have not answered */
	int started;           /* processes; some may have ended since */
	bool full;             /* there is no room for processes of a program that is there */
	bool full_why;         /* ... and `why' says that */
	uint64_t room_ns;      /* until then it waits for room; 0: it has not been short of it */
	uint64_t room_max_ns;  /* ... and never longer than that */
	bool room_asked;       /* the state of all processes has been asked for meanwhile */
	char *other_hosts;     /* spawn_other_hosts; NULL: it is done here */
	char *why;             /* first reason why a process is missing; malloc'ed; NULL: none */
};

/* Starts the processes of a request, and answers it: at once, or once all hosts have said how it
 * went. */
void spawn_do(struct job *j, int entry, const char *text);

/* The answers of a host about a world, UP_PREPARED and UP_SPAWNED; a host is lost. */
void spawn_prepared(int world, int host, struct marshal *p);
void spawn_host_started(int world, int host, struct marshal *p);
void spawn_host_lost(int host);

/* To be called when one more host is ready, or lost: spawns may have waited for it. */
void spawn_resume(void);

/* To be called in each pass of the loop: spawns without room wait a moment for the end of processes
 * that nothing connects with theirs.  The ms until the end of the first wait; -1: none waits. */
void spawn_clock(void);
int spawn_timeout(uint64_t now);

/* Places the processes of s->w on hosts, and gives them entries of the table. */
void spawn_assign(struct spawn *s);

/* The hosts of a service that has to do this spawn, because keys or slots ask for others than this
 * one; malloc'ed; NULL: it can be done here. */
char *spawn_other_hosts(const struct spawn *s);

/* Adds hosts that the keys ask for to the job. */
void spawn_hosts_add(struct spawn *s);

/* Why a host that add-host names cannot be used; malloc'ed; NULL: all of them can. */
char *spawn_hosts_missing(const struct spawn *s);

/* The first HOST[:N] of a list, cut off; *limit: N, or 0.  malloc'ed; NULL: the list is empty. */
char *spawn_list_next(const char **list, int *limit);

/* Finds the hosts of the job that the keys of part i name.  Returns NULL, or malloc'ed words: one
 * is none of the job. */
char *spawn_hosts_settle(struct spawn *s, int i);

/* How many processes of part i may be started now, at most `most'.  Without -nooversubscribe and
 * max_slots: all. */
int spawn_room(const struct spawn *s, int i, int most);

/* Why there is no room for n processes: host by host, the slots used by each world.  malloc'ed. */
char *spawn_full(const struct spawn *s, int i, int n);

#endif
