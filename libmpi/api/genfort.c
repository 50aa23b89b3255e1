// SPDX-License-Identifier: BSD-3-Clause
/* genfort.c - writes the Fortran procedures of one chapter: between mpi_send_ and MPI_Send.
 *
 *     mpi_send_(void *buf, ...)                 mpif.h; where no buffer is involved, all three
 *     mpi_send_f08ts_(struct fort_desc *, ...)  mpi_f08, and as mpi_send_fts_ module mpi
 *     mpi_send_c_f08ts_(...)                    mpi_f08 with large counts
 *         declarations                          c_NAME the value for C, s_NAME its scratch
 *         before                                arrays of handles, text, sections
 *         ret = MPI_Send(...)
 *         after                                 results
 *     done:                                     rooms are given back
 *
 * The FORT_ macros and the names are explained in libmpi/fort/glue.h. */
#include "libmpi/api/genfort.h"

#include <string.h>

static enum fort fort_how_of(const struct param *p)
{
	return fortran[p->kind].how;
}

bool fort_by_hand(const struct func *f)
{
	for (int i = 0; i < f->nparam; i++)
		if (fort_how_of(&f->param[i]) == F_HAND)
			return true;
	return false;
}

bool fort_callback(const struct func *f)
{
	for (int i = 0; i < f->nparam; i++) {
		enum kind_id k = f->param[i].kind;

		if (k == KIND_VALUE_ROOM || k == KIND_VALUE_OLD_ROOM || k == KIND_CONVERTED)
			return true;
		if ((f->flags & RAW) && (k == KIND_VALUE || k == KIND_VALUE_OLD))
			return true;
	}
	return false;
}

bool fort_choice(const struct func *f)
{
	for (int i = 0; i < f->nparam; i++)
		if (fort_how_of(&f->param[i]) == F_CHOICE || fort_how_of(&f->param[i]) == F_ADDRESS)
			return true;
	return false;
}

bool fort_ierror(const struct func *f)
{
	for (int i = 0; i < f->nparam; i++)
		if (fort_how_of(&f->param[i]) == F_DROP)
			return false;
	return f->ret == KIND_INT;
}

bool fort_shown(const struct param *p)
{
	return fort_how_of(p) != F_DROP && fort_how_of(p) != F_NULL;
}

static bool fort_is_count(enum kind_id k)
{
	return k == KIND_COUNT || k == KIND_COUNT_INT;
}

/* How a section of an array is passed. */
enum section {
	AS_TYPE, /* the buffer's count and datatype follow: a datatype describes it */
	AS_COPY, /* blocks or elements are named by position: a copy */
	AS_ADDR  /* its address alone matters */
};

static enum section fort_section_of(const struct func *f, const struct param *p)
{
	int left = (int)(f->param + f->nparam - p);
	bool reduces = func_has(f, KIND_OP) && !func_has(f, KIND_WIN);
	bool blocks = p->kind == KIND_BLOCKS || p->kind == KIND_BLOCKS_OUT;

	if (fort_how_of(p) == F_ADDRESS)
		return AS_ADDR;
	if (left > 2 && fort_is_count(p[1].kind) && kinds[p[2].kind].class == CLASS_TYPE &&
		!reduces && !blocks)
		return AS_TYPE;
	if (func_has(f, KIND_WIN) || func_has(f, KIND_FILE))
		return AS_ADDR;
	return AS_COPY;
}

/* The buffer whose count or datatype p is, if it goes as a section; NULL: p stands for itself. */
static const struct param *fort_part_of(const struct func *f, const struct param *p)
{
	for (int d = 1; d <= 2 && p - d >= f->param; d++) {
		const struct param *b = p - d;

		if (fort_how_of(b) != F_CHOICE || fort_section_of(f, b) != AS_TYPE)
			continue;
		if ((d == 1 && fort_is_count(p->kind)) ||
			(d == 2 && kinds[p->kind].class == CLASS_TYPE))
			return b;
	}
	return NULL;
}

