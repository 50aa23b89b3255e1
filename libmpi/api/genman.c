// SPDX-License-Identifier: BSD-3-Clause
/* genman.c - writes the man pages of section 3: one a row, and one that points to it for the _c
 * form; and the page of the error classes. */
#include "libmpi/api/genfort.h"

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

static const char *tag_text(const char *error)
{
	static char text[80];

	snprintf(text, sizeof(text), ".TP\n.B %s\n", error);
	return text;
}

/* One error class with all that raises it. */
static void error_write(FILE *out, const struct func *f, const char *error)
{
	bool seen = false;

	for (int i = 0; i < f->nparam; i++) {
		const struct param *p = &f->param[i];
		const struct kind *k = &kinds[p->kind];

		if (k->class != NOCLASS && k->how != OBJ_NEW &&
			strcmp(classes[k->class].error, error) == 0) {
			fprintf(out, "%s%s is not a valid %s.\n", seen ? "" : tag_text(error),
				p->name, classes[k->class].words);
			seen = true;
		}
		for (int c = 0; c < nchecks; c++) {
			if (strcmp(checks[c].name, k->check) != 0 ||
				strcmp(checks[c].error, error) != 0)
				continue;
			fprintf(out, "%s%s %s.\n", seen ? "" : tag_text(error), p->name,
				checks[c].words);
			seen = true;
		}
	}
}

/* The errors that the operation finds. */
static void raises_write(FILE *out, const struct func *f)
{
	bool any = false;

	for (const struct raises *r = raises; r < raises + nraises; r++) {
		if (!row_of(r->function, f))
			continue;
		if (!any)
			fputs(".PP\nThe operation finds:\n", out);
		any = true;
		fprintf(out, "%s%s\n", tag_text(r->error), r->words);
	}
}

/* The errors that the kinds of its parameters can raise. */
static void errors_write(FILE *out, const struct func *f)
{
	fputs(".SH ERRORS\n", out);
	if (f->flags & TOOL) {
		fputs("Returns MPI_SUCCESS or an error code of the tools interface; no error "
		      "handler is called.\n",
			out);
		return;
	}
	if (f->ret != KIND_INT) {
		fputs("None is returned.\n", out);
		return;
	}
	fputs("Returns MPI_SUCCESS or an error class, after the error handler was called; "
	      "MPI_Error_string has the words, and\n.BR haft-errors (7)\nexplains the classes.  "
	      "The checks of the arguments find:\n",
		out);
	for (int i = 0; i < nerrors; i++)
		error_write(out, f, errors[i].name);
	if (!(f->flags & ANYTIME))
		fprintf(out, "%sMPI is not initialized, or finalized.\n",
			tag_text("MPI_ERR_OTHER"));
	if (!has_engine(f))
		fprintf(out, "%sThis version of the library does not have the function yet.\n",
			tag_text("MPI_ERR_UNSUPPORTED_OPERATION"));
	raises_write(out, f);
}

static void synopsis_write(FILE *out, struct entry *e)
{
	struct text t;

	fprintf(out, ".SH SYNOPSIS\n.nf\n#include <%s>\n\n",
		chapter_extends(e->f->chapter) ? "mpi-ext.h" : "mpi.h");
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
	fort_synopsis(out, e->f);
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
		fprintf(out, "%s (%s)\n", p->text, kinds[p->kind].words);
	}
}

static void remarks_write(FILE *out, const struct func *f)
{
	bool any = false;

	for (const struct remark *n = remarks; n < remarks + nremarks; n++) {
		if (!row_of(n->function, f))
			continue;
		fprintf(out, "%s%s\n", any ? ".PP\n" : ".SH NOTES\n", n->words);
		any = true;
	}
}

/* The page of its topic, and the pages of its section. */
static void see_also_write(FILE *out, const struct func *f)
{
	const char *topic = chapters[f->chapter].topic;
	int n = 0;

	fputs(".SH SEE ALSO\n", out);
	if (topic[0] != '\0') {
		fprintf(out, ".BR %s", topic);
		n++;
	}
	for (const struct func *g = funcs; g < funcs + nfuncs && n < 8; g++) {
		if (g == f || g->chapter != f->chapter || strcmp(g->section, f->section) != 0)
			continue;
		fprintf(out, "%s.BR %s (3)", n > 0 ? ",\n" : "", g->name);
		n++;
	}
	fputs(n > 0 ? ".\n" : "", out);
	if (chapter_extends(f->chapter))
		fputs("An extension: not in MPI 5.0.\n", out);
	else
		fprintf(out, "MPI-5.0, section %s.\n", f->section);
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
		fprintf(out, " \\- %s%s\n", f->brief,
			f->flags & REMOVED      ? " (removed from MPI)"
			: f->flags & DEPRECATED ? " (deprecated)"
						: "");
		synopsis_write(out, &e);
		parameters_write(out, f);
		remarks_write(out, f);
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

static void write_classes_example(FILE *out)
{
	fputs(".SH EXAMPLE\nThere is no rank 7 in a job of two:\n.PP\n.\\\" FILE rank.c\n.EX\n"
	      "#include <mpi.h>\n\nint main(int argc, char **argv)\n{\n\tint x = 1;\n\n"
	      "\tMPI_Init(&argc, &argv);\n"
	      "\tMPI_Send(&x, 1, MPI_INT, 7, 0, MPI_COMM_WORLD);\n"
	      "\tMPI_Finalize();\n}\n.EE\n.PP\n.\\\" RUN code: 6 prints: MPI_ERR_RANK\n.EX\n"
	      "mpicc rank.c \\-o rank\nmpiexec \\-n 2 ./rank\n.EE\n.PP\n"
	      "The exit code is 6, that of MPI_ERR_RANK.\n",
		out);
}

void write_classes_page(FILE *out)
{
	static const char *const titles[] = {[ERROR_OF_MPI] = "CLASSES OF MPI",
		[ERROR_OF_EXT] = "CLASSES OF MPI-EXT.H",
		[ERROR_OF_TOOL] = "CODES OF THE TOOLS INTERFACE"};

	fputs(".\\\" SPDX-License-Identifier: BSD-3-Clause\n"
	      ".\\\" Written by the generator in libmpi/api: change its tables, not this.\n"
	      ".TH HAFT-CLASSES 7 \"\" Haft \"Haft: MPI 5.0\"\n"
	      ".SH NAME\nhaft-classes \\- the error classes, their numbers and texts\n"
	      ".SH DESCRIPTION\n"
	      "MPI_Error_class gives the class of an error code; MPI_Error_string gives the words "
	      "of\n"
	      "the error, or, for the class alone, the text of this page.\n"
	      "A job that an error ends has the number of its class as exit code, modulo 256.\n",
		out);
	write_classes_example(out);
	for (int of = 0; of < (int)(sizeof(titles) / sizeof(titles[0])); of++) {
		fprintf(out, ".SH %s\n.nf\n", titles[of]);
		for (const struct error *e = errors; e < errors + nerrors; e++)
			if ((int)e->of == of)
				fprintf(out, "%5d  %-30s %s\n", e->value, e->name, e->text);
		fputs(".fi\n", out);
	}
	fputs(".SH SEE ALSO\n.BR haft-errors (7),\n.BR MPI_Error_string (3)\n", out);
}
