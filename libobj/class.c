// SPDX-License-Identifier: BSD-3-Clause
/* class.c - classes: opening and closing them; permanent objects.
 *
 *   obj_class_open    the description is copied, an id taken, the class entered in its domain;
 *                     address space is reserved by the first obj_new (slots.c)
 *   obj_class_close   what belongs to its objects is freed, then its table and its id */
#include "libobj/obj_inner.h"
#include <stdlib.h>
#include <string.h>

#define SLOT_MIN 64 /* bytes: one cache line, so that no two objects share one */

/* Bytes a slot; direct classes find the slot of an address by a shift. */
static size_t class_stride(const struct obj_class_desc *desc)
{
	size_t n = (desc->obj_size + SLOT_MIN - 1) / SLOT_MIN * SLOT_MIN;

	if (desc->flags & OBJ_F_DIRECT)
		while (n & (n - 1))
			n += n & -n;
	return n;
}

static bool class_desc_valid(const struct obj_class_desc *d)
{
	const uint32_t known = OBJ_F_DIRECT | OBJ_F_RAW | OBJ_F_LATER | OBJ_F_SHARED;

	return d->name != NULL && d->obj_size >= sizeof(struct obj) &&
	       d->obj_size <= UINT32_MAX / 2 && d->name_max <= OBJ_NAME_MAX &&
	       (d->flags & ~known) == 0 && d->max <= OBJ_INDEX_MAX;
}

/* The quarantine in slots, small enough that it leaves most of a small table to be used. */
static uint32_t class_quarantine(const struct obj_domain *d, const struct obj_class_desc *desc)
{
	uint32_t max = desc->max != 0 ? desc->max : OBJ_INDEX_MAX;
	uint32_t q = desc->quarantine;

	if (q == 0)
		q = d->opts.quarantine != 0 ? d->opts.quarantine : QUARANTINE;
	return q < max ? q : max;
}

static void class_flags_set(struct obj_class *c, const struct obj_class_desc *d)
{
	uint32_t f = d->flags;

	f |= d->construct != NULL ? CLASS_F_CONSTRUCT : 0;
	f |= d->on_free != NULL ? CLASS_F_ON_FREE : 0;
	f |= d->destroy != NULL ? CLASS_F_DESTROY : 0;
	f |= c->domain->opts.trace != 0 ? CLASS_F_TRACE : 0;
	f |= c->spill == 0 ? CLASS_F_EXACT : 0;
	c->flags = (uint16_t)f;
	c->shared = c->domain->opts.threads || d->flags & OBJ_F_SHARED;
}

/* The class joins its domain; from here on lookups work (and find nothing). */
static void class_enter(struct obj_class *c, struct obj_domain *d, uint32_t id)
{
	obj_lock_always(&d->lock);
	c->perm = c == &d->keyvals ? d->kv_perm : d->perm;
	c->nperm = OBJ_PERMANENT_MAX;
	d->cls[id] = c;
	obj_unlock_always(&d->lock);
}

HAFT_START int obj_class_open(
	struct obj_class *c, struct obj_domain *d, const struct obj_class_desc *desc)
{
	struct obj_class_desc full;
	struct obj_inside *in;
	uint32_t id;

