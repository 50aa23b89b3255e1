// SPDX-License-Identifier: BSD-3-Clause
/* marshal.h - serializes numbers and texts into a byte buffer.
 *
 * Take functions return 0 or "" for missing bytes and set `bad', so callers check once at the end.
 * Numbers are in the machine's format: the hello has checked that both ends agree. */
#ifndef HAFT_TOOLS_MPIEXEC_MARSHAL_H
#define HAFT_TOOLS_MPIEXEC_MARSHAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct marshal {
	char *v; /* malloc'ed by the put functions */
	size_t len, cap;
	size_t at; /* read position */
	bool bad;  /* a take function found too few bytes */
};

void marshal_put(struct marshal *p, const void *v, size_t len);
void marshal_put_int(struct marshal *p, int64_t n);
void marshal_put_text(struct marshal *p, const char *s); /* NULL is preserved */
void marshal_put_list(
	struct marshal *p, char *const *list); /* ends with NULL; a NULL list is preserved */

/* Read in the order of the puts.  Texts are malloc'ed. */
void marshal_take(struct marshal *p, void *v, size_t len);
int64_t marshal_take_int(struct marshal *p);
char *marshal_take_text(struct marshal *p);
char **marshal_take_list(struct marshal *p);

/* A number of elements that follow: 0 .. max, else p is bad. */
int marshal_take_count(struct marshal *p, int max);

#endif
