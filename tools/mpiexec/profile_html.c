// SPDX-License-Identifier: BSD-3-Clause
/* profile_html.c - the profile as one page: no other file, no network, no date, so that
 * equal jobs make equal pages.
 *
 *     verdict
 *     a bar a rank        computing | moving data | waiting
 *     three matrices      waiting, bytes, messages: row is the rank, column its peer
 *     lines of source     a click on a heading sorts
 *     sizes               bars, with the eager limit */
#include "tools/mpiexec/profile.h"

#include <stdlib.h>
#include <string.h>
#include "tools/mpiexec/util.h"

#define BAR       560 /* pixels of the longest bar */
#define ROW       18
#define CELLS_MAX 128 /* rows of a matrix; more ranks share them in blocks */
#define SITES_MAX 500

static const char head[] =
	"<!doctype html><html lang=\"en\"><meta charset=\"utf-8\">\n<style>\n"
	"body{font:14px/1.45 system-ui,sans-serif;max-width:70rem;margin:2rem auto;padding:0 1rem;"
	"color:#1c2430;background:#fff}\n"
	"h1{font-size:1.3rem}h2{font-size:1rem;margin:2rem 0 .5rem}\n"
	".verdict{font-size:1.15rem;border-left:4px solid #c8553d;padding:.5rem "
	"1rem;background:#faf3f0}\n"
	"table{border-collapse:collapse;width:100%}td,th{padding:.2rem .5rem;text-align:right;"
	"border-bottom:1px solid #e4e8ee;font-variant-numeric:tabular-nums}\n"
	"th{cursor:pointer;background:#f4f6f9}td:first-child,th:first-child,td.w,th.w{text-align:"
	"left}\n"
	"svg text{font:12px system-ui,sans-serif;fill:#1c2430}.k{display:inline-block;width:.8em;"
	"height:.8em;margin:0 .3em 0 1em}\n"
	".c{fill:#4c8c6b}.m{fill:#3f6fb0}.q{fill:#c8553d}.flex{display:flex;gap:2rem;flex-wrap:"
	"wrap}\n"
	"</style>\n";

static const char script[] =
	"<script>\n"
	"document.querySelectorAll('th').forEach(function(h){h.onclick=function(){\n"
	" var "
	"t=h.closest('table'),i=h.cellIndex,b=t.tBodies[0],d=h.dataset.up=h.dataset.up?'':'1';\n"
	" function v(r){var c=r.cells[i];return "
	"c.dataset.v!==undefined?+c.dataset.v:c.textContent}\n"
	" Array.from(b.rows).sort(function(x,y){var a=v(x),c=v(y);\n"
	"  return (a<c?1:a>c?-1:0)*(d?1:-1)}).forEach(function(r){b.appendChild(r)})}});\n"
	"</script>\n";

/* A text of the program, with what HTML would read as its own. */
static void html_text(FILE *out, const char *s)
{
	for (; *s != '\0'; s++)
		switch (*s) {
		case '<': fputs("&lt;", out); break;
		case '>': fputs("&gt;", out); break;
		case '&': fputs("&amp;", out); break;
		case '"': fputs("&quot;", out); break;
		default: fputc(*s, out); break;
		}
}

static void html_bar(
	FILE *out, const char *class, double x, double w, int y, const char *what, double ns)
{
	char t[24];

	fprintf(out,
		"<rect class=\"%s\" x=\"%.1f\" y=\"%d\" width=\"%.1f\" height=\"%d\">"
		"<title>%s %s</title></rect>\n",
		class, x, y, w, ROW - 4, what, profile_time(ns, t));
}

static void html_ranks(const struct profile *p, FILE *out)
{
	double most = 1;

	for (int i = 0; i < p->n; i++)
		most = p->rank[i].wall > most ? p->rank[i].wall : most;
	fputs("<h2>Where the time goes<span class=\"k\" "
	      "style=\"background:#4c8c6b\"></span>computing"
	      "<span class=\"k\" style=\"background:#3f6fb0\"></span>moving data"
	      "<span class=\"k\" style=\"background:#c8553d\"></span>waiting</h2>\n",
		out);
	fprintf(out, "<svg width=\"%d\" height=\"%d\">\n", BAR + 420, p->n * ROW + 4);
	for (int i = 0; i < p->n; i++) {
		const struct profile_rank *r = &p->rank[i];
		double k = BAR / most, c = (r->wall - r->mpi) * k, m = (r->mpi - r->wait) * k;
		int y = i * ROW;
		char t[24];

		fprintf(out, "<text x=\"0\" y=\"%d\">rank %s</text>\n", y + ROW - 6, r->name);
		html_bar(out, "c", 80, c, y, "computing", r->wall - r->mpi);
		html_bar(out, "m", 80 + c, m, y, "moving data", r->mpi - r->wait);
		html_bar(out, "q", 80 + c + m, r->wait * k, y, "waiting", r->wait);
		if (r->behind >= 0)
			fprintf(out, "<text x=\"%d\" y=\"%d\">waited %s for rank %s%s</text>\n",
				BAR + 90, y + ROW - 6, profile_time(r->behind_ns, t),
				p->rank[r->behind].name, r->ended ? "" : "; has not ended MPI");
	}
	fputs("</svg>\n", out);
}

