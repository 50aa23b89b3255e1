// SPDX-License-Identifier: BSD-3-Clause
/* conf.c - see conf.h.  Put and take functions list the same fields in the same order. */
#include "tools/mpiexec/conf.h"

#include <stdlib.h>
#include <string.h>
#include "libshm/shm.h"
#include "tools/mpiexec/wrap.h"

#define APPS_MAX  SHM_RANKS_MAX
#define WRAPS_MAX 65536 /* as many as a command line has words */

static void app_put(struct marshal *p, const struct app *a)
{
	marshal_put_int(p, a->n);
	marshal_put_int(p, a->appnum);
	marshal_put_list(p, a->argv);
	marshal_put_text(p, a->wdir);
	marshal_put_text(p, a->path);
	marshal_put_list(p, a->envp + 1);
}

static void app_take(struct marshal *p, struct app *a)
{
	char **env;
	size_t n = 0;

	*a = (struct app){.n = (int)marshal_take_int(p)};
	a->appnum = (int)marshal_take_int(p);
	a->argv = marshal_take_list(p);
	a->wdir = marshal_take_text(p);
	a->path = marshal_take_text(p);
	env = marshal_take_list(p);
	p->bad = p->bad || a->argv == NULL || a->argv[0] == NULL || env == NULL;
	while (env != NULL && env[n] != NULL)
		n++;
	a->envp = mem_grow(NULL, n + 2, sizeof(*a->envp));
	a->envp[0] = NULL; /* left for BOOT_VAR */
	a->envp[n + 1] = NULL;
	if (n > 0)
		memcpy(a->envp + 1, env, n * sizeof(*env));
	free(env);
}

void conf_put(struct marshal *p, const struct conf *c)
{
	const struct plan *l = &c->plan;

	marshal_put(p, &c->cookie, sizeof(c->cookie));
	marshal_put(p, c->key, sizeof(c->key));
	marshal_put_int(p, c->mask);
	marshal_put_text(p, c->path);
	marshal_put_int(p, l->launcher);
	marshal_put_text(p, l->launch_exec);
	marshal_put_text(p, l->proxy_path);
	marshal_put_text(p, l->iface);
	marshal_put_text(p, l->cwd);
	marshal_put_text(p, l->profile);
	marshal_put_text(p, l->trace);
	marshal_put_int(p, l->trace_room);
	marshal_put_int(p, l->trace_first);
	marshal_put_int(p, l->top);
	marshal_put_int(p, l->fanout);
	marshal_put_int(p, l->bind);
	marshal_put_int(p, l->spread);
	marshal_put_int(p, l->verbose);
	marshal_put_int(p, l->hold);
	marshal_put_int(p, l->nwraps);
	for (int i = 0; i < l->nwraps; i++) {
		marshal_put_text(p, l->wrap[i].ranks);
		marshal_put_list(p, l->wrap[i].argv);
	}
	marshal_put_int(p, l->universe);
	marshal_put_int(p, l->universe_given);
	marshal_put_int(p, l->stdin_to);
	marshal_put_int(p, l->nused);
	marshal_put_int(p, l->ntree);
	marshal_put_int(p, l->nhosts);
	for (int i = 0; i < l->nhosts; i++) {
		marshal_put_text(p, l->host[i].name);
		marshal_put_int(p, l->order[i]);
	}
	marshal_put_int(p, l->nranks);
	marshal_put(p, l->host_of, (size_t)l->nranks * sizeof(*l->host_of));
	marshal_put_int(p, l->napps);
	for (int i = 0; i < l->napps; i++)
		app_put(p, &l->app[i]);
}

static void wraps_take(struct marshal *p, struct plan *l)
{
	l->nwraps = marshal_take_count(p, WRAPS_MAX);
	l->wrap = mem_grow(NULL, (size_t)l->nwraps + 1, sizeof(*l->wrap));
	for (int i = 0; i < l->nwraps; i++) {
		struct wrap *w = &l->wrap[i];

		w->ranks = marshal_take_text(p);
		w->argv = marshal_take_list(p);
		p->bad |= w->ranks == NULL || w->argv == NULL || w->argv[0] == NULL;
	}
}

static void hosts_take(struct marshal *p, struct plan *l)
{
	l->nused = (int)marshal_take_int(p);
	l->ntree = (int)marshal_take_int(p);
	l->nhosts = marshal_take_count(p, SHM_RANKS_MAX);
	l->host = mem_grow(NULL, (size_t)l->nhosts + 1, sizeof(*l->host));
	l->order = mem_grow(NULL, (size_t)l->nhosts + 1, sizeof(*l->order));
	for (int i = 0; i < l->nhosts; i++) {
		l->host[i] = (struct host){.name = marshal_take_text(p)};
		l->order[i] = (int)marshal_take_int(p);
		if (l->host[i].name == NULL || l->order[i] < 0 || l->order[i] >= l->nhosts)
			p->bad = true;
	}
	l->nranks = marshal_take_count(p, SHM_RANKS_MAX);
	l->host_of = mem_grow(NULL, (size_t)l->nranks + 1, sizeof(*l->host_of));
	marshal_take(p, l->host_of, (size_t)l->nranks * sizeof(*l->host_of));
	for (int r = 0; r < l->nranks; r++)
		if (l->host_of[r] < 0 || l->host_of[r] >= l->nhosts)
			p->bad = true;
}

