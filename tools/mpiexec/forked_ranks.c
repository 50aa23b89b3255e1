// SPDX-License-Identifier: BSD-3-Clause
/* forked_ranks.c - see forked_ranks.h. */
#include "tools/mpiexec/forked_ranks.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "libmpi/core/setting.h"
#include "libshm/shm.h"
#include "tools/mpiexec/local_ranks.h"
#include "tools/mpiexec/output.h"

/* By measurement: PERF.md. */
#define RANKS_LEAST 16 /* for fewer a server is not worth it ... */
#define RANKS_CPU   4  /* ... or while each CPU has no more than so many */

static_assert(ENV_OWN <= FORK_OWN, "each variable of a rank is written");

bool forked_serves(const struct forked_ranks *s, const struct local_rank *m)
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

/* Why is no server wanted for the program of row i?  NULL: one is, and nothing is between mpiexec
 * and the program. */
static const char *server_unwanted(const struct local_ranks *c, int i, const struct app *a)
{
	int64_t by = haft_setting_launch(SETTING_START_BY, a->envp + 1);
	int n = program_ranks(c, i);

	if (by == HAFT_START_EXEC)
		return "HAFT_START_BY=exec";
	if (c->plan->nwraps > 0 || c->plan->gdb != NULL)
		return "another command starts it";
	if (by == HAFT_START_FORK || (n >= RANKS_LEAST && n > RANKS_CPU * shm_seg_ncpus(c->seg)))
		return c->forked.late ? "a fork server was late here before" : NULL;
	return "they are few";
}

/* Says how the ranks of the program of row i are started here.  why: not by a server; NULL: by
 * one. */
static void start_say(const struct local_ranks *c, int i, const char *why)
{
	const struct local_rank *m = &c->m[i];
	int n = program_ranks(c, i);

	out_say("%s: %d rank%s: %s%s", m->world->app[m->app].argv[0], n, n > 1 ? "s" : "",
		why != NULL ? "executed each by itself, as "
			    : "copies of one process (HAFT_START_BY)",
		why != NULL ? why : "");
}

/* Starts the server of the program of row i.  NULL, or why it did not start. */
static const char *server_open(struct forked_ranks *s, struct local_ranks *c, int i, uint64_t until)
{
	const struct local_rank *m = &c->m[i];
	const struct app *a = &m->world->app[m->app];
	char *own[ENV_OWN], **envp;
	const char *why;

	envp = rank_env_make(&c->env, c, i, a->envp + 1, c->pmi != NULL ? 0 : -1, own);
	s->own = rank_env_own(own);
	why = fork_client_open(
		&s->server, &c->common, a, envp, s->own, c->n, shm_seg_cookie(c->seg), until);
	if (why == NULL) {
		s->asked = mem_grow(NULL, (size_t)c->n, sizeof(*s->asked));
		memset(s->asked, 0, (size_t)c->n * sizeof(*s->asked));
	}
	for (int k = 0; k < ENV_OWN; k++)
		free(own[k]);
	return why;
}

void forked_begin(struct forked_ranks *s, struct local_ranks *c, int i)
{
	const struct local_rank *m = &c->m[i];
	const struct app *a = &m->world->app[m->app];
	uint64_t until = clock_now_ns() + FORK_BEGIN_S * NS_PER_S;
	const char *why = server_unwanted(c, i, a);
	bool wanted = why == NULL;

	*s = (struct forked_ranks){.world = m->world,
		.app = m->app,
		.first = i,
		.end = i,
		.ranks = c,
		.late = s->late};
	if (wanted)
		why = fork_unfit(&c->common, a, a->envp + 1, until);
	if (why == NULL)
		why = server_open(s, c, i, until);
	s->late = s->late || (wanted && why != NULL && clock_now_ns() >= until);
	if (why != NULL && (c->plan->verbose || (wanted && s->late && !end_is_asked())))
		start_say(c, i, why);
}

/* The first rank of a server shows whether the kernel lets it fork: another error than that there
 * are too many processes would be that of all.  True for any other rank. */
static bool first_forked(const struct forked_ranks *s, int row)
{
	int err = s->end == s->first ? fork_client_try(&s->server, row) : 0;
	char why[128];

	if (s->end == s->first && err == 0 && s->ranks->plan->verbose)
		start_say(s->ranks, s->first, NULL);
	if (err == 0)
		return true;
	snprintf(why, sizeof(why), "its fork server may not fork: %s", strerror(-err));
	if (!end_is_asked())
		start_say(s->ranks, s->first, err == -ECHILD ? "its fork server has ended" : why);
	return false;
}

bool forked_ask(struct forked_ranks *s, int row, const struct rank_ends *e, int own)
{
	if (s->asked == NULL || s->ended || own != s->own)
		return false;
	if (!fork_client_ask(&s->server, row, e, own) || !first_forked(s, row)) {
		fork_client_kill(&s->server); /* it has ended already, is stuck, or may not fork */
		s->ended = true;
		return false;
	}
	s->asked[row] = true;
	s->end = row + 1;
	return true;
}

int forked_next(struct forked_ranks *s, pid_t *pid)
{
	for (int i = s->first; i < s->end; i++) {
		*pid = s->asked[i] ? fork_client_pid(&s->server, i) : 0;
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

void forked_wait(struct forked_ranks *s)
{
	if (s->asked == NULL)
		return;
	fork_client_end(&s->server);
	s->ended = true;
}

void forked_end(struct forked_ranks *s)
{
	fork_client_close(&s->server);
	free(s->asked);
	*s = (struct forked_ranks){.late = s->late};
}
