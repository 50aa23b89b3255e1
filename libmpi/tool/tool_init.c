// SPDX-License-Identifier: BSD-3-Clause
/* tool_init.c - MPI_T_init_thread and MPI_T_finalize, the classes of handles, how strings are
 * returned.
 *
 *     users ──0── init ──1── init ──2── finalize ──1── finalize ──0: sessions and handles end
 *
 * The interface starts and ends independently of MPI.  Its handles are libobj's, in a domain of
 * their own, so that the leak report does not show them. */
#include "libmpi/tool/tool.h"

#include "libmpi/core/err.h"
#include "libmpi/core/process_state.h"
#include "libmpi/type/type.h"
#include <engine.h>
#include <stdio.h>
#include <string.h>

struct obj_class tool_enum_class, tool_cvar_class, tool_session_class, tool_pvar_class;

static struct obj_domain *domain;
static _Atomic int users; /* under the library's lock; tool_up reads it without */

static const struct {
	struct obj_class *cls;
	const char *name;
	size_t size;
} classes[] = {
	{&tool_enum_class, "MPI_T_enum", TOOL_ENUM_BYTES},
	{&tool_cvar_class, "MPI_T_cvar_handle", sizeof(struct tool_cvar)},
	{&tool_session_class, "MPI_T_pvar_session", sizeof(struct tool_session)},
	{&tool_pvar_class, "MPI_T_pvar_handle", sizeof(struct tool_pvar)},
};

bool tool_up(void)
{
	return users > 0;
}

/* Opens the datatypes, too: variables name theirs before MPI_Init. */
static int tool_open_once(void)
{
	struct obj_domain_opts opts = {.size = sizeof(opts), .name = "MPI_T"};
	int err = domain == NULL ? obj_domain_open(&domain, &opts) : OBJ_OK;

	for (size_t i = 0; i < countof(classes) && err == OBJ_OK; i++) {
		struct obj_class_desc d = {
			.size = sizeof(d), .name = classes[i].name, .obj_size = classes[i].size};

		if (classes[i].cls->domain == NULL)
			err = obj_class_open(classes[i].cls, domain, &d);
	}
	if (err != OBJ_OK || haft_objects_open() != 0 || type_open() != 0)
		return haft_err(MPI_T_ERR_CANNOT_INIT, "no memory for the tables of handles");
	return tool_enums_open();
}

int tool_init_thread(int required, int *provided)
{
	int err;

	if (required != MPI_THREAD_SINGLE && required != MPI_THREAD_FUNNELED &&
		required != MPI_THREAD_SERIALIZED && required != MPI_THREAD_MULTIPLE)
		return haft_err(MPI_T_ERR_INVALID, "%d is not a level of thread support", required);
	err = tool_open_once();
	if (err != 0)
		return err;
	users++;
	*provided = MPI_THREAD_MULTIPLE; /* calls take the lock, or need none */
	return 0;
}

static int tool_cvar_end(void *self, void *class)
{
	obj_h handle = obj_handle(self);

	obj_free(class, &handle);
	return 0;
}

int tool_finalize(void)
{
	if (--users > 0)
		return 0;
	tool_sessions_end();
	obj_foreach(&tool_cvar_class, tool_cvar_end, &tool_cvar_class);
	return 0;
}

void tool_text(const char *s, char *buf, int *len)
{
	if (len == NULL)
		return;
	if (buf != NULL && *len > 0)
		snprintf(buf, (size_t)*len, "%s", s);
	*len = (int)strlen(s) + 1;
}

int tool_bad_index(const char *what, int index, int n)
{
	if (n == 0)
		return haft_err(MPI_T_ERR_INVALID_INDEX, "%s %d: there is none", what, index);
	return haft_err(MPI_T_ERR_INVALID_INDEX, "%s %d is not one of 0 to %d", what, index, n - 1);
}
