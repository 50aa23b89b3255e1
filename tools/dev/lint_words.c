// SPDX-License-Identifier: BSD-3-Clause
/* lint_words.c - rules for words: private ones that have a plain one, and turns of prose that hide
 * the actor.  words.txt has the table:
 *
 *     WORD any         INSTEAD...     not in names, comments and literals
 *     WORD name        INSTEAD...     not in names: in prose it is a plain word
 *     WORD text        INSTEAD...     not in names and in the product's literals of several words
 *     WORD product     INSTEAD...     not in names of the product
 *     WORD only:FOLDER,FOLDER INSTEAD...    in names of these folders of the product only
 *     WORD not:FOLDER,FOLDER  INSTEAD...    not in names of these folders
 *     NAME fine        WHY...         such a name may have a word that is refused
 *
 * A word is a whole word of a comment or literal, or a part of a name between underscores.  Names
 * are also those of files, up to the first dot. */
#include "tools/dev/lint.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define WORDS_MAX    512
#define GLOSSARY     "libmpi/README.md" /* has a section Glossary with a table */
#define GLOSSARY_MAX 25                 /* words of our own that a reader must learn */

enum pattern { WHO, WHAT, HE, SAME, BODY, PATTERNS };

static const char *const patterns[PATTERNS] = {"who", "what", "he", "same", "nobody"};

enum word_scope { WORD_ANY, WORD_NAME, WORD_TEXT, WORD_PRODUCT, WORD_ONLY, WORD_NOT, WORD_FINE };

static struct {
	char word[32], folders[192], instead[96];
	enum word_scope scope;
} words[WORDS_MAX];
static int nwords;

static void line_read(const char *line)
{
	char word[32], scope[192], rest[96] = "";

	if (line[0] == '#' || sscanf(line, "%31s %191s %95[^\n]", word, scope, rest) < 3)
		return;
	if (nwords == WORDS_MAX)
		die("words.txt is too long");
	snprintf(words[nwords].word, sizeof(words[0].word), "%s", word);
	snprintf(words[nwords].instead, sizeof(words[0].instead), "%s", rest);
	words[nwords].scope = strcmp(scope, "any") == 0       ? WORD_ANY
			      : strcmp(scope, "fine") == 0    ? WORD_FINE
			      : strcmp(scope, "text") == 0    ? WORD_TEXT
			      : strcmp(scope, "product") == 0 ? WORD_PRODUCT
			      : begins(scope, "only:")        ? WORD_ONLY
			      : begins(scope, "not:")         ? WORD_NOT
							      : WORD_NAME;
	if (words[nwords].scope == WORD_ONLY || words[nwords].scope == WORD_NOT)
		snprintf(words[nwords].folders, sizeof(words[0].folders), "%s",
			strchr(scope, ':') + 1);
	nwords++;
}

void words_read(void)
{
	FILE *f = fopen("tools/dev/words.txt", "r");
	char line[LINE_LEN];

	if (f == NULL)
		die("tools/dev/words.txt");
	while (fgets(line, sizeof(line), f) != NULL)
		line_read(line);
	fclose(f);
}

/* --- private words -------------------------------------------------------------------------- */

/* Is `at' within a name that is fine: the name of n letters, or a part of it? */
static int is_fine(const char *name, size_t n, const char *at)
{
	for (int i = 0; i < nwords; i++) {
		size_t len = strlen(words[i].word);

		if (words[i].scope != WORD_FINE)
			continue;
		for (size_t k = 0; k + len <= n; k++)
			if (strncasecmp(name + k, words[i].word, len) == 0 && name + k <= at &&
				at < name + k + len && (k == 0 || name[k - 1] == '_') &&
				(k + len == n || name[k + len] == '_'))
				return 1;
	}
	return 0;
}

/* Is the path in one of the folders, with commas between them? */
static int is_inside_one(const char *path, const char *folders)
{
	char folder[sizeof(words[0].folders)];
	size_t n;

	for (const char *p = folders; *p != '\0'; p += n + (p[n] == ',')) {
		n = strcspn(p, ",");
		snprintf(folder, sizeof(folder), "%.*s", (int)n, p);
		if (inside(path, folder))
			return 1;
	}
	return 0;
}

