// SPDX-License-Identifier: BSD-3-Clause
/* keyval.c - keyvals, the languages that values and callbacks speak, and the calls themselves.
 *
 * A keyval is an object of the domain's own class, known by its INTEGER form.  Every attribute
 * holds its keyval.  So a freed keyval cannot be used for new attributes, and works for those that
 * exist until the last one has gone.
 *
 * The three languages of MPI are called by plain C through casts: 2 ns.  Others come with functions
 * that make the call, or with signatures for libffi. */
#include "libobj/obj_attr.h"
#include <stdio.h>
#include <string.h>

typedef int c_copy_fn(obj_h h, int key, void *extra, void *in, void *out, int *flag);
typedef int c_del_fn(obj_h h, int key, void *in, void *extra);
typedef void fint_copy_fn(int *h, int *key, int *extra, int *in, int *out, int *flag, int *rc);
typedef void fint_del_fn(int *h, int *key, int *in, int *extra, int *rc);
typedef void faddr_copy_fn(
	int *h, int *key, intptr_t *extra, intptr_t *in, intptr_t *out, int *flag, int *rc);
typedef void faddr_del_fn(int *h, int *key, intptr_t *in, intptr_t *extra, int *rc);

/* ------------------------------------------------------------------------ keyvals */

struct making {
	struct obj_class *target;
	const struct obj_keyval_desc *desc;
};

static int keyval_fill(void *self, void *arg)
{
	struct keyval *kv = self;
	const struct making *m = arg;

	kv->target = m->target;
	kv->copy = m->desc->copy;
	kv->del = m->desc->del;
	kv->extra = m->desc->extra;
	kv->extra_free = m->desc->extra_free;
	kv->lang = (uint32_t)m->desc->lang;
	kv->flags = m->desc->flags;
	return 0;
}

static void keyval_destroy(void *self)
{
	struct keyval *kv = self;

	if (kv->extra_free != NULL)
		kv->extra_free(kv->extra);
}

static int keyval_describe(const void *self, char *buf, size_t n)
{
	const struct keyval *kv = self;

	return snprintf(buf, n, "for %s", kv->target->in->desc.name);
}

HAFT_START int obj_keyvals_open(struct obj_domain *d)
{
	static const struct obj_class_desc desc = {
		.size = sizeof(desc),
		.name = "keyval",
		.obj_size = sizeof(struct keyval),
		.construct = keyval_fill,
		.destroy = keyval_destroy,
		.describe = keyval_describe,
	};

	return obj_class_open(&d->keyvals, d, &desc);
}

struct obj_class *obj_keyvals(struct obj_domain *d)
{
	return &d->keyvals;
}

void obj_keyvals_close(struct obj_domain *d)
{
	for (uint32_t i = 1; i < OBJ_PERMANENT_MAX; i++) {
		struct obj *kv = d->kv_perm[i];

		if (kv == NULL)
			continue;
		obj_permanent_end(kv);
		obj_mem_put(d, kv);
	}
}

/* The description as this version knows it. */
HAFT_START static int desc_take(const struct obj_class *target, const struct obj_keyval_desc *given,
	struct obj_keyval_desc *full)
{
	if (target->in == NULL || given == NULL || given->size == 0)
		return OBJ_INVALID;
	memset(full, 0, sizeof(*full));
	memcpy(full, given, given->size < sizeof(*full) ? given->size : sizeof(*full));
	if (lang_form(target->domain, full->lang) < 0 || full->flags & ~(uint32_t)OBJ_KV_FIXED)
		return OBJ_INVALID;
	return OBJ_OK;
}

OBJ_SITED int obj_keyval_new(struct obj_class *target, const struct obj_keyval_desc *desc, int *key)
{
	uintptr_t site = obj_this_thread.site != 0 ? obj_this_thread.site : obj_caller();
	struct obj_keyval_desc full;
	struct making m = {target, &full};
	struct keyval *kv;
	int rc = desc_take(target, desc, &full);

	if (rc != OBJ_OK)
		return rc;
	kv = obj_new_at(&target->domain->keyvals, &m, site);
	if (kv == NULL)
		return OBJ_NOMEM;
	*key = obj_int(kv);
	return OBJ_OK;
}

HAFT_START int obj_keyval_permanent(
	struct obj_class *target, uint32_t value, const struct obj_keyval_desc *desc)
{
	struct obj_keyval_desc full;
	struct making m = {target, &full};
	struct keyval *kv;
	int rc = desc_take(target, desc, &full);

	if (rc != OBJ_OK)
		return rc;
	kv = obj_mem_get(target->domain, sizeof(*kv));
	if (kv == NULL)
		return OBJ_NOMEM;
	memset(kv, 0, sizeof(*kv));
	keyval_fill(kv, &m);
	rc = obj_permanent(&target->domain->keyvals, value, kv, NULL, 0);
	if (rc != OBJ_OK)
		obj_mem_put(target->domain, kv);
	return rc;
}

