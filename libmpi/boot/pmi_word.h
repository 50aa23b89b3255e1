// SPDX-License-Identifier: BSD-3-Clause
/* pmi_word.h - a word of a line of PMI-1: "cmd=get_result rc=0 msg=the rest". */
#ifndef HAFT_BOOT_PMI_WORD_H
#define HAFT_BOOT_PMI_WORD_H

#include <stddef.h>
#include <string.h>

#define BOOT_LINE_MAX 16384 /* bytes of a request of one line: a name and a port, all %XX */
#define BOOT_REQUEST_MAX \
	(8 << 20) /* bytes of the greatest request: a spawn with all its arguments */

/* The value of "KEY=VALUE" at the start of a word, and its length up to the next blank; NULL: there
 * is none.  It ends with a 0 at the end of the line, so a last value with blanks has
 * strlen bytes. */
static inline const char *boot_pmi_word(const char *line, const char *key, size_t *len)
{
	size_t n = strlen(key);

	for (const char *s = line; s != NULL; s = strchr(s, ' ')) {
		s += strspn(s, " ");
		if (strncmp(s, key, n) == 0 && s[n] == '=') {
			*len = strcspn(s + n + 1, " ");
			return s + n + 1;
		}
	}
	return NULL;
}

#endif