/* A nonblocking call: memory is used after it. */
bool fort_later(const struct func *f)
{
	return func_has(f, KIND_REQ_OUT);
}

/* --- one form of one entry point ------------------------------------------------------------ */

struct form {
	struct entry e;
	bool desc; /* choice buffers and text come with descriptors */
	bool f08;  /* as mpi_f08 has it, where that differs for other reasons */
	bool fast; /* the usual case alone: nothing but one call, so that no register is saved */
};

static const char *fort_class_type(const struct param *p)
{
	return classes[kinds[p->kind].class].type;
}

static const char *fort_class_object(const struct param *p)
{
	return classes[kinds[p->kind].class].object;
}

/* The type in C of a Fortran argument.  All that the table does not name: C_FINT_OUT. */
enum fort_c {
	C_FINT_OUT, /* MPI_Fint * */
	C_FINT,     /* const MPI_Fint * */
	C_VALUE,    /* a pointer to C's type */
	C_BUFFER,   /* C's type, or a descriptor */
	C_TEXT,     /* characters, or a descriptor */
	C_OWN       /* C's type */
};

static const enum fort_c fort_c_of[] = {
	[F_VALUE] = C_VALUE,
	[F_CHOICE] = C_BUFFER,
	[F_ADDRESS] = C_BUFFER,
	[F_STR] = C_TEXT,
	[F_STR_INFO] = C_TEXT,
	[F_PASS] = C_OWN,
	[F_WEIGHTS] = C_OWN,
	[F_CPTR_OUT] = C_OWN,
	[F_STR_OUT] = C_OWN,
	[F_INT] = C_FINT,
	[F_INTS] = C_FINT,
	[F_HANDLE] = C_FINT,
	[F_HANDLES] = C_FINT,
	[F_HANDLES_RANKS] = C_FINT,
	[F_HANDLES_TO] = C_FINT,
	[F_HANDLES_FROM] = C_FINT,
};

static void fort_param_declare(struct text *t, const struct form *m, const struct param *p)
{
	enum fort how = fort_how_of(p);
	size_t n = sizeof(fort_c_of) / sizeof(*fort_c_of);
	enum fort_c type = (size_t)how < n ? fort_c_of[how] : C_FINT_OUT;
	const char *c = declarator(&m->e, p);
	char name[80];

	if (m->desc && (type == C_BUFFER || type == C_TEXT)) {
		text_add(t, "const struct fort_desc *%s%s", type == C_TEXT ? "d_" : "", p->name);
		return;
	}
	switch (type) {
	case C_VALUE:
		snprintf(name, sizeof(name), "*%s", p->name);
		text_add(t, "const ");
		text_declare(t, c, name);
		break;
	case C_BUFFER:
	case C_OWN: text_declare(t, c, p->name); break;
	case C_TEXT: text_add(t, "const char *%s", p->name); break;
	case C_FINT: text_add(t, "const MPI_Fint *%s", p->name); break;
	default: text_add(t, "MPI_Fint *%s", p->name); break;
	}
}

/* A comma, unless it is the first. */
static void fort_comma(struct text *t)
{
	if (t->s[t->n - 1] != '(')
		text_add(t, ", ");
}

static void fort_prototype(struct text *t, const struct form *m, const char *fort_before,
	const char *prefix, const char *suffix)
{
	const struct func *f = m->e.f;

	text_add(t, "%s", fort_before);
	text_declare(t, f->ret == KIND_INT ? "void %" : kinds[f->ret].small, "FORT_NAME(");
	text_add(t, "%s", prefix);
	text_lower(t, m->e.name);
	text_add(t, "%s)(", suffix);
	for (int i = 0; i < f->nparam; i++) {
		if (!fort_shown(&f->param[i]))
			continue;
		fort_comma(t);
		fort_param_declare(t, m, &f->param[i]);
	}
	if (fort_ierror(f)) {
		fort_comma(t);
		text_add(t, "MPI_Fint *ierror");
	}
	for (int i = 0; i < f->nparam && !m->desc; i++)
		if (fortran[f->param[i].kind].old.word == FORT_TEXT)
			text_add(t, ", size_t l_%s", f->param[i].name);
	text_add(t, t->s[t->n - 1] == '(' ? "void)" : ")");
}

