// SPDX-License-Identifier: BSD-3-Clause
/* genh.c - writes the headers: mpi.h and mpi-ext.h for users, engine.h and names.h for the
 * library. */
#include "libmpi/api/gen.h"

#include <stdlib.h>
#include <string.h>

/* Around the declarations of a header for users; its include guard ends with them. */
#define C_BEGIN                                  \
	"#if defined(__cplusplus)\n"             \
	"extern \"C\" {\n"                       \
	"#endif\n"                               \
	"#if defined(__GNUC__)\n"                \
	"#pragma GCC visibility push(default)\n" \
	"#endif\n"
#define C_END                          \
	"#if defined(__GNUC__)\n"      \
	"#pragma GCC visibility pop\n" \
	"#endif\n"                     \
	"#if defined(__cplusplus)\n"   \
	"}\n"                          \
	"#endif\n"                     \
	"#endif\n"

static const char mpi_head[] =
	"/* SPDX-License-Identifier: BSD-3-Clause\n"
	" * mpi.h - MPI 5.0 with the standard ABI, version 1.0.\n"
	" * Written by the generator in libmpi/api from its tables: change those, not this. */\n"
	"#ifndef MPI_H_INCLUDED\n"
	"#define MPI_H_INCLUDED\n"
	"\n"
	"#include <stdint.h>\n"
	"\n" C_BEGIN "\n"
	"/* -DMPI_NO_DEPRECATED_WARNINGS keeps compilers quiet about old names. */\n"
	"#if defined(__GNUC__) && !defined(MPI_NO_DEPRECATED_WARNINGS)\n"
	"#define MPI_OLD_NAME(words) __attribute__((deprecated(words)))\n"
	"#else\n"
	"#define MPI_OLD_NAME(words)\n"
	"#endif\n";

static const char mpi_status[] = "\n"
				 "/* A status is eight ints; the last five are the library's. */\n"
				 "typedef struct MPI_Status {\n"
				 "\tint MPI_SOURCE;\n"
				 "\tint MPI_TAG;\n"
				 "\tint MPI_ERROR;\n"
				 "\tint MPI_internal[5];\n"
				 "} MPI_Status;\n"
				 "\n"
				 "/* A status of mpi_f08, as C sees it. */\n"
				 "typedef struct MPI_F08_status {\n"
				 "\tMPI_Fint MPI_SOURCE;\n"
				 "\tMPI_Fint MPI_TAG;\n"
				 "\tMPI_Fint MPI_ERROR;\n"
				 "\tMPI_Fint MPI_internal[5];\n"
				 "} MPI_F08_status;\n";

static const char mpi_tail[] =
	"\n"
	"/* The addresses of Fortran's MPI_STATUS_IGNORE and MPI_STATUSES_IGNORE. */\n"
	"extern MPI_Fint *MPI_F_STATUS_IGNORE, *MPI_F_STATUSES_IGNORE;\n"
	"extern MPI_F08_status *MPI_F08_STATUS_IGNORE, *MPI_F08_STATUSES_IGNORE;\n"
	"\n" C_END;

static const char ext_head[] =
	"/* SPDX-License-Identifier: BSD-3-Clause\n"
	" * mpi-ext.h - what this library has beyond MPI 5.0.\n"
	" * Written by the generator in libmpi/api from its tables: change those, not this. */\n"
	"#ifndef MPI_EXT_H_INCLUDED\n"
	"#define MPI_EXT_H_INCLUDED\n"
	"\n"
	"#include <mpi.h>\n"
	"\n" C_BEGIN;

static const char ext_tail[] = "\n" C_END;

