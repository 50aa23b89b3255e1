// SPDX-License-Identifier: BSD-3-Clause
/* pmix.c - a client of PMIx, by the system's libpmix.so.2, which is loaded only under a launcher
 * that speaks PMIx.
 *
 *   PMIX_NAMESPACE?  -->  dlopen  -->  PMIx_Init  -->  Put, Commit, Fence, Get  -->  PMIx_Finalize
 *
 * Haft is built without PMIx's headers.  pmix.h has the few types and numbers that are used here;
 * they have not changed since version 2.  tests/launch/pmixabi.sh compares them with the
 * headers. */
#include "libmpi/boot/boot_error.h"
#include "libmpi/boot/kvs.h"

#include <limits.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "libmpi/boot/pmix.h"
#include "libmpi/core/dl.h"
#include "libobj/base.h"

/* The library's functions, by their types. */
static struct {
	void *lib;
	int (*init)(struct pmix_proc *pmix_me, struct pmix_info *info, size_t n);
	int (*fini)(const struct pmix_info *info, size_t n);
	int (*put)(uint8_t scope, const char *key, struct pmix_value *value);
	int (*commit)(void);
	int (*fence)(const struct pmix_proc *procs, size_t nprocs, const struct pmix_info *info,
		size_t n);
	int (*get)(const struct pmix_proc *who, const char *key, const struct pmix_info *info,
		size_t n, struct pmix_value **value);
	int (*abort)(int code, const char *text, struct pmix_proc *procs, size_t nprocs);
	const char *(*error)(int status);
} pmix;

static struct pmix_proc pmix_me;

bool boot_pmix_present(void)
{
	static const struct dl_symbol all[] = {{"PMIx_Init", (void **)&pmix.init},
		{"PMIx_Finalize", (void **)&pmix.fini}, {"PMIx_Put", (void **)&pmix.put},
		{"PMIx_Commit", (void **)&pmix.commit}, {"PMIx_Fence", (void **)&pmix.fence},
		{"PMIx_Get", (void **)&pmix.get}, {"PMIx_Abort", (void **)&pmix.abort},
		{"PMIx_Error_string", (void **)&pmix.error}};
	const char *why;

	if (pmix.lib == NULL)
		pmix.lib = dl_open(PMIX_LIB, all, countof(all));
	if (pmix.lib != NULL)
		return true;
	why = dlerror();
	boot_fail("%s", why != NULL ? why : PMIX_LIB ": not all functions are in it");
	return false;
}

static int pmix_refused(const char *what, int status)
{
	return boot_fail("PMIx: %s: %s", what, pmix.error(status));
}

static int pmix_put(struct kvs *k, const char *key, const char *value)
{
	struct pmix_value v = {.type = PMIX_STRING};
	char *copy = strdup(value), name[64];
	int status;

	(void)k;
	if (copy == NULL)
		return boot_fail("no memory");
	v.data.string = copy;
	snprintf(name, sizeof(name), "haft-%s", key);
	status = pmix.put(PMIX_GLOBAL, name, &v);
	free(copy);
	return status == 0 ? 0 : pmix_refused("PMIx_Put", status);
}

static int pmix_fence(struct kvs *k)
{
	struct pmix_info collect = {.key = PMIX_COLLECT_DATA, .value = {.type = PMIX_BOOL}};
	int status = pmix.commit();

	(void)k;
	if (status != 0)
		return pmix_refused("PMIx_Commit", status);
	collect.value.data.flag = true;
	status = pmix.fence(NULL, 0, &collect, 1);
	return status == 0 ? 0 : pmix_refused("PMIx_Fence", status);
}

/* The value of `key' of `rank', which the caller frees.  NULL: none; boot_error_text() says why. */
static struct pmix_value *pmix_value_get(uint32_t rank, const char *key, uint16_t type)
{
	struct pmix_value *v = NULL;
	struct pmix_proc who = {.rank = rank};
	int status;

