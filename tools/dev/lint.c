// SPDX-License-Identifier: BSD-3-Clause
/* lint.c - the house rules that a program can check.
 *
 *     lint [-b BUILD] [-c CC] [-r RULE] [FOLDER...]
 *
 * Prints file:line: rule: message; exit 1 if there is any.  -r: one rule.  FOLDER: findings there.
 *
 * The arrows between folders, the prefixes of names and the exceptions stand in layers.txt, private
 * words in words.txt.  lint.h says which file has which rules. */
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
	int c;

	while ((c = getopt(argc, argv, "b:c:r:")) != -1) {
		switch (c) {
		case 'b': lint_build = optarg; break;
		case 'c': lint_cc = optarg; break;
		case 'r': rule = optarg; break;
		default: return 2;
		}
	}
	findings_select(rule, argv + optind);
	laws_read();
	tree_read();
	words_read();
	mentions_read();
	for (int i = 0; i < lint_nfiles; i++)
		file_check(&lint_files[i]);
	readmes_check();
	homonyms_check();
	link_check();
	format_check();
	return findings_end() != 0;
}
