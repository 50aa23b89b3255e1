/* SPDX-License-Identifier: BSD-3-Clause */
/* unsupported.h - between none.c and the list of functions without an engine, which the generator
 * writes.
 */
#ifndef TESTS_ABI_NONE_H
#define TESTS_ABI_NONE_H

struct none_case {
	const char *name; /* "MPI_Win_create"; NULL ends the list */
	int (*call)(void);
};

extern const struct none_case none_cases[];

#endif
