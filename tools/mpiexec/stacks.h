// SPDX-License-Identifier: BSD-3-Clause
/* stacks.h - the stacks that ranks have kept, as text with file and line.
 *
 *     struct stack_page (libmpi) ── stack_lines.c: addr2line ──> text ──┬── stack_report.c: the
 *                                    on the host of the rank            │   report of a hang
 *                                                                       └── the line of a death */
#ifndef HAFT_TOOLS_MPIEXEC_STACKS_H
#define HAFT_TOOLS_MPIEXEC_STACKS_H

#include "libmpi/core/stack_page.h"

struct job;
struct local_ranks;
struct marshal;

struct rank;
struct death;

#define STACK_TEXT 900 /* bytes of the text of a stack, with the final 0: a line of a report */
#define STACK_MS \
	2000 /* ms for all lines of a report; addresses that take longer are printed as
			 * module and offset.  Less than the silence of a host (SILENT_MS). */

/* --- stack_lines.c: on the host of the ranks -------------------------------------------------- */

/* The stacks of the ranks of this host that wait in MPI, by row: "MPI_Recv <- step (a.c:9)"; NULL:
 * not known.  malloc'ed, and so are the texts. */
char **stacks_here(struct local_ranks *c);

/* Where the rank of a row has crashed by `sig', "sum (a.c:17) <- main (a.c:40)"; NULL: it has not
 * said so.  malloc'ed. */
char *stack_crash(struct local_ranks *c, int row, int sig);

/* --- crash_lines.c: deaths by a signal -------------------------------------------------------- */

/* On the host of the rank of a row: sets d->where and d->core, malloc'ed or NULL, from the page of
 * the rank, d->pid and d->status; for SIGKILL d->core: was memory scarce?  (limits.h) */
void crash_describe(struct local_ranks *c, int row, struct death *d);

/* The entry takes over both texts of a death; crash_drop frees them. */
void crash_take(struct rank *k, const struct death *d);
void crash_drop(struct rank *k);

/* Prints the line of a rank that was killed by a signal. */
void crash_tell(struct job *j, int r, int status);

/* After the job: lines for the crashes that were not told, equal ones in one. */
void crash_others(struct job *j);

/* --- stack_report.c: of all ranks ------------------------------------------------------------- */

/* Prints the stacks of all ranks that wait, equal ones in one line: at once, or when all hosts
 * have answered. */
void stacks_say(struct job *j);

/* "ranks 0-2, 4: TEXT" for entry `first' and all that have its text, malloc'ed; NULL: an earlier
 * entry has the same one.  text[], by entry: NULL: none. */
char *stacks_line(const struct job *j, char *const text[], int n, int first);

/* The answers of hosts: by entry, malloc'ed text; then stacks_done.  stacks_end: no more will
 * come. */
void stack_take(int entry, char *text);
void stacks_done(struct job *j);
void stacks_end(struct job *j);

#endif
