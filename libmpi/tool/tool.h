// SPDX-License-Identifier: BSD-3-Clause
/* tool.h - the tools interface (MPI_T_*): control and performance variables, categories, events.
 *
 *     settings  core/setting.c ──────> control variables       cvar.c, enumeration.c
 *     counters  p2p, via, libobj ────> counters.c ──> performance variables, sessions    pvar.c
 *                                                     their values             pvar_value.c
 *     all of it ─────────────────────> categories              category.c
 *     events    core/event.h ────────> event_type.c  their names and elements
 *                                      registration.c  handles, callbacks
 *                                      event_ring.c  kept until the end of a call, delivered
 *
 * Invariants: bind/ has checked that the interface is initialized, and holds the library lock at
 * every level of threads.  Rows with the flag READ are called without it, and from signal handlers:
 * those that pvar_value.c has.  Errors are codes MPI_T_ERR_... with words
 * (haft_err), never raised (MPI-5.0 15.3.10). */
#ifndef HAFT_TOOL_TOOL_H
#define HAFT_TOOL_TOOL_H

#include "libmpi/core/event.h"
#include "libmpi/core/objects.h"
#include "libmpi/core/traffic.h"
#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>

/* true: MPI_T_init_thread was called more often than MPI_T_finalize. */
bool tool_up(void);

/* --- inside the folder ---------------------------------------------------------------------- */

/* The classes of the interface's own handles; open since the first MPI_T_init_thread. */
extern struct obj_class tool_enum_class, tool_cvar_class, tool_session_class, tool_pvar_class,
	tool_registration_class;

#define TOOL_ENUM_BYTES (sizeof(struct obj) + sizeof(int64_t)) /* an enumeration's object */

struct tool_cvar {
	struct obj o;
	int row; /* of the table of settings */
};

struct tool_session {
	struct obj o;
	struct tool_session *next; /* of all */
	struct tool_pvar *first;   /* its handles */
};

/* One element of a value. */
struct tool_cell {
	_Atomic uint64_t sum, base;
};

/* A performance variable in a session (pvar_value.c).  The meaning of its words depends on its
 * class.  Lists, `running', and cells are written under the lock of values. */
struct tool_pvar {
	struct obj o;
	struct tool_session *session;
	struct tool_pvar *next, *prev;
	int row; /* of the table in counters.c */
	_Atomic bool running;
	int count;
	struct comm_traffic *traffic; /* of the communicator it is bound to, opened; or NULL */
	struct tool_cell *cell;       /* [count]: &one, or malloc'ed */
	struct tool_cell one;
};

/* The session or handle, or MPI_T_ERR_INVALID_SESSION, MPI_T_ERR_INVALID_HANDLE with words.  Takes
 * no lock. */
int tool_session_find(MPI_T_pvar_session handle, struct tool_session **s);
int tool_pvar_find(MPI_T_pvar_session session, MPI_T_pvar_handle handle, struct tool_pvar **v);

/* Frees all sessions and their handles. */
void tool_sessions_end(void);

/* Onto the list of all sessions, or of its session, and off it (pvar_value.c). */
void tool_session_link(struct tool_session *s);
void tool_session_unlink(struct tool_session *s);
void tool_pvar_link(struct tool_pvar *v);
void tool_pvar_unlink(struct tool_pvar *v);
struct tool_session *tool_session_first(void);

/* Returns a string as MPI-5.0 15.3.3 says: cut to *len bytes; then *len is the bytes of the whole
 * string.  buf and len may be NULL. */
void tool_text(const char *s, char *buf, int *len);

/* Sets a result that the user may have left out (NULL). */
static inline void tool_tell(int *answer, int value)
{
	if (answer != NULL)
		*answer = value;
}

/* Words "what 7 is not one of 0 to 4"; returns MPI_T_ERR_INVALID_INDEX. */
int tool_bad_index(const char *what, int index, int n);

/* Opens the classes; once.  0 or MPI_T_ERR_CANNOT_INIT. */
int tool_classes_open(void);

/* Makes the enumerations; once.  0 or MPI_T_ERR_MEMORY. */
int tool_enums_open(void);

/* The enumeration of a setting's words, or MPI_T_ENUM_NULL; of all functions by enum haft_fn. */
MPI_T_enum tool_enum_of_setting(int row);
MPI_T_enum tool_enum_of_functions(void);

/* The enumeration of the elements of an event type. */
MPI_T_enum tool_enum_of_event(enum haft_event e);

/* --- counters (counters.c) ------------------------------------------------------------------ */

