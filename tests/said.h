// SPDX-License-Identifier: BSD-3-Clause
/* said.h - for tests of errors: what the words of an error hold. */
#ifndef TESTS_SAID_H
#define TESTS_SAID_H

#include "tests/check.h"
#include <mpi.h>
#include <string.h>

/* The words of the error `code' contain `part'. */
static inline int said(int code, const char *part)
{
	char text[MPI_MAX_ERROR_STRING];
	int len;

	expect_ok(MPI_Error_string(code, text, &len));
	if (strstr(text, part) != NULL)
		return 1;
	fprintf(stderr, "not `%s' in: %s\n", part, text);
	return 0;
}

#endif