/* --- matrices --------------------------------------------------------------------------------- */

struct html_matrix {
	const struct profile *p;
	int n, block; /* rows; ranks in each */
	double *cell[3];
};

static void matrix_add(void *arg, int i, int j, const struct prof_peer *row)
{
	struct html_matrix *m = arg;
	size_t at = (size_t)(i / m->block) * (size_t)m->n + (size_t)(j / m->block);

	m->cell[0][at] += profile_waited(m->p, i, row);
	m->cell[1][at] += (double)row->bytes;
	m->cell[2][at] += (double)row->messages;
}

static const char *matrix_words(int which, double v, char s[24])
{
	if (which == 0)
		return profile_time(v, s);
	if (which == 1)
		return profile_bytes(v, s);
	snprintf(s, 24, "%.0f", v);
	return s;
}

static void html_matrix(const struct html_matrix *m, int which, FILE *out)
{
	static const char *const titles[] = {"waited (row for column)",
		"bytes (from row to column)", "messages (from row to column)"};
	static const char *const colours[] = {"#c8553d", "#3f6fb0", "#4c8c6b"};
	int px = m->n <= 16 ? 16 : m->n <= 64 ? 6 : 3;
	double most = 0;
	char s[24];

	for (int k = 0; k < m->n * m->n; k++)
		most = m->cell[which][k] > most ? m->cell[which][k] : most;
	fprintf(out,
		"<div><div>%s</div><svg width=\"%d\" height=\"%d\">"
		"<rect width=\"100%%\" height=\"100%%\" fill=\"#f4f6f9\"/>\n",
		titles[which], m->n * px, m->n * px);
	for (int i = 0; i < m->n; i++)
		for (int j = 0; j < m->n; j++) {
			double v = m->cell[which][i * m->n + j];

			if (v <= 0)
				continue;
			fprintf(out,
				"<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" "
				"fill=\"%s\" opacity=\"%.2f\"><title>%d, %d: %s</title></rect>\n",
				j * px, i * px, px, px, colours[which], 0.15 + 0.85 * v / most,
				i * m->block, j * m->block, matrix_words(which, v, s));
		}
	fprintf(out, "</svg><div>most: %s</div></div>\n", matrix_words(which, most, s));
}

static void html_matrices(const struct profile *p, FILE *out)
{
	struct html_matrix m = {.p = p, .block = (p->n + CELLS_MAX - 1) / CELLS_MAX};
	size_t cells;

	m.n = (p->n + m.block - 1) / m.block;
	cells = (size_t)m.n * (size_t)m.n;
	for (int k = 0; k < 3; k++) {
		m.cell[k] = mem_grow(NULL, cells, sizeof(double));
		memset(m.cell[k], 0, cells * sizeof(double));
	}
	profile_pairs(p, matrix_add, &m);
	fputs("<h2>Between the ranks</h2><div class=\"flex\">\n", out);
	for (int k = 0; k < 3; k++) {
		html_matrix(&m, k, out);
		free(m.cell[k]);
	}
	fputs("</div>\n", out);
}

/* --- tables ----------------------------------------------------------------------------------- */

static void html_cell(FILE *out, double v, const char *words)
{
	fprintf(out, "<td data-v=\"%.0f\">%s</td>", v, words);
}