	memcpy(who.nspace, pmix_me.nspace, sizeof(who.nspace));
	status = pmix.get(&who, key, NULL, 0, &v);
	if (status != 0 || v == NULL) {
		boot_fail("PMIx: no \"%s\" of rank %u: %s", key, rank, pmix.error(status));
		return NULL;
	}
	if (v->type == type)
		return v;
	boot_fail("PMIx: \"%s\" has type %u, not %u", key, v->type, type);
	free(v);
	return NULL;
}

static int pmix_get(struct kvs *k, int rank, const char *key, char *value, size_t len)
{
	struct pmix_value *v;
	char name[64];
	int err = 0;

	(void)k;
	snprintf(name, sizeof(name), "haft-%s", key);
	v = pmix_value_get((uint32_t)rank, name, PMIX_STRING);
	if (v == NULL)
		return -1;
	if (v->data.string == NULL || strlen(v->data.string) >= len)
		err = boot_fail("PMIx: \"%s\" of rank %d is not a text of ours", name, rank);
	else
		memcpy(value, v->data.string, strlen(v->data.string) + 1);
	free(v->data.string);
	free(v);
	return err;
}

static void pmix_abort(struct kvs *k, int code, const char *text)
{
	(void)k;
	pmix.abort(code, text, NULL, 0);
}

static void pmix_done(struct kvs *k)
{
	(void)k;
	pmix.fini(NULL, 0);
}

static const struct boot_kvs_ops pmix_ops = {.put = pmix_put,
	.fence = pmix_fence,
	.get = pmix_get,
	.abort = pmix_abort,
	.done = pmix_done,
	.spawn = boot_pmix_spawn,
	.spawned = boot_pmix_spawned,
	.spawn_forget = boot_pmix_spawn_forget,
	.publish = boot_pmix_publish,
	.lookup = boot_pmix_lookup,
	.unpublish = boot_pmix_unpublish};

/* The number that the launcher has for `key' of `rank'; -1: none. */
static int pmix_number_get(uint32_t rank, const char *key)
{
	struct pmix_value *v = pmix_value_get(rank, key, PMIX_UINT32);
	int n;

	if (v == NULL)
		return -1;
	n = v->data.uint32 > INT_MAX ? -1 : (int)v->data.uint32;
	free(v);
	return n;
}

/* True if the parent is the launcher: it has no rank's environment, as a shell between would
 * have. */
static bool pmix_parent_launches(void)
{
	char path[64], text[65536]; /* the launcher's variables stand first, or not at all */
	static const char mark[] = "PMIX_RANK=";
	size_t n;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/environ", (int)getppid());
	f = fopen(path, "re");
	if (f == NULL)
		return false;
	n = fread(text, 1, sizeof(text), f);
	fclose(f);
	return memmem(text, n, mark, sizeof(mark) - 1) == NULL;
}

/* A pidfd of the launcher: libpmix does not end its ranks when the launcher dies.  -1: none. */
static int pmix_launcher_open(void)
{
	return pmix_parent_launches() ? (int)syscall(SYS_pidfd_open, getppid(), 0) : -1;
}

int boot_pmix_open(struct kvs *k)
{
	int status, app;

	if (!boot_pmix_present())
		return -1;
	status = pmix.init(&pmix_me, NULL, 0);
	if (status != 0)
		return pmix_refused("PMIx_Init", status);
	*k = (struct kvs){.ops = &pmix_ops, .rank = (int)pmix_me.rank, .fd = -1, .death = POLLIN};
	k->size = pmix_number_get(PMIX_RANK_WILDCARD, PMIX_JOB_SIZE);
	if (k->size < 0)
		return -1;
	if (k->rank < 0 || k->rank >= k->size)
		return boot_fail("PMIx: rank %d of %d makes no sense", k->rank, k->size);
	app = pmix_number_get(pmix_me.rank, PMIX_APPNUM);
	k->app = app > 0 ? app : 0;
	k->universe = pmix_number_get(PMIX_RANK_WILDCARD, PMIX_UNIV_SIZE);
	k->fd = pmix_launcher_open();
	return 0;
}
