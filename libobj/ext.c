// SPDX-License-Identifier: BSD-3-Clause
/* ext.c - what an object has besides its header: name, attributes, error handler, closures, trace.
 *
 * Most objects have none of it.  An ext is made at first need and stays until the object ends. */
#include "libobj/obj_inner.h"
#include <string.h>

HAFT_START struct ext *obj_ext_get(struct obj *o)
{
	struct ext *e = ext_of(o);

	if (e != NULL)
		return e;
	e = obj_mem_get(o->u.cls->domain, sizeof(*e));
	if (e == NULL)
		return NULL;
	memset(e, 0, sizeof(*e));
	e->index = obj_up->index_empty;
	__atomic_store_n(&o->ext, e, __ATOMIC_RELEASE);
	return e;
}

HAFT_START void obj_ext_free(struct obj *o)
{
	struct obj_domain *d = o->u.cls->domain;
	struct ext *e = ext_of(o);

	if (e == NULL)
		return;
	if (e->attrs != NULL)
		obj_up->attrs_free(o);
	if (e->closures != NULL)
		obj_up->closures_free(o);
	__atomic_store_n(&o->ext, NULL, __ATOMIC_RELAXED);
	obj_mem_put(d, e->name);
	obj_mem_put(d, e->trace);
	if (e->errh != NULL)
		obj_drop(e->errh);
	obj_mem_put(d, e);
}