static void types_write(FILE *out)
{
	fputs("\n/* handles */\n", out);
	for (int i = 0; i < NOCLASS; i++)
		fprintf(out, "typedef struct MPI_ABI_%s *%s;\n", classes[i].type + 4,
			classes[i].type);
	fputs("\n/* integers */\n", out);
#define ALIAS(name, type) fputs("typedef " type " " #name ";\n", out);
#define OPAQUE(name, object)
#include "libmpi/api/types.def"
#undef ALIAS
#undef OPAQUE
	fputs(mpi_status, out);
	fputs("\n/* the tools interface */\n", out);
#define ALIAS(name, type)
#define OPAQUE(name, object) fputs("typedef struct " #object " *" #name ";\n", out);
#include "libmpi/api/types.def"
#undef ALIAS
#undef OPAQUE
}

static void callback_write(FILE *out, const char *ret, const char *name, const char *args)
{
	struct text t;

	text_clear(&t);
	text_add(&t, "typedef %s %s(%s);", ret, name, args);
	text_write(&t, out);
	fputc('\n', out);
}

static void callbacks_write(FILE *out)
{
	fputs("\n/* functions of the user */\n", out);
#define CALLBACK(ret, name, args, f08_args, f08_lines) callback_write(out, #ret, #name, args);
#include "libmpi/api/callbacks.def"
#undef CALLBACK
	fputs("typedef MPI_Comm_errhandler_function MPI_Comm_errhandler_fn;\n"
	      "typedef MPI_Win_errhandler_function MPI_Win_errhandler_fn;\n"
	      "typedef MPI_File_errhandler_function MPI_File_errhandler_fn;\n",
		out);
}

static void constant_write(FILE *out, const char *type, const char *name, int value)
{
	if (strcmp(type, "int") == 0)
		fprintf(out, value < 0 ? "#define %s (%d)\n" : "#define %s %d\n", name, value);
	else
		fprintf(out, "#define %s ((%s)%d)\n", name, type, value);
}

/* The error classes of extensions, or all others. */
static void errors_write(FILE *out, bool extensions)
{
	fputs("\n/* error classes */\n", out);
	for (int i = 0; i < nerrors; i++)
		if ((errors[i].of == ERROR_OF_EXT) == extensions)
			constant_write(out, "int", errors[i].name, errors[i].value);
}

/* The classes of extensions without the X: the spelling of the next version of MPI. */
static void errors_later_write(FILE *out)
{
	for (int i = 0; i < nerrors; i++)
		if (errors[i].of == ERROR_OF_EXT)
			fprintf(out, "#define MPI_%s %s\n", errors[i].name + strlen("MPIX_"),
				errors[i].name);
}

static void constants_write(FILE *out)
{
	for (const struct constant *c = constants; c < constants + nconstants; c++) {
		switch (c->what) {
		case C_TITLE: fprintf(out, "\n/* %s */\n", c->name); break;
		case C_ROOM:
		case C_OFFSET:
		case C_ONLY:
		case C_CONST: constant_write(out, c->type, c->name, c->value); break;
		case C_HANDLE:
			constant_write(out, classes[c->class].type, c->name, c->value);
			break;
		case C_SAME: fprintf(out, "#define %s %s\n", c->name, c->type); break;
		case C_EXT:
		case C_LATER: break;
		}
	}
}

static void later_write(FILE *out)
{
	fputs("\n/* Functions of these names exist, too, for programs that look them up. */\n",
		out);
	for (const struct constant *c = constants; c < constants + nconstants; c++)
		if (c->what == C_LATER)
			constant_write(out, c->type, c->name, c->value);
}

static void prototype_write(FILE *out, const struct entry *e, const char *prefix)
{
	struct text t;

	text_clear(&t);
	text_prototype(&t, e, prefix);
	if (e->f->flags & (DEPRECATED | REMOVED))
		text_add(&t, " MPI_OLD_NAME(\"%s MPI\")",
			e->f->flags & REMOVED ? "removed from" : "deprecated in");
	text_add(&t, ";\n");
	text_write(&t, out);
}

static void prototypes_write(FILE *out, int chapter)
{
	struct entry e;

	for (bool more = entry_first(&e, chapter); more; more = entry_next(&e, chapter)) {
		prototype_write(out, &e, "");
		prototype_write(out, &e, "P");
	}
}

