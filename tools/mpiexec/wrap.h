// SPDX-License-Identifier: BSD-3-Clause
/* wrap.h - ranks that are started by a command: -wrap, -valgrind, -xterm.
 *
 *     -wrap=0,3-5 "valgrind --log-file=vg.%r"      rank 3: valgrind --log-file=vg.3 ./prog args */
#ifndef MPIEXEC_WRAP_H
#define MPIEXEC_WRAP_H

#include <stdbool.h>
#include <stddef.h>
#include "tools/mpiexec/job_plan.h"
#include "tools/mpiexec/pattern.h"

/* A command for ranks of the command line's programs. */
struct wrap {
	char *ranks; /* "0,3-5"; "": all */
	char **argv; /* words with patterns (pattern.h); ends with NULL */
};

/* The options, for `ranks' of a plan.  -xterm ends mpiexec if there is neither tmux nor a
 * desktop. */
void wrap_add(struct plan *p, const char *ranks, const char *command);
void wrap_add_xterm(struct plan *p, const char *ranks);

/* Once all options are read: -xterm with -gdb starts a gdb for each rank; a list that names a rank
 * which the job does not have ends mpiexec. */
void wrap_settle(struct plan *p);

/* Reads "3" or "3-5" at *s, of a good list, and steps over it and a comma.  False: there is no
 * more. */
bool ranks_next(const char **s, long *from, long *to);

/* True if `s' (len bytes) is a list of ranks "0,3-5"; ranks_have: it has that rank, or is "". */
bool ranks_good(const char *s, size_t len);
bool ranks_have(const char *ranks, int rank);

/* Ends mpiexec if a list of option `name' is wrong, or names a rank that the job does not have. */
void ranks_check(const char *name, const char *ranks, int n);

/* The program of a rank behind the last command that names it: *out, with argv, file and script of
 * its own.  False: none does, and nothing is made.  *why: NULL, or malloc'ed words: the command
 * cannot be run; *out is to be freed in any case. */
bool wrap_make(const struct plan *p, const struct app *a, const struct pattern_facts *f,
	struct app *out, char **why);
void wrap_free(struct app *a);

#endif
