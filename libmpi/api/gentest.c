// SPDX-License-Identifier: BSD-3-Clause
/* gentest.c - writes test programs that hold the product against the whole table. */
#include "libmpi/api/gen.h"

#include <string.h>

/* A program that does not compile if a constant has another value or type than its row says. */
void write_abi_test(FILE *out)
{
	fputs("// SPDX-License-Identifier: BSD-3-Clause\n"
	      "/* Written by the generator in libmpi/api. */\n"
	      "#include <mpi-ext.h>\n"
	      "#include <mpi.h>\n"
	      "#include <assert.h>\n"
	      "#include <stdio.h>\n\n"
	      "#define IS(name, type, value)                                                     "
	      "\\\n"
	      "\tstatic_assert((long)(name) == (value), #name);                             \\\n"
	      "\tstatic_assert(_Generic((name), type: 1, default: 0), #name)\n\n",
		out);
	for (int i = 0; i < nerrors; i++)
		fprintf(out, "IS(%s, int, %d);\n", errors[i].name, errors[i].value);
	for (const struct constant *c = constants; c < constants + nconstants; c++) {
		if (c->what == C_CONST || c->what == C_OFFSET || c->what == C_ONLY ||
			c->what == C_EXT || c->what == C_LATER)
			fprintf(out, "IS(%s, %s, %d);\n", c->name, c->type, c->value);
		else if (c->what == C_HANDLE)
			fprintf(out, "IS(%s, %s, %d);\n", c->name, classes[c->class].type,
				c->value);
		else if (c->what == C_SAME)
			fprintf(out, "static_assert(%s == %s, \"%s\");\n", c->name, c->type,
				c->name);
	}
	fputs("\nint main(void)\n{\n\tputs(\"all constants have the values of the table\");\n"
	      "\treturn 0;\n}\n",
		out);
}

/* A program that calls every function without an engine and expects to be told so by its name.
 * tests/abi/unsupported.h has the rest of it. */
void write_none_test(FILE *out)
{
	struct entry e;

	fputs("// SPDX-License-Identifier: BSD-3-Clause\n"
	      "/* Written by the generator in libmpi/api. */\n"
	      "#define MPI_NO_DEPRECATED_WARNINGS\n"
	      "#include <mpi-ext.h>\n"
	      "#include \"tests/abi/unsupported.h\"\n",
		out);
	for (bool more = entry_first(&e, -1); more; more = entry_next(&e, -1)) {
		if (has_engine(e.f) || e.f->ret != KIND_INT)
			continue;
		fprintf(out, "\nstatic int call_%s(void)\n{\n\treturn %s(", e.name, e.name);
		for (int i = 0; i < e.f->nparam; i++)
			fputs(i > 0 ? ", 0" : "0", out);
		fputs(");\n}\n", out);
	}
	fputs("\nconst struct none_case none_cases[] = {\n", out);
	for (bool more = entry_first(&e, -1); more; more = entry_next(&e, -1))
		if (!has_engine(e.f) && e.f->ret == KIND_INT)
			fprintf(out, "\t{\"%s\", call_%s},\n", e.name, e.name);
	fputs("\t{0, 0}};\n", out);
}

static const struct kind *param_kind(const struct param *p)
{
	return &kinds[p->kind];
}

/* A handle by itself, which the function looks up whatever its other arguments are. */
static bool lone_handle(const struct param *p)
{
	enum how how = param_kind(p)->how;

	return p->when == WHEN_ALWAYS && (how == OBJ || how == OBJ_COUNTED || how == OBJ_NULL ||
						 how == OBJ_VAR || how == OBJ_VAR_NULL);
}

static bool takes_handle(const struct entry *e)
{
	if (!has_engine(e->f) || e->f->ret != KIND_INT || (e->f->flags & (RAW | TOOL)) != 0)
		return false;
	for (int i = 0; i < e->f->nparam; i++)
		if (lone_handle(&e->f->param[i]))
			return true;
	return false;
}

static void garbage_call(FILE *out, const struct entry *e)
{
	fprintf(out, "\nstatic int call_%s(void *garbage)\n{\n", e->name);
	for (int i = 0; i < e->f->nparam; i++)
		if (lone_handle(&e->f->param[i]))
			fprintf(out, "\t%s h%d = (%s)garbage;\n",
				classes[param_kind(&e->f->param[i])->class].type, i,
				classes[param_kind(&e->f->param[i])->class].type);
	fprintf(out, "\n\treturn %s(", e->name);
	for (int i = 0; i < e->f->nparam; i++) {
		enum how how = param_kind(&e->f->param[i])->how;

		fputs(i > 0 ? ", " : "", out);
		if (!lone_handle(&e->f->param[i]))
			fputs("0", out);
		else
			fprintf(out, "%sh%d", how == OBJ_VAR || how == OBJ_VAR_NULL ? "&" : "", i);
	}
	fputs(");\n}\n", out);
}

