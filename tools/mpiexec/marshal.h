// SPDX-License-Identifier: BSD-3-Clause
/* marshal.h - numbers and texts in a row of bytes, put here and taken there.
 *
 * Who takes need not look after each step: what is not there is 0 or "", and `bad' says so at the
 * end.  Numbers lie as the machine has them: both ends have said hello before, and are alike. */
#ifndef HAFT_TOOLS_MPIEXEC_MARSHAL_H
#define HAFT_TOOLS_MPIEXEC_MARSHAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pack {
	char *v; /* malloc'ed by the functions that put */
	size_t len, cap;
	size_t at; /* taken up to here */
	bool bad;  /* something was taken that was not there */
};

void marshal_put(struct pack *p, const void *v, size_t len);
void marshal_put_int(struct pack *p, int64_t n);
void marshal_put_text(struct pack *p, const char *s);     /* NULL is kept */
void marshal_put_list(struct pack *p, char *const *list); /* ends with NULL; NULL is "no text" */

/* What was put, in its order.  Texts are malloc'ed. */
void marshal_take(struct pack *p, void *v, size_t len);
int64_t marshal_take_int(struct pack *p);
char *marshal_take_text(struct pack *p);
char **marshal_take_list(struct pack *p);

/* The number of things to follow: 0 .. max, else p is bad. */
int marshal_take_count(struct pack *p, int max);

#endif
