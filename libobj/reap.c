// SPDX-License-Identifier: BSD-3-Clause
/* reap.c - where objects end, and when.
 *
 *   last drop ─┬─ in a callback, a destroy or a lock ─> thread's list ── out of it ─> destroy
 *              ├─ OBJ_F_LATER ────────────────────────> domain's list ── obj_reap ──> destroy
 *              └─ else ─────────────────────────────────────────────────────────────> destroy
 *
 * So destroy is never entered twice on a stack, and a chain of a million objects that hold one
 * another needs no stack. */
#include "libobj/obj_inner.h"
#include <string.h>

static void reap_link_set(struct obj *o, struct obj *next)
{
	struct ext *e = ext_of(o);

	if (e != NULL)
		e->reap_next = next;
	else
		__atomic_store_n(&o->ext, (void *)((uintptr_t)next | EXT_LINK), __ATOMIC_RELAXED);
}

static struct obj *reap_link_get(const struct obj *o)
{
	const struct ext *e = ext_of(o);

	return e != NULL ? e->reap_next : (struct obj *)((uintptr_t)o->ext & ~EXT_LINK);
}

void obj_destroy_now(struct obj *o, uintptr_t freed)
{
	struct obj_class *c = o->u.cls;
	bool outer = obj_this_thread.reaping;

	obj_this_thread.reaping = true;
	if (c->flags & CLASS_F_DESTROY)
		c->in->desc.destroy(o);
	obj_ext_free(o);
	__atomic_store_n(&o->ext, (void *)freed, __ATOMIC_RELAXED);
	slot_push(c, o);
	obj_this_thread.reaping = outer;
}

void obj_reap_add(struct obj *o)
{
	struct obj_domain *d = o->u.cls->domain;

	if (!(o->u.cls->flags & OBJ_F_LATER)) {
		reap_link_set(o, obj_this_thread.reap);
		obj_this_thread.reap = o;
		return;
	}
	obj_lock_always(&d->lock);
	reap_link_set(o, d->reap);
	d->reap = o;
	obj_unlock_always(&d->lock);
}

/* Destroys the objects of a list, oldest first.  Returns their number. */
static long reap_list(struct obj *newest)
{
	struct obj *list = NULL, *next;
	long n = 0;

	for (struct obj *o = newest; o != NULL; o = next) {
		next = reap_link_get(o);
		reap_link_set(o, list);
		list = o;
	}
	for (struct obj *o = list; o != NULL; o = next) {
		next = reap_link_get(o);
		if (ext_of(o) == NULL)
			__atomic_store_n(&o->ext, NULL, __ATOMIC_RELAXED);
		obj_destroy_now(o, 0);
		n++;
	}
	return n;
}

void obj_reap_run(void)
{
	obj_this_thread.reaping = true;
	while (obj_this_thread.reap != NULL) {
		struct obj *list = obj_this_thread.reap;

		obj_this_thread.reap = NULL;
		reap_list(list);
	}
	obj_this_thread.reaping = false;
}

void obj_gone(struct obj *o)
{
	__atomic_store_n(&o->refs, REFS_DYING, __ATOMIC_RELAXED);
	if (o->u.cls->flags & OBJ_F_LATER || reap_must_wait()) {
		obj_reap_add(o);
		return;
	}
	obj_destroy_now(o, 0);
	reap_if_due();
}

void obj_defer_begin(void)
{
	obj_this_thread.defer++;
}

void obj_defer_end(void)
{
	if (NEVER(obj_this_thread.defer == 0))
		return;
	obj_this_thread.defer--;
	reap_if_due();
}

long obj_reap(struct obj_domain *d)
{
	struct obj *list;
	long n;

	if (__atomic_load_n(&d->reap, __ATOMIC_RELAXED) == NULL)
		return 0;
	obj_lock_always(&d->lock);
	list = d->reap;
	d->reap = NULL;
	obj_unlock_always(&d->lock);
	n = reap_list(list);
	reap_if_due();
	return n;
}

/* The list without the objects of class c. */
static struct obj *reap_list_without(struct obj *list, const struct obj_class *c)
{
	struct obj *kept = NULL, *next;

	for (struct obj *o = list; o != NULL; o = next) {
		next = reap_link_get(o);
		if (o->u.cls == c)
			continue;
		reap_link_set(o, kept);
		kept = o;
	}
	return kept;
}

void obj_reap_forget(struct obj_class *c)
{
	struct obj_domain *d = c->domain;

	obj_this_thread.reap = reap_list_without(obj_this_thread.reap, c);
	obj_lock_always(&d->lock);
	d->reap = reap_list_without(d->reap, c);
	obj_unlock_always(&d->lock);
}
