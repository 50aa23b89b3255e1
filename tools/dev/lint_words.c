// SPDX-License-Identifier: BSD-3-Clause
/* lint_words.c - rules for words: private ones that have a plain one, and turns of prose that hide
 * the actor.  words.txt has the table:
 *
 *     WORD any  INSTEAD...     not in names and comments of the product
 *     WORD name INSTEAD...     not in names: in prose it is a plain word
 *
 * A word is a whole word of a comment, or a part of a name between underscores. */
#include "tools/dev/lint.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define WORDS_MAX    512
#define GLOSSARY     "libmpi/README.md" /* has a section Glossary with a table */
#define GLOSSARY_MAX 25                 /* words of our own that a reader must learn */

enum pattern { WHO, WHAT, HE, SAME, BODY, PATTERNS };

static const char *const patterns[PATTERNS] = {"who", "what", "he", "same", "nobody"};

static struct {
	char word[32], instead[96];
	int is_any;
} words[WORDS_MAX];
static int nwords;

static void line_read(const char *line)
{
	char word[32], scope[32], rest[96] = "";

	if (line[0] == '#' || sscanf(line, "%31s %31s %95[^\n]", word, scope, rest) < 3)
		return;
	if (nwords == WORDS_MAX)
		die("words.txt is too long");
	snprintf(words[nwords].word, sizeof(words[0].word), "%s", word);
	snprintf(words[nwords].instead, sizeof(words[0].instead), "%s", rest);
	words[nwords++].is_any = strcmp(scope, "any") == 0;
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

/* A word of n letters, or a part of a name. */
static void part_check(
	const struct file *f, const char *base, const char *at, size_t n, int is_name)
{
	for (int i = 0; i < nwords; i++) {
		if (strncasecmp(words[i].word, at, n) != 0 || words[i].word[n] != '\0' ||
			(!is_name && !words[i].is_any))
			continue;
		found(f->path, line_of(base, at), "words", "`%s' is: %s", words[i].word,
			words[i].instead);
	}
}

static void private_check(const struct file *f, const char *text, int is_code)
{
	size_t n, part;

	for (const char *p = text; (p = word_next(p, &n)) != NULL; p += n) {
		int is_name = is_code || memchr(p, '_', n) != NULL;

		if (begins(p, "HAFT_")) /* a setting keeps its old name */
			continue;

		for (size_t i = 0; i < n; i += part + 1) {
			part = strcspn(p + i, "_");
			part = part < n - i ? part : n - i;
			if (part > 0)
				part_check(f, text, p + i, part, is_name);
		}
	}
}

/* The table of a section called Glossary has at most GLOSSARY_MAX rows. */
static void glossary_check(const struct file *f)
{
	const char *p = strcmp(f->path, GLOSSARY) == 0 ? strstr(f->text, "# Glossary") : NULL;
	int rows = -2; /* the head and the line below it */

	for (p = p != NULL ? strchr(p, '\n') : NULL; p != NULL && p[1] != '#';
		p = strchr(p + 1, '\n'))
		rows += p[1] == '|';
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

	while (p > begin && (isspace((unsigned char)p[-1]) || p[-1] == '*'))
		p--;
	*last = p > begin ? p[-1] : '.';
	for (*n = 0; p > begin && is_word(p[-1]); p--)
		(*n)++;
	return p;
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
	static const char *const what[] = {"What", NULL}, *const same[] = {"same", NULL},
				 *const the[] = {"The", NULL}, *const low[] = {"who", NULL};
	const char *before;
	size_t len;
	char last;

	before = word_before(at, begin, &len, &last);
	if (is_one_of(at, n, who) ||
		(is_one_of(at, n, low) &&
			(strchr(";:(", last) != NULL || is_one_of(before, len, head))))
		return WHO;
	if (is_one_of(at, n, what))
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
	if (f->is_product || ends(f->path, ".md"))
		private_check(f, f->comment, 0);
	if (f->is_product && (f->is_c || f->is_h || ends(f->path, ".def")))
		private_check(f, f->code, 1);
	glossary_check(f);
	prose_check(f);
}
