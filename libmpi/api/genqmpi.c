// SPDX-License-Identifier: BSD-3-Clause
/* genqmpi.c - writes what tools need: haft/qmpi.h, and for each binding the two ends of the chain.
 *
 *     PMPI_Send ──> chain_MPI_Send ──> tools ──> QMPI_Send ──> the binding, without the chain
 *
 * libmpi/qmpi says how a binding tells which way a call is to go. */
#include "libmpi/api/gen.h"

#include <string.h>

#define CONTEXT "QMPI_Context context, int tool_id"

/* clang-format off */
static const char qmpi_head[] =
"/* SPDX-License-Identifier: BSD-3-Clause\n"
" * haft/qmpi.h - QMPI: several tools at once between a program and MPI; see haft-tools(7).\n"
" * Written by the generator in libmpi/api from its tables: change those, not this. */\n"
"#ifndef HAFT_QMPI_H_INCLUDED\n"
"#define HAFT_QMPI_H_INCLUDED\n"
"\n"
"#include <mpi-ext.h>\n"
"#include <mpi.h>\n"
"\n"
"#if defined(__cplusplus)\n"
"extern \"C\" {\n"
"#endif\n"
"#if defined(__GNUC__)\n"
"#pragma GCC visibility push(default)\n"
"#endif\n"
"\n"
"/* A call of the program on its way through the tools.  It is over when the call returns. */\n"
"struct haft_qmpi_call;\n"
"typedef struct QMPI_Context {\n"
"\tconst struct haft_qmpi_call *call;\n"
"} QMPI_Context;\n"
"\n"
"#define QMPI_MAX_TOOL_NAME_LENGTH 256 /* with its NUL */\n"
"\n"
"/* In a constructor of the tool.  init_function_ptr is called at the first call of MPI, once\n"
" * for each entry of the tool in QMPI_TOOL_LIST.  MPI_ERR_NAME: it has none there. */\n"
"int QMPI_Register_tool_name(const char *tool_name, void (*init_function_ptr)(int tool_id));\n"
"\n"
"/* The tool takes a function of MPI; in init_function_ptr only. */\n"
"int QMPI_Register_function(\n"
"\tint calling_tool_id, int function_enum, void (*function_ptr)(void));\n"
"\n"
"/* A pointer that the tool keeps, and gets back in its functions. */\n"
"int QMPI_Register_tool_storage(int tool_id, void *tool_storage);\n"
"int QMPI_Get_tool_storage(QMPI_Context context, int tool_id, void **storage);\n"
"\n"
"/* The function behind that of this tool, and the tool_id to call it with: 0 is MPI itself. */\n"
"int QMPI_Get_function(int calling_tool_id, int function_enum, void (**function_ptr)(void),\n"
"\tint *next_tool_id);\n"
"\n"
"/* Where the program goes on after its call, in C and in Fortran. */\n"
"int QMPI_Get_calling_address(QMPI_Context context, void **address);\n"
"\n"
"/* The functions; a number never changes. */\n"
"enum QMPI_Functions_enum {\n";
/* clang-format on */

static const char qmpi_tail[] = "\n"
				"#if defined(__GNUC__)\n"
				"#pragma GCC visibility pop\n"
				"#endif\n"
				"#if defined(__cplusplus)\n"
				"}\n"
				"#endif\n"
				"#endif\n";

/* "int QMPI_Send(QMPI_Context context, int tool_id, ...)"; close: the text after it. */
static void qmpi_prototype(FILE *out, const struct entry *e, const char *format, const char *close)
{
	char name[80];
	struct text t;

	text_clear(&t);
	snprintf(name, sizeof(name), format, e->name);
	text_signature(&t, e, name, CONTEXT);
	text_add(&t, "%s", close);
	text_write(&t, out);
}

void write_qmpi_h(FILE *out)
{
	struct entry e;

	fputs(qmpi_head, out);
	for (int i = 0; i < nqmpi; i++)
		fprintf(out, "\t%s = %d,\n", qmpi_rows[i].number, i);
	fprintf(out, "\tMPI_LAST_FUNC_T = %d\n};\n\n", nqmpi);
	fputs("/* MPI itself, whatever tools there are; context is the caller's, or {0}. */\n",
		out);
	for (bool more = entry_first(&e, -1); more; more = entry_next(&e, -1))
		if (qmpi_number(&e) != NULL)
			qmpi_prototype(out, &e, "Q%s", ";\n");
	fputs("\n/* Their types: those of a tool's functions. */\n", out);
	for (bool more = entry_first(&e, -1); more; more = entry_next(&e, -1)) {
		if (qmpi_number(&e) == NULL)
			continue;
		fputs("typedef ", out);
		qmpi_prototype(out, &e, "Q%s_t", ";\n");
	}
	fputs(qmpi_tail, out);
}

/* The call of the first tool: as the binding, but that further arguments are a va_list. */
static void chain_prototype(FILE *out, const struct entry *e, const char *close)
{
	char name[80];
	struct text t;

	text_clear(&t);
	snprintf(name, sizeof(name), "chain_%s", e->name);
	text_signature(&t, e, name, "");
	if (func_has(e->f, KIND_DOTS)) {
		t.n -= strlen("...)");
		text_add(&t, "va_list dots)");
	}
	text_add(&t, "%s", close);
	text_write(&t, out);
}

void qmpi_declare(FILE *out, const struct entry *e)
{
	if (qmpi_number(e) == NULL)
		return;
	fputs("\nBIND_COLD ", out);
	chain_prototype(out, e, ";\n");
}

