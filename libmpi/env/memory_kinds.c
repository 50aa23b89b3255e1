// SPDX-License-Identifier: BSD-3-Clause
/* memory_kinds.c - lists of memory allocation kinds (MPI-5.0 11.4.3).
 *
 *     "mpi:alloc_mem:win_allocate, system, cuda"
 *      '-- kind and restrictors --'  '-- kind
 *
 * All memory is equal to this library, so "system" and "mpi" are supported with any restrictor that
 * the standard knows.  Elements are repeated as the user wrote them. */
#include "libmpi/env/info.h"

#include <mpi.h>
#include <stdio.h>
#include <string.h>
#include <engine.h>

/* true: [s, s + n) is one of `words', which are separated by blanks. */
static bool kind_in_words(const char *s, size_t n, const char *words)
{
	for (const char *w = words; *w != '\0'; w += strspn(w, " ")) {
		size_t len = strcspn(w, " ");

		if (len == n && strncmp(w, s, n) == 0)
			return true;
		w += len;
	}
	return false;
}

/* true: the element [s, s + n), a kind and its restrictors, is supported. */
static bool kind_known(const char *s, size_t n)
{
	size_t name = strcspn(s, ":,");

	if (name >= n)
		return kind_in_words(s, n, "system mpi");
	if (!kind_in_words(s, name, "mpi"))
		return false;
	for (size_t at = name + 1, len; at <= n; at += len + 1) {
		len = strcspn(s + at, ":,");
		len = at + len > n ? n - at : len;
		if (!kind_in_words(s + at, len, "alloc_mem win_allocate win_allocate_shared"))
			return false;
	}
	return true;
}

/* The next element from *at on, without the blanks around it; NULL: no more. */
static const char *kind_next(const char **at, size_t *n)
{
	const char *s = *at + strspn(*at, " ");

	if (*s == '\0')
		return NULL;
	*n = strcspn(s, ",");
	*at = s + *n + (s[*n] == ',' ? 1 : 0);
	while (*n > 0 && s[*n - 1] == ' ')
		--*n;
	return s;
}

static bool kind_in_list(const char *list, const char *s, size_t n)
{
	const char *e;
	size_t len;

	while ((e = kind_next(&list, &len)) != NULL)
		if (len == n && strncmp(e, s, n) == 0)
			return true;
	return false;
}

/* Writes the supported kinds into buf, of MPI_MAX_INFO_VAL bytes. */
static void kinds_write(const char *asked, char *buf)
{
	size_t n, used = (size_t)snprintf(buf, MPI_MAX_INFO_VAL, "mpi,system");
	const char *s, *at = asked != NULL ? asked : "";

	while ((s = kind_next(&at, &n)) != NULL) {
		if (!kind_known(s, n) || kind_in_list(buf, s, n) ||
			used + 1 + n >= MPI_MAX_INFO_VAL)
			continue;
		used += (size_t)snprintf(buf + used, MPI_MAX_INFO_VAL - used, ",%.*s", (int)n, s);
	}
}

int env_memory_kinds_set(struct info *info, const char *asked)
{
	char kinds[MPI_MAX_INFO_VAL];

	kinds_write(asked, kinds);
	return env_info_set(info, "mpi_memory_alloc_kinds", kinds);
}

bool env_memory_kinds_known(const char *list)
{
	const char *s;
	size_t n;

	while ((s = kind_next(&list, &n)) != NULL)
		if (!kind_known(s, n))
			return false;
	return true;
}