/* An expression: how many entries the array p has. */
static const char *fort_length(const struct form *m, const struct param *p)
{
	static char s[96];
	const struct param *n = length_param(m->e.f, p);

	switch (fort_how_of(p)) {
	case F_HANDLES_RANKS:
	case F_HANDLES_TO:
	case F_HANDLES_FROM: snprintf(s, sizeof(s), "n_%s", p->name); return s;
	default: break;
	}
	snprintf(s, sizeof(s), "*%s", n != NULL ? n->name : "?");
	return s;
}

/* The buffer before a collective's array of datatypes. */
static const char *fort_buffer_before(const struct form *m, const struct param *p)
{
	while (--p >= m->e.f->param)
		if (fort_how_of(p) == F_CHOICE)
			return p->name;
	return "?";
}

static void fort_declare_text(FILE *out, const struct form *m, const struct param *p)
{
	const char *x = p->name;

	if (m->desc)
		fprintf(out, "\tconst char *%s = d_%s->base;\n\tsize_t l_%s = d_%s->len;\n", x, x,
			x, x);
	fprintf(out, "\tchar s_%s[FORT_TEXT], *c_%s = NULL;\n", x, x);
}

static void fort_declare_peers(FILE *out, const struct form *m, const struct param *p)
{
	const char *which = fort_how_of(p) == F_HANDLES_RANKS ? "ranks"
			    : fort_how_of(p) == F_HANDLES_TO  ? "to"
							      : "from";

	fprintf(out, "\t%s s_%s[FORT_SCRATCH], *c_%s = NULL;\n", fort_class_type(p), p->name,
		p->name);
	fprintf(out, "\tint n_%s = fort_%s(%s%s, *comm);\n", p->name, which,
		fort_buffer_before(m, p), m->desc ? "->base" : "");
}

static void fort_declare_part(FILE *out, const struct form *m, const struct param *p)
{
	fprintf(out, "\tFORT_BUFFER(%s);\n", p->name);
	if (fort_section_of(m->e.f, p) == AS_TYPE)
		fprintf(out, "\tMPI_Count n_%s = *%s;\n\tMPI_Datatype t_%s = fort_type(*%s);\n",
			p->name, p[1].name, p->name, p[2].name);
}

/* Declares the handles of the usual case; fort_fast_condition() fills them. */
static void fort_declare_fast(FILE *out, const struct param *p)
{
	const char *x = p->name;

	if (fort_how_of(p) == F_HANDLE || fort_how_of(p) == F_HANDLE_IO)
		fprintf(out, "\t%s c_%s;\n", fort_class_type(p), x);
	else if (fort_how_of(p) == F_HANDLE_OUT)
		fprintf(out, "\t%s c_%s = FORT_UNSET(%s);\n", fort_class_type(p), x,
			fort_class_type(p));
	else if (fort_how_of(p) == F_INDEX_OUT)
		fprintf(out, "\tint c_%s = FORT_NO_INDEX;\n", x);
}

/* Declaration and argument of a kind of parameter.  `$' is its name, `@' its handle's C type. */
struct fort_words {
	const char *declared; /* before the call; NULL: nothing, or fort_declare_other */
	const char *argument; /* of the call; NULL: fort_argument decides */
};

#define FORT_DECLARED_HANDLES "\t@ s_$[FORT_SCRATCH], *c_$ = NULL;\n"

