// SPDX-License-Identifier: BSD-3-Clause
/* tool_text.c - how strings are returned (MPI-5.0 15.3.3), and the words of a wrong index. */
#include "libmpi/core/err.h"
#include "libmpi/tool/tool.h"
#include <stdio.h>
#include <string.h>

void tool_text(const char *s, char *buf, int *len)
{
	if (len == NULL)
		return;
	if (buf != NULL && *len > 0)
		snprintf(buf, (size_t)*len, "%s", s);
	*len = (int)strlen(s) + 1;
}

int tool_bad_index(const char *what, int index, int n)
{
	if (n == 0)
		return haft_err(MPI_T_ERR_INVALID_INDEX, "%s %d: there is none", what, index);
	return haft_err(MPI_T_ERR_INVALID_INDEX, "%s %d is not one of 0 to %d", what, index, n - 1);
}
