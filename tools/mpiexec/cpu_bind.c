// SPDX-License-Identifier: BSD-3-Clause
/* cpu_bind.c - see cpu_bind.h.  Uses the types of hwloc.h; no symbol of libhwloc is linked. */
#include "tools/mpiexec/cpu_bind.h"

#include <errno.h>
#include <hwloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "libmpi/core/dl.h"
#include "libobj/base.h"

#define LIBRARY "libhwloc.so.15" /* hwloc 2, all of them */

/* The functions in use, and where they are. */
#define FUNCTIONS(F)           \
	F(topology_init)       \
	F(topology_load)       \
	F(topology_destroy)    \
	F(get_type_depth)      \
	F(get_nbobjs_by_depth) \
	F(get_obj_by_depth)    \
	F(bitmap_isset)

#define POINTER(name) __typeof__(&hwloc_##name) name;
static struct {
	FUNCTIONS(POINTER)
} hw;
#undef POINTER

/* The parts of one kind, each reduced to the CPUs that mpiexec may use. */
struct cpu_parts {
	cpu_set_t *v;
	int n;
};

static void bind_load(void)
{
#define FIND(name) {"hwloc_" #name, (void **)(void *)&hw.name},
	static const struct dl_symbol rows[] = {FUNCTIONS(FIND)};
#undef FIND

	if (dl_open(LIBRARY, rows, countof(rows)) == NULL)
		fatal(1, "-bind-to needs hwloc (" LIBRARY "): %s", dlerror());
}

/* Loads the topology.  hwloc's own warnings (no /sys in a container) are suppressed: a missing part
 * is reported by mpiexec. */
static hwloc_topology_t topology_read(void)
{
	bool silent = getenv("HWLOC_HIDE_ERRORS") == NULL;
	hwloc_topology_t t;

	if (silent)
		setenv("HWLOC_HIDE_ERRORS", "2", 0);
	if (hw.topology_init(&t) != 0 || hw.topology_load(t) != 0)
		fatal(1, "-bind-to: hwloc cannot read this machine: %s", strerror(errno));
	if (silent)
		unsetenv(
			"HWLOC_HIDE_ERRORS"); /* ranks inherit the environment as the user set it */
	return t;
}

/* All parts of a type that contain CPUs of `own'. */
static struct cpu_parts parts_of(hwloc_topology_t t, hwloc_obj_type_t type, const cpu_set_t *own)
{
	int depth = hw.get_type_depth(t, type);
	struct cpu_parts p = {.n = 0};
	hwloc_obj_t o;

	for (unsigned i = 0; (o = hw.get_obj_by_depth(t, depth, i)) != NULL; i++) {
		cpu_set_t set;

		CPU_ZERO(&set);
		for (unsigned c = 0; c < CPU_SETSIZE; c++)
			if (CPU_ISSET(c, own) && hw.bitmap_isset(o->cpuset, c))
				CPU_SET(c, &set);
		if (CPU_COUNT(&set) == 0)
			continue;
		p.v = mem_grow(p.v, (size_t)p.n + 1, sizeof(*p.v));
		p.v[p.n++] = set;
	}
	return p;
}

/* True if part `a' lies in part `b'. */
static bool within(const cpu_set_t *a, const cpu_set_t *b)
{
	cpu_set_t both;

	CPU_AND(&both, a, b);
	return CPU_EQUAL(&both, a);
}

/* Reorders the parts round-robin over the groups: one of each group in turn. */
static void spread(struct cpu_parts *p, const struct cpu_parts *group)
{
	cpu_set_t *v = mem_grow(NULL, (size_t)p->n, sizeof(*v));
	bool *taken = mem_grow(NULL, (size_t)p->n, sizeof(*taken));
	int n = 0;

	memset(taken, 0, (size_t)p->n * sizeof(*taken));
	for (int g = 0, idle = 0; n < p->n && idle < group->n; g = (g + 1) % group->n) {
		int i = 0;

		while (i < p->n && (taken[i] || !within(&p->v[i], &group->v[g])))
			i++;
		idle = i < p->n ? 0 : idle + 1;
		if (i < p->n) {
			taken[i] = true;
			v[n++] = p->v[i];
		}
	}
	for (int i = 0; i < p->n; i++) /* parts outside of all groups come last */
		if (!taken[i])
			v[n++] = p->v[i];
	free(taken);
	free(p->v);
	p->v = v;
}

static hwloc_obj_type_t bind_type_of(enum part part)
{
	static const hwloc_obj_type_t types[] = {[PART_THREAD] = HWLOC_OBJ_PU,
		[PART_CORE] = HWLOC_OBJ_CORE,
		[PART_L1] = HWLOC_OBJ_L1CACHE,
		[PART_L2] = HWLOC_OBJ_L2CACHE,
		[PART_L3] = HWLOC_OBJ_L3CACHE,
		[PART_SOCKET] = HWLOC_OBJ_PACKAGE,
		[PART_NUMA] = HWLOC_OBJ_NUMANODE};

	return types[part];
}

cpu_set_t *bind_make(const struct plan *p, int n)
{
	cpu_set_t *sets, own;
	struct cpu_parts parts, group;
	hwloc_topology_t t;

	if (p->bind == PART_NONE)
		return NULL;
	bind_load();
	if (sched_getaffinity(0, sizeof(own), &own) != 0)
		fatal(1, "-bind-to: %s", strerror(errno));
	t = topology_read();
	parts = parts_of(t, bind_type_of(p->bind), &own);
	if (p->spread != PART_NONE) {
		group = parts_of(t, bind_type_of(p->spread), &own);
		spread(&parts, &group);
		free(group.v);
	}
	hw.topology_destroy(t);
	if (parts.n == 0)
		fatal(1, "-bind-to: hwloc knows no such part of this machine");
	sets = mem_grow(NULL, (size_t)n, sizeof(*sets));
	for (int i = 0; i < n; i++)
		sets[i] = parts.v[i % parts.n];
	free(parts.v);
	return sets;
}

char *bind_text(const cpu_set_t *set)
{
	char *s = text_new("%s", "");

	for (int c = 0, from = -1; c <= CPU_SETSIZE; c++) {
		bool in = c < CPU_SETSIZE && CPU_ISSET((size_t)c, set);
		char *more;

		if (in && from < 0)
			from = c;
		if (in || from < 0)
			continue;
		if (c - from > 1)
			more = text_new("%s%s%d-%d", s, *s != '\0' ? "," : "", from, c - 1);
		else
			more = text_new("%s%s%d", s, *s != '\0' ? "," : "", from);
		free(s);
		s = more;
		from = -1;
	}
	return s;
}
