// SPDX-License-Identifier: BSD-3-Clause
/* util.c - see util.h. */
#include "tools/mpiexec/util.h"

#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "libobj/base.h"

void (*fatal_hook)(int code, const char *words);

void fatal(int code, const char *fmt, ...)
{
	va_list ap;
	char *words;

	va_start(ap, fmt);
	if (vasprintf(&words, fmt, ap) < 0)
		exit(code);
	va_end(ap);
	if (fatal_hook != NULL)
		fatal_hook(code, words);
	fprintf(stderr, "mpiexec: %s\n", words);
	free(words);
	exit(code);
}

void *mem_grow(void *ptr, size_t n, size_t size)
{
	ptr = reallocarray(ptr, n, size);
	if (ptr == NULL)
		fatal(1, "no memory");
	return ptr;
}

char *text_new_args(const char *fmt, va_list ap)
{
	char *s;

	if (vasprintf(&s, fmt, ap) < 0)
		fatal(1, "no memory");
	return s;
}

char *text_new(const char *fmt, ...)
{
	va_list ap;
	char *s;

	va_start(ap, fmt);
	s = text_new_args(fmt, ap);
	va_end(ap);
	return s;
}

const char *file_refuse(const char *name)
{
	const char *slash = strrchr(name, '/');
	char *directory =
		slash != NULL ? text_new("%.*s", (int)(slash - name + 1), name) : text_new(".");
	const char *why = access(directory, W_OK | X_OK) != 0 ? strerror(errno) : NULL;

	free(directory);
	return why;
}

bool end_is_asked(void)
{
	static const int ends[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
	bool asked = false;
	sigset_t set;

	sigpending(&set);
	for (size_t k = 0; k < countof(ends); k++)
		asked = asked || sigismember(&set, ends[k]) > 0;
	return asked;
}
