// SPDX-License-Identifier: BSD-3-Clause
/* spawn_app.h - one program of a spawn: the meaning of its keys, in the words of MPI, MPICH, Open
 * MPI. */
#ifndef HAFT_TOOLS_MPIEXEC_SPAWN_APP_H
#define HAFT_TOOLS_MPIEXEC_SPAWN_APP_H

#include "tools/mpiexec/job_plan.h"
#include "tools/mpiexec/spawn_request.h"

struct spawn_app {
	struct app app;   /* app.n is the requested number; the caller takes it over */
	char *hosts;      /* HOST[:N],... to choose from, N processes to each in turn; NULL: all */
	char *more_hosts; /* HOST[:N],... that the job must have; NULL: none */
	char *job_hosts;  /* for a service: spawn_other_hosts.c; NULL: this mpiexec is none */
	char *soft;       /* the set of numbers that will do; NULL: app.n only */
	bool by_node;     /* one process to each host in turn */
	int ppn;          /* processes to each host in turn; 0: its free slots */
	int stdin_to;     /* the rank that reads the stdin of mpiexec, STDIN_ALL or STDIN_NONE */
	bool bad_value;   /* refused because of the value of a key */
	char *file[2];    /* patterns of the files for stdout and stderr; NULL: none */
};

/* Makes the program of a part.  base: the environment of the process that spawns.  Returns NULL, or
 * malloc'ed words.  spawn_app_free in both cases frees all but `app'. */
char *spawn_app_make(struct spawn_app *s, const struct spawn_part *p, char *const *base);
void spawn_app_free(struct spawn_app *s);

/* The greatest number of the set that is at most `most'; -1: there is none.  The set is a list of
 * triplets a[:b[:c]].  NULL stands for `all' alone. */
int soft_number(const char *soft, int all, int most);

/* True unless the text is no such list. */
bool soft_good(const char *soft);

#endif
