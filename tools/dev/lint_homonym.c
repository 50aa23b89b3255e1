// SPDX-License-Identifier: BSD-3-Clause
/* lint_homonym.c - one name, one thing: a search for a name, and a debugger's `break', have one
 * answer.
 *
 *     static    the name of a static function stands in at most two files, and in the product has a
 *               noun in it; not a hook of tests: their headers declare it, or a body of several of
 *               them (*.inc) calls it
 *     base      a file's name is in one folder, of the product or of tests
 *     tag       a struct, union or enum tag is defined in one place of a library of the product */
#include "tools/dev/lint.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define STATIC_FILES 2
#define STATIC_MIN   5 /* letters: `take', `give', `pass' say nothing */

/* A name, and where it is; names are compared within a scope. */
struct position {
	char *name, *scope;
	const struct file *file;
	int line;
};

static struct position *positions;
static int npositions;

static void position_add(
	const char *name, size_t n, const char *scope, const struct file *f, int line)
{
	struct position p = {.scope = must_copy(scope), .file = f, .line = line};

	p.name = must_alloc(NULL, n + 1);
	memcpy(p.name, name, n);
	p.name[n] = '\0';
	positions = must_alloc(positions, (size_t)(npositions + 1) * sizeof(*positions));
	positions[npositions++] = p;
}

static int position_compare(const void *a, const void *b)
{
	const struct position *x = a, *y = b;
	int d = strcmp(x->name, y->name);

	if (d == 0)
		d = strcmp(x->scope, y->scope);
	return d != 0 ? d : strcmp(x->file->path, y->file->path);
}

/* Reports the names that more than max files of one scope have, and forgets all. */
static void positions_judge(const char *rule, int max, const char *what)
{
	qsort(positions, (size_t)npositions, sizeof(*positions), position_compare);
	for (int i = 0, end; i < npositions; i = end) {
		int n = 1;

		for (end = i + 1; end < npositions; end++) {
			if (strcmp(positions[end].name, positions[i].name) != 0 ||
				strcmp(positions[end].scope, positions[i].scope) != 0)
				break;
			n += positions[end].file != positions[end - 1].file;
		}
		for (int k = i; n > max && k < end; k++) {
			const struct position *other = &positions[k == i ? end - 1 : i];

			found(positions[k].file->path, positions[k].line, rule,
				"%s `%s' is in %d files: %s", what, positions[k].name, n,
				other->file->path);
		}
	}
	for (int i = 0; i < npositions; i++) {
		free(positions[i].name);
		free(positions[i].scope);
	}
	npositions = 0;
}

/* --- static functions ----------------------------------------------------------------------- */

/* The function's name in a declaration, or NULL if it is not static. */
static const char *static_name(const char *p, const char *end, size_t *n)
{
	int depth = 0, is_static = 0;
	const char *w = NULL;

	for (; p < end; p++) {
		depth += (*p == '(') - (*p == ')');
		if (depth == 0 && is_word(*p) && !is_word(p[-1])) {
			w = p;
			for (*n = 0; is_word(p[*n]);)
				(*n)++;
			is_static |= *n == 6 && strncmp(p, "static", 6) == 0;
		}
		if (depth == 1 && *p == '(' && w != NULL && strncmp(w, "__attribute__", 13) != 0)
			return is_static ? w : NULL;
	}
	return NULL;
}

/* Does the text call the name, or if `declares' declare it static for its includers to define? */
static int asks_for(const struct file *f, const char *name, size_t n, int declares)
{
	size_t len;

	for (const char *p = f->code; (p = word_next(p, &len)) != NULL; p += len) {
		const char *line = p;

		if (len != n || p[n] != '(' || strncmp(p, name, n) != 0)
			continue;
		while (line > f->code && line[-1] != '\n')
			line--;
		if (!declares || (begins(line, "static ") && p[strcspn(p, ";\n")] == ';'))
			return 1;
	}
	return 0;
}

/* Is it a name that a header of tests, or a body that several of them include, asks for? */
static int is_hook(const struct file *f, const char *name, size_t n)
{
	for (int i = 0; !f->is_product && i < lint_nfiles; i++) {
		const struct file *g = &lint_files[i];
		int is_body = ends(g->path, ".inc");

		if ((is_body || (g->is_h && !g->is_product)) && asks_for(g, name, n, !is_body))
			return 1;
	}
	return 0;
}

