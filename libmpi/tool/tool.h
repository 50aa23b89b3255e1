// SPDX-License-Identifier: BSD-3-Clause
/* tool.h - the tools interface (MPI_T_*): control and performance variables, categories, events.
 *
 *     settings  core/setting.c ──────> control variables       cvar.c, enumeration.c
 *     counters  p2p, via, libobj ────> counters.c ──> performance variables, sessions    pvar.c
 *                                                     their values             pvar_value.c
 *     all of it ─────────────────────> categories              category.c
 *     the clock ─────────────────────> a source, of no events  event.c
 *
 * Invariants: bind/ has checked that the interface is initialized, and holds the library lock at
 * every level of threads.  Rows with the flag READ are called without it, and from signal handlers:
 * those that pvar_value.c has.  Errors are codes MPI_T_ERR_... with words
 * (haft_err), never raised (MPI-5.0 15.3.10). */
#ifndef HAFT_TOOL_TOOL_H
#define HAFT_TOOL_TOOL_H

#include "libmpi/core/objects.h"
#include "libmpi/core/traffic.h"
#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>

/* true: MPI_T_init_thread was called more often than MPI_T_finalize. */
bool tool_up(void);

/* --- inside the folder ---------------------------------------------------------------------- */

/* The classes of the interface's own handles; open since the first MPI_T_init_thread. */
extern struct obj_class tool_enum_class, tool_cvar_class, tool_session_class, tool_pvar_class;

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

/* Makes the enumerations; once.  0 or MPI_T_ERR_MEMORY. */
int tool_enums_open(void);

/* The enumeration of a setting's words, or MPI_T_ENUM_NULL; of all functions by enum haft_fn. */
MPI_T_enum tool_enum_of_setting(int row);
MPI_T_enum tool_enum_of_functions(void);

/* --- counters (counters.c) ------------------------------------------------------------------ */

enum tool_category {
	TOOL_SETTINGS,
	TOOL_MESSAGES,
	TOOL_TRANSPORT,
	TOOL_OBJECTS,
	TOOL_FILES,
	TOOL_CALLS,
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

#endif
