// SPDX-License-Identifier: BSD-3-Clause
/* lint_run.c - rules that other programs judge: clang-format the format of all C, and the compiler
 * each header alone. */
#include "tools/dev/lint.h"

#include <stdlib.h>
#include <string.h>

/* Runs a command and turns its lines `file:line:col: error: text' into findings of the rule; at
 * most one a file. */
static void tool_run(const char *command, const char *rule, const char *message)
{
	char line[LINE_LEN], path[LINE_LEN], last[LINE_LEN] = "", text[LINE_LEN];
	FILE *p = popen(command, "r");
	int n;

	while (p != NULL && fgets(line, sizeof(line), p) != NULL) {
		if (sscanf(line, "%[^: ]:%d:%*d: %*[a-z ]: %[^\n]", path, &n, text) != 3)
			continue;
		if (strcmp(path, last) != 0)
			found(begins(path, "./") ? path + 2 : path, n, rule, "%s",
				message != NULL ? message : text);
		snprintf(last, sizeof(last), "%s", path);
	}
	if (p != NULL)
		pclose(p);
}

void format_check(void)
{
	char *command = must_copy("clang-format --dry-run -Werror");
	size_t len = strlen(command);

	if (!is_on("format"))
		return;
	if (system("command -v clang-format >/dev/null 2>&1") != 0) {
		found(".clang-format", 1, "format", "clang-format is not installed");
		return;
	}
	for (int i = 0; i < lint_nfiles; i++) {
		size_t n = strlen(lint_files[i].path) + 1;

		if (!lint_files[i].is_c && !lint_files[i].is_h)
			continue;
		command = must_alloc(command, len + n + 6);
		command[len] = ' ';
		memcpy(command + len + 1, lint_files[i].path, n);
		len += n;
	}
	command = must_alloc(command, len + 6);
	memcpy(command + len, " 2>&1", 6);
	tool_run(command, "format", "run clang-format -i");
	free(command);
}

void alone_check(const struct file *f)
{
	char command[LINE_LEN];

	if (!is_on("alone"))
		return;
	snprintf(command, sizeof(command),
		"%s -std=gnu11 -D_GNU_SOURCE -I. -I%s/gen -I%s/include -fsyntax-only -x c %s 2>&1",
		lint_cc, lint_build, lint_build, f->path);
	tool_run(command, "alone", NULL);
}
