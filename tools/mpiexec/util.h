// SPDX-License-Identifier: BSD-3-Clause
/* util.h - memory, text and fatal errors, for every file of mpiexec. */
#ifndef MPIEXEC_UTIL_H
#define MPIEXEC_UTIL_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "libmpi/core/clock.h"

/* Ends the process with exit code `code' after one line "mpiexec: ..." on stderr.  If fatal_hook is
 * set (a proxy reports to mpiexec), it is called instead of printing, and does not return. */
extern void (*fatal_hook)(int code, const char *words);
__attribute__((noreturn, format(printf, 2, 3))) void fatal(int code, const char *fmt, ...);

/* The text of a macro's value. */
#define TEXT_OF_(x) #x
#define TEXT_OF(x)  TEXT_OF_(x)

/* realloc to n elements of `size' bytes.  Calls fatal() when there is no memory. */
void *mem_grow(void *ptr, size_t n, size_t size);

/* Has the user asked for the end of the job, by a signal that the main loop will read? */
bool end_is_asked(void);

/* Why no file of this name can be made, by its directory; NULL: it can. */
const char *file_refuse(const char *name);

/* asprintf and vasprintf; the caller frees the text.  They call fatal() when there is no memory. */
__attribute__((format(printf, 1, 2))) char *text_new(const char *fmt, ...);
__attribute__((format(printf, 1, 0))) char *text_new_args(const char *fmt, va_list ap);

#endif