static const struct fort_words fort_words[] = {
	[F_NULL] = {NULL, "0"},
	[F_INT] = {NULL, "*$"},
	[F_INT_OUT] = {"\tMPI_Aint c_$ = 0;\n", "&c_$"},
	[F_INTS] = {"\tMPI_Aint s_$[FORT_SCRATCH], *c_$ = NULL;\n", "c_$"},
	[F_INDEX_OUT] = {"\tint c_$ = FORT_NO_INDEX;\n", "&c_$"},
	[F_HANDLE_OUT] = {"\t@ c_$ = FORT_UNSET(@);\n", "&c_$"},
	[F_HANDLE_IO] = {NULL, "&c_$"},
	[F_HANDLES] = {FORT_DECLARED_HANDLES, "c_$"},
	[F_HANDLES_IO] = {FORT_DECLARED_HANDLES, "c_$"},
	[F_HANDLES_OUT] = {FORT_DECLARED_HANDLES, "c_$"},
	[F_HANDLES_RANKS] = {NULL, "c_$"},
	[F_HANDLES_TO] = {NULL, "c_$"},
	[F_HANDLES_FROM] = {NULL, "c_$"},
	[F_STR] = {NULL, "c_$"},
	[F_STR_INFO] = {NULL, "c_$"},
	[F_STR_OUT] = {"\tchar c_$[FORT_TEXT_OUT];\n", "c_$"},
	[F_WEIGHTS] = {NULL, "FORT_BUF($)"},
	[F_STATUS] = {NULL, "fort_status($)"},
	[F_STATUSES] = {NULL, "fort_status($)"},
};

static struct fort_words fort_words_of(const struct param *p)
{
	enum fort how = fort_how_of(p);

	if ((size_t)how >= sizeof(fort_words) / sizeof(*fort_words))
		return (struct fort_words){NULL, NULL};
	return fort_words[how];
}

/* The text with the parameter's name and type; valid until the next call. */
static const char *fort_filled(const char *text, const struct param *p)
{
	static char s[256];
	size_t n = 0;

	for (; *text != '\0' && n < sizeof(s); text++)
		if (*text == '$' || *text == '@')
			n += (size_t)snprintf(s + n, sizeof(s) - n, "%s",
				*text == '$' ? p->name : fort_class_type(p));
		else
			s[n++] = *text;
	s[n < sizeof(s) ? n : sizeof(s) - 1] = '\0';
	return s;
}

static void fort_declare_other(FILE *out, const struct form *m, const struct param *p)
{
	switch (fort_how_of(p)) {
	case F_HANDLE_IO:
		fprintf(out, "\t%s c_%s = fort_%s(*%s);\n", fort_class_type(p), p->name,
			fort_class_object(p), p->name);
		break;
	case F_HANDLES_RANKS:
	case F_HANDLES_TO:
	case F_HANDLES_FROM: fort_declare_peers(out, m, p); break;
	case F_STR:
	case F_STR_INFO: fort_declare_text(out, m, p); break;
	case F_CPTR_OUT:
		if (!m->f08)
			fprintf(out, "\tvoid *c_%s = NULL;\n", p->name);
		break;
	case F_CHOICE:
		if (m->desc && fort_section_of(m->e.f, p) != AS_ADDR)
			fort_declare_part(out, m, p);
		break;
	default: break;
	}
}

static void fort_declare(FILE *out, const struct form *m, const struct param *p)
{
	struct fort_words words = fort_words_of(p);

	if (m->fast)
		fort_declare_fast(out, p);
	else if (words.declared != NULL)
		fputs(fort_filled(words.declared, p), out);
	else
		fort_declare_other(out, m, p);
}

static void fort_before_part(FILE *out, const struct form *m, const struct param *p)
{
	switch (fort_section_of(m->e.f, p)) {
	case AS_TYPE: fprintf(out, "\tFORT_PART(%s);\n", p->name); break;
	case AS_COPY: fprintf(out, "\tFORT_COPY(%s);\n", p->name); break;
	case AS_ADDR: break;
	}
}

