// SPDX-License-Identifier: BSD-3-Clause
/* tombstone.c - what stays known of freed objects: a ring of the last TOMBSTONES of a domain.
 *
 *   [ token | created | freed | name ][ ... ][ ... ]      ntombstones % TOMBSTONES is written next
 *
 * A freed slot keeps both sites itself until it is used again.  Objects that have a name, or that
 * live on after their handle, leave a tombstone here as well. */
#include "libobj/obj_inner.h"
#include <string.h>

#define TOMBSTONES ((uint32_t)MEAN_OR(4, 256)) /* 32 KiB a domain, once it is needed */

void obj_tombstone_add(const struct obj *o, uintptr_t freed)
{
	struct obj_domain *d = o->u.cls->domain;
	const struct ext *e = ext_of(o);
	struct tombstone *g;

	obj_lock_always(&d->tombstone_lock);
	if (d->tombstones == NULL) {
		d->tombstones = obj_mem_get(d, TOMBSTONES * sizeof(*d->tombstones));
		if (d->tombstones != NULL)
			memset(d->tombstones, 0, TOMBSTONES * sizeof(*d->tombstones));
	}
	if (d->tombstones != NULL) {
		g = &d->tombstones[d->ntombstones++ % TOMBSTONES];
		g->token = object_live(o->u.cls, o, o->token) ? o->token : o->token ^ TOKEN_DEAD;
		g->created = site_of(o);
		g->freed = freed;
		g->name[0] = '\0'; /* snprintf would be a tenth of the end of a window */
		if (e != NULL && e->name != NULL)
			strncat(g->name, e->name, sizeof(g->name) - 1);
	}
	obj_unlock_always(&d->tombstone_lock);
}

void obj_tombstones_close(struct obj_domain *d)
{
	obj_mem_put(d, d->tombstones);
	d->tombstones = NULL;
}

/* The newest tombstone of the token. */
bool obj_tombstone_find(struct obj_domain *d, uint64_t token, struct tombstone *out)
{
	bool found = false;

	obj_lock_always(&d->tombstone_lock);
	for (uint32_t i = 0;
		d->tombstones != NULL && i < TOMBSTONES && i < d->ntombstones && !found; i++) {
		const struct tombstone *g = &d->tombstones[(d->ntombstones - 1 - i) % TOMBSTONES];

		found = g->token == token;
		if (found)
			*out = *g;
	}
	obj_unlock_always(&d->tombstone_lock);
	return found;
}
