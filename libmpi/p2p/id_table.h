// SPDX-License-Identifier: BSD-3-Clause
/* id_table.h - small numbers for things of this process that frames of others name.
 *
 *     at   [ thing | thing | next free 5 | thing | ... ]     an entry that is free is odd
 *
 * An id is used again as soon as it is given back. */
#ifndef HAFT_P2P_ID_TABLE_H
#define HAFT_P2P_ID_TABLE_H

#include "libobj/base.h"
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

struct id_table {
	void **at;
	uint32_t n;
	uint32_t free; /* head of a list through the unused ones; n: there is none */
};

#define ID_TABLE_MIN ((uint32_t)MEAN_OR(2, 64)) /* entries before the table grows */

/* Unused entries link each other: the value is the next id * 2 + 1, which no pointer is. */
static inline bool id_table_grow(struct id_table *t)
{
	uint32_t n = t->n == 0 ? ID_TABLE_MIN : t->n * 2;
	void **at = n <= INT32_MAX ? realloc(t->at, n * sizeof(*at)) : NULL;

	if (at == NULL)
		return false;
	for (uint32_t i = t->n; i < n; i++)
		at[i] = (void *)(uintptr_t)((i + 1) * 2ULL + 1);
	t->free = t->n;
	t->at = at;
	t->n = n;
	return true;
}

/* Gives `thing' a number, 0 .. INT32_MAX; false: no memory. */
static inline bool id_table_take(struct id_table *t, void *thing, uint32_t *id)
{
	if (t->free == t->n && !id_table_grow(t))
		return false;
	*id = t->free;
	t->free = (uint32_t)((uintptr_t)t->at[*id] >> 1);
	t->at[*id] = thing;
	return true;
}

/* The thing of a number; NULL: it has none. */
static inline void *id_table_get(const struct id_table *t, uint32_t id)
{
	return id < t->n && ((uintptr_t)t->at[id] & 1) == 0 ? t->at[id] : NULL;
}

/* Likewise, and the number is free again. */
static inline void *id_table_drop(struct id_table *t, uint32_t id)
{
	void *thing = id_table_get(t, id);

	if (thing == NULL)
		return NULL;
	t->at[id] = (void *)(uintptr_t)(t->free * 2ULL + 1);
	t->free = id;
	return thing;
}

/* The free list has only free entries, and each once.  For tests and debug builds. */
static inline bool id_table_valid(const struct id_table *t)
{
	uint32_t unused = 0, listed = 0;

	for (uint32_t i = 0; i < t->n; i++)
		unused += ((uintptr_t)t->at[i] & 1) != 0;
	for (uint32_t i = t->free; i < t->n && listed <= unused;
		i = (uint32_t)((uintptr_t)t->at[i] >> 1))
		listed++;
	return listed == unused;
}

#endif
