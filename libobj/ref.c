// SPDX-License-Identifier: BSD-3-Clause
/* ref.c - an object's life: obj_new, two counts, obj_free.
 *
 *   pop ─ construct ─> live ─ obj_free: callbacks ─> pending ─ last drop ─> dying ─ destroy ─> push
 *   token dead         live   refs: CLOSING + 1      dead      refs 0       DYING   (reap.c)
 *
 * Lookups read the token; the refs word decides.  With several threads, the thread that frees wins
 * a compare-and-swap on refs.  It then looks again whether the token is still the one to be freed:
 * the slot may have got a new object in between.  The short way (no other reference, no callback)
 * is one such swap, to DYING: from then on obj_acquire waits until the token has changed. */
#include "libobj/obj_inner.h"
#include <execinfo.h>
#include <string.h>
#include <time.h>

/* ------------------------------------------------------------------------ obj_new */

/* Clears the object behind its header, with the padding: whole cache lines need no call of
 * memset. */
static void object_clear(const struct obj_class *c, struct obj *o)
{
	char *p = (char *)(o + 1);
	char *end = (char *)o + c->stride;

	if (HAFT_ASAN) {
		memset(p, 0, c->in->desc.obj_size - sizeof(*o));
		return;
	}
	memset(p, 0, 64 - sizeof(*o));
	for (p = (char *)o + 64; p < end; p += 64)
		memset(p, 0, 64);
}

/* Stores the backtrace of the object's creation.  No memory: no trace. */
static __attribute__((noinline)) void object_trace_set(struct obj_class *c, struct obj *o)
{
	uint32_t max = c->domain->opts.trace;
	void *frames[OBJ_TRACE_MAX + 2];
	struct timespec now;
	struct ext *e;
	int n;

	n = backtrace(frames, (int)max + 2) - 2; /* without ourselves and obj_new */
	e = obj_ext_get(o);
	if (n <= 0 || e == NULL)
		return;
	e->trace = obj_mem_get(c->domain, (size_t)n * sizeof(frames[0]));
	if (e->trace == NULL)
		return;
	memcpy(e->trace, frames + 2, (size_t)n * sizeof(frames[0]));
	e->ntrace = (uint32_t)n;
	clock_gettime(CLOCK_MONOTONIC, &now);
	e->born_ns = now.tv_sec * 1000000000LL + now.tv_nsec;
}

static void object_construct_undo(struct obj_class *c, struct obj *o)
{
	obj_ext_free(o);
	must(o->refs == OBJ_REFS_USER);
	slot_record(o, NULL, 0);
	slot_push(c, o);
}

static __attribute__((noinline)) bool object_new_slow(struct obj_class *c, struct obj *o, void *arg)
{
	int rc;

	if (c->flags & CLASS_F_TRACE)
		object_trace_set(c, o);
	if (!(c->flags & CLASS_F_CONSTRUCT))
		return true;
	obj_defer_begin();
	rc = c->in->desc.construct(o, arg);
	if (rc != 0) {
		obj_this_thread.user_rc = rc;
		object_construct_undo(c, o);
	}
	obj_defer_end();
	return rc == 0;
}

static __attribute__((noinline)) void *object_new_any(
	struct obj_class *c, void *arg, uintptr_t site)
{
	struct obj *o = slot_pop(c);

	if (o == NULL)
		return NULL;
	o->u.cls = c;
	slot_record(o, NULL, site);
	__atomic_store_n(&o->refs, OBJ_REFS_USER, __ATOMIC_RELEASE); /* obj_slot_hold sees cls */
	if (!(c->flags & OBJ_F_RAW))
		object_clear(c, o);
	if (c->flags & (CLASS_F_CONSTRUCT | CLASS_F_TRACE) && !object_new_slow(c, o, arg))
		return NULL;
	__atomic_store_n(&o->token, o->token ^ TOKEN_DEAD, __ATOMIC_RELEASE);
	return o;
}

/* The usual case of obj_new_at: a slot in the magazine, no callback.  In line it saves no
 * register. */
