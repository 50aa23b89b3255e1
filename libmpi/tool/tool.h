// SPDX-License-Identifier: BSD-3-Clause
/* tool.h - the tools interface (MPI_T_*): control and performance variables, categories, events.
 *
 *     settings  core/setting.c ──────> control variables       cvar.c
 *     counters  p2p, via, libobj ────> counters.c ──> performance variables, sessions    pvar.c
 *     all of it ─────────────────────> categories              category.c
 *     the clock ─────────────────────> a source, of no events  event.c
 *
 * Invariants: bind/ holds the library lock in all calls of this folder, at every level of threads,
 * and has checked that the interface is initialized.  Errors are codes MPI_T_ERR_... with words
 * (haft_err), never raised (MPI-5.0 15.3.10). */
#ifndef HAFT_TOOL_TOOL_H
#define HAFT_TOOL_TOOL_H

#include "libmpi/core/objects.h"
#include <stdbool.h>
#include <stdint.h>

/* true: MPI_T_init_thread was called more often than MPI_T_finalize. */
bool tool_up(void);

/* --- inside the folder ---------------------------------------------------------------------- */

/* The classes of the interface's own handles; open since the first MPI_T_init_thread. */
extern struct obj_class tool_enum_class, tool_cvar_class, tool_session_class, tool_pvar_class;

/* An enumeration: the words of one setting. */
struct tool_enum {
	struct obj o;
	int row; /* of the table of settings */
};

struct tool_cvar {
	struct obj o;
	int row; /* of the table of settings */
};

struct tool_session {
	struct obj o;
	struct tool_pvar *first; /* its handles */
};

/* A performance variable in a session.  Its value: sum, plus the count since `base' if it
 * runs. */
struct tool_pvar {
	struct obj o;
	struct tool_session *session; /* NULL: it is being freed with its session */
	struct tool_pvar *next, *prev;
	int row; /* of the table in counters.c */
	bool running;
	uint64_t sum, base;
};

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

/* The enumeration of a setting's words, or NULL. */
struct tool_enum *tool_enum_of(int row);

/* --- counters (counters.c) ------------------------------------------------------------------ */

enum tool_category {
	TOOL_SETTINGS,
	TOOL_MESSAGES,
	TOOL_TRANSPORT,
	TOOL_OBJECTS,
	TOOL_FILES,
	TOOL_CATEGORIES
};

/* A performance variable's facts; enum tool_source is counters.c's. */
struct tool_count {
	const char *name;
	int class; /* MPI_T_PVAR_CLASS_COUNTER: per session; all others: of the process */
	enum tool_category group;
	int source;
	size_t at;             /* where in the source it is */
	struct obj_class *cls; /* the class whose objects are counted, or NULL */
	const char *meaning;
};

extern const struct tool_count tool_counts[];
extern const int tool_ncounts;

/* The present value of a counter; 0 before MPI runs. */
uint64_t tool_count_now(const struct tool_count *c);

#endif