int obj_keyval_free(struct obj_class *target, int *key)
{
	struct keyval *kv = obj_keyval_acquire(target, *key);
	int rc;

	if (kv == NULL)
		return OBJ_KEYVAL;
	rc = obj_free_obj(kv);
	obj_drop(kv);
	if (rc == OBJ_OK)
		*key = 0;
	return rc == OBJ_STALE ? OBJ_KEYVAL : rc;
}

HAFT_START struct keyval *obj_keyval_acquire(const struct obj_class *c, int key)
{
	struct obj_class *keyvals = &c->domain->keyvals;
	struct keyval *kv = obj_acquire(keyvals, obj_from_int(keyvals, key));

	if (kv == NULL || kv->target == c)
		return kv;
	obj_drop(kv);
	return NULL;
}

/* The freed keyval that had this number, held, if an attribute still holds it; or NULL. */
static struct keyval *keyval_freed_acquire(struct obj_class *keyvals, int key)
{
	uint32_t index = (uint32_t)key & OBJ_INDEX_MAX;
	struct obj *o;
	uint64_t token;

	if (key < OBJ_PERMANENT_MAX || index >= __atomic_load_n(&keyvals->limit, __ATOMIC_ACQUIRE))
		return NULL;
	o = obj_slot(keyvals, index);
	token = __atomic_load_n(&o->token, __ATOMIC_ACQUIRE);
	if ((uint32_t)(token ^ TOKEN_DEAD) != (uint32_t)key)
		return NULL;
	if (REFS_USER(__atomic_load_n(&o->refs, __ATOMIC_ACQUIRE)) != 0)
		return NULL; /* under construction: its number has not been returned yet */
	return obj_slot_hold(keyvals, o, token) ? (struct keyval *)o : NULL;
}

int obj_keyval_exists(const struct obj_class *target, int key)
{
	struct keyval *kv = obj_keyval_acquire(target, key);
	bool is = kv != NULL;

	if (kv == NULL) {
		kv = keyval_freed_acquire(&target->domain->keyvals, key);
		is = kv != NULL && kv->target == target;
	}
	if (kv != NULL)
		obj_drop(kv);
	return is;
}

/* ------------------------------------------------------------------------ languages */

int obj_lang_form_slow(const struct obj_domain *d, int lang)
{
	uint32_t n = __atomic_load_n(&d->nlangs, __ATOMIC_ACQUIRE);

	if (lang < OBJ_LANG_USER || (uint32_t)(lang - OBJ_LANG_USER) >= n)
		return -1;
	return d->langs[lang - OBJ_LANG_USER].desc.form;
}

/* The signatures of a language that has no functions. */
static int lang_prepare(struct obj_domain *d, struct lang *l)
{
	const struct obj_lang_desc *desc = &l->desc;
	int rc = OBJ_OK;

	if ((desc->copy == NULL && desc->copy_sig == NULL) ||
		(desc->del == NULL && desc->del_sig == NULL) || desc->name == NULL)
		return OBJ_INVALID;
	if (desc->form < OBJ_FORM_POINTER || desc->form > OBJ_FORM_ADDR)
		return OBJ_INVALID;
	if (desc->copy == NULL)
		rc = obj_sig_new(d, desc->copy_sig, &l->copy_sig);
	if (desc->del == NULL && rc == OBJ_OK)
		rc = obj_sig_new(d, desc->del_sig, &l->del_sig);
	return rc;
}

static void lang_free(struct obj_domain *d, struct lang *l)
{
	obj_sig_free(d, l->copy_sig);
	obj_sig_free(d, l->del_sig);
}

/* Languages are never moved: readers take no lock. */
static int lang_append(struct obj_domain *d, const struct lang *l, int *number)
{
	const uint32_t max = OBJ_LANG_MAX - OBJ_LANG_USER;
	int rc = OBJ_NOMEM;

	obj_lock_always(&d->lock);
	if (d->langs == NULL)
		d->langs = obj_mem_get(d, max * sizeof(*l));
	if (d->langs != NULL && d->nlangs < max) {
		*number = OBJ_LANG_USER + (int)d->nlangs;
		d->langs[d->nlangs] = *l;
		__atomic_store_n(&d->nlangs, d->nlangs + 1, __ATOMIC_RELEASE);
		rc = OBJ_OK;
	}
	obj_unlock_always(&d->lock);
	return rc;
}

int obj_lang_add(struct obj_domain *d, const struct obj_lang_desc *desc, int *lang)
{
	struct lang l;
	int rc;

	if (desc == NULL || desc->size == 0)
		return OBJ_INVALID;
	memset(&l, 0, sizeof(l));
	memcpy(&l.desc, desc, desc->size < sizeof(l.desc) ? desc->size : sizeof(l.desc));
	rc = lang_prepare(d, &l);
	if (rc == OBJ_OK)
		rc = lang_append(d, &l, lang);
	if (rc != OBJ_OK)
		lang_free(d, &l);
	return rc;
}

void obj_langs_close(struct obj_domain *d)
{
	for (uint32_t i = 0; i < d->nlangs; i++)
		lang_free(d, &d->langs[i]);
	obj_mem_put(d, d->langs);
	d->langs = NULL;
	d->nlangs = 0;
}

