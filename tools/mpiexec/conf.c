// SPDX-License-Identifier: BSD-3-Clause
/* conf.c - see conf.h.  Both functions of a pair have the same lines in the same order. */
#include "tools/mpiexec/conf.h"

#include <string.h>
#include "libshm/shm.h"

#define APPS_MAX SHM_RANKS_MAX

static void app_put(struct pack *p, const struct app *a)
{
	pack_put_int(p, a->n);
	pack_put_list(p, a->argv);
	pack_put_text(p, a->wdir);
	pack_put_text(p, a->path);
	pack_put_list(p, a->envp + 1);
}

static void app_take(struct pack *p, struct app *a)
{
	char **env;
	size_t n = 0;

	*a = (struct app){.n = (int)pack_take_int(p)};
	a->argv = pack_take_list(p);
	a->wdir = pack_take_text(p);
	a->path = pack_take_text(p);
	env = pack_take_list(p);
	p->bad = p->bad || a->argv == NULL || a->argv[0] == NULL || env == NULL;
	while (env != NULL && env[n] != NULL)
		n++;
	a->envp = grow(NULL, n + 2, sizeof *a->envp);
	a->envp[0] = NULL; /* left for BOOT_VAR */
	a->envp[n + 1] = NULL;
	if (n > 0)
		memcpy(a->envp + 1, env, n * sizeof *env);
}

void conf_put(struct pack *p, const struct conf *c)
{
	const struct plan *l = &c->plan;

	pack_put(p, &c->cookie, sizeof c->cookie);
	pack_put(p, c->key, sizeof c->key);
	pack_put_int(p, c->mask);
	pack_put_text(p, c->path);
	pack_put_int(p, l->launcher);
	pack_put_text(p, l->launch_exec);
	pack_put_text(p, l->agent);
	pack_put_text(p, l->iface);
	pack_put_text(p, l->cwd);
	pack_put_int(p, l->fanout);
	pack_put_int(p, l->bind);
	pack_put_int(p, l->deal);
	pack_put_int(p, l->verbose);
	pack_put_int(p, l->stdin_to);
	pack_put_int(p, l->nhosts);
	for (int i = 0; i < l->nhosts; i++) {
		pack_put_text(p, l->host[i].name);
		pack_put_int(p, l->order[i]);
	}
	pack_put_int(p, l->nranks);
	pack_put(p, l->host_of, (size_t)l->nranks * sizeof *l->host_of);
	pack_put_int(p, l->napps);
	for (int i = 0; i < l->napps; i++)
		app_put(p, &l->app[i]);
}

static void hosts_take(struct pack *p, struct plan *l)
{
	l->nhosts = pack_take_count(p, SHM_RANKS_MAX);
	l->host = grow(NULL, (size_t)l->nhosts + 1, sizeof *l->host);
	l->order = grow(NULL, (size_t)l->nhosts + 1, sizeof *l->order);
	for (int i = 0; i < l->nhosts; i++) {
		l->host[i] = (struct host){.name = pack_take_text(p)};
		l->order[i] = (int)pack_take_int(p);
		if (l->host[i].name == NULL || l->order[i] < 0 || l->order[i] >= l->nhosts)
			p->bad = true;
	}
	l->nranks = pack_take_count(p, SHM_RANKS_MAX);
	l->host_of = grow(NULL, (size_t)l->nranks + 1, sizeof *l->host_of);
	pack_take(p, l->host_of, (size_t)l->nranks * sizeof *l->host_of);
	for (int r = 0; r < l->nranks; r++)
		if (l->host_of[r] < 0 || l->host_of[r] >= l->nhosts)
			p->bad = true;
}

bool conf_take(struct pack *p, struct conf *c)
{
	struct plan *l = &c->plan;
	int ranks = 0;

	*c = (struct conf){.cookie = 0};
	pack_take(p, &c->cookie, sizeof c->cookie);
	pack_take(p, c->key, sizeof c->key);
	c->mask = (int)pack_take_int(p);
	c->path = pack_take_text(p);
	l->launcher = (enum launcher)pack_take_int(p);
	l->launch_exec = pack_take_text(p);
	l->agent = pack_take_text(p);
	l->iface = pack_take_text(p);
	l->cwd = pack_take_text(p);
	l->fanout = (int)pack_take_int(p);
	l->bind = (enum part)pack_take_int(p);
	l->deal = (enum part)pack_take_int(p);
	l->verbose = pack_take_int(p) != 0;
	l->stdin_to = (int)pack_take_int(p);
	hosts_take(p, l);
	l->napps = pack_take_count(p, APPS_MAX);
	l->app = grow(NULL, (size_t)l->napps + 1, sizeof *l->app);
	for (int i = 0; i < l->napps; i++) {
		app_take(p, &l->app[i]);
		ranks += l->app[i].n;
	}
	return !p->bad && l->fanout > 0 && l->bind <= PART_NUMA && l->deal <= PART_NUMA &&
	       l->agent != NULL && ranks == l->nranks;
}

void addrs_put(struct pack *p, char *const *addr, int n)
{
	for (int r = 0; r < n; r++)
		pack_put_text(p, addr[r]);
}

bool addrs_take(struct pack *p, char **addr, int n)
{
	for (int r = 0; r < n; r++)
		addr[r] = pack_take_text(p);
	return !p->bad;
}
