// SPDX-License-Identifier: BSD-3-Clause
/* direct.c - handles that are addresses (OBJ_F_DIRECT).
 *
 *   slot:  [ struct obj | your struct ... ]
 *                       ^ the handle: base + index * stride + sizeof(struct obj)
 *
 * An address leads to its slot by a shift, because the stride is a power of two. */
#include "libobj/obj_inner.h"

struct obj *obj_direct_slot(const struct obj_class *c, obj_h h)
{
	uint32_t limit = __atomic_load_n(&c->in->limit, __ATOMIC_ACQUIRE);
	uintptr_t off = (uintptr_t)h - sizeof(struct obj) - (uintptr_t)c->base;
	size_t index = off >> c->in->shift;

	if (limit == 0 || index == 0 || index >= limit || off & (c->stride - 1))
		return NULL;
	return obj_slot(c, (uint32_t)index);
}

void *obj_get_direct(const struct obj_class *c, obj_h h)
{
	struct obj *o = obj_direct_slot(c, h);

	if (o == NULL)
		return NULL;
	return object_live(c, o, __atomic_load_n(&o->token, __ATOMIC_ACQUIRE)) ? o : NULL;
}

obj_h obj_from_int_direct(const struct obj_class *c, uint32_t i)
{
	uint32_t limit = __atomic_load_n(&c->in->limit, __ATOMIC_ACQUIRE);
	uint32_t index = i & OBJ_INDEX_MAX;

	if (i >= OBJ_PERMANENT_MAX && index < limit) {
		struct obj *o = obj_slot(c, index);

		if ((uint32_t)__atomic_load_n(&o->token, __ATOMIC_ACQUIRE) == i)
			return (obj_h)(o + 1);
	}
	return (obj_h)(uintptr_t)i;
}
