// SPDX-License-Identifier: BSD-3-Clause
/* character.c - CHARACTER and strings: Fortran pads with blanks to a length, C ends with NUL. */
#include "libmpi/fort/glue.h"

#include <stdlib.h>
#include <string.h>

char *fort_text_in(char *scratch, const char *p, size_t len, bool both)
{
	char *s = scratch;

	while (len > 0 && p[len - 1] == ' ')
		len--;
	while (both && len > 0 && *p == ' ') {
		p++;
		len--;
	}
	if (len >= FORT_TEXT)
		s = malloc(len + 1);
	if (s == NULL)
		return NULL;
	memcpy(s, p, len);
	s[len] = '\0';
	return s;
}

/* The contents of a scratch string until MPI writes one.  No name or value of a user is equal to it
 * by chance. */
static const char unset[] = "\177haft: MPI has returned no string\177";

void fort_text_unset(char *s)
{
	memcpy(s, unset, sizeof(unset));
}

void fort_text_out(char *p, size_t len, const char *s)
{
	size_t n = strlen(s);

	if (n == sizeof(unset) - 1 && memcmp(s, unset, n) == 0)
		return;
	if (n > len)
		n = len;
	memcpy(p, s, n);
	memset(p + n, ' ', len - n);
}
