// SPDX-License-Identifier: BSD-3-Clause
/* start_library.c - a library that depends on no other, and whose constructor sees the rank. */
#include <stdlib.h>

extern int library_rank;
int library_rank = -1;

__attribute__((constructor)) static void library_begin(void)
{
	const char *s = getenv("OMPI_COMM_WORLD_RANK");

	library_rank = s != NULL ? atoi(s) : -2;
}
