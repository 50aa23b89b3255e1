// SPDX-License-Identifier: BSD-3-Clause
/* locality.c - domains of locality: a host, and the part of it that a process is bound to.
 *
 *     process ──> boot id of the host ──┐
 *             ──> NUMA node, if bound ──┴── hash ──allreduce──> equal: one domain, done
 *                 (HAFT_REORDER)                                else:  allgather, number them
 *
 * The allreduce has 16 bytes.  A process that is not bound does not load hwloc.  So `reorder' is
 * almost free for a job on one host without binding. */
#include "libmpi/topo/locality.h"

#include "libmpi/coll/reduce_op.h"
#include "libmpi/core/err.h"
#include "libmpi/core/hardware.h"
#include "libmpi/core/setting.h"
#include "libmpi/type/type.h"
#include <engine.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define BOOT_ID      "/proc/sys/kernel/random/boot_id" /* differs from machine to machine */
#define HASH_START   0xcbf29ce484222325ULL             /* FNV-1a */
#define HASH_FACTOR  0x100000001b3ULL
#define MACHINE_NAME 256

static uint64_t locality_hash(uint64_t h, const void *data, size_t n)
{
	for (size_t i = 0; i < n; i++)
		h = (h ^ ((const unsigned char *)data)[i]) * HASH_FACTOR;
	return h;
}

static uint64_t machine_read(void)
{
	char name[MACHINE_NAME] = "";
	FILE *f = fopen(BOOT_ID, "re");
	bool read = f != NULL && fgets(name, sizeof(name), f) != NULL;

	if (f != NULL)
		fclose(f);
	if (!read && gethostname(name, sizeof(name) - 1) != 0)
		return HASH_START;
	return locality_hash(HASH_START, name, strlen(name));
}

/* A number that is equal for the processes of one host only.  Read once, as is the number of
 * processors: two files take as long as the rest of a constructor ten times. */
static uint64_t locality_machine(void)
{
	static uint64_t machine;

	if (machine == 0)
		machine = machine_read();
	return machine;
}

/* Is this process restricted to some of the host's processors? */
static bool locality_bound(void)
{
	static long processors;
	cpu_set_t mine;

	if (processors == 0)
		processors = sysconf(_SC_NPROCESSORS_ONLN);
	if (sched_getaffinity(0, sizeof(mine), &mine) != 0)
		return true; /* more processors than a cpu_set_t has: ask hwloc */
	return CPU_COUNT(&mine) < processors;
}

/* The part of the host (HAFT_REORDER) that this process is bound to, or HAFT_HW_MANY: to none. */
static int locality_part(void)
{
	static const char *const kinds[] = {"hwloc://NUMANode", "hwloc://Package", "hwloc://Core"};
	struct haft_hw rows[HAFT_HW_KINDS];
	int n, i;

	if (!locality_bound())
		return HAFT_HW_MANY;
	n = haft_hw_kinds(rows);
	i = haft_hw_find(rows, n, kinds[haft_setting_get(SETTING_REORDER)]);
	return i < 0 ? HAFT_HW_MANY : rows[i].instance;
}

/* A rank and the hash of its domain; sorted by both to number the domains by their lowest ranks. */
struct domain_member {
	uint64_t domain;
	int rank;
};

static int by_domain(const void *a, const void *b)
{
	const struct domain_member *x = a, *y = b;

	if (x->domain != y->domain)
		return x->domain < y->domain ? -1 : 1;
	return x->rank < y->rank ? -1 : x->rank > y->rank;
}

static int locality_number(const uint64_t *domains, int n, int *colors)
{
	struct domain_member *m = malloc((size_t)n * sizeof(*m));

	if (m == NULL)
		return haft_err(MPI_ERR_NO_MEM, "no memory to number the domains of %d ranks", n);
	for (int i = 0; i < n; i++)
		m[i] = (struct domain_member){domains[i], i};
	qsort(m, (size_t)n, sizeof(*m), by_domain);
	for (int i = 0, first = 0; i < n; i++) {
		if (i == 0 || m[i].domain != m[i - 1].domain)
			first = m[i].rank;
		colors[m[i].rank] = first;
	}
	free(m);
	return 0;
}

int topo_locality(struct comm *c, int *colors, bool *several)
{
	struct type *u64 = type_predefined(MPI_UINT64_T);
	int where = locality_part(), err;
	uint64_t mine = locality_hash(locality_machine(), &where, sizeof(where)), all[2],
		 ends[2] = {mine, ~mine};
	uint64_t *domains;

	err = coll_allreduce(ends, all, 2, u64, coll_op_predefined(MPI_MAX), c);
	if (err != 0)
		return err;
	*several = all[0] != ~all[1]; /* largest and smallest */
	if (!*several)
		return 0;
	domains = malloc((size_t)c->size * sizeof(*domains));
	if (domains == NULL)
		return haft_err(MPI_ERR_NO_MEM, "no memory for the domains of %d ranks", c->size);
	err = coll_allgather(&mine, 1, u64, domains, 1, u64, c);
	if (err == 0)
		err = locality_number(domains, c->size, colors);
	free(domains);
	return err;
}

int topo_reorder(
	struct comm *c, const struct order_grid *grid, const struct order_graph *graph, int **order)
{
	int n = grid != NULL ? grid->n : graph->n, err;
	bool several, better = false;
	int *colors = malloc((size_t)c->size * sizeof(*colors));
	int *found = malloc((size_t)n * sizeof(*found));

	*order = NULL;
	err = colors == NULL || found == NULL ? -1 : topo_locality(c, colors, &several);
	if (err == 0 && several)
		err = grid != NULL ? topo_order_grid(grid, colors, found, &better)
				   : topo_order_graph(graph, colors, found, &better);
	free(colors);
	if (better)
		*order = found;
	else
		free(found);
	return err < 0 ? haft_err(MPI_ERR_NO_MEM, "no memory to reorder %d ranks", n) : err;
}