static void fort_before(FILE *out, const struct form *m, const struct param *p)
{
	const char *x = p->name;

	switch (fort_how_of(p)) {
	case F_HANDLES:
	case F_HANDLES_IO:
	case F_HANDLES_RANKS:
	case F_HANDLES_TO:
	case F_HANDLES_FROM:
		fprintf(out, "\tFORT_HANDLES(%s, %s, %s);\n", fort_class_object(p), x,
			fort_length(m, p));
		break;
	case F_HANDLES_OUT:
		fprintf(out, "\tFORT_HANDLES_OUT(%s, %s, %s);\n", fort_class_type(p), x,
			fort_length(m, p));
		break;
	case F_INTS: fprintf(out, "\tFORT_INTS(%s, %s);\n", x, fort_length(m, p)); break;
	case F_STR: fprintf(out, "\tFORT_TEXT_IN(%s, false);\n", x); break;
	case F_STR_INFO: fprintf(out, "\tFORT_TEXT_IN(%s, true);\n", x); break;
	case F_STR_OUT: fprintf(out, "\tfort_text_unset(c_%s);\n", x); break;
	case F_CHOICE:
		if (m->desc)
			fort_before_part(out, m, p);
		break;
	default: break;
	}
}

/* Can the conversion of this argument before the call fail? */
static bool fort_fails(const struct form *m, const struct param *p)
{
	switch (fort_how_of(p)) {
	case F_HANDLES:
	case F_HANDLES_IO:
	case F_HANDLES_OUT:
	case F_HANDLES_RANKS:
	case F_HANDLES_TO:
	case F_HANDLES_FROM:
	case F_INTS:
	case F_STR:
	case F_STR_INFO: return true;
	case F_CHOICE: return m->desc && fort_section_of(m->e.f, p) != AS_ADDR;
	default: return false;
	}
}

static void fort_argument_buffer(struct text *t, const struct form *m, const struct param *p)
{
	if (m->fast)
		text_add(t, m->desc ? "%s->base" : "(void *)(uintptr_t)%s", p->name);
	else if (!m->desc)
		text_add(t, "FORT_BUF(%s)", p->name);
	else if (fort_section_of(m->e.f, p) == AS_ADDR)
		text_add(t, "FORT_BUF(%s->base)", p->name);
	else
		text_add(t, "a_%s", p->name);
}

static void fort_argument_value(struct text *t, const struct form *m, const struct param *p)
{
	const struct param *b = m->desc && !m->fast ? fort_part_of(m->e.f, p) : NULL;

	if (b != NULL)
		text_add(t, m->e.large ? "n_%s" : "(int)n_%s", b->name);
	else
		text_add(t, "*%s", p->name);
}

static void fort_argument_handle(struct text *t, const struct form *m, const struct param *p)
{
	const struct param *b = m->desc && !m->fast ? fort_part_of(m->e.f, p) : NULL;

	if (b != NULL)
		text_add(t, "t_%s", b->name);
	else if (m->fast)
		text_add(t, "c_%s", p->name);
	else
		text_add(t, "fort_%s(*%s)", fort_class_object(p), p->name);
}

static void fort_argument(struct text *t, const struct form *m, const struct param *p)
{
	struct fort_words words = fort_words_of(p);

	if (words.argument != NULL) {
		text_add(t, "%s", fort_filled(words.argument, p));
		return;
	}
	switch (fort_how_of(p)) {
	case F_VALUE: fort_argument_value(t, m, p); break;
	case F_HANDLE: fort_argument_handle(t, m, p); break;
	case F_CHOICE:
	case F_ADDRESS: fort_argument_buffer(t, m, p); break;
	case F_CPTR_OUT: text_add(t, m->f08 ? "%s" : "&c_%s", p->name); break;
	default: text_add(t, "%s", p->name); break;
	}
}

/* The count that says how many indices there are. */
static const char *fort_outcount(const struct form *m)
{
	for (int i = 0; i < m->e.f->nparam; i++)
		if (m->e.f->param[i].kind == KIND_INDICES_OUT)
			return m->e.f->param[i - 1].name;
	return "?";
}

