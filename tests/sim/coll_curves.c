// SPDX-License-Identifier: BSD-3-Clause
/* coll_curves.c - a page of curves, SVG: for each collective and job the time of each algorithm by
 * its bytes, both on scales of powers of ten; below, constructors and the like by ranks.
 *
 *      thick    what the rules choose          grey, dashed    the lower bound */
#include "tests/sim/coll_makers.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define COLUMNS 5
#define CELLS   400
#define COLORS  8

/* Cases of one machine, job and call, in the order of their bytes. */
struct cell {
	const struct coll_case *first;
	double low, high; /* log10 of ns */
};

static const char *const colors[COLORS] = {
	"#1f77b4", "#d62728", "#2ca02c", "#9467bd", "#ff7f0e", "#8c564b", "#17becf", "#e377c2"};

static bool same_cell(const struct coll_case *a, const struct coll_case *b)
{
	return a->m == b->m && a->call.kind == b->call.kind && a->shape.ranks == b->shape.ranks &&
	       a->shape.hosts == b->shape.hosts && a->shape.cyclic == b->shape.cyclic &&
	       a->call.blocking == b->call.blocking && a->call.floats == b->call.floats;
}

static double x_of(double bytes)
{
	return PLOT_X + PLOT_W * log2(bytes / 8) / 21;
}

static double y_of(const struct cell *c, double ns)
{
	return PLOT_Y + PLOT_H * (c->high - log10(ns)) / (c->high - c->low);
}

static void cell_scale(struct cell *c, const struct coll_case *end)
{
	c->low = INFINITY;
	c->high = -INFINITY;
	for (const struct coll_case *k = c->first; k < end; k++) {
		if (!same_cell(k, c->first))
			continue;
		c->low = fmin(c->low, floor(log10(k->bound)));
		for (int i = 0; i < k->nrows; i++)
			if (!isinf(k->rows[i].time))
				c->high = fmax(c->high, ceil(log10(k->rows[i].time)));
	}
}

/* The time of an algorithm in a case; INFINITY: none.  NULL: the bound; "": the chosen one. */
static double time_in(const struct coll_case *k, const char *name)
{
	if (name == NULL)
		return k->bound;
	for (int i = 0; i < k->nrows; i++)
		if (*name == '\0' ? k->rows[i].chosen : strcmp(k->rows[i].name, name) == 0)
			return k->rows[i].time;
	return INFINITY;
}

static void curve(FILE *f, const struct cell *c, const struct coll_case *end, const char *name,
	const char *style)
{
	double x = 0, y = 0;

	fprintf(f, "<polyline fill='none' %s points='", style);
	for (const struct coll_case *k = c->first; k < end; k++) {
		double t = time_in(k, name);

		if (!same_cell(k, c->first) || isinf(t))
			continue;
		x = x_of((double)k->call.bytes);
		y = y_of(c, t);
		fprintf(f, "%.1f,%.1f ", x, y);
	}
	fprintf(f, "'/>\n");
	if (name != NULL && *name != '\0' && x > 0)
		fprintf(f, "<text x='%.1f' y='%.1f' font-size='8' %s stroke='none'>%s</text>\n",
			x + 3, y + 3, strstr(style, "fill-opacity"), name);
}

static void cell_axes(FILE *f, const struct cell *c)
{
	const struct coll_case *k = c->first;

	fprintf(f, "<text x='%d' y='16' font-size='11' font-weight='bold'>%s</text>\n", PLOT_X,
		coll_kind_name(k->call.kind));
	fprintf(f, "<text x='%d' y='28' font-size='9'>%d ranks, %d hosts%s, %s%s</text>\n", PLOT_X,
		k->shape.ranks, k->shape.hosts, k->shape.cyclic ? " cyclic" : "", k->m->name,
		k->call.floats     ? ", doubles"
		: k->call.blocking ? ", blocking"
				   : ", request");
	fprintf(f, "<rect x='%d' y='%d' width='%d' height='%d' fill='none' stroke='#999'/>\n",
		PLOT_X, PLOT_Y, PLOT_W, PLOT_H);
	for (double e = c->low; e <= c->high; e++)
		fprintf(f, "<text x='%d' y='%.1f' font-size='8' text-anchor='end'>%g us</text>\n",
			PLOT_X - 3, y_of(c, pow(10, e)) + 3, pow(10, e - 3));
	fprintf(f, "<text x='%d' y='%d' font-size='8'>8 B</text>", PLOT_X, CELL_H - 18);
	fprintf(f, "<text x='%.1f' y='%d' font-size='8'>8 KiB</text>", x_of(8192), CELL_H - 18);
	fprintf(f, "<text x='%.1f' y='%d' font-size='8'>16 MiB</text>\n", x_of(16 << 20),
		CELL_H - 18);
}

static void cell_draw(FILE *f, struct cell *c, const struct coll_case *end, int at)
{
	const char *names[CASE_ROWS];
	char style[160];
	int n = 0;

	cell_scale(c, end);
	fprintf(f, "<g transform='translate(%d %d)'>\n", at % COLUMNS * CELL_W,
		at / COLUMNS * CELL_H);
	cell_axes(f, c);
	curve(f, c, end, NULL, "stroke='#777' stroke-dasharray='4 3'");
	curve(f, c, end, "", "stroke='#000' stroke-opacity='0.25' stroke-width='6'");
	for (const struct coll_case *k = c->first; k < end; k++)
		for (int i = 0; i < k->nrows && same_cell(k, c->first); i++) {
			int j = 0;

			while (j < n && strcmp(names[j], k->rows[i].name) != 0)
				j++;
			if (j < n || n == CASE_ROWS)
				continue;
			names[n++] = k->rows[i].name;
			snprintf(style, sizeof(style), "stroke='%s' fill-opacity='1'",
				colors[j % COLORS]);
			curve(f, c, end, names[j], style);
		}
	fprintf(f, "</g>\n");
}

bool curves_write(const char *path, const struct coll_case *cases, int n,
	const struct maker_table *tables, int ntables)
{
	struct cell cells[CELLS];
	FILE *f = fopen(path, "we");
	int ncells = 0, top;

	if (f == NULL)
		return false;
	for (int i = 0; i < n && ncells < CELLS; i++) {
		int j = 0;

		while (j < ncells && !same_cell(cells[j].first, &cases[i]))
			j++;
		if (j == ncells && cases[i].call.kind != COLL_BARRIER)
			cells[ncells++].first = &cases[i];
	}
	top = (ncells + COLUMNS - 1) / COLUMNS * CELL_H;
	fprintf(f,
		"<svg xmlns='http://www.w3.org/2000/svg' width='%d' height='%d' "
		"font-family='sans-serif'>\n<rect width='100%%' height='100%%' fill='#fff'/>\n",
		COLUMNS * CELL_W, top + ntables * 2 * CELL_H);
	for (int i = 0; i < ncells; i++)
		cell_draw(f, &cells[i], cases + n, i);
	for (int i = 0; i < ntables; i++)
		top += makers_draw(f, &tables[i], top);
	fprintf(f, "</svg>\n");
	return fclose(f) == 0;
}
