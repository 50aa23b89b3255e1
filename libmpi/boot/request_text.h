// SPDX-License-Identifier: BSD-3-Clause
/* request_text.h - a text that grows, and values in requests to launchers.
 *
 * In requests of PMI-1, bytes that would end a word or a line travel as %XX, if both ends are
 * ours. */
#ifndef LIBMPI_BOOT_REQUEST_TEXT_H
#define LIBMPI_BOOT_REQUEST_TEXT_H

#include <stdbool.h>
#include <stddef.h>

struct boot_text {
	char *v; /* malloc'ed, the user's; ends with 0; NULL: empty */
	size_t len, room;
	bool full; /* there was no memory: v is not complete */
};

/* Appends len bytes.  No memory: t->full, and this and later bytes are dropped. */
void boot_text_put(struct boot_text *t, const char *v, size_t len);

/* As printf, for at most 255 bytes. */
__attribute__((format(printf, 2, 3))) void boot_text_add(struct boot_text *t, const char *fmt, ...);

/* Adds a value with its escapes; `blank': of blanks as well, in a request of one line. */
void boot_text_escape(struct boot_text *t, const char *v, bool blank);

/* Copies a value of len bytes without its escapes; cut at size. */
void boot_text_unescape(char *to, size_t size, const char *v, size_t len);

#endif
