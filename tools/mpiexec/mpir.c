// SPDX-License-Identifier: BSD-3-Clause
/* mpir.c - see mpir.h.  The names and the layout are those of the interface, so tools find them in
 * the table of dynamic symbols of a stripped mpiexec. */
#include "tools/mpiexec/mpir.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tools/mpiexec/job.h"
#include "tools/mpiexec/remote_ranks.h"

#define MPIR_SHOWN __attribute__((visibility("default"), used))
#define MPIR_PATH  256
#define MPIR_WORDS 1024

enum { MPIR_NULL, MPIR_DEBUG_SPAWNED, MPIR_DEBUG_ABORTING };

struct MPIR_PROCDESC {
	char *host_name;
	char *executable_name;
	int pid;
};

/* Written by mpiexec. */
MPIR_SHOWN struct MPIR_PROCDESC *MPIR_proctable;
MPIR_SHOWN int MPIR_proctable_size;
MPIR_SHOWN volatile int MPIR_debug_state;
MPIR_SHOWN char *MPIR_debug_abort_string;
MPIR_SHOWN int MPIR_i_am_starter; /* it is no rank; tools ask only whether there is this name */
MPIR_SHOWN int MPIR_partial_attach_ok; /* likewise: the gate is opened for ranks without tool */
MPIR_SHOWN int MPIR_acquired_pre_main; /* 0: ranks wait in MPI_Init */

/* Written by the tool.  The arguments are texts one after the other; an empty one ends them. */
MPIR_SHOWN volatile int MPIR_being_debugged;
MPIR_SHOWN volatile char MPIR_executable_path[MPIR_PATH];
MPIR_SHOWN volatile char MPIR_server_arguments[MPIR_WORDS];

void MPIR_Breakpoint(void);

/* A tool has a breakpoint here. */
MPIR_SHOWN __attribute__((noinline)) void MPIR_Breakpoint(void)
{
	__asm__ volatile("" ::: "memory");
}

/* Stops for the tool.  Hosts do not take the silence of a root that is stopped for its death, and
 * have all frames before it. */
static void mpir_stop(struct job *j)
{
	if (j->remote != NULL)
		remote_pause(j->remote);
	MPIR_Breakpoint();
}

bool mpir_wanted(void)
{
	return MPIR_being_debugged != 0;
}

static char *mpir_program(const struct app *a)
{
	const char *name = a->file != NULL ? a->file : a->argv[0];
	char *path = realpath(name, NULL);

	return path != NULL ? path : text_new("%s", name);
}

/* Copies len bytes that the tool has written, and ends them. */
static void mpir_copy(char *to, const volatile char *from, size_t len)
{
	for (size_t i = 0; i < len; i++)
		to[i] = from[i];
	to[len] = '\0';
}

/* Starts the tool's server on each host, if the tool names one. */
static void mpir_servers(struct job *j)
{
	char path[MPIR_PATH + 1], words[MPIR_WORDS + 1], **argv;
	size_t n = 0;

	mpir_copy(path, MPIR_executable_path, MPIR_PATH);
	mpir_copy(words, MPIR_server_arguments, MPIR_WORDS);
	if (!mpir_wanted() || path[0] == '\0')
		return;
	argv = mem_grow(NULL, 2, sizeof(*argv));
	argv[n++] = path;
	for (char *s = words; s < words + MPIR_WORDS && *s != '\0'; s += strlen(s) + 1) {
		argv = mem_grow(argv, n + 2, sizeof(*argv));
		argv[n++] = s;
	}
	argv[n] = NULL;
	job_tool_server(j, argv);
	free(argv);
}

void mpir_started(struct job *j)
{
	const struct app *a = NULL;
	char *program = NULL;
	int n = 0;

	MPIR_proctable = mem_grow(NULL, (size_t)j->world->n + 1, sizeof(*MPIR_proctable));
	for (int r = 0; r < j->world->n; r++) {
		const struct rank *k = &j->rank[j->world->entry[r]];

		if (k->pid > 0 && k->app != a) {
			a = k->app;
			program = mpir_program(a);
		}
		if (k->pid > 0)
			MPIR_proctable[n++] = (struct MPIR_PROCDESC){
				.host_name = text_new("%s", job_host_name(j, k->host)),
				.executable_name = program,
				.pid = k->pid};
	}
	MPIR_proctable_size = n;
	MPIR_debug_state = MPIR_DEBUG_SPAWNED;
	mpir_servers(j);
	if (mpir_wanted())
		mpir_stop(j);
	job_release(j);
}

void mpir_failed(struct job *j)
{
	if (!mpir_wanted() || MPIR_debug_state == MPIR_DEBUG_ABORTING)
		return;
	MPIR_debug_abort_string = text_new("the job has failed with exit code %d", j->code);
	MPIR_debug_state = MPIR_DEBUG_ABORTING;
	mpir_stop(j);
}
