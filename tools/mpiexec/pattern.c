// SPDX-License-Identifier: BSD-3-Clause
/* pattern.c - see pattern.h. */
#include "tools/mpiexec/pattern.h"

#include <stdlib.h>
#include <string.h>
#include "tools/mpiexec/util.h"

/* The fact that % and this letter stand for, malloc'ed; NULL: none. */
static char *pattern_fact(char letter, const struct pattern_facts *f)
{
	switch (letter) {
	case 'r': return text_new("%d", f->rank);
	case 'n':
	case 's': return text_new("%d", f->size);
	case 'h': return text_new("%s", f->host);
	case 'p': return text_new("%d", f->node);
	case 'w':
	case 'g': return text_new("%d", f->world);
	case 'o': return text_new("%s", f->which == 0 ? "stdout" : "stderr");
	case 't': return text_new("%c", PATTERN_TIME);
	case '%': return text_new("%%");
	case 'i':
		return f->world > 0 ? text_new("%d:%d", f->world, f->rank)
				    : text_new("%d", f->rank);
	default: return NULL;
	}
}

char *pattern_text(const char *pattern, const struct pattern_facts *f)
{
	char *text = text_new("%s", "");

	for (const char *s = pattern; *s != '\0'; s++) {
		char *fact = *s == '%' ? pattern_fact(s[1], f) : NULL;
		char *more =
			fact != NULL ? text_new("%s%s", text, fact) : text_new("%s%c", text, *s);

		s += fact != NULL;
		free(fact);
		free(text);
		text = more;
	}
	return text;
}

char pattern_wrong(const char *pattern, const char *letters)
{
	for (const char *s = strchr(pattern, '%'); s != NULL; s = strchr(s + 2, '%')) {
		if (s[1] == '\0')
			return '?';
		if (strchr(letters, s[1]) == NULL)
			return s[1];
	}
	return '\0';
}
