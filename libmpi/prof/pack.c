// SPDX-License-Identifier: BSD-3-Clause
/* pack.c - the table of this rank as bytes: pages that are not zero, each behind its number; -1
 * ends them.  mpiexec reads them (profile_take of tools/mpiexec/profile_host.c). */
#include "libmpi/prof/prof.h"

#include <stdlib.h>
#include <string.h>

#define PAGE ((size_t)4096)

static const char *table_page(size_t i)
{
	const char *page = (const char *)prof_state.table + i * PAGE;

	return page[0] == 0 && memcmp(page, page + 1, PAGE - 1) == 0 ? NULL : page;
}

static char *bytes_add(char *at, const void *from, size_t n)
{
	memcpy(at, from, n);
	return at + n;
}

char *prof_pack(size_t *len)
{
	size_t pages = sizeof(struct prof_table) / PAGE, used = 0;
	int64_t end = -1;
	char *bytes, *at;

	prof_clock_set(prof_state.table);
	prof_state.table->end = shm_ticks();
	for (size_t i = 0; i < pages; i++)
		used += table_page(i) != NULL;
	bytes = malloc(used * (sizeof(int64_t) + PAGE) + sizeof(end));
	at = bytes;
	for (size_t i = 0; i < pages && bytes != NULL; i++) {
		const char *page = table_page(i);
		int64_t number = (int64_t)i;

		if (page == NULL)
			continue;
		at = bytes_add(at, &number, sizeof(number));
		at = bytes_add(at, page, PAGE);
	}
	if (bytes != NULL)
		at = bytes_add(at, &end, sizeof(end));
	*len = (size_t)(at - bytes);
	return bytes;
}
