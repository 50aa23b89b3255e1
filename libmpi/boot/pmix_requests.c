// SPDX-License-Identifier: BSD-3-Clause
/* pmix_requests.c - requests of a running process to a PMIx launcher: spawn, names of ports.
 *
 *   PMIx_Spawn_nb ──> the launcher ──> spawn_answered, in a thread of libpmix
 *                                         '──> spawning->state, which boot_pmix_spawned looks at */
#include "libmpi/boot/boot_error.h"
#include "libmpi/boot/kvs.h"
#include "libmpi/boot/launch_part.h"
#include "libmpi/boot/pmix.h"
#include "libmpi/core/dl.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef void spawn_fn(int status, char *nspace, void *arg);

/* The library's functions, by their types. */
static struct {
	void *lib;
	int (*spawn)(const struct pmix_info *job, size_t n, const struct pmix_app *apps,
		size_t napps, spawn_fn *done, void *arg);
	int (*publish)(const struct pmix_info *info, size_t n);
	int (*lookup)(
		struct pmix_pdata *data, size_t n, const struct pmix_info *info, size_t ninfo);
	int (*unpublish)(char **keys, const struct pmix_info *info, size_t n);
	const char *(*error)(int status);
} asks;

static bool asks_load(void)
{
	static const struct dl_symbol all[] = {{"PMIx_Spawn_nb", (void **)&asks.spawn},
		{"PMIx_Publish", (void **)&asks.publish}, {"PMIx_Lookup", (void **)&asks.lookup},
		{"PMIx_Unpublish", (void **)&asks.unpublish},
		{"PMIx_Error_string", (void **)&asks.error}};

	if (asks.lib == NULL)
		asks.lib = dl_open(PMIX_LIB, all, countof(all));
	if (asks.lib == NULL)
		boot_fail(PMIX_LIB " cannot start processes: not all functions are in it");
	return asks.lib != NULL;
}

static int asks_refused(const char *what, int status)
{
	return boot_fail("the launcher refuses (%s: %s)", what, asks.error(status));
}

/* --- spawn ---------------------------------------------------------------------------------- */

enum spawn_state { SPAWN_WAITS, SPAWN_ANSWERED, SPAWN_FORGOTTEN };

/* A spawn whose answer has not been taken. */
struct spawning {
	_Atomic int state; /* of libpmix's thread and the waiter, the later one frees it */
	int status;
	int n;
	struct pmix_app app[];
};

static struct spawning *spawning; /* NULL: none */

static void spawning_free(struct spawning *s)
{
	for (int i = 0; i < s->n; i++) {
		free(s->app[i].argv);
		free(s->app[i].env);
		free(s->app[i].info);
	}
	free(s);
}

static void spawn_answered(int status, char *nspace, void *arg)
{
	struct spawning *s = arg;

	(void)nspace;
	s->status = status;
	if (atomic_exchange(&s->state, SPAWN_ANSWERED) == SPAWN_FORGOTTEN)
		spawning_free(s);
}

static bool app_make(struct pmix_app *a, const struct boot_part *p)
{
	a->argv = (char **)(uintptr_t)boot_part_words(p, false);
	if (p->nkeys > 0) /* some libpmix reads an array of no infos up to a mark */
		a->info = calloc((size_t)p->nkeys, sizeof(*a->info));
	a->env = calloc((size_t)p->nenv + 1, sizeof(*a->env));
	if (a->argv == NULL || a->env == NULL || (p->nkeys > 0 && a->info == NULL))
		return false;
	a->cmd = a->argv[0];
	for (int i = 0, n = 0; i < p->nenv; i++)
		if (strchr(p->env[i], '=') != NULL)
			a->env[n++] = p->env[i];
	a->cwd = (char *)(uintptr_t)p->wdir;
	a->maxprocs = p->command->maxprocs;
	for (int k = 0; k < p->nkeys; k++) {
		if (p->key[k].pmix == NULL)
			continue;
		snprintf(a->info[a->ninfo].key, PMIX_KEYLEN, "%s", p->key[k].pmix);
		a->info[a->ninfo].value.type = PMIX_STRING;
		a->info[a->ninfo++].value.data.string = (char *)(uintptr_t)p->key[k].value;
	}
	if (a->ninfo == 0) {
		free(a->info);
		a->info = NULL;
	}
	return true;
}

