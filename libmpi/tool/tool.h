// SPDX-License-Identifier: BSD-3-Clause
/* tool.h - the tools interface: what a debugger, a profiler or a tuner may ask and turn (MPI_T_*).
 *
 *     settings  core/setting.c ──────────> control variables       cvar.c
 *     counters  p2p, via, libobj ────> counters.c ──> performance variables, sessions    pvar.c
 *     all of it ─────────────────────> categories              category.c
 *     the clock ─────────────────────> a source, of no events  event.c
 *
 * Everything here runs under the library's lock, which bind/ takes for these calls at every level
 * of threads; bind/ has also seen to it that the interface is initialised. Errors are codes
 * MPI_T_ERR_... with words (haft_err), never raised (MPI-5.0 15.3.10). */
#ifndef HAFT_TOOL_TOOL_H
#define HAFT_TOOL_TOOL_H

#include "libmpi/core/objects.h"
#include <stdbool.h>
#include <stdint.h>

/* Has MPI_T_init_thread been called more often than MPI_T_finalize? */
bool tool_up(void);

/* --- inside the folder ---------------------------------------------------------------------- */

/* The classes of the interface's own handles; open since the first MPI_T_init_thread. */
extern struct obj_class tool_enum_class, tool_cvar_class, tool_session_class, tool_pvar_class;

/* Names of a variable's values: one for each setting that has words. */
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

/* A performance variable in a session.  What it shows: sum, and while it runs what has been
 * counted since `base', too. */
struct tool_pvar {
	struct obj o;
	struct tool_session *session; /* NULL: is being freed with it */
	struct tool_pvar *next, *prev;
	int row; /* of the table in counters.c */
	bool running;
	uint64_t sum, base;
};

/* Gives a string back as MPI-5.0 15.3.3 wants it: cut to fit into *len bytes, whose new value is
 * what the whole string takes.  buf and len may be NULL. */
void tool_text(const char *s, char *buf, int *len);

/* An answer that the user may not want. */
static inline void tool_tell(int *answer, int value)
{
	if (answer != NULL)
		*answer = value;
}

/* "what 7 is not in 0 to 4"; returns MPI_T_ERR_INVALID_INDEX. */
int tool_bad_index(const char *what, int index, int n);

/* Makes the enumerations; once.  0 or MPI_T_ERR_MEMORY. */
int tool_enums_open(void);

/* The enumeration of a setting's words, or NULL. */
struct tool_enum *tool_enum_of(int row);

/* --- what is counted (counters.c) ----------------------------------------------------------- */

enum tool_category { TOOL_SETTINGS, TOOL_MESSAGES, TOOL_TRANSPORT, TOOL_OBJECTS, TOOL_CATEGORIES };

/* A performance variable's facts; enum tool_source is counters.c's. */
struct tool_count {
	const char *name;
	int class; /* MPI_T_PVAR_CLASS_COUNTER: per session; all others are the process's */
	enum tool_category group;
	int source;
	size_t at;             /* where in the source it is */
	struct obj_class *cls; /* whose objects */
	const char *meaning;
};

extern const struct tool_count tool_counts[];
extern const int tool_ncounts;

/* What it is at this moment; 0 before MPI runs. */
uint64_t tool_count_now(const struct tool_count *c);

#endif
