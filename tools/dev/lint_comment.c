// SPDX-License-Identifier: BSD-3-Clause
/* lint_comment.c - rules for comments: rulers are whole, and a file or function named there exists.
 *
 * A comment names a file by a word that ends as a source does (with its folder or without), and a
 * function by `name()', by a word that begins with the prefix of a folder (p2p_ and so on),
 * or by one in lower case with an underscore.  Such a word must be a name somewhere in the code of
 * the tree, or of generated code; or the end of a name of MPI (get_contents); or in layers.txt,
 * as a name of another library.  Comments are those of C, scripts, makefiles, Fortran and pages. */
#include "tools/dev/lint.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define KNOWN_SIZE (1u << 20) /* slots for names: ten times as many as there are */

/* --- rulers --------------------------------------------------------------------------------- */

static void ruler_check(const struct file *f)
{
	int line = 1;

	for (const char *p = f->comment + 1; *p != '\0'; line++) {
		size_t n = strcspn(p, "\n"), dashes;
		const char *q = p + strspn(p, " \t");

		if (begins(q, "/* ---") && memmem(p, n, "*/", 2) == NULL)
			found(f->path, line, "ruler", "a section ruler is one line");
		if (*q == '*' && q[1] != '/')
			q += 1 + strspn(q + 1, " \t");
		dashes = strspn(q, "-");
		q += dashes + strspn(q + dashes, " \t*/");
		if (dashes > 1 && (*q == '\n' || *q == '\0'))
			found(f->path, line, "ruler", "a line of dashes: half of a section ruler");
		p += n;
		p += *p == '\n';
	}
}

/* --- names that there are ------------------------------------------------------------------- */

static char *known[KNOWN_SIZE];

static char **known_slot(const char *s, size_t n)
{
	unsigned h = 5381;

	for (size_t i = 0; i < n; i++)
		h = h * 33 + (unsigned char)s[i];
	for (;; h++) {
		char **slot = &known[h % KNOWN_SIZE];

		if (*slot == NULL || (strncmp(*slot, s, n) == 0 && (*slot)[n] == '\0'))
			return slot;
	}
}

/* Keeps all words of a text, and the beginnings of them that end with an underscore. */
static void known_add(const char *text)
{
	size_t n;

	for (const char *p = text; (p = word_next(p, &n)) != NULL; p += n) {
		for (size_t k = n; k > 0; k--) {
			char **slot;

			if (k < n && p[k - 1] != '_')
				continue;
			slot = known_slot(p, k);
			if (*slot != NULL)
				break;
			*slot = must_alloc(NULL, k + 1);
			memcpy(*slot, p, k);
			(*slot)[k] = '\0';
		}
	}
}

/* Also the ends of the names of MPI that a text has: get_contents of MPI_Type_get_contents. */
static void known_add_ends(const char *text)
{
	size_t n;

	for (const char *p = text; (p = word_next(p, &n)) != NULL; p += n) {
		char name[LINE_LEN];

		if (n < 5 || n >= sizeof(name) || strncasecmp(p, "MPI", 3) != 0)
			continue;
		for (size_t i = 0; i < n; i++)
			name[i] = (char)tolower((unsigned char)p[i]);
		name[n] = '\0';
		for (char *q = strchr(name, '_'); q != NULL; q = strchr(q + 1, '_'))
			known_add(q + 1);
	}
}

/* All of a file but its comments: names, and words of literals. */
static void known_code(const struct file *f)
{
	char *s = must_copy(f->text);

	for (size_t i = 0; i < f->len; i++)
		if (f->comment[i] != ' ')
			s[i] = ' ';
	known_add(s);
	known_add_ends(s);
	free(s);
}

/* The names of generated code, which is no file of the tree. */
static void known_run(const char *command)
{
	char line[LINE_LEN];
	FILE *p = popen(command, "r");

	while (p != NULL && fgets(line, sizeof(line), p) != NULL) {
		known_add(line);
		known_add_ends(line);
	}
	if (p != NULL)
		pclose(p);
}

void mentions_read(void)
{
	const struct law *l = NULL;
	char command[LINE_LEN];

	if (!is_on("mention"))
		return;
	while ((l = law_next("foreign", l)) != NULL)
		for (int i = 0; i < l->n; i++)
			known_add(l->words[i]);
	for (int i = 0; i < lint_nfiles; i++) {
		const struct file *f = &lint_files[i];

		if (!ends(f->path, ".md"))
			known_code(f);
		known_add(f->path);
	}
	snprintf(command, sizeof(command),
		"cat %s/include/*.h %s/gen/*.h %s/gen/*.c 2>/dev/null; ls %s/gen 2>/dev/null",
		lint_build, lint_build, lint_build, lint_build);
	known_run(command);
}

/* --- names that comments have --------------------------------------------------------------- */

static int is_file_char(char c)
{
	return is_word(c) || c == '.' || c == '/' || c == '-';
}

