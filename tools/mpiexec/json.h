// SPDX-License-Identifier: BSD-3-Clause
/* json.h - texts in JSON. */
#ifndef HAFT_TOOLS_MPIEXEC_JSON_H
#define HAFT_TOOLS_MPIEXEC_JSON_H

#include <stdio.h>

/* Writes a text in quotes. */
static inline void json_text(FILE *out, const char *s)
{
	fputc('"', out);
	for (; *s != '\0'; s++) {
		unsigned char c = (unsigned char)*s;

		if (c == '"' || c == '\\')
			fprintf(out, "\\%c", c);
		else if (c < ' ' || c == '<')
			fprintf(out, "\\u%04x", c); /* <: the text may stand in a page of HTML */
		else
			fputc(c, out);
	}
	fputc('"', out);
}

#endif