/* Results that are written after errors, too: a request that has ended has ended. */
static void fort_after_always(FILE *out, const struct form *m, const struct param *p)
{
	const char *x = p->name;

	switch (fort_how_of(p)) {
	case F_HANDLE_OUT:
		fprintf(out, "\tFORT_HANDLE_NEW(%s, %s, %s);\n", fort_class_type(p),
			fort_class_object(p), x);
		if ((m->e.f->flags & REMOVED) && kinds[p->kind].class == CLASS_TYPE)
			fprintf(out, "\thaft_fort_integers(c_%s);\n", x);
		break;
	case F_HANDLE_IO:
		fprintf(out, "\t*%s = fort_%s_int(c_%s);\n", x, fort_class_object(p), x);
		break;
	case F_HANDLES_IO:
		fprintf(out, "\tFORT_HANDLES_BACK(%s, %s, %s);\n", fort_class_object(p), x,
			fort_length(m, p));
		break;
	case F_INDEX_OUT: fprintf(out, "\tFORT_INDEX_NEW(%s);\n", x); break;
	case F_HANDLES_OUT:
		fprintf(out, "\tFORT_HANDLES_NEW(%s, %s, %s, %s);\n", fort_class_type(p),
			fort_class_object(p), x, fort_length(m, p));
		break;
	default: break;
	}
}

static void fort_after_success(FILE *out, const struct form *m, const struct param *p)
{
	const char *x = p->name;

	switch (fort_how_of(p)) {
	case F_INT_OUT: fprintf(out, "\t\t*%s = (MPI_Fint)c_%s;\n", x, x); break;
	case F_FLAG_OUT: fprintf(out, "\t\t*%s = *%s != 0;\n", x, x); break;
	case F_INDICES_OUT:
		fprintf(out, "\t\tFORT_INDICES(%s, *%s);\n", x, fort_outcount(m));
		break;
	case F_STR_OUT: fprintf(out, "\t\tfort_text_out(%s, l_%s, c_%s);\n", x, x, x); break;
	case F_CPTR_OUT:
		if (m->f08)
			fprintf(out, "\t\tFORT_ADDRESS(%s);\n", x);
		break;
	default: break;
	}
}

/* The request that a nonblocking call returns. */
static const char *fort_request_of(const struct func *f)
{
	for (int i = 0; i < f->nparam; i++)
		if (f->param[i].kind == KIND_REQ_OUT)
			return f->param[i].name;
	return "?";
}

static void fort_give_back(FILE *out, const struct form *m, const struct param *p)
{
	const char *x = p->name;

	/* The standard calls the buffer of MPI_Precv_init IN. */
	const char *written = p->dir != IN || p->kind == KIND_BUF_OUT ? "true" : "false";

	if (!fort_fails(m, p))
		return;
	if (fort_how_of(p) == F_CHOICE && fort_later(m->e.f))
		fprintf(out, "\tFORT_PART_KEEP(%s, %s, c_%s);\n", x, written,
			fort_request_of(m->e.f));
	else if (fort_how_of(p) == F_CHOICE)
		fprintf(out, "\tFORT_PART_END(%s, %s);\n", x, written);
	else
		fprintf(out, "\tfort_room_end(s_%s, c_%s);\n", x, x);
}

/* Is one of the parameters treated so? */
static bool fort_any(const struct form *m, bool (*is)(const struct form *, const struct param *))
{
	for (int i = 0; i < m->e.f->nparam; i++)
		if (is(m, &m->e.f->param[i]))
			return true;
	return false;
}

/* Does fort_after_success write something? */
static bool fort_succeeds(const struct form *m, const struct param *p)
{
	enum fort h = fort_how_of(p);

	return (h == F_CPTR_OUT && m->f08) || h == F_INT_OUT || h == F_FLAG_OUT ||
	       h == F_INDICES_OUT || h == F_STR_OUT;
}

static void fort_call(FILE *out, const struct form *m, const char *first)
{
	const struct func *f = m->e.f;
	struct text t;

	text_clear(&t);
	text_add(&t, "\t%sFORT_C(%s)(", first, m->e.name);
	for (int i = 0; i < f->nparam; i++) {
		if (fort_how_of(&f->param[i]) == F_DROP)
			continue;
		text_add(&t, i > 0 ? ", " : "");
		fort_argument(&t, m, &f->param[i]);
	}
	text_add(&t, ");\n");
	text_write(&t, out);
}

