/* SPDX-License-Identifier: BSD-3-Clause */
/* info_says.h - what an info object that MPI has returned says. */
#ifndef TESTS_INFO_SAYS_H
#define TESTS_INFO_SAYS_H

#include "tests/check.h"

#include <string.h>

/* Is this the value of the key?  Frees the info object. */
static inline int info_says(MPI_Info info, const char *key, const char *want)
{
	char value[MPI_MAX_INFO_VAL];
	int len = sizeof(value), flag;

	OK(MPI_Info_get_string(info, key, &len, value, &flag));
	OK(MPI_Info_free(&info));
	return flag && strcmp(value, want) == 0;
}

#endif