/* Open MPI's mpirun 4 never ends after it has refused a spawn for want of slots.  So it is not
 * asked for more than it has said to have. */
static int slots_check(const struct kvs *k, const struct boot_part *parts, int n)
{
	int total = 0;

	for (int i = 0; i < n; i++)
		total += parts[i].command->maxprocs;
	if (k->universe < 0 || total <= k->universe - k->size)
		return 0;
	return boot_fail("the launcher has %d slots, and its first job has %d processes",
		k->universe, k->size);
}

int boot_pmix_spawn(struct kvs *k, const struct boot_part *parts, int n)
{
	struct spawning *s;
	bool good = true;
	int status;

	if (!asks_load() || slots_check(k, parts, n) != 0)
		return -1;
	s = calloc(1, sizeof(*s) + (size_t)n * sizeof(s->app[0]));
	if (s == NULL)
		return boot_fail("no memory for a request to the launcher");
	for (s->n = 0; s->n < n && good; s->n++)
		good = app_make(&s->app[s->n], &parts[s->n]);
	status = good ? asks.spawn(NULL, 0, s->app, (size_t)n, spawn_answered, s) : 0;
	if (good && status == 0) {
		spawning = s;
		return 0;
	}
	spawning_free(s);
	return good ? asks_refused("PMIx_Spawn", status)
		    : boot_fail("no memory for a request to the launcher");
}

int boot_pmix_spawned(struct kvs *k, int ms)
{
	struct timespec nap = {.tv_nsec = 1000000};
	struct spawning *s = spawning;
	int status;

	(void)k;
	for (int i = 0; i < ms && atomic_load(&s->state) == SPAWN_WAITS; i++)
		nanosleep(&nap, NULL);
	if (atomic_load(&s->state) == SPAWN_WAITS)
		return 0;
	status = s->status;
	spawning_free(s);
	spawning = NULL;
	return status == 0 ? 1 : asks_refused("PMIx_Spawn", status);
}

void boot_pmix_spawn_forget(void)
{
	if (atomic_exchange(&spawning->state, SPAWN_FORGOTTEN) == SPAWN_ANSWERED)
		spawning_free(spawning);
	spawning = NULL;
}

/* --- names ---------------------------------------------------------------------------------- */

static void name_key(char key[PMIX_KEYLEN], const char *service)
{
	snprintf(key, PMIX_KEYLEN, "haft.%s", service);
}

int boot_pmix_publish(struct kvs *k, const char *service, const char *port)
{
	struct pmix_info info = {.value = {.type = PMIX_STRING}};
	int status;

	(void)k;
	if (!asks_load())
		return -1;
	name_key(info.key, service);
	info.value.data.string = (char *)(uintptr_t)port;
	status = asks.publish(&info, 1);
	return status == 0 ? 0 : asks_refused("PMIx_Publish", status);
}

int boot_pmix_lookup(struct kvs *k, const char *service, char *port, size_t len)
{
	struct pmix_pdata data = {.value = {.type = 0}};
	int status;

	(void)k;
	if (!asks_load())
		return -1;
	name_key(data.key, service);
	status = asks.lookup(&data, 1, NULL, 0);
	if (status != 0)
		return asks_refused("PMIx_Lookup", status);
	if (data.value.type != PMIX_STRING || data.value.data.string == NULL)
		return boot_fail("there is no such name");
	snprintf(port, len, "%s", data.value.data.string);
	free(data.value.data.string);
	return 0;
}

int boot_pmix_unpublish(struct kvs *k, const char *service)
{
	char key[PMIX_KEYLEN], *keys[] = {key, NULL};
	int status;

	(void)k;
	if (!asks_load())
		return -1;
	name_key(key, service);
	status = asks.unpublish(keys, NULL, 0);
	return status == 0 ? 0 : asks_refused("PMIx_Unpublish", status);
}