enum tool_category {
	TOOL_SETTINGS,
	TOOL_MESSAGES,
	TOOL_TRANSPORT,
	TOOL_OBJECTS,
	TOOL_FILES,
	TOOL_CALLS,
	TOOL_ERRORS,
	TOOL_CATEGORIES
};

/* A performance variable's facts; enum tool_source is counters.c's. */
struct tool_count {
	const char *name;
	int class; /* MPI_T_PVAR_CLASS_... */
	enum tool_category group;
	int source;
	size_t at;             /* where in the source it is */
	struct obj_class *cls; /* the class whose objects are counted, or NULL */
	const char *meaning;
};

extern const struct tool_count tool_counts[];
extern const int tool_ncounts;

/* Is it started, stopped, written and reset by a handle, or is it the same for all and always
 * running? */
static inline bool tool_count_controlled(const struct tool_count *c)
{
	return c->class == MPI_T_PVAR_CLASS_COUNTER || c->class == MPI_T_PVAR_CLASS_AGGREGATE ||
	       c->class == MPI_T_PVAR_CLASS_TIMER || c->class == MPI_T_PVAR_CLASS_HIGHWATERMARK;
}

/* How a value is represented: MPI_UNSIGNED_LONG_LONG, but MPI_INT of a STATE, and MPI_DOUBLE of a
 * PERCENTAGE. */
struct type;
struct type *tool_count_type(const struct tool_count *c);

/* MPI_T_BIND_NO_OBJECT or MPI_T_BIND_MPI_COMM. */
int tool_count_bind(const struct tool_count *c);

/* Some are counted only while they have handles: there is one more (1), or less (-1). */
void tool_count_use(const struct tool_count *c, int change);

/* Element i of the present value; 0 before MPI runs.  traffic: of the communicator, or NULL.  A
 * double as its bits. */
uint64_t tool_count_now(const struct tool_count *c, const struct comm_traffic *traffic, int i);

/* Does tool_count_now need the library's lock?  All others are for signal handlers, too. */
bool tool_count_locks(const struct tool_count *c);

/* Of a HIGHWATERMARK: the peak since the last restart; the same, and restarts at the present
 * level. */
uint64_t tool_peak_now(const struct tool_count *c);
uint64_t tool_peak_restart(const struct tool_count *c);

/* --- events (event_type.c) ------------------------------------------------------------------ */

enum tool_event_source { TOOL_SOURCE_CALLS, TOOL_SOURCE_PROGRESS, TOOL_SOURCES };

/* How an element is represented. */
enum tool_element { ELEMENT_INT, ELEMENT_BYTES, ELEMENT_HANDLE, ELEMENT_RANK };

struct tool_event_type {
	const char *name, *meaning;
	enum tool_event_source source;
	enum tool_category group;
	int bind; /* MPI_T_BIND_... */
	int elements;
	struct {
		const char *name;
		enum tool_element form;
	} element[HAFT_EVENT_FACTS];
};

extern const struct tool_event_type tool_event_types[HAFT_EVENTS];

/* Bytes of an element; where it is in the buffer of MPI_T_event_copy. */
size_t tool_element_bytes(enum tool_element form);
size_t tool_element_at(const struct tool_event_type *t, int element);

/* --- listeners (event_ring.c) --------------------------------------------------------------- */

#define TOOL_LEVELS 4 /* of callback safety */

struct tool_callback {
	MPI_T_event_cb_function *fn; /* NULL: none */
	void *user;
};

/* A registration; it outlives its handle until its last event has been delivered.  All fields are
 * under the lock of events. */
struct tool_listener {
	struct tool_listener *next;
	enum haft_event type;
	obj_h object; /* that it is bound to, or NULL */
	MPI_T_event_registration handle;
	struct tool_callback callback[TOOL_LEVELS];
	MPI_T_event_dropped_cb_function *dropped;
	uint64_t lost[TOOL_SOURCES]; /* events, since `dropped' was last told */
	uint64_t from, until;        /* it gets the events with these numbers; from 0: none yet */
	bool freed;
	MPI_T_event_free_cb_function *on_free;
	void *on_free_user;
};

/* The object of a handle. */
struct tool_registration {
	struct obj o;
	struct tool_listener *listener;
};

/* Onto the list; off it, by the handle's end: on_free is called when the last event before has been
 * delivered.  The changes of others go between lock and unlock. */
void tool_listener_add(struct tool_listener *l);
void tool_listener_free(struct tool_listener *l, MPI_T_event_free_cb_function *on_free, void *user);
void tool_listeners_lock(void);
void tool_listeners_unlock(void);

/* Ends all, without a call of the program. */
void tool_listeners_end(void);

/* The gate has HAFT_GATE_EVENTS: calls the program's callbacks.  Without the library's lock. */
void tool_events_deliver(void);

#endif
