/* SPDX-License-Identifier: BSD-3-Clause */
/* garbage_handles.h - between garbage.c and the list of functions that take handles, which the
 * generator writes. */
#ifndef TESTS_ABI_GARBAGE_H
#define TESTS_ABI_GARBAGE_H

struct garbage_case {
	const char *name; /* "MPI_Comm_size"; NULL ends the list */
	int (*call)(void *garbage);
};

extern const struct garbage_case garbage_cases[];

#endif
