// SPDX-License-Identifier: BSD-3-Clause
/* worlds.c - see worlds.h. */
#include "tools/mpiexec/worlds.h"

#include <stdlib.h>
#include <string.h>
#include "tools/mpiexec/util.h"

struct world *world_new(int id, int first, struct app *app, int napps)
{
	struct world *w = mem_grow(NULL, 1, sizeof(*w));

	*w = (struct world){
		.id = id, .first = first, .app = app, .napps = napps, .stdin_to = STDIN_NONE};
	for (int a = 0; a < napps; a++)
		w->n += app[a].n;
	w->entry = mem_grow(NULL, (size_t)w->n + 1, sizeof(*w->entry));
	memset(w->entry, -1, (size_t)w->n * sizeof(*w->entry));
	w->host_of = mem_grow(NULL, (size_t)w->n + 1, sizeof(*w->host_of));
	memset(w->host_of, 0, (size_t)w->n * sizeof(*w->host_of));
	return w;
}

static void list_free(char **v)
{
	for (size_t i = 0; v != NULL && v[i] != NULL; i++)
		free(v[i]);
	free(v);
}

void app_free(struct app *a)
{
	list_free(a->argv);
	for (size_t i = 1; a->envp != NULL && a->envp[i] != NULL; i++) /* [0] is reserved */
		free(a->envp[i]);
	free(a->envp);
	if (a->script != NULL)
		free(a->script[0]); /* the others are those of file and argv */
	free(a->script);
	free(a->file);
	free(a->info);
	free((char *)(uintptr_t)a->wdir);
	free((char *)(uintptr_t)a->path);
	memset(a, 0, sizeof(*a));
}

void world_free(struct world *w)
{
	for (int i = 0; i < w->napps; i++)
		app_free(&w->app[i]);
	for (int i = 0; i < w->npreputs; i++) {
		free(w->preput[i].key);
		free(w->preput[i].value);
	}
	free(w->preput);
	free(w->app);
	free(w->entry);
	free(w->host_of);
	free(w);
}

const struct app *world_app(const struct world *w, int rank, int *index)
{
	int a = 0;

	while (a < w->napps - 1 && rank >= w->app[a].n)
		rank -= w->app[a++].n;
	*index = a;
	return &w->app[a];
}
