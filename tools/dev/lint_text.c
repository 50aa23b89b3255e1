// SPDX-License-Identifier: BSD-3-Clause
/* lint_text.c - rules for any text: the licence, words that stay out, width, names of files, pages
 * and the READMEs of folders. */
#include "tools/dev/lint.h"

#include <ctype.h>
#include <regex.h>
#include <stdlib.h>
#include <string.h>

#define FILE_MAX      1000 /* lines: a chapter */
#define COLUMN_MAX    100
#define NAME_MAX      20  /* letters of a file's name */
#define README_MAX    120 /* lines: two screens and a half */
#define DECISIONS_MIN 5   /* in the README of a folder of the product */
#define PERF_HEAD     12  /* lines of a PERF.md that say day, machine and command */

/* The SPDX line comes first, or second after #!, in every file but the licence itself.  The formats
 * of Debian's packages have no place for it: debian/copyright says it for all of them. */
static void spdx_check(const struct file *f)
{
	const char *p = f->text + 1;

	if (strcmp(f->path, "LICENSE") == 0 || begins(f->path, "tools/pack/debian/"))
		return;
	if (begins(p, "#!"))
		p += strcspn(p, "\n") + 1;
	p = strstr(f->text, "SPDX-License-Identifier: BSD-3-Clause") == NULL ? "" : p;
	if (memmem(p, strcspn(p, "\n"), "SPDX-License", 12) == NULL)
		found(f->path, 1, "spdx", "the first line says the licence");
}

/* Words that must not be in any file, and paths of the machine it was written on. */
static void word_check(const struct file *f)
{
	/* spelled so that this file does not contain them */
	static const char *const bad[] = {
		"T\117DO", "FIX\115E", "XX\130", "/w\157rk/", "../sh\141red", "/h\157me/"};

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		size_t n = strlen(bad[i]);

		for (const char *p = f->text; (p = strstr(p, bad[i])) != NULL; p += n) {
			/* mkstemp's template is longer than the word */
			if (isupper((unsigned char)bad[i][0]) && (is_word(p[-1]) || is_word(p[n])))
				continue;
			found(f->path, line_of(f->text, p), "word", "`%s'", bad[i]);
		}
	}
}

/* Is the line at p held to COLUMN_MAX: of C, or a comment of any file?  Pages have tables. */
static int is_narrow(const struct file *f, const char *p)
{
	size_t at = (size_t)(p - f->text) + strspn(p, " \t");

	return f->is_c || f->is_h ||
	       (!is_page(f->path) && f->text[at] != '\n' && f->comment[at] == f->text[at]);
}

static void line_check(const struct file *f)
{
	int line = 1, first = 0, nwide = 0;

	for (const char *p = f->text + 1; *p != '\0'; line++) {
		size_t n = strcspn(p, "\n");
		int wide = is_narrow(f, p) ? columns(p, n) : 0;

		if (n > 0 && (p[n - 1] == ' ' || p[n - 1] == '\t' || p[n - 1] == '\r') &&
			!ends(f->path, ".md"))
			found(f->path, line, "space", "blanks at the end of the line");
		if (wide > COLUMN_MAX && nwide++ == 0)
			first = line;
		p += n;
		if (*p == '\n')
			p++;
	}
	if (nwide > 0)
		found(f->path, first, "width", "%d lines are wider than %d columns", nwide,
			COLUMN_MAX);
	if ((f->is_c || f->is_h) && line - 1 > FILE_MAX)
		found(f->path, FILE_MAX, "file", "%d lines; %d are allowed", line - 1, FILE_MAX);
}

static void name_check(const struct file *f)
{
	const char *base = base_of(f->path);
	size_t n;

	n = strcspn(base, ".");
	if (!f->is_c && !f->is_h && !ends(base, ".sh") && !ends(base, ".def"))
		return;
	if (ends(f->path, "_os.c"))
		n -= 3;
	if (n > NAME_MAX)
		found(f->path, 1, "name", "%zu letters; %d are allowed", n, NAME_MAX);
	for (size_t i = 0; i < n; i++) {
		if (islower((unsigned char)base[i]) || isdigit((unsigned char)base[i]))
			continue;
		if (base[i] != '_' && base[i] != '-')
			found(f->path, 1, "name", "`%c' in a file's name", base[i]);
	}
}

static const char *const tops[] = {
	"libobj/", "libshm/", "libnet/", "libmpi/", "tools/", "tests/", ".ci/"};

int is_path(const char *w)
{
	for (size_t i = 0; i < sizeof(tops) / sizeof(tops[0]); i++)
		if (begins(w, tops[i]))
			return w[strcspn(w, "$%=:;()`'\"{}<>,|")] == '\0';
	return 0;
}

/* A page that says `folder/file' means one that exists. */
static void page_check(const struct file *f)
{
	char w[LINE_LEN];

	for (const char *p = f->text; (p = strchr(p, '`')) != NULL; p++) {
		size_t n = strcspn(p + 1, "` \n"), k;
		int good = 0;

		snprintf(w, sizeof(w), "%.*s", (int)n, p + 1);
		for (k = strlen(w); k > 0 && w[k - 1] == '/'; k--)
			w[k - 1] = '\0';
		if (p[n + 1] != '`' || !is_path(w) || strchr(w, '*') != NULL ||
			strstr(w, "NN") != NULL)
			continue;
		for (int i = 0; i < lint_nfiles && !good; i++)
			good = inside(lint_files[i].path, w);
		if (!good)
			found(f->path, line_of(f->text, p), "page", "there is no %s", w);
	}
}

