// SPDX-License-Identifier: BSD-3-Clause
/* event_type.c - types of events, their elements, and their sources (MPI-5.0 15.3.8).
 *
 *     comm_created   buffer of MPI_T_event_copy:  | comm  8 | size 4 | rank 4 | peers 4 |
 *
 * Elements lie in their order, each at a multiple of its size. */
#include "libmpi/core/clock.h"
#include "libmpi/core/err.h"
#include "libmpi/core/info_object.h"
#include "libmpi/core/type_object.h"
#include "libmpi/tool/tool.h"
#include "libmpi/type/type.h"
#include <engine.h>
#include <string.h>

#define NUMBER(name)              \
	{                         \
		name, ELEMENT_INT \
	}
#define BYTES(name)                 \
	{                           \
		name, ELEMENT_BYTES \
	}
#define HANDLE(name)                 \
	{                            \
		name, ELEMENT_HANDLE \
	}
#define RANK(name)                 \
	{                          \
		name, ELEMENT_RANK \
	}
#define CALLS    TOOL_SOURCE_CALLS
#define PROGRESS TOOL_SOURCE_PROGRESS
#define UNBOUND  MPI_T_BIND_NO_OBJECT

const struct tool_event_type tool_event_types[HAFT_EVENTS] = {
	[EVENT_COMM_CREATED] = {"comm_created",
		"a communicator: its handle, size, this process's rank, and size of the group that "
		"ranks are of",
		CALLS, TOOL_OBJECTS, UNBOUND, 4,
		{HANDLE("comm"), NUMBER("size"), NUMBER("rank"), NUMBER("peers")}},
	[EVENT_COMM_FREED] = {"comm_freed",
		"MPI_Comm_free or MPI_Comm_disconnect of the communicator: what was its handle",
		CALLS, TOOL_OBJECTS, MPI_T_BIND_MPI_COMM, 1, {HANDLE("comm")}},
	[EVENT_COMM_NAMED] = {"comm_named", "MPI_Comm_set_name of the communicator", CALLS,
		TOOL_OBJECTS, MPI_T_BIND_MPI_COMM, 1, {HANDLE("comm")}},
	[EVENT_WIN_CREATED] = {"win_created",
		"a window: its handle, size of its group, and bytes of this process", CALLS,
		TOOL_OBJECTS, UNBOUND, 3, {HANDLE("win"), NUMBER("size"), BYTES("bytes")}},
	[EVENT_WIN_FREED] = {"win_freed", "MPI_Win_free of the window: what was its handle", CALLS,
		TOOL_OBJECTS, MPI_T_BIND_MPI_WIN, 1, {HANDLE("win")}},
	[EVENT_FILE_OPENED] = {"file_opened",
		"a file: its handle, size of its group, and mode of access", CALLS, TOOL_FILES,
		UNBOUND, 3, {HANDLE("file"), NUMBER("size"), NUMBER("amode")}},
	[EVENT_FILE_CLOSED] = {"file_closed",
		"MPI_File_close of the file: what was its handle, and the error class", CALLS,
		TOOL_FILES, MPI_T_BIND_MPI_FILE, 2, {HANDLE("file"), NUMBER("error")}},
	[EVENT_ERROR_RAISED] = {"error_raised",
		"an error that does not end the job: its code, the function (a value of the "
		"enumeration function), and the handle of the object or 0",
		CALLS, TOOL_ERRORS, UNBOUND, 3,
		{NUMBER("code"), NUMBER("function"), HANDLE("object")}},
	[EVENT_PEER_LOST] = {"peer_lost",
		"nothing more comes from a process: its rank in MPI_COMM_WORLD, or -1, and 1 if it "
		"has ended MPI in good order",
		PROGRESS, TOOL_ERRORS, UNBOUND, 2, {RANK("rank"), NUMBER("left")}},
	[EVENT_MESSAGE_KEPT] = {"message_kept",
		"a message of another process has come before its receive: its sender's rank in "
		"MPI_COMM_WORLD, or -1, tag and bytes; messages inside of collective calls, too",
		PROGRESS, TOOL_MESSAGES, UNBOUND, 3,
		{RANK("source"), NUMBER("tag"), BYTES("bytes")}},
	[EVENT_RENDEZVOUS_BEGUN] = {"rendezvous_begun",
		"a message on the communicator waits for its receive at its sender, this process: "
		"receiver's rank in MPI_COMM_WORLD, or -1, tag, bytes, and the communicator",
		CALLS, TOOL_MESSAGES, MPI_T_BIND_MPI_COMM, 4,
		{RANK("dest"), NUMBER("tag"), BYTES("bytes"), HANDLE("comm")}},
	[EVENT_SENDER_HELD] = {"sender_held",
		"a sender with too many unexpected messages here must wait for receives: its rank "
		"in MPI_COMM_WORLD, or -1",
		PROGRESS, TOOL_MESSAGES, UNBOUND, 1, {RANK("source")}},
	[EVENT_WAIT_BEGUN] = {"wait_begun",
		"a call has begun to wait: the function (a value of the enumeration function)",
		PROGRESS, TOOL_CALLS, UNBOUND, 1, {NUMBER("function")}},
	[EVENT_WAIT_ENDED] = {"wait_ended", "a wait is over: its nanoseconds, and the function",
		PROGRESS, TOOL_CALLS, UNBOUND, 2, {BYTES("ns"), NUMBER("function")}},
};