bool conf_take(struct marshal *p, struct conf *c)
{
	struct plan *l = &c->plan;
	int ranks = 0;

	*c = (struct conf){.cookie = 0};
	marshal_take(p, &c->cookie, sizeof(c->cookie));
	marshal_take(p, c->key, sizeof(c->key));
	c->mask = (int)marshal_take_int(p);
	c->path = marshal_take_text(p);
	l->launcher = (enum launcher)marshal_take_int(p);
	l->launch_exec = marshal_take_text(p);
	l->proxy_path = marshal_take_text(p);
	l->iface = marshal_take_text(p);
	l->cwd = marshal_take_text(p);
	l->profile = marshal_take_text(p);
	l->trace = marshal_take_text(p);
	l->trace_room = marshal_take_int(p);
	l->trace_first = marshal_take_int(p) != 0;
	l->top = marshal_take_int(p) != 0;
	l->fanout = (int)marshal_take_int(p);
	l->bind = (enum part)marshal_take_int(p);
	l->spread = (enum part)marshal_take_int(p);
	l->verbose = marshal_take_int(p) != 0;
	l->hold = marshal_take_int(p) != 0;
	wraps_take(p, l);
	l->universe = (int)marshal_take_int(p);
	l->universe_given = marshal_take_int(p) != 0;
	l->stdin_to = (int)marshal_take_int(p);
	hosts_take(p, l);
	l->napps = marshal_take_count(p, APPS_MAX);
	l->app = mem_grow(NULL, (size_t)l->napps + 1, sizeof(*l->app));
	for (int i = 0; i < l->napps; i++) {
		app_take(p, &l->app[i]);
		ranks += l->app[i].n;
	}
	return !p->bad && l->fanout > 0 && l->bind <= PART_NUMA && l->spread <= PART_NUMA &&
	       l->proxy_path != NULL && ranks == l->nranks;
}

void addrs_put(struct marshal *p, char *const *addr, int n)
{
	for (int r = 0; r < n; r++)
		marshal_put_text(p, addr[r]);
}

bool addrs_take(struct marshal *p, char **addr, int n)
{
	for (int r = 0; r < n; r++)
		addr[r] = marshal_take_text(p);
	return !p->bad;
}

/* --- further worlds ------------------------------------------------------------------------- */

void world_put(struct marshal *p, const struct world *w)
{
	marshal_put_int(p, w->id);
	marshal_put_int(p, w->first);
	marshal_put_int(p, w->napps);
	for (int i = 0; i < w->napps; i++)
		app_put(p, &w->app[i]);
	marshal_put_int(p, w->n);
	marshal_put(p, w->entry, (size_t)w->n * sizeof(*w->entry));
	marshal_put(p, w->host_of, (size_t)w->n * sizeof(*w->host_of));
	marshal_put_int(p, w->stdin_to);
	marshal_put_int(p, w->npreputs);
	for (int i = 0; i < w->npreputs; i++) {
		marshal_put_text(p, w->preput[i].key);
		marshal_put_text(p, w->preput[i].value);
	}
}

struct world *world_take(struct marshal *p)
{
	int id = (int)marshal_take_int(p), first = (int)marshal_take_int(p);
	int napps = marshal_take_count(p, APPS_MAX);
	struct app *app = mem_grow(NULL, (size_t)napps + 1, sizeof(*app));
	struct world *w;

	for (int i = 0; i < napps; i++)
		app_take(p, &app[i]);
	w = world_new(id, first, app, napps);
	if (marshal_take_int(p) != w->n)
		p->bad = true;
	marshal_take(p, w->entry, (size_t)w->n * sizeof(*w->entry));
	marshal_take(p, w->host_of, (size_t)w->n * sizeof(*w->host_of));
	w->stdin_to = (int)marshal_take_int(p);
	w->npreputs = marshal_take_count(p, APPS_MAX);
	w->preput = mem_grow(NULL, (size_t)w->npreputs + 1, sizeof(*w->preput));
	for (int i = 0; i < w->npreputs; i++) {
		w->preput[i].key = marshal_take_text(p);
		w->preput[i].value = marshal_take_text(p);
		p->bad |= w->preput[i].key == NULL || w->preput[i].value == NULL;
	}
	if (!p->bad)
		return w;
	world_free(w);
	return NULL;
}
