// SPDX-License-Identifier: BSD-3-Clause
/* registration.c - registrations for events: handles and callbacks (MPI-5.0 15.3.8.4, 15.3.8.5).
 *
 *     MPI_T_event_handle_alloc ──> struct tool_registration ──> struct tool_listener
 *     MPI_T_event_handle_free      goes at once                 goes after its last event
 *
 * There are no hints: infos are ignored, and those returned are empty. */
#include "libmpi/core/err.h"
#include "libmpi/core/file_object.h"
#include "libmpi/core/info_object.h"
#include "libmpi/core/win_object.h"
#include "libmpi/tool/tool.h"
#include <engine.h>
#include <stdlib.h>
#include <string.h>

static int event_find(MPI_T_event_registration handle, struct tool_listener **l)
{
	const struct tool_registration *r = obj_get(&tool_registration_class, (obj_h)handle);

	if (r == NULL)
		return haft_err(MPI_T_ERR_INVALID_HANDLE, "%p is no registration for events",
			(void *)handle);
	*l = r->listener;
	return 0;
}

/* The place of a callback by its safety level; -1: there is no such level. */
static int event_level(MPI_T_cb_safety safety)
{
	switch (safety) {
	case MPI_T_CB_REQUIRE_NONE: return 0;
	case MPI_T_CB_REQUIRE_MPI_RESTRICTED: return 1;
	case MPI_T_CB_REQUIRE_THREAD_SAFE: return 2;
	case MPI_T_CB_REQUIRE_ASYNC_SIGNAL_SAFE: return 3;
	default: return -1;
	}
}

static int event_level_find(MPI_T_cb_safety safety, int *level)
{
	*level = event_level(safety);
	return *level >= 0 ? 0
			   : haft_err(MPI_T_ERR_INVALID, "%d is no level of callback safety",
				     (int)safety);
}

/* *h: the handle of the object at `object', of the kind that events of this type are bound to. */
static int event_bind(const struct tool_event_type *t, const void *object, obj_h *h)
{
	const struct obj_class *cls = t->bind == MPI_T_BIND_MPI_COMM  ? &haft_comm_class
				      : t->bind == MPI_T_BIND_MPI_WIN ? &haft_win_class
								      : &haft_file_class;
	const void *o = NULL;

	*h = NULL;
	if (t->bind == MPI_T_BIND_NO_OBJECT)
		return 0;
	if (object != NULL) {
		memcpy(h, object, sizeof(*h));
		o = obj_get(cls, *h);
	}
	if (o == NULL)
		return haft_err(MPI_T_ERR_INVALID,
			"%s is bound to an object, and obj_handle is not the address of a handle "
			"of one",
			t->name);
	*h = obj_handle(o);
	return 0;
}

int tool_event_handle_alloc(int event_index, void *object, struct info *info,
	MPI_T_event_registration *event_registration)
{
	struct tool_registration *r;
	struct tool_listener *l;
	obj_h bound;
	int err;

	(void)info;
	if (event_index < 0 || event_index >= HAFT_EVENTS)
		return tool_bad_index("type of event", event_index, HAFT_EVENTS);
	err = event_bind(&tool_event_types[event_index], object, &bound);
	if (err != 0)
		return err;
	l = calloc(1, sizeof(*l));
	r = l != NULL ? obj_new(&tool_registration_class, NULL) : NULL;
	if (r == NULL) {
		free(l);
		return haft_err(MPI_T_ERR_OUT_OF_HANDLES, "no memory for a registration");
	}
	r->listener = l;
	l->type = (enum haft_event)event_index;
	l->object = bound;
	l->handle = (MPI_T_event_registration)obj_handle(r);
	tool_listener_add(l);
	*event_registration = l->handle;
	return 0;
}

int tool_event_handle_free(MPI_T_event_registration event_registration, void *user_data,
	MPI_T_event_free_cb_function free_cb_function)
{
	obj_h h = (obj_h)event_registration;
	struct tool_listener *l;
	int err = event_find(event_registration, &l);

	if (err != 0)
		return err;
	obj_free(&tool_registration_class, &h);
	tool_listener_free(l, free_cb_function, user_data);
	return 0;
}

int tool_event_register_callback(MPI_T_event_registration event_registration,
	MPI_T_cb_safety cb_safety, struct info *info, void *user_data,
	MPI_T_event_cb_function event_cb_function)
{
	struct tool_listener *l;
	int level, err = event_find(event_registration, &l);

	(void)info;
	if (err == 0)
		err = event_level_find(cb_safety, &level);
	if (err != 0)
		return err;
	tool_listeners_lock();
	l->callback[level] = (struct tool_callback){event_cb_function, user_data};
	tool_listeners_unlock();
	return 0;
}

int tool_event_set_dropped_handler(MPI_T_event_registration event_registration,
	MPI_T_event_dropped_cb_function dropped_cb_function)
{
	struct tool_listener *l;
	int err = event_find(event_registration, &l);

	if (err != 0)
		return err;
	tool_listeners_lock();
	l->dropped = dropped_cb_function;
	memset(l->lost, 0, sizeof(l->lost));
	tool_listeners_unlock();
	return 0;
}

/* --- hints, of which there are none --------------------------------------------------------- */

int tool_event_handle_set_info(MPI_T_event_registration event_registration, struct info *info)
{
	struct tool_listener *l;

	(void)info;
	return event_find(event_registration, &l);
}

int tool_event_handle_get_info(MPI_T_event_registration event_registration, struct info **info_used)
{
	struct tool_listener *l;
	int err = event_find(event_registration, &l);

	return err == 0 ? env_info_create(info_used) : err;
}

int tool_event_callback_set_info(
	MPI_T_event_registration event_registration, MPI_T_cb_safety cb_safety, struct info *info)
{
	struct tool_listener *l;
	int level, err = event_find(event_registration, &l);

	(void)info;
	return err == 0 ? event_level_find(cb_safety, &level) : err;
}

int tool_event_callback_get_info(MPI_T_event_registration event_registration,
	MPI_T_cb_safety cb_safety, struct info **info_used)
{
	struct tool_listener *l;
	int level, err = event_find(event_registration, &l);

	if (err == 0)
		err = event_level_find(cb_safety, &level);
	return err == 0 ? env_info_create(info_used) : err;
}