/* Is there such a file: in the tree (a/b.c: a b.c in some folder a), generated, or the system's? */
static int is_file(const char *name)
{
	char path[2 * LINE_LEN];
	size_t n = strlen(name);

	for (int i = 0; i < lint_nfiles; i++) {
		size_t len = strlen(lint_files[i].path);

		if (ends(lint_files[i].path, name) &&
			(len == n || lint_files[i].path[len - n - 1] == '/'))
			return 1;
	}
	snprintf(path, sizeof(path), "%s/include/%s", lint_build, name);
	if (access(path, R_OK) == 0)
		return 1;
	snprintf(path, sizeof(path), "%s/gen/%s", lint_build, name);
	if (access(path, R_OK) == 0)
		return 1;
	snprintf(path, sizeof(path), "/usr/include/%s", name);
	return access(path, R_OK) == 0;
}

/* A file that stands for any: NAME.c, x.c, or one that layers.txt calls an example. */
static int is_example(const char *name)
{
	const struct law *l = NULL;

	for (const char *p = name; *p != '\0'; p++)
		if (isupper((unsigned char)*p))
			return 1;
	while ((l = law_next("example", l)) != NULL)
		if (strcmp(l->folder, name) == 0)
			return 1;
	return strcspn(base_of(name), ".") == 1;
}

static void file_mention_check(const struct file *f, const char *at, size_t n)
{
	static const char *const suffixes[] = {
		".c", ".h", ".def", ".sh", ".inc", ".pml", ".mk", ".awk", ".py"};
	char name[LINE_LEN];
	int is_source = 0;

	snprintf(name, sizeof(name), "%.*s", (int)n, at);
	for (size_t i = 0; i < sizeof(suffixes) / sizeof(suffixes[0]); i++)
		is_source |= ends(name, suffixes[i]) && n > strlen(suffixes[i]);
	if (!is_source || strchr("*%$<>{}~", at[-1]) != NULL || strchr("./_-", name[0]) != NULL ||
		is_example(name) || begins(name, "build/") || begins(name, "gen/") ||
		begins(name, "include/"))
		return;
	if (!is_file(name))
		found(f->path, line_of(f->comment, at), "mention", "there is no file %s", name);
}

/* Does the word begin with the prefix of a folder's names, and is it more than that? */
static int is_prefixed(const char *word, size_t n)
{
	const struct law *l = NULL;

	while ((l = law_next("link", l)) != NULL) {
		for (int i = 0; i < l->n; i++) {
			size_t k = strlen(l->words[i]);

			if (n > k && islower((unsigned char)word[0]) &&
				strncmp(word, l->words[i], k) == 0)
				return 1;
		}
	}
	return 0;
}

/* Is it written as functions are: lower case, with an underscore inside? */
static int is_snake(const char *word, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (isupper((unsigned char)word[i]))
			return 0;
	return n > 4 && memchr(word + 1, '_', n - 2) != NULL && word[0] != '_' &&
	       word[n - 1] != '_';
}

static void word_mention_check(const struct file *f, const char *at, size_t n)
{
	int is_call = at[n] == '(' && at[n + 1] == ')';
	int is_part = is_file_char(at[-1]) || (at[n] == '.' && is_word(at[n + 1])) ||
		      strchr("*-/<{", at[n]) != NULL;

	/* mpi_x_ stands for any of its kind */
	if (memmem(at, n, "_x_", 3) != NULL || (n > 2 && strncmp(at + n - 2, "_x", 2) == 0))
		return;
	if (isdigit((unsigned char)at[0]) || is_part ||
		(!is_call && !is_snake(at, n) && !is_prefixed(at, n)))
		return;
	if (*known_slot(at, n) == NULL)
		found(f->path, line_of(f->comment, at), "mention", "there is no %.*s", (int)n, at);
}

static void mention_check(const struct file *f)
{
	size_t n;

	for (const char *p = f->comment; *p != '\0'; p++) {
		if (!is_file_char(*p) || is_file_char(p[-1]))
			continue;
		for (n = 1; is_file_char(p[n]);)
			n++;
		while (n > 1 && (p[n - 1] == '.' || p[n - 1] == '/' || p[n - 1] == '-'))
			n--;
		if (!ends(f->path, ".md")) /* lint_text.c: page */
			file_mention_check(f, p, n);
	}
	for (const char *p = f->comment; (p = word_next(p, &n)) != NULL; p += n)
		word_mention_check(f, p, n);
}

/* A manual page shows programs of the reader's. */
static int is_manual(const char *path)
{
	return ends(path, ".1") || ends(path, ".3") || ends(path, ".7");
}

void comment_check(const struct file *f)
{
	if (f->is_like_c)
		ruler_check(f);
	if (is_on("mention") && !ends(f->path, ".txt") && !is_manual(f->path))
		mention_check(f);
}
