// SPDX-License-Identifier: BSD-3-Clause
/* fork_start.c - see fork_start.h. */
#include "tools/mpiexec/fork_start.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "libmpi/core/setting.h"
#include "libshm/shm.h"
#include "tools/mpiexec/local_ranks.h"

/* By measurement: PERF.md. */
#define RANKS_LEAST 16 /* for fewer a server is not worth it ... */
#define RANKS_CPU   4  /* ... or while each CPU has no more than so many */

static_assert(ENV_OWN <= FORK_OWN, "each variable of a rank is written");

bool fork_start_serves(const struct fork_start *s, const struct local_rank *m)
{
	return s->world == m->world && s->app == m->app;
}

/* The ranks of the program of row i on this host. */
static int program_ranks(const struct local_ranks *c, int i)
{
	int n = 0;

	for (int k = i; k < c->n; k++)
		n += c->m[k].world == c->m[i].world && c->m[k].app == c->m[i].app;
	return n;
}

/* Is a server wanted for the program of row i, and is nothing between mpiexec and the program? */
static bool server_wanted(const struct local_ranks *c, int i, const struct app *a)
{
	int64_t by = haft_setting_launch(SETTING_START_BY, a->envp + 1);
	int n = program_ranks(c, i);

	if (c->plan->nwraps > 0 || c->plan->gdb != NULL || by == HAFT_START_EXEC)
		return false;
	return by == HAFT_START_FORK || (n >= RANKS_LEAST && n > RANKS_CPU * shm_seg_ncpus(c->seg));
}

void fork_start_begin(struct fork_start *s, struct local_ranks *c, int i)
{
	const struct local_rank *m = &c->m[i];
	const struct app *a = &m->world->app[m->app];
	char *own[ENV_OWN], **envp;

	*s = (struct fork_start){.world = m->world, .app = m->app, .first = i, .end = i};
	if (!server_wanted(c, i, a) || !forks_fit(&c->common, a, a->envp + 1))
		return;
	envp = rank_env_make(&c->env, c, i, a->envp + 1, c->pmi != NULL ? 0 : -1, own);
	s->own = rank_env_own(own);
	if (forks_open(&s->forks, &c->common, a, envp, s->own, c->n, shm_seg_cookie(c->seg))) {
		s->asked = mem_grow(NULL, (size_t)c->n, sizeof(*s->asked));
		memset(s->asked, 0, (size_t)c->n * sizeof(*s->asked));
	}
	for (int k = 0; k < ENV_OWN; k++)
		free(own[k]);
}

bool fork_start_ask(struct fork_start *s, int row, const struct rank_ends *e, int own)
{
	if (s->asked == NULL || s->ended || own != s->own)
		return false;
	if (!forks_ask(&s->forks, row, e, own)) {
		forks_kill(&s->forks); /* it has ended already, or is stuck */
		s->ended = true;
		return false;
	}
	s->asked[row] = true;
	s->end = row + 1;
	return true;
}

int fork_start_next(struct fork_start *s, pid_t *pid)
{
	for (int i = s->first; i < s->end; i++) {
		*pid = s->asked[i] ? forks_pid(&s->forks, i) : 0;
		if (*pid == 0 && s->asked[i] && s->ended)
			*pid = -ECHILD;
		if (*pid == 0)
			continue;
		/* The rank does it, too: a signal for its group must not come before that. */
		if (*pid > 0)
			setpgid(*pid, *pid);
		s->asked[i] = false;
		return i;
	}
	return -1;
}

void fork_start_wait(struct fork_start *s)
{
	if (s->asked == NULL)
		return;
	forks_end(&s->forks);
	s->ended = true;
}

void fork_start_end(struct fork_start *s)
{
	forks_close(&s->forks);
	free(s->asked);
	*s = (struct fork_start){.world = NULL};
}
