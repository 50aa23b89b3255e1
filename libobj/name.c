// SPDX-License-Identifier: BSD-3-Clause
/* name.c - names of objects: cut at the class's length, as strings of C and of Fortran.
 *
 * A permanent object has a default name, kept by address, until it gets another one; setting the
 * empty name is a name too. */
#include "libobj/obj_inner.h"
#include <string.h>

/* Length of the name in s, without the NUL or the trailing blanks. */
static size_t name_length(const char *s, size_t n, int how)
{
	if (how == OBJ_C)
		return strnlen(s, n);
	while (n != 0 && s[n - 1] == ' ')
		n--;
	return n;
}

int obj_name_set(void *self, const char *s, size_t n, int how)
{
	struct obj *o = self;
	struct obj_class *c = o->u.cls;
	size_t len = name_length(s, n, how);
	char *name, *old = NULL;
	struct ext *e;

	if (len > c->in->desc.name_max - 1)
		len = c->in->desc.name_max - 1;
	name = obj_mem_get(c->domain, len + 1);
	if (name == NULL)
		return OBJ_NOMEM;
	memcpy(name, s, len);
	name[len] = '\0';
	object_lock(o);
	e = obj_ext_get(o);
	if (e != NULL) {
		old = e->name;
		e->name = name;
		e->name_len = (uint32_t)len;
	}
	object_unlock(o);
	obj_mem_put(c->domain, e != NULL ? old : name);
	return e != NULL ? OBJ_OK : OBJ_NOMEM;
}

/* The name that the object has now: its own, or the permanent one's default.  Under the object's
 * lock. */
static const char *name_now(const struct obj *o, size_t *len)
{
	const struct ext *e = ext_of(o);

	*len = 0;
	if (e != NULL && e->name != NULL) {
		*len = e->name_len;
		return e->name;
	}
	if (__atomic_load_n(&o->token, __ATOMIC_RELAXED) >= OBJ_PERMANENT_MAX || o->site == 0)
		return "";
	*len = strlen((const char *)o->site);
	return (const char *)o->site;
}

void obj_name_get(const void *self, char *buf, size_t cap, int how, int *len)
{
	const struct obj *o = self;
	size_t room = how == OBJ_C && cap != 0 ? cap - 1 : cap;
	const char *name;
	size_t n;

	object_lock(o);
	name = name_now(o, &n);
	if (n > room)
		n = room;
	memcpy(buf, name, n);
	object_unlock(o);
	if (how == OBJ_FORTRAN)
		memset(buf + n, ' ', cap - n);
	else if (cap != 0)
		buf[n] = '\0';
	if (len != NULL)
		*len = (int)n;
}
