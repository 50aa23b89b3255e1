// SPDX-License-Identifier: BSD-3-Clause
/* win_words.c - the name of a window in error texts and wait reports. */
#include "libmpi/rma/rma.h"

#include "libmpi/core/attr_name.h"

#include <stdio.h>

const char *rma_win_words(const struct win *w, char *buf)
{
	char name[MPI_MAX_OBJECT_NAME];
	int len = 0;

	obj_name_get(w, name, sizeof(name), OBJ_C, &len);
	if (len > 0)
		snprintf(buf, RMA_WIN_WORDS, "window `%s'", name);
	else
		haft_name_window(w->size, buf);
	return buf;
}
