// SPDX-License-Identifier: BSD-3-Clause
/* failing_malloc.h - an allocator that fails when a test says so, in place of libc's, for the whole
 * process.  Not with sanitizers, which have their own.  Only one .c file of a program may include
 * it. */
#ifndef TESTS_FAILING_MALLOC_H
#define TESTS_FAILING_MALLOC_H

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

#define FAILING_ALWAYS INT_MAX

void *__libc_malloc(size_t n);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *p, size_t n);

/* The state of a thread. */
struct failing_malloc {
	bool armed;
	size_t least; /* bytes */
	int passes;   /* of these, as many succeed yet */
	int times;    /* and as many fail then */
	int failures; /* so far */
};

static _Thread_local struct failing_malloc no_memory;

/* From now on allocations of this thread fail, of those of at least so many bytes: after so many
 * have passed, and so many of them; until `no_memory.armed' is false again. */
static inline void failing_arm(size_t least, int passes, int times)
{
	no_memory = (struct failing_malloc){
		.armed = true, .least = least, .passes = passes, .times = times};
}

static inline bool failing_fails(size_t n)
{
	if (!no_memory.armed || n < no_memory.least || no_memory.passes-- > 0 ||
		no_memory.failures >= no_memory.times)
		return false;
	no_memory.failures++;
	errno = ENOMEM;
	return true;
}

void *malloc(size_t n)
{
	return failing_fails(n) ? NULL : __libc_malloc(n);
}

void *calloc(size_t n, size_t size)
{
	return failing_fails(n * size) ? NULL : __libc_calloc(n, size);
}

void *realloc(void *p, size_t n)
{
	return failing_fails(n) ? NULL : __libc_realloc(p, n);
}

#endif