size_t tool_element_bytes(enum tool_element form)
{
	return form == ELEMENT_BYTES || form == ELEMENT_HANDLE ? sizeof(int64_t) : sizeof(int);
}

size_t tool_element_at(const struct tool_event_type *t, int element)
{
	size_t at = 0;

	for (int i = 0; i <= element; i++) {
		size_t n = tool_element_bytes(t->element[i].form);

		at = (at + n - 1) / n * n;
		if (i == element)
			return at;
		at += n;
	}
	return at;
}

static struct type *element_type(enum tool_element form)
{
	if (form == ELEMENT_HANDLE)
		return type_predefined(MPI_UINT64_T);
	return form == ELEMENT_BYTES ? type_predefined(MPI_COUNT) : type_predefined(MPI_INT);
}

/* --- sources -------------------------------------------------------------------------------- */

static const struct {
	const char *name, *meaning;
} sources[TOOL_SOURCES] = {
	[CALLS] = {"calls", "calls of the program; the monotonic clock, in nanoseconds"},
	[PROGRESS] = {"progress",
		"messages, waits and other processes; the monotonic clock, in nanoseconds"},
};

static int source_bad(int source_index)
{
	return source_index < 0 || source_index >= TOOL_SOURCES
		       ? tool_bad_index("source", source_index, TOOL_SOURCES)
		       : 0;
}

int tool_source_get_num(int *num_sources)
{
	*num_sources = TOOL_SOURCES;
	return 0;
}

int tool_source_get_info(int source_index, char *name, int *name_len, char *desc, int *desc_len,
	MPI_T_source_order *ordering, int64_t *ticks_per_second, int64_t *max_ticks,
	struct info **info)
{
	int err = source_bad(source_index);

	if (err == 0 && info != NULL)
		err = env_info_create(info);
	if (err != 0)
		return err;
	tool_text(sources[source_index].name, name, name_len);
	tool_text(sources[source_index].meaning, desc, desc_len);
	tool_tell(ordering, MPI_T_SOURCE_ORDERED);
	if (ticks_per_second != NULL)
		*ticks_per_second = NS_PER_S;
	if (max_ticks != NULL)
		*max_ticks = INT64_MAX;
	return 0;
}

int tool_source_get_timestamp(int source_index, int64_t *timestamp)
{
	int err = source_bad(source_index);

	if (err == 0)
		*timestamp = (int64_t)clock_now_ns();
	return err;
}

/* --- types of events ------------------------------------------------------------------------ */

int tool_event_get_num(int *num_events)
{
	*num_events = HAFT_EVENTS;
	return 0;
}

/* The first *n elements: their types and places; then *n is the number of all. */
static void event_elements(
	const struct tool_event_type *t, struct type *types[], int64_t at[], int *n)
{
	int room = *n;

	for (int i = 0; i < t->elements; i++) {
		if (types != NULL)
			types[i] = i < room ? element_type(t->element[i].form) : NULL;
		if (at != NULL && i < room)
			at[i] = (int64_t)tool_element_at(t, i);
	}
	*n = t->elements;
}

int tool_event_get_info(int event_index, char *name, int *name_len, int *verbosity,
	struct type *array_of_datatypes[], int64_t array_of_displacements[], int *num_elements,
	MPI_T_enum *enumtype, struct info **info, char *desc, int *desc_len, int *bind)
{
	const struct tool_event_type *t;
	int err = 0;

	if (event_index < 0 || event_index >= HAFT_EVENTS)
		return tool_bad_index("type of event", event_index, HAFT_EVENTS);
	t = &tool_event_types[event_index];
	if (info != NULL)
		err = env_info_create(info);
	if (err != 0)
		return err;
	tool_text(t->name, name, name_len);
	tool_text(t->meaning, desc, desc_len);
	tool_tell(verbosity, MPI_T_VERBOSITY_USER_DETAIL);
	tool_tell(bind, t->bind);
	if (num_elements != NULL)
		event_elements(t, array_of_datatypes, array_of_displacements, num_elements);
	if (enumtype != NULL)
		*enumtype = tool_enum_of_event((enum haft_event)event_index);
	return 0;
}

int tool_event_get_index(const char *name, int *event_index)
{
	for (int i = 0; i < HAFT_EVENTS; i++) {
		if (strcmp(tool_event_types[i].name, name) == 0) {
			*event_index = i;
			return 0;
		}
	}
	return haft_err(MPI_T_ERR_INVALID_NAME, "there is no type of event %s", name);
}
