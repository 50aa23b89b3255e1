// SPDX-License-Identifier: BSD-3-Clause
/* What a test asks of the sanitizers that it may be built with: SAN_OPTIONS, defined before this is
 * included by the one file of a program that says so.  Without a sanitizer nobody calls these. */
#ifndef HAFT_TESTS_SAN_H
#define HAFT_TESTS_SAN_H

/* A malloc of too much fails, as it does elsewhere, and ends nothing. */
#define SAN_MUCH "allocator_may_return_null=1"
/* What is freed can be used again at once: for tests that measure their memory. */
#define SAN_LEAN "quarantine_size_mb=0:thread_local_quarantine_size_kb=0"

const char *__asan_default_options(void);
const char *__tsan_default_options(void);

const char *__asan_default_options(void)
{
	return SAN_OPTIONS;
}

const char *__tsan_default_options(void)
{
	return SAN_OPTIONS;
}

#endif