static inline void *object_new_at(struct obj_class *c, void *arg, uintptr_t site)
{
	struct mag *m = obj_mag_of(c, CLASS_F_CONSTRUCT | CLASS_F_TRACE);
	struct obj *o;

	if (unlikely(m == NULL || m->avail == 0))
		return object_new_any(c, arg, site);
	o = obj_mag_new(c, m, site);
	if (!(c->flags & OBJ_F_RAW))
		object_clear(c, o);
	obj_mag_publish(o);
	return o;
}

void *obj_new_at(struct obj_class *c, void *arg, uintptr_t site)
{
	return object_new_at(c, arg, site);
}

OBJ_SITED void *obj_new(struct obj_class *c, void *arg)
{
	return object_new_at(
		c, arg, obj_this_thread.site != 0 ? obj_this_thread.site : obj_caller());
}

void obj_site_set(uintptr_t site)
{
	obj_this_thread.site = site;
}

uintptr_t obj_site_now(void)
{
	return obj_this_thread.site;
}

int obj_user_rc(void)
{
	return obj_this_thread.user_rc;
}

/* ------------------------------------------------------------------------ counting */

static uint64_t refs_add(struct obj *o, uint64_t n)
{
	uint64_t r;

	if (o->u.cls->shared)
		return __atomic_add_fetch(&o->refs, n, __ATOMIC_ACQ_REL);
	r = __atomic_load_n(&o->refs, __ATOMIC_RELAXED) + n;
	__atomic_store_n(&o->refs, r, __ATOMIC_RELAXED);
	return r;
}

/* Changes refs from *old to `new'; false: refs is another value, which *old gets. */
static bool refs_swap(const struct obj_class *c, struct obj *o, uint64_t *old, uint64_t new)
{
	if (c->shared)
		return __atomic_compare_exchange_n(
			&o->refs, old, new, 0, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED);
	__atomic_store_n(&o->refs, new, __ATOMIC_RELAXED);
	return true;
}

static bool object_token_is(const struct obj *o, uint64_t token)
{
	return __atomic_load_n(&o->token, __ATOMIC_ACQUIRE) == token;
}

/* Internal references of a permanent object say nothing. */
void obj_refs(const void *self, uint32_t *user, uint32_t *internal)
{
	const struct obj *o = self;
	uint64_t r = __atomic_load_n(&o->refs, __ATOMIC_RELAXED);

	if (user != NULL)
		*user = REFS_USER(r);
	if (internal != NULL)
		*internal = r & OBJ_REFS_SATURATED ? 0 : (uint32_t)(r & REFS_INTERNAL);
}

/* The token of the object that a direct handle leads to. */
static uint64_t object_token(const struct obj *o)
{
	return __atomic_load_n(&o->token, __ATOMIC_ACQUIRE);
}

HAFT_START bool obj_slot_hold(const struct obj_class *c, struct obj *o, uint64_t token)
{
	uint64_t r = __atomic_load_n(&o->refs, __ATOMIC_ACQUIRE);

	for (;;) {
		if (!object_token_is(o, token))
			return false;
		if (r & OBJ_REFS_SATURATED)
			return true;
		/* another thread tries the short way of obj_free, and may yet take it back */
		if (r & REFS_DYING && REFS_USER(r) != 0)
			r = __atomic_load_n(&o->refs, __ATOMIC_ACQUIRE);
		else if (r == 0 || r & REFS_DYING)
			return false;
		else if (refs_swap(c, o, &r, r + 1))
			break;
	}
	if (object_token_is(o, token))
		return true;
	obj_drop(o);
	return false;
}

HAFT_START void *obj_acquire(const struct obj_class *c, obj_h handle)
{
	struct obj *o = obj_get(c, handle);
	uint64_t token;

	if (o == NULL)
		return NULL;
	token = c->flags & OBJ_F_DIRECT ? object_token(o) : (uint64_t)(uintptr_t)handle;
	return obj_slot_hold(c, o, token) ? o : NULL;
}

obj_h obj_share(void *self)
{
	struct obj *o = self;

	if (!(o->refs & OBJ_REFS_SATURATED))
		refs_add(o, OBJ_REFS_USER);
	return obj_handle(o);
}

/* ------------------------------------------------------------------------ obj_free */

