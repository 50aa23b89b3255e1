// SPDX-License-Identifier: BSD-3-Clause
/* gdb.c - stops in gdb_here() with some objects alive: gdb.sh looks at them by libobj/gdb.py. */
#include "libobj/obj.h"

#include <stddef.h>

struct task {
	struct obj obj;
	int number;
};

static void gdb_here(const struct task *task)
{
	__asm__ volatile("" : : "r"(task) : "memory");
}

int main(void)
{
	static struct task idle;
	struct obj_domain_opts opts = {.size = sizeof(opts), .name = "gdbtest"};
	struct obj_class_desc desc = {
		.size = sizeof(desc), .name = "task", .obj_size = sizeof(struct task)};
	struct obj_domain *domain;
	struct obj_class tasks = {0};
	struct task *task = NULL, *pending;

	if (obj_domain_open(&domain, &opts) != OBJ_OK ||
		obj_class_open(&tasks, domain, &desc) != OBJ_OK)
		return 1;
	obj_permanent(&tasks, 7, &idle, "idle", 0);
	pending = obj_new(&tasks, NULL);
	obj_hold(pending);
	obj_free_obj(pending);
	for (int i = 0; i < 3; i++)
		task = obj_new(&tasks, NULL);
	task->number = 4711;
	obj_name_set(task, "solver", 6, OBJ_C);
	obj_hold(task);
	gdb_here(task);
	return obj_domain_close(domain, -1, OBJ_FMT_TEXT) == 4 ? 0 : 1;
}
