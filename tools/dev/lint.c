// SPDX-License-Identifier: BSD-3-Clause
/* lint.c - the house rules that a program can check.
 *
 *     lint [-b BUILD] [-c CC] [-s] [-r RULE] [FOLDER...]
 *
 * Prints file:line: rule: message; exit 1 if there is any.  -s: the rules that layers.txt calls
 * new, with a count by rule and folder at the end; without it, all other rules.  -r: one rule.
 * FOLDER: what is found there.
 *
 * The arrows between folders, the prefixes of names and the exceptions stand in layers.txt, private
 * words and budgets of prose in words.txt.  lint.h says which file has which rules. */
#include "tools/dev/lint.h"

#include <string.h>
#include <unistd.h>

static void file_check(const struct file *f)
{
	if (memchr(f->text, '\0', f->len) != NULL)
		return; /* not a text */
	text_check(f);
	comment_check(f);
	words_check(f);
	list_file_check(f);
	if (f->is_c || f->is_h)
		code_check(f);
	if (f->is_h)
		alone_check(f);
}

int main(int argc, char **argv)
{
	const char *rule = NULL;
	int c, strict = 0;

	while ((c = getopt(argc, argv, "b:c:r:s")) != -1) {
		switch (c) {
		case 'b': lint_build = optarg; break;
		case 'c': lint_cc = optarg; break;
		case 'r': rule = optarg; break;
		case 's': strict = 1; break;
		default: return 2;
		}
	}
	findings_select(strict, rule, argv + optind);
	laws_read();
	tree_read();
	words_read();
	mentions_read();
	for (int i = 0; i < lint_nfiles; i++)
		file_check(&lint_files[i]);
	readmes_check();
	homonyms_check();
	link_check();
	words_end();
	format_check();
	return findings_end() != 0;
}