void write_mpi_h(FILE *out)
{
	fputs(mpi_head, out);
	types_write(out);
	callbacks_write(out);
	errors_write(out, false);
	constants_write(out);
	for (int c = 0; c < nchapters; c++) {
		if (chapter_extends(c))
			continue;
		fprintf(out, "\n/* chapter %s: %s */\n", chapters[c].number, chapters[c].title);
		prototypes_write(out, c);
	}
	later_write(out);
	fputs(mpi_tail, out);
}

void write_mpi_ext_h(FILE *out)
{
	fputs(ext_head, out);
	errors_write(out, true);
	errors_later_write(out);
	fputs("\n/* constants; programs ask by some whether functions are there */\n", out);
	for (const struct constant *c = constants; c < constants + nconstants; c++)
		if (c->what == C_EXT)
			constant_write(out, c->type, c->name, c->value);
	for (int c = 0; c < nchapters; c++) {
		if (!chapter_extends(c))
			continue;
		fprintf(out, "\n/* %s */\n", chapters[c].title);
		prototypes_write(out, c);
	}
	fputs(ext_tail, out);
}

/* The prototype that a row asks of its engine. */
static void engine_text(struct text *t, const struct entry *e)
{
	const struct func *f = e->f;
	char name[80];

	text_clear(t);
	snprintf(name, sizeof(name), "%s(", f->engine);
	text_declare(t, f->flags & RAW ? kinds[f->ret].small : kinds[f->ret].engine, name);
	for (int i = 0; i < f->nparam; i++) {
		const struct param *p = &f->param[i];

		text_add(t, i > 0 ? ", " : "");
		if (p->kind == KIND_DOTS)
			text_add(t, "va_list dots");
		else
			text_declare(t, f->flags & RAW ? declarator(e, p) : kinds[p->kind].engine,
				p->name);
	}
	if (f->flags & FORM)
		text_add(t, ", int large");
	text_add(t, f->nparam == 0 ? "void);\n" : ");\n");
}

/* true: an earlier row has the engine of f.  Such rows must have equal parameters. */
static bool engine_seen(const struct func *f)
{
	struct entry a = {.f = f}, b;
	struct text ta, tb;

	for (b.f = funcs, b.large = false; b.f < f; b.f++) {
		if (strcmp(b.f->engine, f->engine) != 0)
			continue;
		if (b.f->nparam != f->nparam) {
			engine_text(&ta, &a);
			engine_text(&tb, &b);
			fprintf(stderr, "gen: rows differ on an engine:\n%s%s", ta.s, tb.s);
			exit(1);
		}
		return true;
	}
	return false;
}

/* An array of handles that engines read one by one: %1$s is the object's name. */
static const char list_text[] =
	"\n"
	"/* Handles as the user gave them; element i, or NULL if it is not a valid handle. */\n"
	"struct haft_%1$ss {\n"
	"\tconst void *v;\n"
	"};\n"
	"\n"
	"static inline struct %1$s *haft_%1$s_at(struct haft_%1$ss a, int64_t i)\n"
	"{\n"
	"\treturn (struct %1$s *)obj_get(&haft_%1$s_class, ((const obj_h *)a.v)[i]);\n"
	"}\n";

/* One a class, however many kinds of such arrays there are. */
static void lists_write(FILE *out)
{
	bool seen[NOCLASS] = {false};

	for (int i = 0; i < KINDS; i++) {
		if (kinds[i].how != LIST || seen[kinds[i].class])
			continue;
		seen[kinds[i].class] = true;
		fprintf(out, list_text, classes[kinds[i].class].object);
	}
}

/* Declares the struct behind each class of handles: prototypes need no more of it. */
static void objects_write(FILE *out)
{
	for (int i = 0; i < NOCLASS; i++)
		if (classes[i].object != NULL)
			fprintf(out, "struct %s;\n", classes[i].object);
}

