// SPDX-License-Identifier: BSD-3-Clause
/* util.c - see util.h. */
#include "tools/mpiexec/util.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

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

uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

void *mem_grow(void *ptr, size_t n, size_t size)
{
	ptr = reallocarray(ptr, n, size);
	if (ptr == NULL)
		fatal(1, "no memory");
	return ptr;
}

char *text_new(const char *fmt, ...)
{
	va_list ap;
	char *s;
	int rc;

	va_start(ap, fmt);
	rc = vasprintf(&s, fmt, ap);
	va_end(ap);
	if (rc < 0)
		fatal(1, "no memory");
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
