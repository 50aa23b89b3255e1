// SPDX-License-Identifier: BSD-3-Clause
/* mpir.c - see mpir.h.  The names and the layout are those of the interface, so tools find them in
 * the table of dynamic symbols of a stripped mpiexec. */
#include "tools/mpiexec/mpir.h"

#include <stdio.h>
#include <stdlib.h>
#include "tools/mpiexec/job.h"

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

/* Written by the tool. */
MPIR_SHOWN volatile int MPIR_being_debugged;

void MPIR_Breakpoint(void);

/* A tool has a breakpoint here. */
MPIR_SHOWN __attribute__((noinline)) void MPIR_Breakpoint(void)
{
	__asm__ volatile("" ::: "memory");
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

void mpir_started(struct job *j)
{
	int n = 0;

	MPIR_proctable = mem_grow(NULL, (size_t)j->world->n + 1, sizeof(*MPIR_proctable));
	for (int r = 0; r < j->world->n; r++) {
		const struct rank *k = &j->rank[j->world->entry[r]];

		if (k->pid > 0)
			MPIR_proctable[n++] = (struct MPIR_PROCDESC){
				.host_name = text_new("%s", job_host_name(j, k->host)),
				.executable_name = mpir_program(k->app),
				.pid = k->pid};
	}
	MPIR_proctable_size = n;
	MPIR_debug_state = MPIR_DEBUG_SPAWNED;
	if (mpir_wanted())
		MPIR_Breakpoint();
	job_release(j);
}

void mpir_failed(int code)
{
	if (!mpir_wanted() || MPIR_debug_state == MPIR_DEBUG_ABORTING)
		return;
	MPIR_debug_abort_string = text_new("the job has failed with exit code %d", code);
	MPIR_debug_state = MPIR_DEBUG_ABORTING;
	MPIR_Breakpoint();
}