void write_engine_h(FILE *out)
{
	struct text t;

	fputs("// SPDX-License-Identifier: BSD-3-Clause\n"
	      "/* engine.h - the engine functions that the table names, as bind/ calls them.\n"
	      " * Written by the generator in libmpi/api: change its tables, not this. */\n"
	      "#ifndef HAFT_GEN_ENGINE_H\n"
	      "#define HAFT_GEN_ENGINE_H\n\n"
	      "#include \"libmpi/core/counts.h\"\n"
	      "#include \"libmpi/core/objects.h\"\n"
	      "#include <mpi-ext.h>\n"
	      "#include <mpi.h>\n\n",
		out);
	objects_write(out);
	lists_write(out);
	for (const struct func *f = funcs; f < funcs + nfuncs; f++) {
		struct entry e = {.f = f};

		if (!has_engine(f) || (f->flags & RAW) || engine_seen(f))
			continue;
		engine_text(&t, &e);
		fprintf(out, "\n/* %s%s, %s */\n", f->name, f->flags & BIG ? "[_c]" : "",
			f->section);
		text_write(&t, out);
	}
	fputs("\n#endif\n", out);
}

void write_raw_h(FILE *out)
{
	struct text t;

	fputs("// SPDX-License-Identifier: BSD-3-Clause\n"
	      "/* raw.h - functions of libmpi/bind that see the user's own types.\n"
	      " * Written by the generator in libmpi/api: change its tables, not this. */\n"
	      "#ifndef HAFT_GEN_RAW_H\n"
	      "#define HAFT_GEN_RAW_H\n\n"
	      "#include <mpi.h>\n#include <stdarg.h>\n\n",
		out);
	for (const struct constant *c = constants; c < constants + nconstants; c++)
		if (c->what == C_LATER)
			fprintf(out, "#undef %s\n", c->name);
	fputs("\n", out);
	for (const struct func *f = funcs; f < funcs + nfuncs; f++) {
		struct entry e = {.f = f};

		if (!has_engine(f) || !(f->flags & RAW) || engine_seen(f))
			continue;
		engine_text(&t, &e);
		text_write(&t, out);
	}
	fputs("\n#endif\n", out);
}

void write_names_h(FILE *out)
{
	struct entry e;

	fputs("// SPDX-License-Identifier: BSD-3-Clause\n"
	      "/* names.h - a number for each entry point.\n"
	      " * Written by the generator in libmpi/api: change its tables, not this. */\n"
	      "#ifndef HAFT_GEN_NAMES_H\n"
	      "#define HAFT_GEN_NAMES_H\n\n"
	      "enum haft_fn {\n\tHAFT_FN_NONE,\n",
		out);
	for (bool more = entry_first(&e, -1); more; more = entry_next(&e, -1))
		fprintf(out, "\tHAFT_%s,\n", e.name);
	fputs("\tHAFT_FNS\n};\n\n"
	      "/* \"MPI_Send\"; by enum haft_fn.  Pointers would be relocated in each process. */\n"
	      "#define BIND_FN_NAME 48\n"
	      "extern const char bind_fn_names[][BIND_FN_NAME];\n\n"
	      "/* Its errors are those of files; by enum haft_fn. */\n"
	      "extern const unsigned char haft_fn_files[];\n\n"
	      "#endif\n",
		out);
}

void write_names_c(FILE *out)
{
	struct entry e;

	fputs("// SPDX-License-Identifier: BSD-3-Clause\n"
	      "/* Written by the generator in libmpi/api: change its tables, not this. */\n"
	      "#include \"names.h\"\n\n"
	      "const char bind_fn_names[HAFT_FNS][BIND_FN_NAME] = {\n\t\"MPI\",\n",
		out);
	for (bool more = entry_first(&e, -1); more; more = entry_next(&e, -1))
		fprintf(out, "\t\"%s\",\n", e.name);
	fputs("};\n\nconst unsigned char haft_fn_files[HAFT_FNS] = {\n", out);
	for (bool more = entry_first(&e, -1); more; more = entry_next(&e, -1))
		if (e.f->flags & FILE_ERRORS)
			fprintf(out, "\t[HAFT_%s] = 1,\n", e.name);
	fputs("};\n", out);
}
