// SPDX-License-Identifier: BSD-3-Clause
/* errh_slot.c - the error-handler slot of an object: one reference, changed under the object's
 * lock.
 *
 * The old handler is dropped, and may be destroyed, after the lock has been given back.  A reader
 * of the slot gets its own reference, so a handler that runs is not destroyed meanwhile. */
#include "libobj/obj_inner.h"

HAFT_START int obj_errh_set(void *self, void *errh)
{
	struct obj *o = self, *old;
	struct ext *e;

	object_lock(o);
	e = errh != NULL ? obj_ext_get(o) : ext_of(o);
	if (e == NULL) {
		object_unlock(o);
		return errh != NULL ? OBJ_NOMEM : OBJ_OK;
	}
	if (errh != NULL)
		obj_hold(errh);
	old = e->errh;
	e->errh = errh;
	object_unlock(o);
	if (old != NULL)
		obj_drop(old);
	return OBJ_OK;
}

void *obj_errh_get(const void *self)
{
	const struct obj *o = self;
	const struct ext *e;
	struct obj *errh = NULL;

	if (ext_of(o) == NULL)
		return NULL;
	object_lock(o);
	e = ext_of(o);
	if (e != NULL && e->errh != NULL) {
		errh = e->errh;
		obj_hold(errh);
	}
	object_unlock(o);
	return errh;
}
