// SPDX-License-Identifier: BSD-3-Clause
/* lint_tree.c - the files of the tree, read once and kept three times (lint.h); layers.txt; the
 * findings, printed as they come. */
#include "tools/dev/lint.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

const char *lint_build = "build/release", *lint_cc = "gcc";
struct file *lint_files;
int lint_nfiles;
static struct law *laws;
static int nlaws;

/* --- findings ------------------------------------------------------------------------------- */

static int findings;
static const char *only_rule; /* -r */
static char **only_folders;   /* the arguments, up to a NULL */

void findings_select(const char *rule, char **folders)
{
	only_rule = rule;
	only_folders = folders;
}

int is_on(const char *rule)
{
	return only_rule == NULL || strcmp(only_rule, rule) == 0;
}

void found(const char *path, int line, const char *rule, const char *fmt, ...)
{
	int wanted = only_folders == NULL || only_folders[0] == NULL;
	va_list ap;

	for (char **p = only_folders; p != NULL && *p != NULL; p++)
		wanted |= inside(path, *p);
	if (!wanted || !is_on(rule))
		return;
	printf("%s:%d: %s: ", path, line, rule);
	va_start(ap, fmt);
	vprintf(fmt, ap);
	va_end(ap);
	putchar('\n');
	findings++;
}

int findings_end(void)
{
	printf("lint: %d files, %d findings\n", lint_nfiles, findings);
	return findings;
}

/* --- small things --------------------------------------------------------------------------- */

void die(const char *what)
{
	fprintf(stderr, "lint: %s: %s\n", what, strerror(errno));
	exit(2);
}

void *must_alloc(void *p, size_t n)
{
	p = realloc(p, n);
	if (p == NULL)
		die("memory");
	return p;
}

char *must_copy(const char *s)
{
	size_t n = strlen(s) + 1;

	return memcpy(must_alloc(NULL, n), s, n);
}

int begins(const char *s, const char *with)
{
	return strncmp(s, with, strlen(with)) == 0;
}

int ends(const char *s, const char *with)
{
	size_t n = strlen(s), m = strlen(with);

	return n >= m && strcmp(s + n - m, with) == 0;
}

int inside(const char *path, const char *prefix)
{
	size_t n = strlen(prefix);

	return strncmp(path, prefix, n) == 0 && (path[n] == '\0' || path[n] == '/');
}

int is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

int line_of(const char *base, const char *at)
{
	int n = 0;

	for (; base < at; base++)
		n += *base == '\n';
	return n;
}

struct file *file_of(const char *path)
{
	for (int i = 0; i < lint_nfiles; i++)
		if (strcmp(lint_files[i].path, path) == 0)
			return &lint_files[i];
	return NULL;
}

int columns(const char *p, size_t n)
{
	int col = 0;

	for (size_t i = 0; i < n; i++) {
		if (p[i] == '\t')
			col = (col / 8 + 1) * 8;
		else if (((unsigned char)p[i] & 0xC0) != 0x80)
			col++;
	}
	return col;
}

const char *base_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash == NULL ? path : slash + 1;
}

char *folder_of(const char *path, char *buf, size_t len)
{
	size_t n = (size_t)(base_of(path) - path);

	snprintf(buf, len, "%.*s", n > 0 ? (int)n - 1 : 1, n > 0 ? path : ".");
	return buf;
}

const char *word_next(const char *p, size_t *n)
{
	while (*p != '\0' && !is_word(*p))
		p++;
	for (*n = 0; is_word(p[*n]);)
		(*n)++;
	return *p == '\0' ? NULL : p;
}

/* --- reading -------------------------------------------------------------------------------- */

enum lex { LEX_CODE, LEX_LINE, LEX_BLOCK, LEX_QUOTE };

static int lex_is_comment(enum lex state)
{
	return state == LEX_LINE || state == LEX_BLOCK;
}

/* In code: blanks the begin of a comment.  A quote begins a literal. */
static enum lex lex_code(char **at, char *quote)
{
	char *s = *at;

	*quote = *s;
	if (s[0] == '/' && s[1] == '/') {
		s[0] = ' ';
		return LEX_LINE;
	}
	if (s[0] == '/' && s[1] == '*') {
		s[0] = s[1] = ' ';
		*at = s + 1;
		return LEX_BLOCK;
	}
	return *s == '"' || (*s == '\'' && !is_word(s[-1])) ? LEX_QUOTE : LEX_CODE;
}

static enum lex lex_quote(char **at, char quote)
{
	char *s = *at;

	if (*s == quote || *s == '\n')
		return LEX_CODE;
	if (*s == '\\' && s[1] != '\n' && s[1] != '\0')
		*s++ = ' ';
	*s = ' ';
	*at = s;
	return LEX_QUOTE;
}

static enum lex lex_line(char *s)
{
	if (*s == '\n')
		return LEX_CODE;
	*s = ' ';
	return LEX_LINE;
}

static enum lex lex_block(char **at)
{
	char *s = *at;

	if (s[0] == '*' && s[1] == '/') {
		s[0] = s[1] = ' ';
		*at = s + 1;
		return LEX_CODE;
	}
	if (*s != '\n')
		*s = ' ';
	return LEX_BLOCK;
}