/* Ends the object, whose handle has just ended. */
static void object_free_end(struct obj_class *c, struct obj *o, uintptr_t site)
{
	if (!(c->flags & CLASS_F_DESTROY)) {
		__atomic_store_n(&o->ext, (void *)site, __ATOMIC_RELAXED);
		slot_push(c, o);
	} else if (reap_must_wait()) {
		obj_tombstone_add(o, site);
		obj_reap_add(o);
	} else {
		obj_destroy_now(o, site);
		reap_if_due();
	}
}

/* The short way of obj_free: one handle, no reference, no callback.  One step makes the object this
 * thread's alone and its handle dead.  False: not so, nothing has changed. */
static inline bool object_free_claim(const struct obj_class *c, struct obj *o, uint64_t token)
{
	uint64_t r = __atomic_load_n(&o->refs, __ATOMIC_RELAXED);

	if (unlikely(r != OBJ_REFS_USER || __atomic_load_n(&o->ext, __ATOMIC_RELAXED) != NULL))
		return false;
	if (c->shared) {
		if (!refs_swap(c, o, &r, OBJ_REFS_USER | REFS_DYING))
			return false;
		if (unlikely(!object_token_is(o, token) ||
			     __atomic_load_n(&o->ext, __ATOMIC_ACQUIRE) != NULL)) {
			__atomic_fetch_and(&o->refs, ~REFS_DYING, __ATOMIC_RELEASE);
			return false;
		}
	}
	__atomic_store_n(&o->token, token ^ TOKEN_DEAD, __ATOMIC_RELEASE);
	return true;
}

#define ONE_OF_MANY (-1)

/* The caller has given back one of several handles of o and taken a reference in its place.  That
 * reference keeps the object, though its other handles may go.  If the object is not the one that
 * `token' names, the handle is put back: OBJ_STALE. */
static int object_free_one(struct obj *o, uint64_t token)
{
	uint64_t now = object_token(o);
	bool ours = now == token || now == (token ^ TOKEN_DEAD);

	if (!ours)
		refs_add(o, OBJ_REFS_USER);
	obj_drop(o);
	return ours ? ONE_OF_MANY : OBJ_STALE;
}

/* Begins the long way.  OBJ_OK: we closed the object and hold it; ONE_OF_MANY: one of several
 * handles is given back. */
static int object_free_begin(const struct obj_class *c, struct obj *o, uint64_t token)
{
	uint64_t r = __atomic_load_n(&o->refs, __ATOMIC_ACQUIRE);
	bool many;

	for (;;) {
		if (!object_token_is(o, token))
			return OBJ_STALE;
		many = REFS_USER(r) > 1;
		if (r & REFS_CLOSING && !many)
			return OBJ_BUSY;
		if (r & REFS_DYING || r == 0)
			r = __atomic_load_n(&o->refs, __ATOMIC_ACQUIRE);
		else if (refs_swap(c, o, &r, (many ? r - OBJ_REFS_USER : r | REFS_CLOSING) + 1))
			break;
	}
	if (many)
		return object_free_one(o, token);
	if (object_token_is(o, token))
		return OBJ_OK;
	refs_add(o, -REFS_CLOSING);
	obj_drop(o);
	return OBJ_STALE;
}

/* The callbacks have run: the handle ends, unless one of them made another. */
static void object_free_finish(struct obj_class *c, struct obj *o, uintptr_t site)
{
	uint64_t r = __atomic_load_n(&o->refs, __ATOMIC_ACQUIRE);

	if (REFS_USER(r) == 1) {
		if (ext_of(o) != NULL || (r & REFS_INTERNAL) > 1 || c->flags & OBJ_F_LATER)
			obj_tombstone_add(o, site);
		__atomic_store_n(&o->token, o->token ^ TOKEN_DEAD, __ATOMIC_RELEASE);
	}
	r = refs_add(o, -(OBJ_REFS_USER + REFS_CLOSING));
	if (r != 1 || c->flags & OBJ_F_LATER || reap_must_wait()) {
		obj_drop(o);
		return;
	}
	/* the last reference is ours: dropped by hand, so that the slot keeps the site of the
	 * free */
	r = refs_add(o, (uint64_t)-1);
	if (r == 0) {
		__atomic_store_n(&o->refs, REFS_DYING, __ATOMIC_RELAXED);
		obj_destroy_now(o, site);
		reap_if_due();
	}
}

