// SPDX-License-Identifier: BSD-3-Clause
/* genman.c - writes the man pages of section 3: one a row, and one that points to it for the _c
 * form. */
#include "libmpi/api/gen.h"

#include <stdlib.h>
#include <string.h>

static FILE *page_open(const char *dir, const char *name)
{
	char path[4096];
	FILE *f;

	if (snprintf(path, sizeof(path), "%s/%s.3", dir, name) >= (int)sizeof(path))
		exit(1);
	f = fopen(path, "w");
	if (f == NULL) {
		perror(path);
		exit(1);
	}
	return f;
}

static void page_close(FILE *f)
{
	if (ferror(f) || fclose(f) != 0) {
		perror("gen: man page");
		exit(1);
	}
}

/* What a row can raise by the kinds of its parameters, one class a line. */
static void errors_write(FILE *out, const struct func *f)
{
	bool seen[NOCLASS + 1] = {false};

	fputs(".SH ERRORS\n", out);
	if (f->flags & TOOL) {
		fputs("Returns MPI_SUCCESS or an error code of the tools interface; no error "
		      "handler "
		      "is called.\n",
			out);
		return;
	}
	if (kinds[f->ret].how != PASS || strcmp(kinds[f->ret].small, "int %") != 0) {
		fputs("None is returned.\n", out);
		return;
	}
	fputs("Returns MPI_SUCCESS or an error class, after the error handler was called. Found by "
	      "the checks of the arguments:\n",
		out);
	for (int i = 0; i < f->nparam; i++) {
		enum class_id c = kinds[f->param[i].kind].class;

		if (c == NOCLASS || seen[c] || kinds[f->param[i].kind].how == OBJ_NEW)
			continue;
		seen[c] = true;
		fprintf(out, ".TP\n.B %s\n%s is not a valid %s.\n", classes[c].error,
			f->param[i].name, classes[c].words);
	}
	if (!(f->flags & ANYTIME))
		fputs(".TP\n.B MPI_ERR_OTHER\nMPI is not initialized, or finalized.\n", out);
	if (!has_engine(f))
		fputs(".TP\n.B MPI_ERR_UNSUPPORTED_OPERATION\nAlways: this version does not have "
		      "it "
		      "yet.\n",
			out);
}

static void synopsis_write(FILE *out, struct entry *e)
{
	struct text t;

	fputs(".SH SYNOPSIS\n.nf\n#include <mpi.h>\n\n", out);
	do {
		text_clear(&t);
		text_prototype(&t, e, "");
		text_add(&t, ";\n");
		text_write(&t, out);
		if (e->large || !(e->f->flags & BIG))
			break;
		e->large = true;
		snprintf(e->name, sizeof(e->name), "%s_c", e->f->name);
	} while (1);
	fputs(".fi\n", out);
}

static void parameters_write(FILE *out, const struct func *f)
{
	static const char *const dirs[] = {"in", "out", "in and out"};

	if (f->nparam == 0)
		return;
	fputs(".SH PARAMETERS\n", out);
	for (int i = 0; i < f->nparam; i++) {
		const struct param *p = &f->param[i];

		fprintf(out, ".TP\n.IR %s \" (%s)\"\n", p->name, dirs[p->dir]);
		if (p->text[0] != '\0')
			fprintf(out, "%s: %s.\n", p->text, kinds[p->kind].words);
		else
			fprintf(out, "%s.\n", kinds[p->kind].words);
	}
}

/* The pages of the same chapter and section are the neighbours. */
static void see_also_write(FILE *out, const struct func *f)
{
	int n = 0;

	fputs(".SH SEE ALSO\n", out);
	for (const struct func *g = funcs; g < funcs + nfuncs && n < 8; g++) {
		if (g == f || g->chapter != f->chapter || strcmp(g->section, f->section) != 0)
			continue;
		fprintf(out, "%s.BR %s (3)", n > 0 ? ",\n" : "", g->name);
		n++;
	}
	fprintf(out, "%sMPI-5.0, section %s.\n", n > 0 ? ".\n" : "", f->section);
}

void write_man(const char *dir)
{
	for (const struct func *f = funcs; f < funcs + nfuncs; f++) {
		struct entry e = {.f = f};
		FILE *out = page_open(dir, f->name);

		snprintf(e.name, sizeof(e.name), "%s", f->name);
		fprintf(out, ".TH %s 3 \"\" \"Haft\" \"MPI 5.0\"\n.SH NAME\n%s", f->name, f->name);
		if (f->flags & BIG)
			fprintf(out, ", %s_c", f->name);
		fprintf(out, " \\- %s%s\n", chapters[f->chapter].title,
			f->flags & REMOVED      ? " (removed from MPI)"
			: f->flags & DEPRECATED ? " (deprecated)"
						: "");
		synopsis_write(out, &e);
		parameters_write(out, f);
		errors_write(out, f);
		see_also_write(out, f);
		page_close(out);
		if (!(f->flags & BIG))
			continue;
		out = page_open(dir, e.name);
		fprintf(out, ".so man3/%s.3\n", f->name);
		page_close(out);
	}
}
