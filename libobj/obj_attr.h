// SPDX-License-Identifier: BSD-3-Clause
/* obj_attr.h - what obj_attr.c, keyval.c and closure.c share: keyvals, languages, values. */
#ifndef HAFT_LIBOBJ_OBJ_ATTR_H
#define HAFT_LIBOBJ_OBJ_ATTR_H

#include "libobj/obj_inner.h"

struct keyval {
	struct obj o;
	struct obj_class *target; /* NULL when that class is closed */
	void (*copy)(void);
	void (*del)(void);
	void (*extra_free)(intptr_t extra);
	intptr_t extra;
	uint32_t lang;
	uint32_t flags;
};

struct sig; /* closure.c: a signature that is ready to be called */

struct lang {
	struct obj_lang_desc desc;
	struct sig *copy_sig; /* NULL: desc.copy */
	struct sig *del_sig;
};

/* A value with the memory that gives it an address: `num' for a reader of an address-sized
 * INTEGER by reference, `fint' for one of an INTEGER. */
struct value {
	intptr_t num; /* the pointer, or the number with its sign */
	int fint;
	uint32_t lang; /* it was set in */
};

/* keyval.c ----------------------------------------------------------------------------------- */

/* The form (enum obj_form) of values of language `lang'; -1: no such language. */
int obj_lang_form_slow(const struct obj_domain *d, int lang);
static inline int lang_form(const struct obj_domain *d, int lang)
{
	static_assert(
		(int)OBJ_LANG_C == (int)OBJ_FORM_POINTER, "the first languages are the forms");
	static_assert((int)OBJ_LANG_FINT == (int)OBJ_FORM_INT, "the first languages are the forms");
	static_assert(
		(int)OBJ_LANG_FADDR == (int)OBJ_FORM_ADDR, "the first languages are the forms");
	return likely((unsigned)lang < OBJ_LANG_USER) ? lang : obj_lang_form_slow(d, lang);
}

/* A value of form `set', read in form `want'; pointers to *v live as long as v does. */
static inline intptr_t value_as(int want, int set, intptr_t num, struct value *v)
{
	if (want == OBJ_FORM_INT)
		return (int)num;
	if (want != OBJ_FORM_POINTER || set == OBJ_FORM_POINTER)
		return num;
	return set == OBJ_FORM_INT ? (intptr_t)&v->fint : (intptr_t)&v->num;
}

/* The live keyval of that number for objects of class c, held; or NULL. */
struct keyval *obj_keyval_acquire(const struct obj_class *c, int key);

/* Run the keyval's callbacks, with nothing destroyed meanwhile.  Both return the user's code. `now'
 * is the value, and addresses given to the callback point to `place'.  *out: the copy. */
int obj_keyval_del(struct keyval *kv, struct obj *o, int key, struct value *v);
int obj_keyval_copy(struct keyval *kv, struct obj *o, int key, const struct value *now,
	struct value *where, struct value *out, int *flag);

/* --- closure.c ------------------------------------------------------------------------------ */

/* A signature with roles for attribute callbacks.  OBJ_OK, OBJ_INVALID, OBJ_NOMEM (also: no
 * libffi). */
int obj_sig_new(struct obj_domain *d, const char *text, struct sig **s);
void obj_sig_free(struct obj_domain *d, struct sig *s);
/* Calls call->fn by it; returns the user's code. */
int obj_sig_attr_call(const struct sig *s, struct obj_attr_call *call);

/* The domain's hooks round code of the user: without a lock of libobj's. */
int obj_user_begin(const struct obj_domain *d);
void obj_user_end(const struct obj_domain *d, int had);

#endif
