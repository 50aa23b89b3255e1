// SPDX-License-Identifier: BSD-3-Clause
/* later.c - stands in for attr.c, call.c, alloc.c, fork.c and dump.c until they land. */
#include "libobj/inner.h"
#include <stdlib.h>

int obj_attr_delete_all(void *self)
{
	return self != NULL ? OBJ_OK : OBJ_INVALID;
}
void attrs_free(struct obj *o)
{
	(void)o;
}
void langs_close(struct obj_domain *d)
{
	(void)d;
}
void closures_free(struct obj *o)
{
	(void)o;
}
void mem_close(struct obj_domain *d)
{
	(void)d;
}
void fork_watch(void)
{
}
long obj_leaks(struct obj_domain *domain, int fmt, int fd)
{
	return domain != NULL ? 0 * fmt * fd : 0;
}
int keyvals_open(struct obj_domain *d)
{
	static const struct obj_class_desc desc = {
		.size = sizeof(desc), .name = "keyval", .obj_size = 64};

	return obj_class_open(&d->keyvals, d, &desc);
}
void *obj_mem_get(struct obj_domain *domain, size_t len)
{
	return domain != NULL ? malloc(len) : NULL;
}
void obj_mem_put(struct obj_domain *domain, void *p)
{
	if (domain != NULL)
		free(p);
}

int obj_errh_set(void *self, void *errh)
{
	struct obj *o = self, *old;
	struct ext *e;

	object_lock(o);
	e = ext_get(o);
	if (e == NULL) {
		object_unlock(o);
		return OBJ_NOMEM;
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
	struct obj *o = (struct obj *)(uintptr_t)self;
	struct ext *e;
	struct obj *errh = NULL;

	object_lock(o);
	e = ext_of(o);
	if (e != NULL && e->errh != NULL) {
		errh = e->errh;
		obj_hold(errh);
	}
	object_unlock(o);
	return errh;
}