	if (c == NULL || d == NULL || desc == NULL || desc->size == 0 || c->in != NULL)
		return OBJ_INVALID;
	memset(&full, 0, sizeof(full));
	memcpy(&full, desc, desc->size < sizeof(full) ? desc->size : sizeof(full));
	if (!class_desc_valid(&full))
		return OBJ_INVALID;
	in = calloc(1, sizeof(*in));
	if (in == NULL)
		return OBJ_NOMEM;
	in->desc = full;
	if (full.name_max == 0)
		in->desc.name_max = NAME_DEFAULT;
	in->lock = (struct obj_lock)OBJ_LOCK_INIT(RANK_CLASS, full.name);
	memset(c, 0, sizeof(*c));
	c->stride = (uint32_t)class_stride(&full);
	in->shift = (uint32_t)__builtin_ctz(c->stride);
	c->quarantine = class_quarantine(d, &full);
	c->spill = full.max != 0 && full.max < OBJ_EXACT_MAX ? 0 : SPILL_MIN;
	c->null_value = full.null_value;
	c->domain = d;
	c->in = in;
	class_flags_set(c, &full);
	id = obj_class_id_take(c);
	if (id == 0) {
		memset(c, 0, sizeof(*c));
		free(in);
		return OBJ_NOMEM;
	}
	c->id = (uint8_t)id;
	class_enter(c, d, id);
	return OBJ_OK;
}

/* Forgets, instead of dropping it, an error handler of the class that closes; or (`all') any,
 * because its class may be closed already. */
static void class_errh_forget(const struct obj_class *c, const struct obj *o, bool all)
{
	struct ext *e = ext_of(o);

	if (e != NULL && e->errh != NULL && (all || e->errh->u.cls == c))
		e->errh = NULL;
}

/* Frees the ext of all objects of the class, and counts the objects. */
static long class_sweep(struct obj_class *c, bool all)
{
	long n = 0;

	for (uint32_t i = 1; i < c->in->hi; i++) {
		struct obj *o = obj_slot(c, i);

		if (o->refs == 0)
			continue;
		n += !(o->refs & OBJ_REFS_SATURATED);
		class_errh_forget(c, o, all);
		obj_ext_free(o);
	}
	for (uint32_t i = 1; i < OBJ_PERMANENT_MAX; i++) {
		if (c->perm[i] == NULL || c->perm[i]->u.cls != c)
			continue;
		class_errh_forget(c, c->perm[i], all);
		obj_permanent_end(c->perm[i]);
	}
	return n;
}

long obj_class_close_now(struct obj_class *c, bool all)
{
	struct obj_domain *d = c->domain;
	uint32_t id = c->id;
	long n;

	obj_reap_forget(c);
	n = class_sweep(c, all);
	obj_threads_forget(id);
	obj_table_drop(c);
	obj_lock_always(&d->lock);
	d->cls[id] = NULL;
	obj_unlock_always(&d->lock);
	obj_class_id_give(id);
	free(c->in);
	memset(c, 0, sizeof(*c));
	return n;
}

long obj_class_close(struct obj_class *c)
{
	return c->in != NULL ? obj_class_close_now(c, false) : 0;
}

/* ------------------------------------------------------------------------ permanent objects */

HAFT_START int obj_permanent(
	struct obj_class *c, uint32_t value, void *self, const char *name, int ignore)
{
	struct obj *o = self, *none = NULL;

	if (c->in == NULL || value == 0 || value >= OBJ_PERMANENT_MAX)
		return OBJ_INVALID;
	/* Not a plain read: of a page that is not there it would make one that the write below has
	 * to make anew. */
	if (!__atomic_compare_exchange_n(
		    &c->perm[value], &none, NULL, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
		return OBJ_BUSY;
	o->token = value;
	o->refs = OBJ_REFS_SATURATED | OBJ_REFS_USER | (ignore ? REFS_IGNORE : 0);
	o->u.cls = c;
	slot_record(o, NULL, (uintptr_t)name);
	__atomic_store_n(&c->perm[value], o, __ATOMIC_RELEASE);
	return OBJ_OK;
}

HAFT_START void obj_permanent_end(void *self)
{
	struct obj *o = self;
	struct obj_class *c = o->u.cls;

	if (NEVER(o->token == 0 || o->token >= OBJ_PERMANENT_MAX || c->perm[o->token] != o))
		return;
	__atomic_store_n(&c->perm[o->token], NULL, __ATOMIC_RELEASE);
	obj_ext_free(o);
	memset(o, 0, sizeof(*o));
}