/* A README is short, and as narrow as code. */
static void readme_check(const struct file *f)
{
	int line = 1;

	for (const char *p = f->text + 1; *p != '\0'; line++) {
		size_t n = strcspn(p, "\n");

		if (columns(p, n) > COLUMN_MAX)
			found(f->path, line, "readme", "%d columns; %d are allowed", columns(p, n),
				COLUMN_MAX);
		p += n;
		p += *p == '\n';
	}
	if (line - 1 > README_MAX)
		found(f->path, README_MAX, "readme", "%d lines; %d are allowed", line - 1,
			README_MAX);
}

void text_check(const struct file *f)
{
	spdx_check(f);
	word_check(f);
	line_check(f);
	name_check(f);
	if (ends(f->path, ".md"))
		page_check(f);
	if (strcmp(base_of(f->path), "README.md") == 0)
		readme_check(f);
}

/* --- papers of a folder --------------------------------------------------------------------- */

/* The folder of a path that has a README, or "": lib*, libmpi/X, tools/X, tests/X, and each folder
 * model.  Deeper ones (chapters of tests/std, examples, debian) are described there. */
static void room_of(const char *path, char *room, size_t len)
{
	const char *model = strstr(path, "/model/"), *end = strchr(path, '/');

	room[0] = '\0';
	if (end == NULL || begins(path, "."))
		return;
	if (begins(path, "libmpi/") || begins(path, "tools/") || begins(path, "tests/")) {
		const char *deeper = strchr(end + 1, '/');

		end = deeper != NULL ? deeper : end;
	}
	if (model != NULL && begins(path, "lib"))
		end = model + strlen("/model");
	snprintf(room, len, "%.*s", (int)(end - path), path);
}

/* Items in bold of the section called Decisions. */
static int decisions_of(const struct file *f)
{
	const char *p = strstr(f->text, "\n## Decisions\n"), *end;
	int n = 0;

	end = p != NULL ? strstr(p + 1, "\n## ") : NULL;
	for (p = p != NULL ? strchr(p + 1, '\n') : NULL; p != NULL && p != end;
		p = strchr(p + 1, '\n')) {
		const char *q = p + 1 + strspn(p + 1, "-0123456789. ");

		n += q - p < 8 && begins(q, "**");
	}
	return n;
}

/* A time that was measured: a number and its unit. */
static void figures_check(const struct file *f)
{
	static const char *const units[] = {" ns", " us", " GB/s", " MB/s", NULL};

	for (int i = 0; units[i] != NULL; i++)
		for (const char *p = f->text; (p = strstr(p, units[i])) != NULL; p++)
			if (isdigit((unsigned char)p[-1]) && !is_word(p[strlen(units[i])]))
				found(f->path, line_of(f->text, p), "readme",
					"a measured figure; they stand in PERF.md");
}

/* A day in the text: 2026-11-22 or 22 November 2026. */
static int has_day(const char *text)
{
	static const char month[] = "(January|February|March|April|May|June|July|August|September|"
				    "October|November|December)";
	char pattern[256];
	regex_t day;
	int none;

	snprintf(pattern, sizeof(pattern),
		"20[0-9]{2}-[0-9]{2}-[0-9]{2}|[0-9]{1,2}[ \n]%s[ \n]20[0-9]{2}", month);
	if (regcomp(&day, pattern, REG_EXTENDED | REG_NOSUB) != 0)
		die("the pattern of a day");
	none = regexec(&day, text, 0, NULL, 0);
	regfree(&day);
	return none == 0;
}

/* PERF.md begins with day, machine and command. */
static void perf_check(const struct file *f)
{
	static const char *const machines[] = {"CPU", "machine", "x86-64", NULL};
	char *head = must_copy(f->text), *end = head;
	int machine = 0;

	for (int n = 0; n < PERF_HEAD && end != NULL; n++)
		end = strchr(end + 1, '\n');
	if (end != NULL)
		*end = '\0';
	for (int i = 0; machines[i] != NULL; i++)
		machine |= strstr(head, machines[i]) != NULL;
	if (!has_day(head))
		found(f->path, 1, "perf", "no day in the first lines (2026-11-22)");
	if (!machine)
		found(f->path, 1, "perf", "no machine in the first lines");
	if (strchr(head, '`') == NULL && strstr(head, "\n    ") == NULL)
		found(f->path, 1, "perf", "no command in the first lines");
	free(head);
}

/* A room's page has a picture, a reading order, and decisions. */
static void room_page_check(const struct file *f)
{
	int n = decisions_of(f);

	if (n < DECISIONS_MIN)
		found(f->path, 1, "readme", "%d decisions; %d are wanted", n, DECISIONS_MIN);
	if (strstr(f->text, "\n```\n") == NULL)
		found(f->path, 1, "readme", "no picture");
	if (strcasestr(f->text, "reading order") == NULL && strstr(f->text, "Read first") == NULL)
		found(f->path, 1, "readme", "no reading order");
	if (f->is_product)
		figures_check(f);
}

/* Is file i the first one of its room?  Files of libmpi/io stand before and after its model. */
static int is_first(int i, const char *room)
{
	char other[LINE_LEN];

	while (i-- > 0) {
		room_of(lint_files[i].path, other, sizeof(other));
		if (strcmp(other, room) == 0)
			return 0;
	}
	return 1;
}

/* Every room has a README. */
void readmes_check(void)
{
	char room[LINE_LEN], page[LINE_LEN + 16];

	for (int i = 0; i < lint_nfiles; i++) {
		const struct file *f = &lint_files[i];

		if (strcmp(base_of(f->path), "PERF.md") == 0)
			perf_check(f);
		room_of(f->path, room, sizeof(room));
		snprintf(page, sizeof(page), "%s/README.md", room);
		if (strcmp(f->path, page) == 0)
			room_page_check(f);
		if (room[0] != '\0' && file_of(page) == NULL && is_first(i, room))
			found(f->path, 1, "readme", "there is no %s", page);
	}
}
