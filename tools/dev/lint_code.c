// SPDX-License-Identifier: BSD-3-Clause
/* lint_code.c - rules for C: includes and the preprocessor, forbidden calls, functions.
 *
 * No C parser: the format is clang-format's, so that a brace in column 0 begins and ends a
 * function, and counting is enough. */
#include "tools/dev/lint.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define FUNCTION_MAX 50 /* lines of a body: one screen */
#define NEST_MAX     3  /* control statements around a statement */
#define PARAM_MAX    8  /* more of them belong in a struct, which names them at the call */
#define STACK_MAX    256

/* --- includes and the preprocessor ---------------------------------------------------------- */

static void arrow_check(const struct file *f, int line, const char *what)
{
	const struct law *l = law_of("see", f->path);

	if (l == NULL) {
		found(f->path, line, "layer", "layers.txt has no line for this folder");
		return;
	}
	if (strchr(what, '/') != NULL && file_of(what) == NULL)
		found(f->path, line, "include", "there is no \"%s\" (from the top)", what);
	for (int i = 0; i < l->n; i++)
		if (inside(what, l->words[i]))
			return;
	found(f->path, line, "layer", "%s may not include \"%s\"", l->folder, what);
}

/* A file that has a header of its own name begins with it, or with another of its folder (which
 * shows that those compile alone).  A name without a folder is of its own. */
static void own_header_check(const struct file *f, int line, const char *what)
{
	char own[LINE_LEN];

	snprintf(own, sizeof(own), "%s", f->path);
	own[strlen(own) - 1] = 'h';
	if (!f->is_c || file_of(own) == NULL)
		return;
	*strrchr(own, '/') = '\0';
	if (!inside(what, own) && (what[0] == '<' || strchr(what, '/') != NULL))
		found(f->path, line, "own", "the first include must be a header of %s", own);
}

static int if_allowed(const struct file *f, const char *directive, int first)
{
	if (law_of("if", f->path) != NULL || ends(f->path, "_os.c"))
		return 1;
	return f->is_h && (first || strstr(directive, "__cplusplus") != NULL);
}

static void directive_check(const struct file *f)
{
	int nif = 0, ninclude = 0, line = 0;
	const char *next;

	for (const char *p = f->text; p != NULL && *p != '\0'; p = next) {
		char d[LINE_LEN], what[LINE_LEN];

		next = strchr(p + 1, '\n');
		line++;
		if (p[1] != '#' || f->code[p - f->text + 1] != '#')
			continue;
		snprintf(d, sizeof(d), "%.*s", (int)strcspn(p + 1, "\n"), p + 1);
		if (sscanf(d, "# include \"%[^\"]\"", what) == 1) {
			arrow_check(f, line, what);
			if (ninclude++ == 0)
				own_header_check(f, line, what);
		} else if (begins(d, "#include") && ninclude++ == 0) {
			own_header_check(f, line, "<>");
		}
		if (begins(d, "#if") && !if_allowed(f, d, nif++ == 0))
			found(f->path, line, "if", "`%s' outside *_os.c", d);
	}
	if (f->is_h && nif == 0)
		found(f->path, 1, "guard", "no include guard");
}

/* --- code ----------------------------------------------------------------------------------- */

static void forbidden_check(const struct file *f)
{
	static const char *const bad[] = {"strcpy", "strcat", "sprintf", "vsprintf", "gets",
		"alloca", "strtok", "tmpnam", "mktemp", "strncpy", "typedef struct",
		"typedef union"};

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		size_t n = strlen(bad[i]);
		int call = strchr(bad[i], ' ') == NULL;

		for (const char *p = f->code; (p = strstr(p, bad[i])) != NULL; p += n) {
			if (is_word(p[-1]) || is_word(p[n]) || (call && p[n] != '('))
				continue;
			found(f->path, line_of(f->code, p), "forbidden", "%s", bad[i]);
		}
	}
}

/* sizeof has parentheses, as a call has. */
static void sizeof_check(const struct file *f)
{
	for (const char *p = f->code; (p = strstr(p, "sizeof ")) != NULL; p += 7)
		if (!is_word(p[-1]) && p[7] != '(')
			found(f->path, line_of(f->code, p), "sizeof", "sizeof without parentheses");
}

/* C11's atomics: then each access of a shared field is atomic, or the compiler says so. */
static void builtin_check(const struct file *f)
{
	if (law_of("builtins", f->path) != NULL)
		return;
	for (const char *p = f->code; (p = strstr(p, "__atomic_")) != NULL; p += 9)
		found(f->path, line_of(f->code, p), "builtin", "__atomic_ outside the list");
}

/* Engines work with objects: the user's handles are bind's. */
static void handle_check(const struct file *f)
{
	static const char *const types[] = {"MPI_Comm", "MPI_Datatype", "MPI_Request", "MPI_Op",
		"MPI_Group", "MPI_Win", "MPI_File", "MPI_Info", "MPI_Errhandler", "MPI_Message",
		"MPI_Session"};

	if (!begins(f->path, "libmpi/") || law_of("handles", f->path) != NULL)
		return;
	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
		size_t n = strlen(types[i]);

		for (const char *p = f->code; (p = strstr(p, types[i])) != NULL; p += n)
			if (!is_word(p[-1]) && !is_word(p[n]))
				found(f->path, line_of(f->code, p), "handle",
					"%s is seen by bind only", types[i]);
	}
}

