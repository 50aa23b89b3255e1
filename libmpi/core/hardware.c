// SPDX-License-Identifier: BSD-3-Clause
/* hardware.c - hwloc, loaded at the first question.
 *
 * The topology is read once and kept: parts do not come and go.  The process's binding is read at
 * each question.  hwloc.h gives the types; no symbol of libhwloc is linked. */
#include "libmpi/core/hardware.h"

#include "libmpi/core/dl.h"
#include "libobj/base.h"
#include <hwloc.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <strings.h>
#include <unistd.h>

#define LIBRARY "libhwloc.so.15" /* hwloc 2, all of them */

/* The functions in use, and where they are. */
#define FUNCTIONS(F)           \
	F(topology_init)       \
	F(topology_load)       \
	F(topology_get_depth)  \
	F(get_depth_type)      \
	F(get_type_depth)      \
	F(get_nbobjs_by_depth) \
	F(get_obj_by_depth)    \
	F(get_cpubind)         \
	F(bitmap_alloc)        \
	F(bitmap_free)         \
	F(bitmap_isincluded)   \
	F(obj_type_string)

#define POINTER(name) __typeof__(&hwloc_##name) name;
static struct {
	FUNCTIONS(POINTER)
} hw;
#undef POINTER

static hwloc_topology_t machine; /* NULL: nothing is known */

/* NULL: it is not installed. */
static void *hw_library_open(void)
{
#define FIND(name) {"hwloc_" #name, (void **)(void *)&hw.name},
	static const struct dl_symbol table[] = {FUNCTIONS(FIND)};
#undef FIND

	return dl_open(LIBRARY, table, countof(table));
}

/* Where hwloc 2 finds the processors.  Without it (in a container without /sys) hwloc knows nothing
 * either, and complains on stderr. */
static bool hw_sysfs_mounted(void)
{
	return access("/sys/devices/system/cpu/cpu0/topology", X_OK) == 0 ||
	       access("/sys/bus/cpu/devices/cpu0/topology", X_OK) == 0;
}

static void hw_load(void)
{
	hwloc_topology_t t;

	if (!hw_sysfs_mounted() || hw_library_open() == NULL || hw.topology_init(&t) != 0)
		return;
	if (hw.topology_load(t) == 0)
		machine = t;
}

/* Where the process is among the parts of one depth. */
static int hw_instance(int depth, int n, hwloc_const_cpuset_t mine)
{
	int at = HAFT_HW_MANY;

	for (int i = 0; i < n; i++) {
		hwloc_obj_t o = hw.get_obj_by_depth(machine, depth, (unsigned)i);

		if (o->cpuset == NULL || !hw.bitmap_isincluded(mine, o->cpuset))
			continue;
		if (at != HAFT_HW_MANY)
			return HAFT_HW_MANY; /* memory nodes may share their processors */
		at = (int)o->logical_index;
	}
	return at;
}

/* One more row, for the parts of one depth. */
static int hw_row_add(struct haft_hw *rows, int n, int depth, hwloc_const_cpuset_t mine)
{
	hwloc_obj_type_t type = hw.get_depth_type(machine, depth);
	int count = (int)hw.get_nbobjs_by_depth(machine, depth);

	/* groups are hwloc's own notes: several depths of them, without a name */
	if (count == 0 || type == HWLOC_OBJ_GROUP || n == HAFT_HW_KINDS)
		return n;
	snprintf(rows[n].name, sizeof(rows[n].name), "hwloc://%s", hw.obj_type_string(type));
	rows[n].count = count;
	rows[n].instance = hw_instance(depth, count, mine);
	return n + 1;
}

int haft_hw_kinds(struct haft_hw rows[HAFT_HW_KINDS])
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	hwloc_bitmap_t mine;
	int n = 0;

	pthread_once(&once, hw_load);
	mine = machine != NULL ? hw.bitmap_alloc() : NULL;
	if (mine == NULL)
		return 0;
	if (hw.get_cpubind(machine, mine, HWLOC_CPUBIND_PROCESS) == 0) {
		for (int d = 0; d < hw.topology_get_depth(machine); d++)
			n = hw_row_add(rows, n, d, mine);
		n = hw_row_add(rows, n, hw.get_type_depth(machine, HWLOC_OBJ_NUMANODE), mine);
	}
	hw.bitmap_free(mine);
	return n;
}

int haft_hw_find(const struct haft_hw *rows, int n, const char *name)
{
	for (int i = 0; i < n; i++)
		if (strcasecmp(rows[i].name, name) == 0)
			return i;
	return -1;
}
