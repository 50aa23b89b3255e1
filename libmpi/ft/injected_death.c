// SPDX-License-Identifier: BSD-3-Clause
/* injected_death.c - HAFT_DIE=rank@call[:n][+passes]: a process that kills itself, for tests.
 *
 *      HAFT_DIE=3@MPI_Bcast:5      rank 3 dies at the start of its fifth MPI_Bcast
 *      HAFT_DIE=3@MPI_Bcast:5+2    in the second pass of progress after that
 *
 * SIGKILL leaves no handler and no flush, as a crash of the host would. */
#include "libmpi/core/process_state.h"
#include "libmpi/core/setting.h"
#include "libmpi/ft/ft.h"
#include "libmpi/ft/ft_inner.h"
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct {
	char call[64]; /* without MPI_ */
	long calls;    /* still to come: the last of them is meant */
	long passes;   /* after it; 0: at its start */
	bool armed;    /* the call has begun */
} death;

static _Noreturn void death_now(void)
{
	raise(SIGKILL);
	abort();
}

/* p2p's progress hook, once the call has begun. */
static int death_pass(void)
{
	if (death.passes-- == 0)
		death_now();
	return 0;
}

static const char *death_bare(const char *name)
{
	if (strncmp(name, "MPI", 3) == 0 && strchr(name, '_') != NULL)
		return strchr(name, '_') + 1;
	return name;
}

/* The process has survived: perhaps no function has that name. */
static void death_missed(void)
{
	fprintf(stderr, "haft: HAFT_DIE=%s: rank %d has not made that call so often\n",
		haft_setting_text(SETTING_DIE), haft_life.rank);
}

void ft_die_count(const char *name)
{
	bool last = strcmp(death_bare(name), "Finalize") == 0;

	if (death.armed)
		return;
	if (strcmp(death_bare(name), death.call) != 0 || --death.calls > 0) {
		if (last)
			death_missed();
		return;
	}
	if (death.passes == 0)
		death_now();
	death.armed = true;
	p2p_progress_hook(death_pass);
}

HAFT_START void ft_die_open(void)
{
	const char *text = haft_setting_text(SETTING_DIE), *at = text;
	char call[64], *end = NULL;
	long rank;

	if (text == NULL || *text == '\0')
		return;
	rank = strtol(text, &end, 10);
	if (end == text || sscanf(end, "@%63[^:+]", call) != 1) {
		fprintf(stderr, "haft: HAFT_DIE=%s is no rank@call[:n][+passes]\n", text);
		return;
	}
	if (rank >= haft_life.size && haft_life.rank == 0 && haft_life.peer == 0)
		fprintf(stderr, "haft: HAFT_DIE=%s: this job has no rank %ld\n", text, rank);
	if (rank != haft_life.rank || haft_life.peer != haft_life.rank)
		return;
	snprintf(death.call, sizeof(death.call), "%s", death_bare(call));
	at = strchr(end, ':');
	death.calls = at != NULL ? strtol(at + 1, NULL, 10) : 1;
	at = strchr(end, '+');
	death.passes = at != NULL ? strtol(at + 1, NULL, 10) : 0;
	haft_gate_set(HAFT_GATE_DIE);
}