static void fort_after(FILE *out, const struct form *m)
{
	const struct func *f = m->e.f;

	for (int i = 0; i < f->nparam; i++)
		fort_after_always(out, m, &f->param[i]);
	if (!fort_any(m, fort_succeeds))
		return;
	fputs("\tif (ret == MPI_SUCCESS || ret == MPI_ERR_IN_STATUS) {\n", out);
	for (int i = 0; i < f->nparam; i++)
		fort_after_success(out, m, &f->param[i]);
	fputs("\t}\n", out);
}

static void fort_body(FILE *out, const struct form *m)
{
	const struct func *f = m->e.f;

	if (f->ret != KIND_INT) {
		fort_call(out, m, "return ");
		return;
	}
	if (!fort_ierror(f)) {
		fort_call(out, m, "");
		return;
	}
	for (int i = 0; i < f->nparam; i++)
		fort_declare(out, m, &f->param[i]);
	fputs("\tint ret;\n\n", out);
	for (int i = 0; i < f->nparam; i++)
		if (fort_how_of(&f->param[i]) == F_CPTR_OUT && !m->f08)
			fprintf(out, "\t(void)%s;\n", f->param[i].name);
	for (int i = 0; i < f->nparam; i++)
		fort_before(out, m, &f->param[i]);
	fort_call(out, m, "ret = ");
	fort_after(out, m);
	if (fort_any(m, fort_fails))
		fputs("done:\n", out);
	for (int i = 0; i < f->nparam; i++)
		fort_give_back(out, m, &f->param[i]);
	fputs("\tFORT_RETURN(ret);\n", out);
}

/* --- the usual case ------------------------------------------------------------------------- */

/* Living handles and contiguous memory: a procedure whose only call is the one into the library
 * saves no register.  Everything else goes to the whole procedure, out of line. */

static bool fort_unusual(const struct param *p)
{
	switch (fort_how_of(p)) {
	case F_VALUE:
	case F_PASS:
	case F_HANDLE:
	case F_HANDLE_OUT:
	case F_HANDLE_IO:
	case F_CHOICE:
	case F_FLAG_OUT:
	case F_INDEX_OUT:
	case F_STATUS:
	case F_STATUSES: return false;
	default: return true;
	}
}

static bool fort_has_fast(const struct form *m)
{
	const struct func *f = m->e.f;
	bool worth = false;

	if (f->ret != KIND_INT || !fort_ierror(f))
		return false;
	for (int i = 0; i < f->nparam; i++) {
		if (fort_unusual(&f->param[i]))
			return false;
		worth |= fort_how_of(&f->param[i]) == F_HANDLE ||
			 fort_how_of(&f->param[i]) == F_HANDLE_IO ||
			 fort_how_of(&f->param[i]) == F_CHOICE;
	}
	return worth;
}

static void fort_fast_condition(struct text *t, const struct form *m)
{
	const struct func *f = m->e.f;
	const char *sep = "";

	text_add(t, "\tif (FORT_UNUSUAL(");
	for (int i = 0; i < f->nparam; i++) {
		const char *x = f->param[i].name;

		if (fort_how_of(&f->param[i]) == F_HANDLE ||
			fort_how_of(&f->param[i]) == F_HANDLE_IO)
			text_add(t, "%s!fort_%s_live(*%s, &c_%s)", sep,
				fort_class_object(&f->param[i]), x, x);
		else if (fort_how_of(&f->param[i]) != F_CHOICE)
			continue;
		else if (m->desc)
			text_add(t, "%s!fort_contiguous(%s)", sep, x);
		else
			text_add(t, "%sfort_is_named(%s)", sep, x);
		sep = " || ";
	}
	text_add(t, ")) {\n");
}