/* A program that calls every function that has an engine and takes a handle, with a value that is
 * none.  tests/abi/garbage_handles.h has the rest of it. */
void write_garbage_test(FILE *out)
{
	struct entry e;

	fputs("// SPDX-License-Identifier: BSD-3-Clause\n"
	      "/* Written by the generator in libmpi/api. */\n"
	      "#define MPI_NO_DEPRECATED_WARNINGS\n"
	      "#include <mpi-ext.h>\n"
	      "#include \"tests/abi/garbage_handles.h\"\n",
		out);
	for (bool more = entry_first(&e, -1); more; more = entry_next(&e, -1))
		if (takes_handle(&e))
			garbage_call(out, &e);
	fputs("\nconst struct garbage_case garbage_cases[] = {\n", out);
	for (bool more = entry_first(&e, -1); more; more = entry_next(&e, -1))
		if (takes_handle(&e))
			fprintf(out, "\t{\"%s\", call_%s},\n", e.name, e.name);
	fputs("\t{0, 0}};\n", out);
}

/* --- a profiling library that counts calls --------------------------------------------------- */

/* Functions that libmpi/prof counts as well: those whose bindings enter by the gate. */
static bool counted(const struct entry *e)
{
	return has_engine(e->f) && e->f->ret == KIND_INT && (e->f->flags & RAW) == 0 &&
	       (e->f->flags & (READ | ANYTIME)) != (READ | ANYTIME);
}

/* tests/tools/profile_count.h has the rest of it. */
void write_count_test(FILE *out)
{
	struct entry e;
	struct text t;

	fputs("// SPDX-License-Identifier: BSD-3-Clause\n"
	      "/* Written by the generator in libmpi/api. */\n"
	      "#define MPI_NO_DEPRECATED_WARNINGS\n"
	      "#include <mpi-ext.h>\n"
	      "#include \"tests/tools/profile_count.h\"\n",
		out);
	for (bool more = entry_first(&e, -1); more; more = entry_next(&e, -1)) {
		if (!counted(&e))
			continue;
		text_clear(&t);
		text_prototype(&t, &e, "");
		fputc('\n', out);
		text_write(&t, out);
		fprintf(out,
			"\n{\n\tstatic struct count c = {\"%s\", 0, NULL};\n\n"
			"\tcount_call(&c);\n\treturn P%s(",
			e.name, e.name);
		for (int i = 0; i < e.f->nparam; i++)
			fprintf(out, "%s%s", i > 0 ? ", " : "", e.f->param[i].name);
		fputs(");\n}\n", out);
	}
}

/* A tool that counts calls: tests/tools/qmpi_count.h has the rest of it. */
void write_tool_test(FILE *out)
{
	struct entry e;
	struct text t;
	char name[80];

	fputs("// SPDX-License-Identifier: BSD-3-Clause\n"
	      "/* Written by the generator in libmpi/api. */\n"
	      "#define MPI_NO_DEPRECATED_WARNINGS\n"
	      "#include \"tests/tools/qmpi_count.h\"\n",
		out);
	for (bool more = entry_first(&e, -1); more; more = entry_next(&e, -1)) {
		if (!counted(&e))
			continue;
		text_clear(&t);
		snprintf(name, sizeof(name), "tool_%s", e.name);
		text_signature(&t, &e, name, "QMPI_Context context, int tool_id");
		fprintf(out, "\nNEXT(%s)\nstatic ", e.name);
		text_write(&t, out);
		fprintf(out, "\n{\n\tCOUNT(%s);\n", e.name);
		text_clear(&t);
		text_add(&t, "\treturn next_%s(context, id_%s", e.name, e.name);
		text_arguments(&t, &e, ", ");
		text_add(&t, ");\n}\n");
		text_write(&t, out);
	}
	fputs("\nstatic void tool_take(int id)\n{\n", out);
	for (bool more = entry_first(&e, -1); more; more = entry_next(&e, -1))
		if (counted(&e))
			fprintf(out, "\tTAKE(%s, %s);\n", e.name, qmpi_number(&e));
	fputs("}\n\nCOUNTER(TOOL, tool_take)\n", out);
}