/* The word that is checked: a part of a name, or of prose in comments or in literals. */
enum use { NAME, COMMENT, LITERAL };

/* Is word i refused in this file, as a word of this use? */
static int is_refused(const struct file *f, int i, enum use use)
{
	int is_name = use == NAME;

	switch (words[i].scope) {
	case WORD_ANY: return 1;
	case WORD_NAME: return is_name;
	case WORD_TEXT: return is_name || (use == LITERAL && f->is_product);
	case WORD_PRODUCT: return is_name && f->is_product;
	case WORD_ONLY:
		return is_name && f->is_product && !is_inside_one(f->path, words[i].folders);
	case WORD_NOT: return is_name && is_inside_one(f->path, words[i].folders);
	default: return 0;
	}
}

/* The part of n letters at `at' of the word or name of `len' letters.  base: the text; NULL: it is
 * the file's name. */
static void part_check(const struct file *f, const char *base, const char *name, size_t len,
	const char *at, size_t n, enum use use)
{
	for (int i = 0; i < nwords; i++) {
		if (strncasecmp(words[i].word, at, n) != 0 || words[i].word[n] != '\0' ||
			!is_refused(f, i, use) || is_fine(name, len, at))
			continue;
		found(f->path, base != NULL ? line_of(base, at) : 1, "words", "`%s' is: %s",
			words[i].word, words[i].instead);
	}
}

/* Is the word of n letters at p all of a literal: a keyword, a value, no sentence? */
static int is_alone(const struct file *f, const char *text, const char *p, size_t n)
{
	const char *at = f->text + (p - text);

	return at[-1] == '"' && at[n] == '"';
}

static void private_check(const struct file *f, const char *text, enum use of)
{
	size_t n, part;

	for (const char *p = text; (p = word_next(p, &n)) != NULL; p += n) {
		enum use use = memchr(p, '_', n) != NULL                  ? NAME
			       : of == LITERAL && is_alone(f, text, p, n) ? COMMENT
									  : of;

		for (size_t i = 0; i < n; i += part + 1) {
			part = strcspn(p + i, "_");
			part = part < n - i ? part : n - i;
			if (part > 0)
				part_check(f, text, p, n, p + i, part, use);
		}
	}
}

/* The insides of literals: error texts, descriptions of settings. */
static void literals_check(const struct file *f)
{
	char *s = must_copy(f->text);

	for (size_t i = 0; i < f->len; i++)
		if (s[i] != '\n' && (f->code[i] != ' ' || f->comment[i] != ' '))
			s[i] = ' ';
	private_check(f, s, LITERAL);
	free(s);
}

/* The name of the file: parts between underscores. */
static void base_name_check(const struct file *f)
{
	const char *base = base_of(f->path);
	size_t n;

	for (const char *p = base; *p != '\0' && *p != '.'; p += n + (p[n] == '_' || p[n] == '-')) {
		n = strcspn(p, "_-.");
		if (n > 0)
			part_check(f, NULL, base, strcspn(base, "."), p, n, NAME);
	}
}

/* The words of a row of the glossary: those in its first cell, with commas between. */
static int glossary_row(const char *row)
{
	const char *end = strchr(row + 1, '|');
	int n = 1;

	for (const char *p = row; end != NULL && p < end; p++)
		n += *p == ',';
	return n;
}

/* The table of a section called Glossary has at most GLOSSARY_MAX words. */
static void glossary_check(const struct file *f)
{
	const char *p = strcmp(f->path, GLOSSARY) == 0 ? strstr(f->text, "# Glossary") : NULL;
	int rows = -2; /* the head and the line below it */

	for (p = p != NULL ? strchr(p, '\n') : NULL; p != NULL && p[1] != '#';
		p = strchr(p + 1, '\n'))
		rows += p[1] == '|' ? glossary_row(p + 1) : 0;
	if (rows > GLOSSARY_MAX)
		found(f->path, 1, "words", "the glossary has %d words; %d are allowed", rows,
			GLOSSARY_MAX);
}

