// SPDX-License-Identifier: BSD-3-Clause
/* gen.c - the tables in memory, and the text that all writers make of them.
 *
 *     *.def ──> rows (constant, a flat list) ── funcs_load ──> funcs, with their parameters */
#include "libmpi/api/gen.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(a) ((int)(sizeof(a) / sizeof((a)[0])))

/* clang-format off */
const struct kind kinds[] = {
#define KIND(id, small, large, engine, how, class, check, words) \
	{#id, small, large, engine, how, class, #check, words},
#include "libmpi/api/kinds.def"
#undef KIND
};

const struct fortran fortran[KINDS] = {
#define FORT(id, how, old, small, large, intent, shape) \
	[KIND_##id] = {how, {FORT_##old}, {FORT_##small}, {FORT_##large}, intent, shape},
#define FORT_TYPE_(type) FORT_TYPE, #type
#define FORT_CALLBACK_(interface) FORT_CALLBACK, #interface
#include "libmpi/api/fort.def"
#undef FORT
#undef FORT_TYPE_
#undef FORT_CALLBACK_
};

const struct class classes[] = {
#define CLASS(id, type, label, object, null, error, words) \
	{#id, #type, #label, #object, #null, #error, words},
#include "libmpi/api/classes.def"
#undef CLASS
};

const struct chapter chapters[] = {
#define CHAPTER(file, number, title, calls, topic) {#file, number, title, calls, topic},
#include "libmpi/api/chapters.def"
#undef CHAPTER
};

const struct when whens[] = {
#define WHEN(name, ranks, given) [WHEN_##name] = {#name, RANKS_##ranks, given},
#include "libmpi/api/whens.def"
#undef WHEN
};

const struct check checks[] = {
#define CHECK(name, error, role, words) {#name, #error, role, words},
#include "libmpi/api/checks.def"
#undef CHECK
};

const struct error errors[] = {
#define ERROR(name, value, text) {#name, text, value, ERROR_OF_MPI},
#define ERROR_TOOL(name, value, text) {#name, text, value, ERROR_OF_TOOL},
#define ERROR_EXT(name, value, text) {#name, text, value, ERROR_OF_EXT},
#include "libmpi/api/errors.def"
#undef ERROR
#undef ERROR_TOOL
#undef ERROR_EXT
};

const struct constant constants[] = {
#define TITLE(words) {C_TITLE, words, "", 0, NOCLASS},
#define CONST(type, name, value) {C_CONST, #name, #type, value, NOCLASS},
#define CONST_OFFSET(type, name, value) {C_OFFSET, #name, #type, value, NOCLASS},
#define CONST_C(type, name, value) {C_ONLY, #name, #type, value, NOCLASS},
#define CONST_EXT(type, name, value) {C_EXT, #name, #type, value, NOCLASS},
#define ROOM(name, value) {C_ROOM, #name, "int", value, NOCLASS},
#define HANDLE(class, name, value) {C_HANDLE, #name, "", value, CLASS_##class},
#define SAME(name, other) {C_SAME, #name, #other, 0, NOCLASS},
#define LATER(type, name, value) {C_LATER, #name, #type, value, NOCLASS},
#include "libmpi/api/const.def"
#undef TITLE
#undef CONST
#undef CONST_OFFSET
#undef CONST_C
#undef CONST_EXT
#undef ROOM
#undef HANDLE
#undef SAME
#undef LATER
};

/* The rows of all chapters in a flat list: a function, then its parameters. */
static const struct row {
	bool is_func;
	int kind; /* of the parameter, or of the returned value */
	unsigned flags;
	enum dir dir;
	enum when_id when;
	const char *name, *section, *engine, *text;
	const char *chapter;
} rows[] = {
#define FUNC(name, section, ret, engine, flags, brief) \
	{true, KIND_##ret, flags, IN, WHEN_ALWAYS, #name, #section, #engine, brief, CHAPTER_FILE},
#define P(dir, kind, name, text) \
	{false, KIND_##kind, 0, dir, WHEN_ALWAYS, #name, NULL, NULL, text, NULL},
#define P_IF(when, dir, kind, name, text) \
	{false, KIND_##kind, 0, dir, WHEN_##when, #name, NULL, NULL, text, NULL},
#define CHAPTER_FILE "p2p"
#include "libmpi/api/p2p.def"
#undef CHAPTER_FILE
#define CHAPTER_FILE "part"
#include "libmpi/api/part.def"
#undef CHAPTER_FILE
#define CHAPTER_FILE "type"
#include "libmpi/api/type.def"
#undef CHAPTER_FILE
#define CHAPTER_FILE "coll"
#include "libmpi/api/coll.def"
#undef CHAPTER_FILE
#define CHAPTER_FILE "comm"
#include "libmpi/api/comm.def"
#undef CHAPTER_FILE
#define CHAPTER_FILE "topo"
#include "libmpi/api/topo.def"
#undef CHAPTER_FILE
#define CHAPTER_FILE "env"
#include "libmpi/api/env.def"
#undef CHAPTER_FILE
#define CHAPTER_FILE "info"
#include "libmpi/api/info.def"
#undef CHAPTER_FILE
#define CHAPTER_FILE "dyn"
#include "libmpi/api/dyn.def"
#undef CHAPTER_FILE
#define CHAPTER_FILE "rma"
#include "libmpi/api/rma.def"
#undef CHAPTER_FILE
#define CHAPTER_FILE "ext"
#include "libmpi/api/ext.def"
#undef CHAPTER_FILE
#define CHAPTER_FILE "io"
#include "libmpi/api/io.def"
#undef CHAPTER_FILE
#define CHAPTER_FILE "tool"
#include "libmpi/api/tool.def"
#undef CHAPTER_FILE
#define CHAPTER_FILE "old"
#include "libmpi/api/old.def"
#undef CHAPTER_FILE
#define CHAPTER_FILE "lang"
#include "libmpi/api/lang.def"
#undef CHAPTER_FILE
#define CHAPTER_FILE "abi"
#include "libmpi/api/abi.def"
#undef CHAPTER_FILE
#define CHAPTER_FILE "ft"
#include "libmpi/api/ft.def"
};
/* clang-format on */

struct func *funcs;
int nfuncs;
const struct raises raises[] = {
#define RAISES(function, error, words) {function, #error, words},
#include "libmpi/api/raises.def"
#undef RAISES
};
const struct remark remarks[] = {
#define REMARK(function, words) {function, words},
#include "libmpi/api/remarks.def"
#undef REMARK
};
const struct qmpi_row qmpi_rows[] = {
#define QMPI(function, number) {#function, #number},
#include "libmpi/api/qmpi.def"
#undef QMPI
};
int nchecks = COUNT(checks), nraises = COUNT(raises), nremarks = COUNT(remarks),
    nchapters = COUNT(chapters), nerrors = COUNT(errors), nconstants = COUNT(constants),
    nqmpi = COUNT(qmpi_rows);

static void gen_die(const char *what, const char *name)
{
	fprintf(stderr, "gen: %s: %s\n", what, name);
	exit(1);
}

int chapter_find(const char *file)
{
	for (int i = 0; i < nchapters; i++)
		if (strcmp(chapters[i].file, file) == 0)
			return i;
	gen_die("no such chapter", file);
	return -1;
}

bool chapter_extends(int chapter)
{
	return chapters[chapter].number[0] == '\0';
}

enum check_role check_role_of(const struct kind *k)
{
	for (int i = 0; i < nchecks; i++)
		if (strcmp(checks[i].name, k->check) == 0)
			return checks[i].role;
	return CHECK_ALONE;
}

/* The checks of ranks and roots look at the communicator: it must be there. */
static void func_check(const struct func *f)
{
	bool comm = false, rank = false;

	for (int i = 0; i < f->nparam; i++) {
		const struct kind *k = &kinds[f->param[i].kind];

		comm |= k->class == CLASS_COMM && k->how == OBJ && f->param[i].when == WHEN_ALWAYS;
		rank |= check_role_of(k) >= CHECK_IN_COMM;
	}
	if (rank && !comm)
		gen_die("a rank without a communicator", f->name);
}

bool row_of(const char *function, const struct func *f)
{
	size_t n = strlen(function) - 1;

	return function[n] == '*' ? strncmp(function, f->name, n) == 0
				  : strcmp(function, f->name) == 0;
}

static bool function_exists(const char *function)
{
	for (int i = 0; i < nfuncs; i++)
		if (row_of(function, &funcs[i]))
			return true;
	return false;
}

/* A row is of a function and of a class that are there. */
static void raises_check(const struct raises *r)
{
	bool function = function_exists(r->function), class = false;

	for (int i = 0; i < nerrors; i++)
		class |= strcmp(errors[i].name, r->error) == 0;
	if (!function || !class)
		gen_die("raises.def: no such function or class", function ? r->error : r->function);
}

/* Is it a constant of mpi.h as well: a predefined callback? */
static bool callback_named(const char *name)
{
	for (int i = 0; i < nconstants; i++)
		if (constants[i].what == C_LATER && strcmp(constants[i].name, name) == 0)
			return true;
	return false;
}

const char *qmpi_number(const struct entry *e)
{
	for (int i = 0; i < nqmpi; i++)
		if (strcmp(qmpi_rows[i].function, e->name) == 0)
			return qmpi_rows[i].number;
	return NULL;
}

/* Each entry point that is not a callback has one row in qmpi.def, and each row is of one. */
static void qmpi_check(void)
{
	int numbers = 0;
	struct entry e;

	for (bool more = entry_first(&e, -1); more; more = entry_next(&e, -1)) {
		bool number = qmpi_number(&e) != NULL;

		if (number == callback_named(e.name))
			gen_die(number ? "a callback in qmpi.def" : "no row at the end of qmpi.def",
				e.name);
		numbers += number;
	}
	if (numbers != nqmpi)
		gen_die("qmpi.def", "a row of no function, or two of one");
}

void funcs_load(void)
{
	struct func *f = NULL;

	funcs = calloc((size_t)COUNT(rows), sizeof(*funcs));
	if (funcs == NULL)
		gen_die("no memory", "funcs");
	for (const struct row *r = rows; r < rows + COUNT(rows); r++) {
		if (r->is_func) {
			f = &funcs[nfuncs++];
			f->name = r->name;
			f->section = r->section;
			f->engine = r->engine;
			f->brief = r->text;
			f->ret = (enum kind_id)r->kind;
			f->flags = r->flags;
			f->chapter = chapter_find(r->chapter);
			continue;
		}
		if (f == NULL || f->nparam == PARAMS_MAX)
			gen_die("a parameter too many", r->name);
		f->param[f->nparam++] =
			(struct param){r->dir, (enum kind_id)r->kind, r->when, r->name, r->text};
	}
	for (int i = 0; i < nfuncs; i++)
		func_check(&funcs[i]);
	for (int i = 0; i < nraises; i++)
		raises_check(&raises[i]);
	for (int i = 0; i < nremarks; i++)
		if (!function_exists(remarks[i].function))
			gen_die("remarks.def: no such function", remarks[i].function);
	for (int i = 0; i < KINDS; i++)
		if (fortran[i].how == 0)
			gen_die("a kind without a row in fort.def", kinds[i].name);
	qmpi_check();
}

static void entry_name(struct entry *e)
{
	snprintf(e->name, sizeof(e->name), "%s%s", e->f->name, e->large ? "_c" : "");
}

static bool entry_from(struct entry *e, int i, int chapter)
{
	while (i < nfuncs && chapter >= 0 && funcs[i].chapter != chapter)
		i++;
	if (i == nfuncs)
		return false;
	e->f = &funcs[i];
	e->large = false;
	entry_name(e);
	return true;
}

bool entry_first(struct entry *e, int chapter)
{
	return entry_from(e, 0, chapter);
}

bool entry_next(struct entry *e, int chapter)
{
	if ((e->f->flags & BIG) && !e->large) {
		e->large = true;
		entry_name(e);
		return true;
	}
	return entry_from(e, (int)(e->f - funcs) + 1, chapter);
}

bool has_engine(const struct func *f)
{
	return strcmp(f->engine, "NONE") != 0;
}

bool func_has(const struct func *f, enum kind_id kind)
{
	for (int i = 0; i < f->nparam; i++)
		if (f->param[i].kind == kind)
			return true;
	return false;
}

bool in_fortran(const struct func *f)
{
	if ((f->flags & TOOL) || fortran[f->ret].how != F_VALUE)
		return false;
	for (int i = 0; i < f->nparam; i++)
		if (fortran[f->param[i].kind].how == F_NONE)
			return false;
	return true;
}

const struct param *length_param(const struct func *f, const struct param *p)
{
	while (--p >= f->param)
		if (p->kind == KIND_LEN || p->kind == KIND_COUNT || p->kind == KIND_COUNT_INT ||
			p->kind == KIND_BIG_LEN)
			return p;
	return NULL;
}

const char *declarator(const struct entry *e, const struct param *p)
{
	return e->large ? kinds[p->kind].large : kinds[p->kind].small;
}

void text_clear(struct text *t)
{
	t->n = 0;
	t->s[0] = '\0';
}

void text_add(struct text *t, const char *fmt, ...)
{
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(t->s + t->n, sizeof(t->s) - t->n, fmt, ap);
	va_end(ap);
	if (n < 0 || (size_t)n >= sizeof(t->s) - t->n)
		gen_die("text too long", t->s);
	t->n += (size_t)n;
}

void text_lower(struct text *t, const char *name)
{
	while (*name != '\0')
		text_add(t, "%c", tolower((unsigned char)*name++));
}

void text_declare(struct text *t, const char *declarator, const char *name)
{
	const char *at = strchr(declarator, '%');

	if (at == NULL)
		gen_die("a declarator without %", declarator);
	text_add(t, "%.*s%s%s", (int)(at - declarator), declarator, name, at + 1);
}

void text_signature(struct text *t, const struct entry *e, const char *name, const char *first)
{
	char head[80];

	snprintf(head, sizeof(head), "%s(", name);
	text_declare(t, kinds[e->f->ret].small, head);
	text_add(t, "%s", first);
	for (int i = 0; i < e->f->nparam; i++) {
		if (i > 0 || *first != '\0')
			text_add(t, ", ");
		text_declare(t, declarator(e, &e->f->param[i]), e->f->param[i].name);
	}
	text_add(t, e->f->nparam == 0 && *first == '\0' ? "void)" : ")");
}

void text_prototype(struct text *t, const struct entry *e, const char *prefix)
{
	char name[72];

	snprintf(name, sizeof(name), "%s%s", prefix, e->name);
	text_signature(t, e, name, "");
}

void text_arguments(struct text *t, const struct entry *e, const char *first)
{
	for (int i = 0; i < e->f->nparam; i++)
		if (e->f->param[i].kind != KIND_DOTS)
			text_add(t, "%s%s", i > 0 ? ", " : first, e->f->param[i].name);
}

void text_write(const struct text *t, FILE *out)
{
	const char *s = t->s;
	size_t indent = 0;

	while (indent + strlen(s) > COLUMNS) {
		size_t cut = 0;

		for (size_t i = 0; s[i] != '\0' && (indent + i <= COLUMNS || cut == 0); i++)
			if (s[i] == ' ' && i > 0 && s[i - 1] == ',')
				cut = i;
		if (cut == 0)
			break;
		fprintf(out, "%.*s\n\t", (int)cut, s);
		s += cut + 1;
		indent = 8;
	}
	fputs(s, out);
}
