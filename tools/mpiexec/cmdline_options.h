// SPDX-License-Identifier: BSD-3-Clause
/* cmdline_options.h - the options of the command line: a table of rows, each with its function.
 *
 *     "-np 4" ──> option_find ──> row {names, values, kind, apply, field} ──> apply: plan, app
 *
 * cmdline.c walks over the words; options.c has the table; option_values.c reads values. */
#ifndef HAFT_TOOLS_MPIEXEC_CMDLINE_OPTIONS_H
#define HAFT_TOOLS_MPIEXEC_CMDLINE_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include "tools/mpiexec/job_plan.h"

struct option;

/* One use of an option: where it takes effect, its name as written, and its values. */
struct option_use {
	struct plan *plan;
	struct app *app;
	const struct option *o;
	const char *name; /* without dashes */
	const char *word; /* as written */
	char **v;         /* o->values words */
};

/* struct option.values: besides the number of words that follow. */
#define VALUE_MAY   (-1) /* -name, or -name=VALUE */
#define VALUE_RANKS (-2) /* -name WORD, or -name=RANKS WORD: v[0] is "" or RANKS, v[1] the word */

struct option {
	const char *names; /* without dashes, separated by blanks */
	int values;        /* words that follow it: 0 to 2, or VALUE_MAY */
	const char *kind;  /* the first value: struct option_view; if without effect: a hint */
	void (*apply)(const struct option_use *u);
	size_t field; /* set by apply: its place in struct plan or struct app ... */
	int value;    /* ... and for options without values, the value */
};

/* The row with this name of `len' characters; NULL: there is none. */
const struct option *option_find(const char *name, size_t len);

/* Options of other launchers: the job would be another one (refused), or nothing changes. */
bool option_refused(const struct option *o);
bool option_ignored(const struct option *o);

/* --- values.  A wrong one ends mpiexec with the option's name and the value. ------------------ */

/* True if the `len' characters at s are this word. */
bool option_word_is(const char *s, size_t len, const char *word);

/* Splits a line into words, which point into it.  Blanks separate them, '...' and "..." keep words
 * together, # starts a comment.  malloc'ed; ends with NULL. */
char **words_split(char *line, int *n);

/* A number of processes: 1 to SHM_RANKS_MAX. */
int option_number(const char *opt, const char *s);

/* How often: 0 or more. */
int option_times(const char *opt, const char *s);

/* A positive number of seconds; `name': of the option, or of the variable. */
double option_seconds(const char *name, const char *s);

/* A reader of stdin: a rank, STDIN_ALL or STDIN_NONE. */
int option_stdin(const char *opt, const char *s);

/* The value of HAFT_ERRHANDLER for an error handler's name; case does not matter. */
const char *option_errhandler(const char *s);

/* The value of HAFT_FT for Open MPI's words. */
const char *option_ft(const char *s);

/* The address of a name server, or the file that has it. */
const char *option_name_server(const char *opt, const char *s);

/* Values that set several fields of the plan. */
void option_bind(struct plan *p, const char *s);     /* -bind-to */
void option_map(struct plan *p, const char *s);      /* -map-by */
void option_ppr(struct plan *p, const char *s);      /* -ppr N:PART */
void option_launcher(struct plan *p, const char *s); /* -launcher */
void option_profile(struct plan *p, const char *where);
void option_trace(struct plan *p, const char *where);
void option_trace_room(struct plan *p, const char *s); /* bytes, or with K, M, G */
void option_trace_keep(struct plan *p, const char *s);
void option_tool(struct plan *p, const char *list); /* -tool */
void option_universe(struct plan *p, const char *name, const char *s);

#define UNIVERSE_AUTO  0    /* -usize is not given: the slots of the hosts */
#define UNIVERSE_NONE  (-1) /* MPI_UNIVERSE_SIZE is not set */
#define UNIVERSE_SLOTS (-2) /* the slots of the hosts, or the CPUs */

/* Records an option, or part of one, without effect: option_ignore for -v to report, option_without
 * as a line that is always printed.  They take the words. */
void option_ignore(struct plan *p, char *words);
void option_without(struct plan *p, char *line);

/* --- of cmdline.c ---------------------------------------------------------------------------- */

/* Appends a variable: NAME or NAME=VALUE without value, or NAME and its value. */
void settings_add(struct settings *s, const char *name, const char *value);

/* Appends KEY=VALUE to the text that becomes MPI_INFO_ENV. */
void info_add(struct app *a, const char *key, const char *value);

/* Adds the programs of a -configfile, one a line. */
void config_read(struct plan *p, const char *path);

#endif
