// SPDX-License-Identifier: BSD-3-Clause
/* job_list.h - reads lists "fd=3,rank=5,cookie=1f": HAFT_JOB, of a rank and of a fork server.
 *
 * Calls nothing, not even libc: a fork server reads its list before libc is initialised. */
#ifndef HAFT_BOOT_JOB_LIST_H
#define HAFT_BOOT_JOB_LIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "libobj/base.h"

/* The value of a digit; 16: it is none. */
HAFT_START static inline unsigned job_list_digit(char c)
{
	return c >= '0' && c <= '9'   ? (unsigned)(c - '0')
	       : c >= 'a' && c <= 'f' ? (unsigned)(c - 'a') + 10
				      : 16;
}

/* Behind KEY= in the list; NULL: it is not there. */
HAFT_START static inline const char *job_list_find(const char *list, const char *key)
{
	for (const char *p = list; *p != '\0'; p++) {
		size_t n = 0;

		while (key[n] != '\0' && p[n] == key[n])
			n++;
		if (key[n] == '\0' && p[n] == '=' && (p == list || p[-1] == ','))
			return p + n + 1;
	}
	return NULL;
}

/* Reads the number of a key, in digits of this base up to a comma or the end.  False: the key is
 * missing, or its value is no number up to max. */
HAFT_START static inline bool job_list_number(
	const char *list, const char *key, unsigned base, uint64_t max, uint64_t *v)
{
	const char *p = job_list_find(list, key), *first = p;
	uint64_t n = 0;

	for (; p != NULL && *p != ',' && *p != '\0'; p++) {
		unsigned d = job_list_digit(*p);

		if (d >= base || n > (max - d) / base)
			return false;
		n = n * base + d;
	}
	*v = n;
	return p != first;
}

/* job_list_number for an int that is not negative. */
HAFT_START static inline bool job_list_int(const char *list, const char *key, int *v)
{
	uint64_t n;

	if (!job_list_number(list, key, 10, INT32_MAX, &n))
		return false;
	*v = (int)n;
	return true;
}

#endif