/* ------------------------------------------------------------------------ calls */

static struct obj_attr_call call_make(const struct keyval *kv, const struct obj *o, int key,
	const struct value *now, struct value *where)
{
	const struct obj_domain *d = o->u.cls->domain;
	struct obj_attr_call call = {
		.handle = obj_handle(o),
		.object = obj_int(o),
		.key = key,
		.extra = kv->extra,
	};

	call.in = value_as(
		lang_form(d, (int)kv->lang), lang_form(d, (int)now->lang), now->num, where);
	return call;
}

static int del_user(const struct lang *l, struct obj_attr_call *call, void (*fn)(void))
{
	call->fn = fn;
	call->ctx = l->desc.ctx;
	return l->del_sig != NULL ? obj_sig_attr_call(l->del_sig, call) : l->desc.del(call);
}

static int copy_user(const struct lang *l, struct obj_attr_call *call, void (*fn)(void))
{
	call->fn = fn;
	call->ctx = l->desc.ctx;
	return l->copy_sig != NULL ? obj_sig_attr_call(l->copy_sig, call) : l->desc.copy(call);
}

static int del_call(const struct keyval *kv, const struct obj_domain *d, struct obj_attr_call *call)
{
	int in = (int)call->in, extra = (int)call->extra, rc = 0;

	switch (kv->lang) {
	case OBJ_LANG_C:
		return ((c_del_fn *)kv->del)(
			call->handle, call->key, (void *)call->in, (void *)call->extra);
	case OBJ_LANG_FINT:
		((fint_del_fn *)kv->del)(&call->object, &call->key, &in, &extra, &rc);
		return rc;
	case OBJ_LANG_FADDR:
		((faddr_del_fn *)kv->del)(&call->object, &call->key, &call->in, &call->extra, &rc);
		return rc;
	default: return del_user(&d->langs[kv->lang - OBJ_LANG_USER], call, kv->del);
	}
}

static int copy_call(
	const struct keyval *kv, const struct obj_domain *d, struct obj_attr_call *call)
{
	int in = (int)call->in, extra = (int)call->extra, out = 0, rc = 0;
	void *p = NULL;

	switch (kv->lang) {
	case OBJ_LANG_C:
		rc = ((c_copy_fn *)kv->copy)(call->handle, call->key, (void *)call->extra,
			(void *)call->in, &p, &call->flag);
		call->out = (intptr_t)p;
		return rc;
	case OBJ_LANG_FINT:
		((fint_copy_fn *)kv->copy)(
			&call->object, &call->key, &extra, &in, &out, &call->flag, &rc);
		call->out = out;
		return rc;
	case OBJ_LANG_FADDR:
		((faddr_copy_fn *)kv->copy)(&call->object, &call->key, &call->extra, &call->in,
			&call->out, &call->flag, &rc);
		return rc;
	default: return copy_user(&d->langs[kv->lang - OBJ_LANG_USER], call, kv->copy);
	}
}

int obj_user_begin(const struct obj_domain *d)
{
	return d->opts.user_begin != NULL ? d->opts.user_begin() : 0;
}

void obj_user_end(const struct obj_domain *d, int had)
{
	if (d->opts.user_end != NULL)
		d->opts.user_end(had);
}

/* Around a callback about `o': no object is destroyed while it runs, only after it.  obj_user_rc
 * returns its error. */
static int user_enter(struct obj *o)
{
	obj_defer_begin();
	return obj_user_begin(o->u.cls->domain);
}

static void user_leave(struct obj *o, int had, int rc)
{
	obj_user_end(o->u.cls->domain, had);
	obj_this_thread.defer--;
	obj_this_thread.user_rc = rc != 0 ? rc : obj_this_thread.user_rc;
	reap_if_due();
}

int obj_keyval_del(struct keyval *kv, struct obj *o, int key, struct value *v)
{
	struct obj_attr_call call;
	int rc, had;

	if (kv->del == OBJ_KV_DEL_NONE)
		return 0;
	call = call_make(kv, o, key, v, v);
	had = user_enter(o);
	rc = del_call(kv, o->u.cls->domain, &call);
	user_leave(o, had, rc);
	return rc;
}

int obj_keyval_copy(struct keyval *kv, struct obj *o, int key, const struct value *now,
	struct value *where, struct value *out, int *flag)
{
	struct obj_attr_call call;
	int rc, had;

	*out = *now;
	*flag = kv->copy == OBJ_KV_COPY_SAME;
	if (kv->copy == OBJ_KV_COPY_NONE || kv->copy == OBJ_KV_COPY_SAME)
		return 0;
	call = call_make(kv, o, key, now, where);
	had = user_enter(o);
	rc = copy_call(kv, o->u.cls->domain, &call);
	user_leave(o, had, rc);
	out->num = call.out;
	out->fint = (int)call.out;
	out->lang = kv->lang;
	*flag = rc == 0 && call.flag != 0;
	return rc;
}