static void html_site(const struct profile *p, const struct profile_site *s, FILE *out)
{
	char t[24];
	int most = 0;

	for (int k = 1; k < PROF_WHYS; k++)
		if (s->row.why[k] > s->row.why[most])
			most = k;
	fprintf(out, "<tr><td>%s</td>", profile_fn(s->fn));
	snprintf(t, sizeof(t), "%llu", (unsigned long long)s->row.n);
	html_cell(out, (double)s->row.n, t);
	html_cell(out, (double)s->row.ticks, profile_time((double)s->row.ticks, t));
	html_cell(out, (double)s->row.wait, profile_time((double)s->row.wait, t));
	html_cell(out, (double)s->row.longest, profile_time((double)s->row.longest, t));
	html_cell(out, (double)s->row.bytes, profile_bytes((double)s->row.bytes, t));
	fputs("<td class=\"w\">", out);
	html_text(out, s->path != NULL ? s->line : "elsewhere");
	fputs("</td><td class=\"w\">", out);
	if (s->row.wait > 0)
		fprintf(out, "%s%s%s", profile_why[most], s->culprit >= 0 ? ", rank " : "",
			s->culprit >= 0 ? p->rank[s->culprit].name : "");
	fputs("</td></tr>\n", out);
}

static void html_sites(const struct profile *p, FILE *out)
{
	fputs("<h2>Calls by line of source</h2>\n<table><thead><tr><th>call<th>n<th>time<th>waiting"
	      "<th>longest<th>bytes<th class=\"w\">where<th class=\"w\">why</tr></thead><tbody>\n",
		out);
	for (int i = 0; i < p->nsites && i < SITES_MAX; i++)
		html_site(p, &p->site[i], out);
	fputs("</tbody></table>\n", out);
}

/* The line between messages that are eager and those that are not. */
static void html_limit(FILE *out, int y)
{
	fprintf(out,
		"<line x1=\"0\" x2=\"%d\" y1=\"%d\" y2=\"%d\" stroke=\"#c8553d\" "
		"stroke-dasharray=\"4\"><title>eager above, rendezvous below</title></line>\n",
		BAR + 80, y, y);
}

static void html_sizes(const struct profile *p, FILE *out)
{
	static const char *const names[PROF_CLASSES] = {
		"Messages by size", "Collective calls by size", "One-sided accesses by size"};
	char size[24], eager[24];

	for (int c = 0; c < PROF_CLASSES; c++) {
		uint64_t most = 0;
		bool limit = false;
		int y = 0;

		for (int k = 0; k < PROF_SIZES; k++)
			most = p->size[c][k].n > most ? p->size[c][k].n : most;
		if (most == 0)
			continue;
		fprintf(out, "<h2>%s%s%s</h2><svg width=\"%d\" height=\"%d\">\n", names[c],
			c == PROF_P2P ? ", eager up to " : "",
			c == PROF_P2P ? profile_bytes((double)p->eager, eager) : "", BAR + 320,
			PROF_SIZES * ROW);
		for (int k = 0; k < PROF_SIZES; k++) {
			const struct prof_size *s = &p->size[c][k];
			double w = BAR * (double)s->n / (double)most;

			if (c == PROF_P2P && k > 0 && !limit && (1LL << (k - 1)) > p->eager) {
				html_limit(out, y);
				limit = true;
			}
			if (s->n == 0)
				continue;
			profile_bytes(k == 0 ? 0 : (double)(1ULL << (k - 1)), size);
			fprintf(out,
				"<text x=\"0\" y=\"%d\">%s%s</text><rect class=\"m\" x=\"80\" "
				"y=\"%d\" width=\"%.1f\" height=\"%d\"/><text x=\"%.1f\" "
				"y=\"%d\">%llu</text>\n",
				y + ROW - 6, k > 1 ? "from " : "", size, y, w, ROW - 4, 86 + w,
				y + ROW - 6, (unsigned long long)s->n);
			y += ROW;
		}
		fputs("</svg>\n", out);
	}
}

void profile_html(const struct profile *p, FILE *out)
{
	char words[512], t[24];

	profile_verdict(p, words, sizeof(words));
	fputs(head, out);
	fputs("<title>profile of ", out);
	html_text(out, p->program);
	fputs("</title>\n<h1>", out);
	html_text(out, p->program);
	fprintf(out, ": %d rank%s on %d host%s, %s</h1>\n<p class=\"verdict\">", p->n,
		p->n == 1 ? "" : "s", p->hosts, p->hosts > 1 ? "s" : "",
		profile_time(p->n > 0 ? p->wall / p->n : 0, t));
	html_text(out, words);
	fputs("</p>\n", out);
	if (p->n > 0) {
		html_ranks(p, out);
		html_matrices(p, out);
		html_sites(p, out);
		html_sizes(p, out);
	}
	fputs(script, out);
	fputs("</html>\n", out);
}
