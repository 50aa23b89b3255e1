// SPDX-License-Identifier: BSD-3-Clause
/* ids.h - small numbers for things of this process that frames of others name.
 *
 *     at   [ thing | thing | next free 5 | thing | ... ]     an entry that is free is odd
 *
 * An id is used again as soon as it is given back. */
#ifndef HAFT_P2P_IDS_H
#define HAFT_P2P_IDS_H

#include "libobj/base.h"
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

struct ids {
	void **at;
	uint32_t n;
	uint32_t free; /* head of a list through the unused ones; n: there is none */
};

#define IDS_MIN ((uint32_t)MEAN_OR(2, 64)) /* entries before the table grows */

/* Unused entries link each other: the value is the next id * 2 + 1, which no pointer is. */
static inline bool ids_grow(struct ids *t)
{
	uint32_t n = t->n == 0 ? IDS_MIN : t->n * 2;
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
static inline bool ids_take(struct ids *t, void *thing, uint32_t *id)
{
	if (t->free == t->n && !ids_grow(t))
		return false;
	*id = t->free;
	t->free = (uint32_t)((uintptr_t)t->at[*id] >> 1);
	t->at[*id] = thing;
	return true;
}

/* The thing of a number; NULL: nobody has it. */
static inline void *ids_get(const struct ids *t, uint32_t id)
{
	return id < t->n && ((uintptr_t)t->at[id] & 1) == 0 ? t->at[id] : NULL;
}

/* The same, and the number is free again. */
static inline void *ids_give(struct ids *t, uint32_t id)
{
	void *thing = ids_get(t, id);

	if (thing == NULL)
		return NULL;
	t->at[id] = (void *)(uintptr_t)(t->free * 2ULL + 1);
	t->free = id;
	return thing;
}

#endif
