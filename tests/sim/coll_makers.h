// SPDX-License-Identifier: BSD-3-Clause
/* coll_makers.h - calls that consist of several collective calls, in simulated time: constructors
 * of communicators, files; and the processes of mpiexec at a start. */
#ifndef HAFT_TESTS_SIM_COLL_MAKERS_H
#define HAFT_TESTS_SIM_COLL_MAKERS_H

#include "tests/sim/coll_cases.h"
#include <stdio.h>

#define MAKERS 10

/* A cell on the page of curves, and its plot: pixels. */
enum { CELL_W = 300, CELL_H = 210, PLOT_X = 46, PLOT_Y = 34, PLOT_W = 184, PLOT_H = 146 };

/* Times of all makers in these jobs: [makers][shapes], ns; INFINITY: more steps than
 * case_steps_max. */
struct maker_table {
	const struct machine *m;
	const struct plan_shape *shapes;
	int nshapes;
	double *ns, *messages;
};

const char *maker_name(int maker);

/* Makes the table, whose arrays the caller frees. */
struct maker_table makers_run(
	const struct machine *m, const struct plan_shape *shapes, int nshapes);

/* A line for each maker and shape. */
void makers_print(FILE *f, const struct maker_table *t);

/* Writes curves of cases and of such tables: coll_curves.c.  False: cannot. */
bool curves_write(const char *path, const struct coll_case *cases, int n,
	const struct maker_table *tables, int ntables);

/* Draws the table as curves, a line of cells `top' below the page's edge.  Returns its height. */
int makers_draw(FILE *f, const struct maker_table *t, int top);

#endif