/* --- prose ---------------------------------------------------------------------------------- */

static int is_one_of(const char *word, size_t n, const char *const *list)
{
	for (; *list != NULL; list++)
		if (strlen(*list) == n && strncmp(word, *list, n) == 0)
			return 1;
	return 0;
}

/* The last word, and the last character that is no blank, before `at'. */
static const char *word_before(const char *at, const char *begin, size_t *n, char *last)
{
	const char *p = at;

	while (p > begin && (isspace((unsigned char)p[-1]) || strchr("*#", p[-1]) != NULL))
		p--;
	*last = p > begin ? p[-1] : '.';
	for (*n = 0; p > begin && is_word(p[-1]); p--)
		(*n)++;
	return p;
}

/* Is the word at `at' a subject without an actor: first of its clause, or before "is" or "it"? */
static int is_headless(const char *at, size_t n, char last)
{
	static const char *const what[] = {"what", "What", "Whatever", NULL};
	static const char *const next[] = {
		"is", "was", "are", "were", "has", "had", "it", "they", NULL};
	const char *p = at + n;
	size_t len = 0;

	if (!is_one_of(at, n, what) || strchr(" \n", at[n]) == NULL) /* `what: ...' is a name */
		return 0;
	p += strspn(p, " \t\n*");
	while (is_word(p[len]))
		len++;
	return at[0] == 'W' || strchr(".;:(", last) != NULL || is_one_of(p, len, next);
}

/* Is the word `who' or `what' in place of a noun, and no question?  before: the word before it, of
 * len letters. */
static int is_nounless(const char *at, size_t n, const char *before, size_t len)
{
	static const char *const behind[] = {"for", "of", "to", "by", "and", NULL};
	static const char *const noun[] = {"who", "what", NULL};
	const char *p = at + n + strspn(at + n, " \t\n*#");

	return is_one_of(at, n, noun) && is_one_of(before, len, behind) &&
	       strchr(" \n.,;:", at[n]) != NULL && !begins(p, "does ") && !begins(p, "do ");
}

static enum pattern pattern_of(const char *begin, const char *at, size_t n)
{
	static const char *const who[] = {
		"Who", "Whoever", "whoever", "Whose", "Whom", "whomever", NULL};
	static const char *const he[] = {
		"he", "his", "him", "himself", "He", "His", "Him", "Himself", NULL};
	static const char *const body[] = {"nobody", "Nobody", "everybody", "Everybody", "somebody",
		"Somebody", "anybody", "Anybody", NULL};
	static const char *const head[] = {
		"for", "of", "to", "by", "from", "with", "than", "as", NULL};
	static const char *const same[] = {"same", NULL}, *const the[] = {"The", NULL},
				 *const low[] = {"who", NULL};
	const char *before;
	size_t len;
	char last;

	before = word_before(at, begin, &len, &last);
	if (is_one_of(at, n, who) ||
		(is_one_of(at, n, low) &&
			(strchr(";:(", last) != NULL || is_one_of(before, len, head))))
		return WHO;
	if (is_headless(at, n, last) || is_nounless(at, n, before, len))
		return WHAT;
	if (is_one_of(at, n, he))
		return HE;
	if (is_one_of(at, n, body))
		return BODY;
	return is_one_of(at, n, same) && is_one_of(before, len, the) ? SAME : PATTERNS;
}

static void prose_check(const struct file *f)
{
	size_t n;

	for (const char *p = f->comment; (p = word_next(p, &n)) != NULL; p += n) {
		enum pattern is = pattern_of(f->comment, p, n);

		if (is != PATTERNS)
			found(f->path, line_of(f->comment, p), "prose", "%s: `%.*s'", patterns[is],
				(int)(strcspn(p, "\n") < 40 ? strcspn(p, "\n") : 40), p);
	}
}

void words_check(const struct file *f)
{
	if (!ends(f->path, "words.txt"))
		private_check(f, f->comment, COMMENT);
	if (f->is_like_c) {
		private_check(f, f->code, NAME);
		literals_check(f);
	}
	base_name_check(f);
	glossary_check(f);
	prose_check(f);
}