/* One step from *at on; blanks all but code, and moves *at to the last character it has taken. */
static enum lex lex_step(enum lex state, char **at, char *quote)
{
	switch (state) {
	case LEX_QUOTE: return lex_quote(at, *quote);
	case LEX_LINE: return lex_line(*at);
	case LEX_BLOCK: return lex_block(at);
	default: return lex_code(at, quote);
	}
}

/* Of two copies of a file, blanks in `code' comments and the insides of literals, and in `comment'
 * all but the comments. */
static void code_make(char *code, char *comment)
{
	enum lex state = LEX_CODE;
	char quote = 0;

	for (char *s = code; *s != '\0'; s++, comment++) {
		int was = lex_is_comment(state);
		char *from = s;

		state = lex_step(state, &s, &quote);
		for (int keep = was || lex_is_comment(state);; comment++, from++) {
			if (!keep && *comment != '\n')
				*comment = ' ';
			if (from == s)
				break;
		}
	}
}

int is_page(const char *path)
{
	return ends(path, ".md") || ends(path, ".1") || ends(path, ".3") || ends(path, ".7");
}

/* The comments of a file that is no C: lines that begin with #, in Fortran with !; of a page all is
 * prose. */
static void comment_page(struct file *f)
{
	char sign =
		ends(f->path, ".f90") || ends(f->path, ".f") || ends(f->path, ".F90") ? '!' : '#';
	char *p = f->comment;

	while (*p == '\n') {
		int on = is_page(f->path) || p[1 + strspn(p + 1, " \t")] == sign;

		for (p++; *p != '\0' && *p != '\n'; p++)
			*p = on ? *p : ' ';
	}
}

static void file_add(const char *path)
{
	FILE *in = fopen(path, "r");
	struct file f = {0};
	long len;

	if (in == NULL)
		return; /* deleted, not yet committed */
	if (fseek(in, 0, SEEK_END) != 0 || (len = ftell(in)) < 0)
		die(path);
	rewind(in);
	f.text = must_alloc(NULL, (size_t)len + 2);
	f.text[0] = '\n';
	f.len = fread(f.text + 1, 1, (size_t)len, in) + 1;
	fclose(in);
	f.text[f.len] = '\0';
	f.path = must_copy(path);
	f.code = must_copy(f.text);
	f.comment = must_copy(f.text);
	f.is_c = ends(path, ".c");
	f.is_h = ends(path, ".h");
	f.is_product = begins(path, "lib") || begins(path, "tools/");
	f.is_like_c =
		f.is_c || f.is_h || ends(path, ".def") || ends(path, ".inc") || ends(path, ".pml");
	code_make(f.code + 1, f.comment + 1);
	if (!f.is_like_c) {
		memcpy(f.comment, f.text, f.len);
		comment_page(&f);
	}
	lint_files = must_alloc(lint_files, (size_t)(lint_nfiles + 1) * sizeof(*lint_files));
	lint_files[lint_nfiles++] = f;
}

void tree_read(void)
{
	FILE *p = popen("git ls-files --cached --others --exclude-standard", "r");
	char line[LINE_LEN];

	while (p != NULL && fgets(line, sizeof(line), p) != NULL) {
		line[strcspn(line, "\n")] = '\0';
		file_add(line);
	}
	if (p == NULL || pclose(p) != 0)
		die("git ls-files");
}

void laws_read(void)
{
	FILE *f = fopen("tools/dev/layers.txt", "r");
	char line[LINE_LEN], *save;

	if (f == NULL)
		die("tools/dev/layers.txt");
	while (fgets(line, sizeof(line), f) != NULL) {
		struct law l = {0};
		char *w;

		line[strcspn(line, "#\n")] = '\0';
		for (w = strtok_r(line, ": \t", &save); w != NULL;
			w = strtok_r(NULL, ": \t", &save)) {
			if (l.kind == NULL)
				l.kind = must_copy(w);
			else if (l.folder == NULL)
				l.folder = must_copy(w);
			else if (l.n < LIST_MAX)
				l.words[l.n++] = must_copy(w);
		}
		if (l.folder == NULL)
			continue;
		laws = must_alloc(laws, (size_t)(nlaws + 1) * sizeof(*laws));
		laws[nlaws++] = l;
	}
	fclose(f);
}

const struct law *law_of(const char *kind, const char *path)
{
	const struct law *best = NULL;

	for (int i = 0; i < nlaws; i++) {
		const struct law *l = &laws[i];

		if (strcmp(l->kind, kind) != 0 || !inside(path, l->folder))
			continue;
		if (best == NULL || strlen(l->folder) > strlen(best->folder))
			best = l;
	}
	return best;
}

const struct law *law_next(const char *kind, const struct law *last)
{
	for (int i = last == NULL ? 0 : (int)(last - laws) + 1; i < nlaws; i++)
		if (strcmp(laws[i].kind, kind) == 0)
			return &laws[i];
	return NULL;
}

int law_has(const struct law *law, const char *word)
{
	for (int i = 0; i < law->n; i++)
		if (strcmp(law->words[i], word) == 0)
			return 1;
	return 0;
}