static void chain_write(FILE *out, const struct entry *e)
{
	struct text t;

	chain_prototype(out, e, "\n{\n");
	fprintf(out, "\tstruct haft_qmpi_call call;\n\n\tqmpi_begin(&call, %s);\n", qmpi_number(e));
	if (func_has(e->f, KIND_DOTS))
		fputs("\tva_copy(call.dots, dots);\n\tcall.has_dots = true;\n", out);
	text_clear(&t);
	text_add(&t, "\treturn ((Q%s_t *)call.function)((QMPI_Context){&call}, call.tool", e->name);
	text_arguments(&t, e, ", ");
	text_add(&t, ");\n}\n");
	text_write(&t, out);
}

/* The program's further arguments are in the call; a tool that makes a call of its own gives them
 * itself. */
static void end_write_dots(FILE *out, const struct entry *e)
{
	struct text t;

	fprintf(out,
		"\tva_list dots;\n\tint ret;\n\n"
		"\tif (context.call != NULL && context.call->has_dots)\n"
		"\t\tva_copy(dots, *(va_list *)(uintptr_t)&context.call->dots);\n"
		"\telse\n\t\tva_start(dots, %s);\n",
		e->f->param[e->f->nparam - 2].name);
	text_clear(&t);
	text_add(&t, "\tret = %s(", e->f->engine);
	text_arguments(&t, e, "");
	text_add(&t, ", dots);\n\tva_end(dots);\n\treturn ret;\n");
	text_write(&t, out);
}

/* QMPI_x calls the binding's body, which the chapter's binding names. */
static void end_write(FILE *out, const struct entry *e)
{
	const char *body = binding_inner(e);
	struct text t;

	qmpi_prototype(out, e, "Q%s", "\n{\n");
	if (func_has(e->f, KIND_DOTS)) {
		end_write_dots(out, e);
	} else {
		text_clear(&t);
		text_add(&t, "\treturn %s%s(", body, e->name);
		text_arguments(&t, e, "");
		text_add(&t, ");\n");
		fprintf(out, "\tqmpi_end(context, HAFT_%s, %s);\n", e->name,
			makes_objects(e->f, true) ? "true" : "false");
		text_write(&t, out);
	}
	fprintf(out, "}\nstatic __typeof__(Q%s) own_%s __attribute__((alias(\"Q%s\")));\n", e->name,
		e->name, e->name);
}

static void own_write(FILE *out, int chapter)
{
	struct entry e;

	fprintf(out,
		"\nBIND_COLD void bind_qmpi_%s(qmpi_function **own);\n"
		"BIND_COLD void bind_qmpi_%s(qmpi_function **own)\n{\n",
		chapters[chapter].file, chapters[chapter].file);
	for (bool more = entry_first(&e, chapter); more; more = entry_next(&e, chapter))
		if (qmpi_number(&e) != NULL)
			fprintf(out, "\town[%s] = (qmpi_function *)own_%s;\n", qmpi_number(&e),
				e.name);
	fputs("}\n", out);
}

void write_qmpi(FILE *out, int chapter)
{
	struct entry e;

	fprintf(out,
		"// SPDX-License-Identifier: BSD-3-Clause\n"
		"/* Chapter %s for tools: chain_x calls the first one, QMPI_x is MPI itself.\n"
		" * Written by the generator in libmpi/api: change its tables, not this. */\n"
		"#define MPI_NO_DEPRECATED_WARNINGS\n"
		"#include \"libmpi/bind/binding.h\"\n"
		"#include \"libmpi/qmpi/qmpi.h\"\n"
		"#include \"names.h\"\n"
		"#include \"raw.h\"\n\n"
		"#pragma GCC diagnostic ignored \"-Wunused-parameter\"\n",
		chapters[chapter].number);
	for (bool more = entry_first(&e, chapter); more; more = entry_next(&e, chapter)) {
		struct text t;

		if (qmpi_number(&e) == NULL)
			continue;
		qmpi_declare(out, &e);
		text_clear(&t);
		text_prototype(&t, &e, binding_inner(&e));
		text_add(&t, ";\n");
		text_write(&t, out);
		chain_write(out, &e);
		end_write(out, &e);
	}
	own_write(out, chapter);
}

/* The two entries that need MPI's own functions; the rest of them is in libmpi/qmpi. */
static const char own_entries[] =
	"\nint QMPI_Register_tool_name(const char *tool_name, void (*init_function_ptr)(int))\n"
	"{\n"
	"\tqmpi_own_register(own_store);\n"
	"\treturn qmpi_tool_register(tool_name, init_function_ptr);\n"
	"}\n"
	"\nint QMPI_Get_function(\n"
	"\tint calling_tool_id, int function_enum, void (**function_ptr)(void), int *next_tool)\n"
	"{\n"
	"\tqmpi_own_register(own_store);\n"
	"\treturn qmpi_function_get(calling_tool_id, function_enum, function_ptr, next_tool);\n"
	"}\n";

void write_qmpi_own(FILE *out)
{
	fputs("// SPDX-License-Identifier: BSD-3-Clause\n"
	      "/* MPI's own functions for tools, and the two entries that need them.\n"
	      " * Written by the generator in libmpi/api: change its tables, not this. */\n"
	      "#include \"libmpi/qmpi/qmpi.h\"\n\n",
		out);
	for (int c = 0; c < nchapters; c++)
		fprintf(out, "void bind_qmpi_%s(qmpi_function **own);\n", chapters[c].file);
	fputs("\nstatic void own_store(qmpi_function **own)\n{\n", out);
	for (int c = 0; c < nchapters; c++)
		fprintf(out, "\tbind_qmpi_%s(own);\n", chapters[c].file);
	fputs("}\n", out);
	fputs(own_entries, out);
}
