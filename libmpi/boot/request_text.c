// SPDX-License-Identifier: BSD-3-Clause
/* request_text.c - see request_text.h. */
#include "libmpi/boot/request_text.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void boot_text_put(struct boot_text *t, const char *v, size_t len)
{
	if (t->len + len + 1 > t->room && !t->full) {
		size_t room = (t->len + len + 1) * 2;
		char *more = realloc(t->v, room);

		t->full = more == NULL;
		if (t->full)
			return;
		t->v = more;
		t->room = room;
	}
	if (t->full)
		return;
	memcpy(t->v + t->len, v, len);
	t->len += len;
	t->v[t->len] = '\0';
}

void boot_text_add(struct boot_text *t, const char *fmt, ...)
{
	char line[256];
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(line, sizeof(line), fmt, ap);
	va_end(ap);
	if (n > 0)
		boot_text_put(t, line, (size_t)n < sizeof(line) ? (size_t)n : sizeof(line) - 1);
}

void boot_text_escape(struct boot_text *t, const char *v, bool blank)
{
	for (; *v != '\0'; v++) {
		bool bad = *v == '%' || *v == '\n' || *v == '\r' || (blank && *v == ' ');

		if (bad)
			boot_text_add(t, "%%%02X", (unsigned char)*v);
		else
			boot_text_put(t, v, 1);
	}
}

void boot_text_unescape(char *to, size_t size, const char *v, size_t len)
{
	size_t n = 0;

	for (size_t i = 0; i < len && n + 1 < size; i++) {
		unsigned x;

		if (v[i] == '%' && i + 2 < len && sscanf(v + i + 1, "%2x", &x) == 1) {
			to[n++] = (char)x;
			i += 2;
		} else {
			to[n++] = v[i];
		}
	}
	to[n] = '\0';
}