/* The parameters handed on to the whole procedure. */
static void fort_fast_whole(struct text *t, const struct form *m, const char *suffix)
{
	const struct func *f = m->e.f;

	text_add(t, "\t\tFORT_NAME(whole_");
	text_lower(t, m->e.name);
	text_add(t, "%s)(", suffix);
	for (int i = 0; i < f->nparam; i++)
		text_add(t, "%s, ", f->param[i].name);
	text_add(t, "ierror);\n\t\treturn;\n\t}\n");
}

static void fort_fast_body(FILE *out, struct form m, const char *suffix)
{
	struct text t;

	m.fast = true;
	for (int i = 0; i < m.e.f->nparam; i++)
		fort_declare(out, &m, &m.e.f->param[i]);
	fputs("\tint ret;\n\n", out);
	text_clear(&t);
	fort_fast_condition(&t, &m);
	text_write(&t, out);
	text_clear(&t);
	fort_fast_whole(&t, &m, suffix);
	text_write(&t, out);
	fort_call(out, &m, "ret = ");
	fort_after(out, &m);
	fputs("\tFORT_RETURN(ret);\n", out);
}

static void fort_procedure(FILE *out, const struct form *m, const char *suffix)
{
	bool fast = fort_has_fast(m);
	struct text t;

	if (fast) {
		text_clear(&t);
		fort_prototype(&t, m, "static FORT_COLD ", "whole_", suffix);
		fputc('\n', out);
		text_write(&t, out);
		fputs("\n{\n", out);
		fort_body(out, m);
		fputs("}\n", out);
	}
	text_clear(&t);
	fort_prototype(&t, m, "FORT_API ", "", suffix);
	fputc('\n', out);
	text_write(&t, out);
	fputs(";\n", out);
	text_write(&t, out);
	fputs("\n{\n", out);
	if (makes_objects(m->e.f, false)) /* not for a request: two more steps would be felt */
		fputs("\tFORT_SITE;\n", out);
	if (fast)
		fort_fast_body(out, *m, suffix);
	else
		fort_body(out, m);
	fputs("}\n", out);
}

static void fort_alias(FILE *out, const struct form *m, const char *to, const char *from)
{
	struct text t;

	text_clear(&t);
	fort_prototype(&t, m, "FORT_API ", "", to);
	text_add(&t, " FORT_ALIAS(");
	text_lower(&t, m->e.name);
	text_add(&t, "%s);\n", from);
	text_write(&t, out);
}

static void fort_procedures(FILE *out, const struct entry *e)
{
	bool choice = fort_choice(e->f), cptr = func_has(e->f, KIND_ADDR_OUT);
	struct form m = {.e = *e};

	if (!e->large && !(e->f->flags & C_FORM)) {
		fort_procedure(out, &m, "_");
		if (cptr)
			fort_alias(out, &m, "_fts_", "_");
		else if (!choice)
			fort_alias(out, &m, "_f08_", "_");
		if (func_has(e->f, KIND_BASE_OUT))
			fort_alias(out, &m, "_cptr_", "_");
	}
	m.f08 = true;
	if (choice) {
		m.desc = true;
		fort_procedure(out, &m, "_f08ts_");
		if (!e->large && !(e->f->flags & C_FORM))
			fort_alias(out, &m, "_fts_", "_f08ts_");
	} else if (cptr || e->large || (e->f->flags & C_FORM)) {
		fort_procedure(out, &m, "_f08_");
	}
}

void write_fort(FILE *out, int chapter)
{
	struct entry e;

	fprintf(out,
		"// SPDX-License-Identifier: BSD-3-Clause\n"
		"/* Fortran procedures of chapter %s: %s.\n"
		" * Written by the generator in libmpi/api: change its tables, not this. */\n"
		"#include \"libmpi/fort/glue.h\"\n",
		chapters[chapter].number, chapters[chapter].title);
	for (bool more = entry_first(&e, chapter); more; more = entry_next(&e, chapter))
		if (in_fortran(e.f) && !fort_by_hand(e.f))
			fort_procedures(out, &e);
}
