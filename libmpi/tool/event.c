// SPDX-License-Identifier: BSD-3-Clause
/* event.c - event sources and event types.
 *
 * There is one source, the clock of MPI_Wtime, and no event type: an event of this library takes
 * tens of nanoseconds, and asking whether a callback is registered would cost a part of that
 * (README.md, decisions).  So no registration and no instance can exist, and each is refused. */
#include "libmpi/core/clock.h"
#include "libmpi/core/err.h"
#include "libmpi/core/info_object.h"
#include "libmpi/core/type_object.h"
#include "libmpi/tool/tool.h"
#include <engine.h>
#include <stdint.h>

enum { SOURCES = 1, EVENTS = 0 };

/* --- sources -------------------------------------------------------------------------------- */

static int bad_source(int source_index)
{
	return source_index < 0 || source_index >= SOURCES
		       ? tool_bad_index("source", source_index, SOURCES)
		       : 0;
}

int tool_source_get_num(int *num_sources)
{
	*num_sources = SOURCES;
	return 0;
}

int tool_source_get_info(int source_index, char *name, int *name_len, char *desc, int *desc_len,
	MPI_T_source_order *ordering, int64_t *ticks_per_second, int64_t *max_ticks,
	struct info **info)
{
	int err = bad_source(source_index);

	if (err == 0 && info != NULL)
		err = env_info_create(info);
	if (err != 0)
		return err;
	tool_text("clock", name, name_len);
	tool_text("the monotonic clock of the machine, in nanoseconds", desc, desc_len);
	tool_tell(ordering, MPI_T_SOURCE_ORDERED);
	if (ticks_per_second != NULL)
		*ticks_per_second = NS_PER_S;
	if (max_ticks != NULL)
		*max_ticks = INT64_MAX;
	return 0;
}

int tool_source_get_timestamp(int source_index, int64_t *timestamp)
{
	int err = bad_source(source_index);

	if (err == 0)
		*timestamp = (int64_t)clock_now_ns();
	return err;
}

/* --- types of events ------------------------------------------------------------------------ */

int tool_event_get_num(int *num_events)
{
	*num_events = EVENTS;
	return 0;
}

int tool_event_get_info(int event_index, char *name, int *name_len, int *verbosity,
	struct type *array_of_datatypes[], int64_t array_of_displacements[], int *num_elements,
	MPI_T_enum *enumtype, struct info **info, char *desc, int *desc_len, int *bind)
{
	(void)name, (void)name_len, (void)verbosity, (void)array_of_datatypes;
	(void)array_of_displacements, (void)num_elements, (void)enumtype, (void)info;
	(void)desc, (void)desc_len, (void)bind;
	return tool_bad_index("type of event", event_index, EVENTS);
}

int tool_event_get_index(const char *name, int *event_index)
{
	(void)event_index;
	return haft_err(MPI_T_ERR_INVALID_NAME, "there is no type of event %s", name);
}

int tool_event_handle_alloc(int event_index, void *object, struct info *info,
	MPI_T_event_registration *event_registration)
{
	(void)object, (void)info, (void)event_registration;
	return tool_bad_index("type of event", event_index, EVENTS);
}

/* --- registrations and instances, of which there are none ----------------------------------- */

static int no_registration(MPI_T_event_registration r)
{
	return haft_err(MPI_T_ERR_INVALID_HANDLE, "%p is no registration for events", (void *)r);
}

static int no_instance(MPI_T_event_instance i)
{
	return haft_err(MPI_T_ERR_INVALID_HANDLE, "%p is no event", (void *)i);
}

int tool_event_handle_set_info(MPI_T_event_registration event_registration, struct info *info)
{
	(void)info;
	return no_registration(event_registration);
}

int tool_event_handle_get_info(MPI_T_event_registration event_registration, struct info **info_used)
{
	(void)info_used;
	return no_registration(event_registration);
}

int tool_event_register_callback(MPI_T_event_registration event_registration,
	MPI_T_cb_safety cb_safety, struct info *info, void *user_data,
	MPI_T_event_cb_function event_cb_function)
{
	(void)cb_safety, (void)info, (void)user_data, (void)event_cb_function;
	return no_registration(event_registration);
}

int tool_event_callback_set_info(
	MPI_T_event_registration event_registration, MPI_T_cb_safety cb_safety, struct info *info)
{
	(void)cb_safety, (void)info;
	return no_registration(event_registration);
}

int tool_event_callback_get_info(MPI_T_event_registration event_registration,
	MPI_T_cb_safety cb_safety, struct info **info_used)
{
	(void)cb_safety, (void)info_used;
	return no_registration(event_registration);
}

int tool_event_handle_free(MPI_T_event_registration event_registration, void *user_data,
	MPI_T_event_free_cb_function free_cb_function)
{
	(void)user_data, (void)free_cb_function;
	return no_registration(event_registration);
}

int tool_event_set_dropped_handler(MPI_T_event_registration event_registration,
	MPI_T_event_dropped_cb_function dropped_cb_function)
{
	(void)dropped_cb_function;
	return no_registration(event_registration);
}

int tool_event_read(MPI_T_event_instance event_instance, int element_index, void *buffer)
{
	(void)element_index, (void)buffer;
	return no_instance(event_instance);
}

int tool_event_copy(MPI_T_event_instance event_instance, void *buffer)
{
	(void)buffer;
	return no_instance(event_instance);
}

int tool_event_get_timestamp(MPI_T_event_instance event_instance, int64_t *event_timestamp)
{
	(void)event_timestamp;
	return no_instance(event_instance);
}

int tool_event_get_source(MPI_T_event_instance event_instance, int *source_index)
{
	(void)source_index;
	return no_instance(event_instance);
}