static void statics_add(const struct file *f)
{
	for (const char *p = f->code; (p = strstr(p, "\n{")) != NULL; p++) {
		const char *from = p, *name;
		size_t n = 0;

		/* back to the line in column 0 that begins the declaration */
		do
			for (from--; from > f->code && *from != '\n';)
				from--;
		while (from > f->code && isspace((unsigned char)from[1]));
		name = static_name(from + 1, p, &n);
		if (name == NULL || is_hook(f, name, n))
			continue;
		position_add(name, n, "", f, line_of(f->code, name));
		if (n < STATIC_MIN && f->is_product)
			found(f->path, line_of(f->code, name), "static", "`%.*s' has no noun in it",
				(int)n, name);
	}
}

/* --- tags ----------------------------------------------------------------------------------- */

/* The library of a path: its first folder, and for programs the second as well. */
static void library_of(const char *path, char *buf, size_t len)
{
	size_t n = strcspn(path, "/");

	if (begins(path, "tools/") || begins(path, "libmpi/api/"))
		n += 1 + strcspn(path + n + 1, "/");
	snprintf(buf, len, "%.*s", (int)n, path);
}

static void tags_add(const struct file *f)
{
	static const char *const kinds[] = {"struct", "union", "enum"};
	char library[64];
	const char *tag;
	size_t n, len;

	library_of(f->path, library, sizeof(library));
	for (const char *p = f->code; (p = word_next(p, &n)) != NULL; p += n) {
		int is_kind = 0;

		for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
			is_kind |= strlen(kinds[i]) == n && strncmp(p, kinds[i], n) == 0;
		tag = is_kind ? word_next(p + n, &len) : NULL;
		if (tag == NULL || tag[len + strspn(tag + len, " \n\t")] != '{' ||
			strspn(p + n, " ") != (size_t)(tag - p) - n || tag[len] == '\n')
			continue;
		position_add(tag, len, library, f, line_of(f->code, tag));
	}
}

/* --- tests ---------------------------------------------------------------------------------- */

/* The name of a test's file; and CHECK and its like where they are defined.  A test is linked
 * alone, so its tags are its own; lib.sh is for the scripts of its folder. */
static void test_names_add(const struct file *f)
{
	static const char *const macros[] = {"CHECK", "EXPECT", "ASSERT", "REQUIRE"};
	const char *base = base_of(f->path);

	if (!begins(f->path, "tests/"))
		return;
	if ((f->is_c || f->is_h || ends(base, ".sh")) && strcmp(base, "lib.sh") != 0)
		position_add(base, strlen(base), "tests", f, 1);
	for (size_t i = 0; i < sizeof(macros) / sizeof(macros[0]); i++) {
		char define[64];
		const char *at;

		snprintf(define, sizeof(define), "#define %s(", macros[i]);
		at = strstr(f->code, define);
		if (at != NULL)
			position_add("an assertion", strlen("an assertion"), "tests", f,
				line_of(f->code, at));
	}
}

/* --- all ------------------------------------------------------------------------------------ */

void homonyms_check(void)
{
	const struct file *f;

	for (int i = 0; i < lint_nfiles; i++) {
		f = &lint_files[i];
		if (f->is_c || f->is_h)
			statics_add(f);
	}
	positions_judge("static", STATIC_FILES, "the static function");
	for (int i = 0; i < lint_nfiles; i++) {
		f = &lint_files[i];
		if (f->is_product && (f->is_c || f->is_h))
			tags_add(f);
	}
	positions_judge("tag", 1, "the tag");
	for (int i = 0; i < lint_nfiles; i++) {
		f = &lint_files[i];
		if (f->is_product && (f->is_c || f->is_h))
			position_add(base_of(f->path), strlen(base_of(f->path)), "", f, 1);
	}
	positions_judge("base", 1, "the file name");
	for (int i = 0; i < lint_nfiles; i++)
		test_names_add(&lint_files[i]);
	positions_judge("base", 1, "the name");
}
