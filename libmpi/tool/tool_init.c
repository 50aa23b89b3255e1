// SPDX-License-Identifier: BSD-3-Clause
/* tool_init.c - MPI_T_init_thread and MPI_T_finalize.
 *
 *     users ──0── init ──1── init ──2── finalize ──1── finalize ──0: sessions and handles end
 *
 * The interface starts and ends independently of MPI. */
#include "libmpi/tool/tool.h"

#include "libmpi/core/err.h"
#include <engine.h>

static _Atomic int users; /* under the library's lock; tool_up reads it without */

bool tool_up(void)
{
	return users > 0;
}

static int tool_open_once(void)
{
	int err = tool_classes_open();

	return err == 0 ? tool_enums_open() : err;
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

static int tool_handle_end(void *self, void *class)
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
	tool_listeners_end();
	obj_foreach(&tool_registration_class, tool_handle_end, &tool_registration_class);
	obj_foreach(&tool_cvar_class, tool_handle_end, &tool_cvar_class);
	return 0;
}