/* --- functions: length and nesting ---------------------------------------------------------- */

/* Which statements are open at a place inside a function: '{' a block of a control statement,
 * ';' a control statement without braces, 'o' any other brace. */
struct nest {
	char open[STACK_MAX];
	int n;
};

static int nest_depth(const struct nest *s)
{
	int depth = 0;

	for (int i = 0; i < s->n; i++)
		depth += s->open[i] != 'o';
	return depth;
}

static void nest_push(struct nest *s, char c)
{
	if (s->n < STACK_MAX)
		s->open[s->n++] = c;
}

/* A statement has ended: so have the control statements without braces around it. */
static void nest_end(struct nest *s)
{
	while (s->n > 0 && s->open[s->n - 1] == ';')
		s->n--;
}

static const char *blanks_skip(const char *p)
{
	while (isspace((unsigned char)*p))
		p++;
	return p;
}

/* From '(' to the character behind its ')'. */
static const char *parens_skip(const char *p)
{
	int depth = 0;

	for (; *p != '\0'; p++) {
		depth += (*p == '(') - (*p == ')');
		if (depth == 0)
			return p + 1;
	}
	return p;
}

/* At the start of a word: if it is a control keyword, opens its level and returns where its
 * statement begins; otherwise returns NULL. */
static const char *keyword_take(struct nest *s, const char *p)
{
	static const char *const words[] = {"if", "for", "while", "switch", "else", "do"};
	size_t i, n = 0;

	for (i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		n = strlen(words[i]);
		if (strncmp(p, words[i], n) == 0 && !is_word(p[n]))
			break;
	}
	if (i == sizeof(words) / sizeof(words[0]))
		return NULL;
	p = blanks_skip(p + n);
	if (*p == '(' && i < 4)
		p = blanks_skip(parens_skip(p));
	if (i == 4 && begins(p, "if") && !is_word(p[2]))
		return p; /* else if: one level, opened by the if */
	nest_push(s, *p == '{' ? '{' : ';');
	return *p == '{' ? p + 1 : p;
}

static void nest_check(const struct file *f, const char *p, const char *end)
{
	struct nest s = {.n = 0};

	while (p < end) {
		const char *next = p + 1;
		int is_new = !is_word(p[-1]) && is_word(*p);

		if (*p == '#') { /* a macro inside a function is not code of it */
			while (next < end && !(next[0] == '\n' && next[-1] != '\\'))
				next++;
		} else if (*p == '{') {
			nest_push(&s, 'o');
		} else if (*p == '}' && s.n > 0) {
			s.n--;
			nest_end(&s);
		} else if (*p == ';') {
			nest_end(&s);
		} else if (is_new && (next = keyword_take(&s, p)) == NULL) {
			next = p + 1;
		} else if (is_new && nest_depth(&s) > NEST_MAX) {
			found(f->path, line_of(f->code, p), "nest", "%d levels; %d are allowed",
				nest_depth(&s), NEST_MAX);
			return;
		}
		p = next;
	}
}

/* --- functions: parameters ------------------------------------------------------------------ */

/* Is a function with this name the engine of one of MPI's, whose parameters MPI has chosen?  Its
 * name without the first word stands in a table of MPI's functions, as an engine has it. */
static int is_engine(const char *name, size_t n)
{
	char row[LINE_LEN];
	const char *rest = memchr(name, '_', n);

	if (rest == NULL)
		return 0;
	snprintf(row, sizeof(row), "%.*s,", (int)(name + n - rest), rest);
	for (int i = 0; i < lint_nfiles; i++)
		if (inside(lint_files[i].path, "libmpi/api") && ends(lint_files[i].path, ".def") &&
			strstr(lint_files[i].code, row) != NULL)
			return 1;
	return 0;
}

/* `brace' is the line break before the brace that begins a function. */
static void params_check(const struct file *f, const char *brace)
{
	const char *p = brace, *end;
	int n = 1, depth = 0;

	if (!f->is_product || p[-1] != ')')
		return;
	do {
		p--;
		depth += (*p == ')') - (*p == '(');
		n += *p == ',' && depth == 1;
	} while (p > f->code && depth > 0);
	for (end = p; is_word(p[-1]); p--)
		;
	if (n > PARAM_MAX && !is_engine(p, (size_t)(end - p)))
		found(f->path, line_of(f->code, p), "parameters", "%d; %d are allowed", n,
			PARAM_MAX);
}

static void functions_check(const struct file *f)
{
	const char *p = f->code, *end;

	while ((p = strstr(p, "\n{")) != NULL) {
		int line, n;

		end = strstr(p, "\n}");
		if (end == NULL)
			return;
		line = line_of(f->code, p + 1);
		n = line_of(f->code, end + 1) - line - 1;
		if (n > FUNCTION_MAX)
			found(f->path, line, "function", "%d lines; %d are allowed", n,
				FUNCTION_MAX);
		nest_check(f, p + 2, end);
		params_check(f, p);
		p = end;
	}
}

void code_check(const struct file *f)
{
	directive_check(f);
	forbidden_check(f);
	handle_check(f);
	builtin_check(f);
	sizeof_check(f);
	functions_check(f);
}
