// SPDX-License-Identifier: BSD-3-Clause
/* lint_list.c - rules for files.mk, which take sources by pattern and name the exceptions, for how
 * tests begin, and for the table of settings. */
#include "tools/dev/lint.h"

#include <ctype.h>
#include <fnmatch.h>
#include <string.h>

#define SETTINGS "libmpi/core/setting." /* .c has the rows, .h the enum */

static int is_list(const char *path)
{
	return ends(path, "files.mk") || strcmp(path, "Makefile") == 0;
}

/* A word of a list that is a pattern of paths, like libobj/NAME.c; the length of the word. */
static size_t pattern_get(const char *at, char *pattern, size_t len)
{
	size_t n = strcspn(at, " \t\n,)");
	int size = n < len ? (int)n : 0;

	snprintf(pattern, len, "%.*s", size, at);
	if (strchr(pattern, '*') == NULL || strchr(pattern, '$') != NULL ||
		strchr(pattern, '/') == NULL || strchr(pattern, ':') != NULL)
		pattern[0] = '\0';
	return n;
}

/* Does a pattern of the list match one of the tree's files (path NULL) or this one? */
static int pattern_fits(const char *pattern, const char *path)
{
	if (path != NULL)
		return fnmatch(pattern, path, FNM_PATHNAME) == 0;
	for (int i = 0; i < lint_nfiles; i++)
		if (fnmatch(pattern, lint_files[i].path, FNM_PATHNAME) == 0)
			return 1;
	return 0;
}

static int is_matched(const struct file *list, const char *path)
{
	char pattern[LINE_LEN];

	for (const char *p = list->text; *p != '\0';) {
		size_t n = pattern_get(p, pattern, sizeof(pattern));

		if (pattern[0] != '\0' && pattern_fits(pattern, path))
			return 1;
		p += n + (p[n] != '\0');
	}
	return 0;
}

static int is_named(const struct file *list, const char *what)
{
	size_t n = strlen(what);

	for (const char *p = list->text; (p = strstr(p, what)) != NULL; p += n)
		if (!is_word(p[-1]) && !is_word(p[n]))
			return 1;
	return 0;
}

/* Does a list name the source, or match it?  A test that is a script may name its sources. */
static int is_listed(const char *path)
{
	const char *what = begins(path, "tests/") ? strrchr(path, '/') + 1 : path;

	for (int i = 0; i < lint_nfiles; i++) {
		const struct file *f = &lint_files[i];

		if (is_list(f->path) && is_matched(f, path))
			return 1;
		if ((is_list(f->path) || (what != path && ends(f->path, ".sh"))) &&
			is_named(f, what))
			return 1;
	}
	return 0;
}

/* A list that begins twice has lost its first half: most likely in a merge. */
static void begin_check(const struct file *f)
{
	for (const char *p = f->text; (p = strstr(p, " :=")) != NULL; p += 3) {
		const char *begin = p, *twin;
		char key[LINE_LEN];

		while (is_word(begin[-1]))
			begin--;
		if (begin[-1] != '\n' || !isalpha((unsigned char)*begin))
			continue;
		snprintf(key, sizeof(key), "\n%.*s :=", (int)(p - begin), begin);
		twin = strstr(begin, key);
		if (twin != NULL && (strstr(key, "_TESTS") != NULL || strstr(key, "_SRCS") != NULL))
			found(f->path, line_of(f->text, twin + 1), "list",
				"%s begins a second time", key + 1);
	}
}

/* A word of a list that names a file, or a pattern of files. */
static void list_word_check(const struct file *f, int line, const char *at)
{
	char w[LINE_LEN];

	pattern_get(at, w, sizeof(w));
	if (w[0] != '\0') {
		if (is_path(w) && !pattern_fits(w, NULL))
			found(f->path, line, "list", "no file matches %s", w);
		return;
	}
	snprintf(w, sizeof(w), "%.*s", (int)strcspn(at, " \t\n,)"), at);
	if (is_path(w) && (ends(w, ".c") || ends(w, ".sh")) && file_of(w) == NULL)
		found(f->path, line, "list", "there is no %s", w);
}

/* The words of a files.mk that name a file must name one that exists. */
static void list_check(const struct file *f)
{
	int line = 0;

	for (const char *p = f->text; *p != '\0'; p += strcspn(p, " \t\n,)")) {
		for (; isspace((unsigned char)*p) || *p == ',' || *p == ')'; p++)
			line += *p == '\n';
		if (*p == '#')
			p += strcspn(p, "\n");
		else if (*p != '\0')
			list_word_check(f, line, p);
	}
}

/* Tests of MPI begin with their order and say the clause that they prove. */
static void test_check(const struct file *f)
{
	char head[LINE_LEN / 4];

	if (!begins(f->path, "tests/std/") || !f->is_c)
		return;
	snprintf(head, sizeof(head), "%s", f->text);
	if (strstr(head, "/* RUN ") == NULL)
		found(f->path, 2, "test", "no line /* RUN np=... */ at the beginning");
	if (strstr(head, "MPI-5.0 ") == NULL)
		found(f->path, 3, "test", "no line /* MPI-5.0 CLAUSE: ... */ at the beginning");
}

/* Is the name in the product's code outside of the table? */
static int is_read(const char *name)
{
	size_t n = strlen(name);

	for (int i = 0; i < lint_nfiles; i++) {
		const struct file *f = &lint_files[i];

		if (!f->is_product || !f->is_c || begins(f->path, SETTINGS))
			continue;
		for (const char *p = f->code; (p = strstr(p, name)) != NULL; p += n)
			if (!is_word(p[-1]) && !is_word(p[n]))
				return 1;
	}
	return 0;
}

/* A setting that has a row has a reader. */
static void settings_check(const struct file *f)
{
	for (const char *p = f->code; (p = strstr(p, "[SETTING_")) != NULL; p++) {
		char name[LINE_LEN];

		snprintf(name, sizeof(name), "%.*s", (int)strcspn(p + 1, "]"), p + 1);
		if (begins(strchr(p, ']'), "] =") && !is_read(name))
			found(f->path, line_of(f->code, p), "setting", "nothing reads %s", name);
	}
}

void list_file_check(const struct file *f)
{
	if (is_list(f->path)) {
		list_check(f);
		begin_check(f);
	}
	test_check(f);
	if (strcmp(f->path, SETTINGS "c") == 0)
		settings_check(f);
	if (f->is_c && !is_listed(f->path))
		found(f->path, 1, "list", "in no files.mk");
}