static int object_free_long(struct obj_class *c, struct obj *o, uint64_t token, uintptr_t site)
{
	int rc = object_free_begin(c, o, token);

	if (rc == ONE_OF_MANY)
		return OBJ_OK;
	if (rc != OBJ_OK)
		return rc;
	obj_defer_begin();
	rc = obj_up->attrs_delete_all(o);
	if (rc == OBJ_OK && c->flags & CLASS_F_ON_FREE)
		c->in->desc.on_free(o);
	obj_this_thread.defer--; /* objects dropped by callbacks go after the object itself */
	if (rc == OBJ_OK) {
		object_free_finish(c, o, site);
	} else {
		refs_add(o, -REFS_CLOSING);
		obj_drop(o);
	}
	reap_if_due();
	return rc;
}

static int object_free_any(struct obj_class *c, struct obj *o, uint64_t token, uintptr_t site)
{
	if (token < OBJ_PERMANENT_MAX)
		return o->refs & REFS_IGNORE ? OBJ_OK : OBJ_PERMANENT;
	if (!(c->flags & (CLASS_F_ON_FREE | OBJ_F_LATER)) && object_free_claim(c, o, token)) {
		__atomic_store_n(&o->refs, REFS_DYING, __ATOMIC_RELAXED);
		object_free_end(c, o, site);
		return OBJ_OK;
	}
	return object_free_long(c, o, token, site);
}

static __attribute__((noinline)) int object_free_handle(
	struct obj_class *c, obj_h *handle, uintptr_t site)
{
	obj_h h = *handle;
	struct obj *o = obj_get(c, h);
	uint64_t token = (uint64_t)(uintptr_t)h;
	int rc;

	if (o == NULL)
		return obj_up->report_handle(c, h, OBJ_OK);
	rc = object_free_any(c, o, c->flags & OBJ_F_DIRECT ? object_token(o) : token, site);
	if (rc == OBJ_STALE)
		return obj_up->report_handle(c, h, OBJ_STALE);
	if (rc == OBJ_OK)
		*handle = (obj_h)c->null_value;
	return rc;
}

/* The usual case is in line: one handle, no reference, no callback, a magazine that is not
 * empty. */
OBJ_SITED int obj_free(struct obj_class *c, obj_h *handle)
{
	uintptr_t site = obj_this_thread.site != 0 ? obj_this_thread.site : obj_caller();
	uint64_t token = (uint64_t)(uintptr_t)*handle;
	uint32_t index = TOKEN_INDEX(token);
	struct mag *m = obj_mag_of(c, CLASS_F_SLOW_FREE | OBJ_F_DIRECT);
	struct obj *o;

	if (unlikely(m == NULL || index >= __atomic_load_n(&c->limit, __ATOMIC_ACQUIRE)))
		return object_free_handle(c, handle, site);
	o = obj_slot(c, index);
	if (unlikely(!object_token_is(o, token) || token_last(token) || m->limbo == 0))
		return object_free_handle(c, handle, site);
	if (unlikely(!object_free_claim(c, o, token)))
		return object_free_handle(c, handle, site);
	*handle = (obj_h)c->null_value;
	obj_mag_give(c, m, o, site);
	return OBJ_OK;
}

OBJ_SITED void obj_free_fresh(struct obj_class *c, void *self)
{
	uintptr_t site = obj_this_thread.site != 0 ? obj_this_thread.site : obj_caller();
	struct mag *m = obj_mag_of(c, CLASS_F_SLOW_FREE);
	struct obj *o = self;
	uint64_t token = object_token(o);

	must(object_live(c, o, token) && !(c->flags & OBJ_F_DIRECT));
	if (unlikely(m == NULL || token_last(token) || m->limbo == 0 ||
		     !object_free_claim(c, o, token)))
		object_free_any(c, o, token, site);
	else
		obj_mag_give(c, m, o, site);
}

OBJ_SITED int obj_free_obj(void *self)
{
	struct obj *o = self;
	uint64_t token = object_token(o);

	if (token >= OBJ_PERMANENT_MAX && !object_live(o->u.cls, o, token))
		return OBJ_STALE;
	return object_free_any(o->u.cls, o, token,
		obj_this_thread.site != 0 ? obj_this_thread.site : obj_caller());
}
