// SPDX-License-Identifier: BSD-3-Clause
/* obj_attr.c - attributes of an object: read without locks, changed as transactions.
 *
 *   object ── ext ── cache ── index: slots by hash of the key ──┐
 *                      │                                        v
 *                      └── oldest ──> attr ──> attr ──> attr ── newest      (order of setting)
 *
 *   state of an attr:  FREE ──set──> LIVE ──delete──> DELETING ──callback agrees──> FREE
 *                                     ^──callback refuses──┘
 *
 * Writers have the object's lock, never during a callback.  Readers have none:
 *  - attrs live as long as their object and change in place; their tag counts the changes;
 *  - a FREE attr stays in the index for its key's next value, until a full index is made anew;
 *  - an index is rewritten in place under the cache's version; a reader that finds nothing looks at
 *    the version again.  A larger index leaves the old one behind for readers still inside: all old
 *    ones together are no larger than the newest.
 * An attr that is being deleted is invisible, and refuses to be set or deleted. */
#include "libobj/obj_attr.h"
#include <sched.h>
#include <string.h>

#define INDEX_FIRST \
	2 /* log2 of the slots of the index inside the cache; at most half of them are used */
#define ATTRS_FIRST 2 /* attributes inside the cache: few objects have more */
#define ATTRS_CHUNK ((uint32_t)MEAN_OR(1, 8))

/* Attributes that the callbacks of one obj_attr_delete_all may add before it gives up: a callback
 * that always sets another one would never end. */
#define DELETE_EXTRA 4096

enum state { ATTR_FREE, ATTR_LIVE, ATTR_DELETING, ATTR_WRITING };

/* The tag of an attr: all that a reader needs, in one word.
 *
 *     63      42 41   40 39  32 31     0
 *     [ changes ][ state ][ form ][ key  ]          changes: how often it was written */
#define TAG(key, form, state) \
	((uint64_t)(uint32_t)(key) | (uint64_t)(uint32_t)(form) << 32 | (uint64_t)(state) << 40)
#define TAG_ONE (1ULL << 42)
/* Do two tags agree but for their changes?  A shift wants no mask of 42 bits in a register. */
#define TAG_SAME(a, b) (((a) ^ (b)) << 22 == 0)
#define TAG_KEY(t)     ((int)(uint32_t)(t))
#define TAG_FORM(t)    ((int)((t) >> 32) & 0xff)
#define TAG_STATE(t)   ((enum state)((t) >> 40 & 3))

struct attr {
	uint64_t tag;
	struct keyval *kv; /* held unless ATTR_FREE */
	struct value value;
	struct obj_thread *deleter; /* ATTR_DELETING: in whose callback it is */
	uint64_t serial;            /* grows with each setting */
	struct attr *next, *prev;   /* order; ATTR_FREE and not in the index: next spare one */
};

struct attr_index {
	struct attr_index *older;
	uint32_t mask;       /* slots - 1 */
	struct attr *slot[]; /* &attr_none where there is no attr */
};

struct attr_chunk {
	struct attr_chunk *next;
	struct attr attrs[ATTRS_CHUNK];
};

struct attr_cache {
	struct attr_index *index;
	uint32_t version; /* odd: the index is being rewritten */
	uint32_t used;    /* slots of the index */
	uint32_t count;   /* attributes: ATTR_LIVE and ATTR_DELETING */
	uint64_t serial;
	struct attr *oldest, *newest;
	struct attr *spare;
	struct attr_chunk *chunks;
	struct attr attrs[ATTRS_FIRST];
	/* the first index, with its slots: see index_first */
	_Alignas(struct attr_index) char room[sizeof(struct attr_index) +
					      (sizeof(struct attr *) << INDEX_FIRST)];
};

static struct attr_index *index_first(struct attr_cache *a)
{
	return (struct attr_index *)(void *)a->room;
}

static struct attr attr_none;

struct attr_index obj_index_empty = {.slot = {&attr_none}};

/* ------------------------------------------------------------------------ reading */

/* Bits of the product from 24 on depend on all of the key's number, which has 24 bits. */
static inline uint32_t index_slot(const struct attr_index *ix, int key)
{
	return (uint32_t)((uint64_t)(uint32_t)key * 0x61c88647u >> 24) & ix->mask;
}

static inline struct attr_cache *cache_of(const struct obj *o)
{
	const struct ext *e = ext_of(o);

	return e != NULL ? __atomic_load_n(&e->attrs, __ATOMIC_ACQUIRE) : NULL;
}

static inline uint64_t attr_tag(const struct attr *t)
{
	return __atomic_load_n(&t->tag, __ATOMIC_ACQUIRE);
}

static inline enum state attr_state(const struct attr *t)
{
	return TAG_STATE(attr_tag(t));
}

/* The attr of a key, in any state, or NULL.  Without the object's lock the attr may get another key
 * at any moment. */
HAFT_START static struct attr *attr_find(const struct attr_cache *a, int key)
{
	uint32_t version, i;
	const struct attr_index *ix;
	struct attr *t;

	do {
		version = __atomic_load_n(&a->version, __ATOMIC_ACQUIRE);
		ix = __atomic_load_n(&a->index, __ATOMIC_ACQUIRE);
		i = index_slot(ix, key);
		while ((t = __atomic_load_n(&ix->slot[i], __ATOMIC_ACQUIRE)) != &attr_none) {
			if (TAG_KEY(attr_tag(t)) == key)
				return t;
			i = (i + 1) & ix->mask;
		}
	} while (version & 1 || __atomic_load_n(&a->version, __ATOMIC_RELAXED) != version);
	return NULL;
}

/* 1: read; 0: there is none; -1: it changed meanwhile. */
static int attr_read(struct attr *t, int key, int form, intptr_t *value)
{
	uint64_t tag = attr_tag(t);
	intptr_t num = __atomic_load_n(&t->value.num, __ATOMIC_ACQUIRE);

	if (TAG_STATE(tag) == ATTR_WRITING || TAG_KEY(tag) != key ||
		__atomic_load_n(&t->tag, __ATOMIC_RELAXED) != tag)
		return -1;
	if (TAG_STATE(tag) != ATTR_LIVE)
		return 0;
	*value = value_as(form, TAG_FORM(tag), num, &t->value);
	return 1;
}

static __attribute__((noinline)) int attr_get_slow(
	const struct obj *o, int key, int lang, intptr_t *value, int *found)
{
	int form = lang_form(o->u.cls->domain, lang);
	const struct attr_cache *a = cache_of(o);
	struct attr *t;
	int got;

	*found = 0;
	if (form < 0)
		return OBJ_INVALID;
	while (a != NULL && (t = attr_find(a, key)) != NULL) {
		got = attr_read(t, key, form, value);
		*found = got == 1;
		if (got == 1)
			return OBJ_OK;
		if (got == 0)
			break;
	}
	return obj_keyval_exists(o->u.cls, key) ? OBJ_OK : OBJ_KEYVAL;
}

/* The usual case is in line: the attr is where its hash says, in the form that is asked for. */
int obj_attr_get(const void *self, int key, int lang, intptr_t *value, int *found)
{
	const struct obj *o = self;
	const struct ext *e = ext_of(o);
	const struct attr_index *ix;
	const struct attr *t;
	uint64_t tag;
	intptr_t num;

	if (unlikely(e == NULL || (unsigned)lang >= OBJ_LANG_USER))
		return attr_get_slow(o, key, lang, value, found);
	ix = __atomic_load_n(&e->index, __ATOMIC_ACQUIRE);
	t = __atomic_load_n(&ix->slot[index_slot(ix, key)], __ATOMIC_ACQUIRE);
	tag = attr_tag(t);
	num = __atomic_load_n(&t->value.num, __ATOMIC_ACQUIRE);
	if (likely(TAG_SAME(tag, TAG(key, lang, ATTR_LIVE))) &&
		likely(__atomic_load_n(&t->tag, __ATOMIC_RELAXED) == tag)) {
		*value = num;
		*found = 1;
		return OBJ_OK;
	}
	return attr_get_slow(o, key, lang, value, found);
}

/* --- writing -------------------------------------------------------------------------------- */

/* All functions below need the object's lock, unless their comment says otherwise. */

/* A reader that meets the attr between attr_write_begin and attr_write_end looks again. */
static void attr_write_begin(struct attr *t)
{
	uint64_t tag = (t->tag & ~TAG(0, 0, ATTR_WRITING)) + TAG_ONE;

	__atomic_store_n(&t->tag, tag | TAG(0, 0, ATTR_WRITING), __ATOMIC_RELAXED);
}

static void attr_write_end(struct attr *t, int key, int form, enum state state)
{
	uint64_t tag = (t->tag & ~(TAG_ONE - 1)) + TAG_ONE;

	__atomic_store_n(&t->tag, tag | TAG(key, form, state), __ATOMIC_RELEASE);
}

static void attr_state_set(struct attr *t, enum state state)
{
	attr_write_end(t, TAG_KEY(t->tag), TAG_FORM(t->tag), state);
}

static void index_clear(struct attr_index *ix)
{
	for (uint32_t i = 0; i <= ix->mask; i++)
		__atomic_store_n(&ix->slot[i], &attr_none, __ATOMIC_RELEASE);
}

/* Makes the cache of an object; NULL: no memory. */
static struct attr_cache *cache_get(struct obj *o)
{
	struct ext *e = obj_ext_get(o);
	struct attr_cache *a;

	if (e == NULL || e->attrs != NULL)
		return e != NULL ? e->attrs : NULL;
	a = obj_mem_get(o->u.cls->domain, sizeof(*a));
	if (a == NULL)
		return NULL;
	memset(a, 0, sizeof(*a));
	a->index = index_first(a);
	a->index->mask = (1 << INDEX_FIRST) - 1;
	index_clear(a->index);
	for (uint32_t i = 0; i < ATTRS_FIRST; i++) {
		a->attrs[i].next = a->spare;
		a->spare = &a->attrs[i];
	}
	__atomic_store_n(&e->attrs, a, __ATOMIC_RELEASE);
	__atomic_store_n(&e->index, a->index, __ATOMIC_RELEASE);
	return a;
}

static void index_put(struct attr_index *ix, struct attr *t)
{
	uint32_t i = index_slot(ix, TAG_KEY(t->tag));

	while (ix->slot[i] != &attr_none)
		i = (i + 1) & ix->mask;
	__atomic_store_n(&ix->slot[i], t, __ATOMIC_RELEASE);
}

/* Takes the ATTR_FREE attrs out of the index to the spare ones.  Its slots are not changed. */
HAFT_START static void index_collect(struct attr_cache *a)
{
	const struct attr_index *ix = a->index;

	for (uint32_t i = 0; i <= ix->mask; i++) {
		struct attr *t = ix->slot[i];

		if (t == &attr_none || attr_state(t) != ATTR_FREE)
			continue;
		t->next = a->spare;
		a->spare = t;
	}
}

static void index_fill(struct attr_cache *a, struct attr_index *ix)
{
	a->used = 0;
	for (struct attr *t = a->oldest; t != NULL; t = t->next) {
		index_put(ix, t);
		a->used++;
	}
}

/* Rewrites the index in place without its ATTR_FREE attrs. */
static void index_purge(struct attr_cache *a)
{
	struct attr_index *ix = a->index;

	index_collect(a);
	__atomic_store_n(&a->version, a->version + 1, __ATOMIC_RELAXED);
	index_clear(ix);
	index_fill(a, ix);
	__atomic_store_n(&a->version, a->version + 1, __ATOMIC_RELEASE);
}

static bool index_grow(struct attr_cache *a, struct obj *o)
{
	uint32_t slots = (a->index->mask + 1) * 2;
	size_t len = sizeof(struct attr_index) + slots * sizeof(struct attr *);
	struct attr_index *ix = obj_mem_get(o->u.cls->domain, len);

	if (ix == NULL)
		return false;
	ix->older = a->index;
	ix->mask = slots - 1;
	index_clear(ix);
	index_collect(a);
	index_fill(a, ix);
	__atomic_store_n(&a->index, ix, __ATOMIC_RELEASE);
	__atomic_store_n(&ext_of(o)->index, ix, __ATOMIC_RELEASE);
	return true;
}

/* Room for one more attr in the index. */
static bool index_room(struct attr_cache *a, struct obj *o)
{
	if (a->used < (a->index->mask + 1) / 2)
		return true;
	if (a->count <= a->used / 2) {
		index_purge(a);
		return true;
	}
	return index_grow(a, o);
}

static bool attr_spares_add(struct attr_cache *a, struct obj_domain *d)
{
	struct attr_chunk *k = obj_mem_get(d, sizeof(*k));

	if (k == NULL)
		return false;
	memset(k, 0, sizeof(*k));
	k->next = a->chunks;
	a->chunks = k;
	for (uint32_t i = 0; i < ATTRS_CHUNK; i++) {
		k->attrs[i].next = a->spare;
		a->spare = &k->attrs[i];
	}
	return true;
}

/* Makes an ATTR_FREE attr for a key that has none, in the index.  NULL: no memory. */
static struct attr *attr_make(struct attr_cache *a, struct obj *o, int key)
{
	struct attr *t;

	if (!index_room(a, o) || (a->spare == NULL && !attr_spares_add(a, o->u.cls->domain)))
		return NULL;
	t = a->spare;
	a->spare = t->next;
	attr_write_end(t, key, 0, ATTR_FREE);
	index_put(a->index, t);
	a->used++;
	return t;
}

/* The ATTR_FREE attr becomes the newest attribute.  Takes over the caller's reference to kv. */
static void attr_enter(
	struct attr_cache *a, struct attr *t, struct keyval *kv, const struct value *v, int form)
{
	attr_write_begin(t);
	__atomic_store_n(&t->value.num, v->num, __ATOMIC_RELEASE);
	__atomic_store_n(&t->value.fint, v->fint, __ATOMIC_RELEASE);
	t->value.lang = v->lang;
	__atomic_store_n(&t->kv, kv, __ATOMIC_RELEASE);
	attr_write_end(t, TAG_KEY(t->tag), form, ATTR_LIVE);
	t->serial = ++a->serial;
	t->next = NULL;
	t->prev = a->newest;
	if (a->newest != NULL)
		a->newest->next = t;
	else
		a->oldest = t;
	a->newest = t;
	a->count++;
}

/* Takes the attribute out of the list, FREE.  Gives the caller the reference to its keyval. */
static struct keyval *attr_leave(struct attr_cache *a, struct attr *t)
{
	struct keyval *kv = t->kv;

	if (t->prev != NULL)
		t->prev->next = t->next;
	else
		a->oldest = t->next;
	if (t->next != NULL)
		t->next->prev = t->prev;
	else
		a->newest = t->prev;
	a->count--;
	t->next = t->prev = NULL;
	attr_state_set(t, ATTR_FREE);
	return kv;
}

/* Deletes an ATTR_LIVE attribute: runs its callback without the lock.  OBJ_OK or OBJ_CALLBACK. */
static int attr_delete(struct obj *o, struct attr_cache *a, struct attr *t)
{
	struct keyval *kv = t->kv;
	int key = TAG_KEY(t->tag), rc;

	t->deleter = &obj_this_thread;
	attr_state_set(t, ATTR_DELETING);
	object_unlock(o);
	rc = obj_keyval_del(kv, o, key, &t->value);
	object_lock(o);
	if (rc != 0) {
		attr_state_set(t, ATTR_LIVE);
		return OBJ_CALLBACK;
	}
	attr_leave(a, t);
	object_unlock(o);
	obj_drop(kv);
	object_lock(o);
	return OBJ_OK;
}

/* Gives the deleting thread time for its callback.  False: this thread is in a callback itself, so
 * the two might wait for each other. */
static bool attr_wait_deleter(struct obj *o, const struct attr *t)
{
	struct obj_domain *d = o->u.cls->domain;
	int had;

	if (t->deleter == &obj_this_thread || obj_this_thread.defer != 0)
		return false;
	object_unlock(o);
	had = obj_user_begin(d);
	sched_yield();
	obj_user_end(d, had);
	object_lock(o);
	return true;
}

/* Deletes the attribute of `key'.  OBJ_OK, OBJ_CALLBACK, OBJ_BUSY; OBJ_INVALID: there is none. */
HAFT_START static int key_delete(struct obj *o, int key)
{
	struct attr_cache *a = cache_of(o);
	struct attr *t = a != NULL ? attr_find(a, key) : NULL;

	while (t != NULL && attr_state(t) == ATTR_DELETING) {
		if (!attr_wait_deleter(o, t))
			return OBJ_BUSY;
		t = attr_find(a, key);
	}
	return t == NULL || attr_state(t) == ATTR_FREE ? OBJ_INVALID : attr_delete(o, a, t);
}

/* Sets the attribute where there is none now; uses up the reference to kv if it is OBJ_OK. */
HAFT_START static int key_enter(struct obj *o, struct keyval *kv, int key, const struct value *v)
{
	struct obj_domain *d = o->u.cls->domain;
	struct attr_cache *a = cache_get(o);
	struct attr *t;

	if (a == NULL)
		return OBJ_NOMEM;
	t = attr_find(a, key);
	if (t == NULL)
		t = attr_make(a, o, key);
	if (t == NULL)
		return OBJ_NOMEM;
	attr_enter(a, t, kv, v, lang_form(d, (int)v->lang));
	return OBJ_OK;
}

/* ------------------------------------------------------------------------ setting, deleting */

HAFT_START static int attr_set(struct obj *o, int key, int lang, intptr_t num, bool fix)
{
	struct value v = {.num = num, .fint = (int)num, .lang = (uint32_t)lang};
	struct keyval *kv = obj_keyval_acquire(o->u.cls, key);
	int form = lang_form(o->u.cls->domain, lang);
	int rc;

	if (kv == NULL)
		return OBJ_KEYVAL;
	if (form < 0 || (kv->flags & OBJ_KV_FIXED && !fix)) {
		obj_drop(kv);
		return form < 0 ? OBJ_INVALID : OBJ_PERMANENT;
	}
	if (form == OBJ_FORM_INT)
		v.num = v.fint;
	obj_hold(o); /* a callback may free it */
	object_lock(o);
	do
		rc = key_delete(o, key); /* again if another thread sets it during the callback */
	while (rc == OBJ_OK);
	if (rc == OBJ_INVALID)
		rc = key_enter(o, kv, key, &v);
	object_unlock(o);
	if (rc != OBJ_OK)
		obj_drop(kv);
	obj_drop(o);
	return rc;
}

int obj_attr_set(void *self, int key, int lang, intptr_t value)
{
	return attr_set(self, key, lang, value, false);
}

HAFT_START int obj_attr_fix(void *self, int key, int lang, intptr_t value)
{
	return attr_set(self, key, lang, value, true);
}

int obj_attr_delete(void *self, int key)
{
	struct obj *o = self;
	struct keyval *kv = obj_keyval_acquire(o->u.cls, key);
	int rc;

	if (kv != NULL && kv->flags & OBJ_KV_FIXED) {
		obj_drop(kv);
		return OBJ_PERMANENT;
	}
	obj_hold(o);
	object_lock(o);
	rc = key_delete(
		o, key); /* a freed keyval's attributes can still be deleted by its number */
	object_unlock(o);
	if (kv != NULL)
		obj_drop(kv);
	else if (rc == OBJ_INVALID)
		rc = OBJ_KEYVAL;
	obj_drop(o);
	return rc;
}

HAFT_START int obj_attr_delete_all(void *self)
{
	struct obj *o = self;
	struct attr_cache *a = cache_of(o);
	struct attr *t;
	uint32_t left;
	int rc = OBJ_OK;

	if (a == NULL)
		return OBJ_OK;
	obj_hold(o);
	object_lock(o);
	left = a->count + DELETE_EXTRA;
	while (rc == OBJ_OK) {
		for (t = a->newest; t != NULL && attr_state(t) != ATTR_LIVE; t = t->prev)
			;
		if (t == NULL)
			break;
		rc = left-- != 0 ? attr_delete(o, a, t) : OBJ_BUSY;
	}
	object_unlock(o);
	obj_drop(o);
	return rc;
}

void obj_attrs_free(struct obj *o)
{
	struct obj_domain *d = o->u.cls->domain;
	struct attr_cache *a = cache_of(o);
	struct attr_index *ix, *older;
	struct attr_chunk *k, *next;

	if (a == NULL)
		return;
	while (a->oldest != NULL)
		obj_drop(attr_leave(a, a->oldest));
	for (ix = a->index; ix != index_first(a); ix = older) {
		older = ix->older;
		obj_mem_put(d, ix);
	}
	for (k = a->chunks; k != NULL; k = next) {
		next = k->next;
		obj_mem_put(d, k);
	}
	obj_mem_put(d, a);
	ext_of(o)->attrs = NULL;
	ext_of(o)->index = &obj_index_empty;
}

/* Is the attr where the index leads, and does it refer to a keyval of the object's class? */
static bool attr_valid(const struct obj *o, const struct attr_cache *a, const struct attr *t)
{
	enum state state = attr_state(t);

	if (state != ATTR_LIVE && state != ATTR_DELETING)
		return false;
	if (t->kv == NULL || t->kv->target != o->u.cls || t->kv->o.refs == 0)
		return false;
	if (t->serial > a->serial || (t->prev != NULL && t->prev->serial >= t->serial))
		return false;
	return attr_find(a, TAG_KEY(t->tag)) == t;
}

bool obj_attrs_valid(const struct obj *o)
{
	const struct attr_cache *a = cache_of(o);
	const struct attr *t, *last = NULL;
	uint32_t n = 0;

	if (a == NULL)
		return true;
	if (a->version & 1 || ext_of(o)->index != a->index || a->used > a->index->mask)
		return false;
	for (t = a->oldest; t != NULL; t = t->next) {
		if (t->prev != last || !attr_valid(o, a, t))
			return false;
		last = t;
		n++;
	}
	return last == a->newest && n == a->count;
}

/* ------------------------------------------------------------------------ walking, copying */

/* The oldest ATTR_LIVE attribute with a serial number above `after' and up to `last', or NULL.
 * `hint' is the last attribute of the walk, or NULL: attrs are not freed, so at worst it is
 * useless. */
static struct attr *attr_after(
	const struct attr_cache *a, const struct attr *hint, uint64_t after, uint64_t last)
{
	struct attr *t = a->oldest;

	if (hint != NULL && hint->serial == after && attr_state(hint) != ATTR_FREE)
		t = hint->next;
	while (t != NULL && (t->serial <= after || attr_state(t) != ATTR_LIVE))
		t = t->next;
	return t != NULL && t->serial <= last ? t : NULL;
}

int obj_attr_next(const void *self, uint64_t *at, int *key, int *lang, intptr_t *value)
{
	const struct obj *o = self;
	const struct attr_cache *a = cache_of(o);
	const struct attr *t;

	if (a == NULL)
		return 0;
	object_lock(o);
	t = attr_after(a, NULL, *at, UINT64_MAX);
	if (t != NULL) {
		*at = t->serial;
		*key = TAG_KEY(t->tag);
		*lang = (int)t->value.lang;
		*value = t->value.num;
	}
	object_unlock(o);
	return t != NULL;
}

/* Copies one attribute.  `from' is locked, and is unlocked when it returns. */
static int attr_dup_one(struct obj *from, struct obj *to, struct attr *t)
{
	struct keyval *kv = t->kv;
	struct value now = t->value, out;
	int key = TAG_KEY(t->tag), flag, rc;

	obj_hold(kv);
	object_unlock(from);
	if (obj_keyval_copy(kv, from, key, &now, &t->value, &out, &flag) != 0) {
		obj_drop(kv);
		return OBJ_CALLBACK;
	}
	rc = OBJ_OK;
	if (flag) {
		object_lock(to);
		rc = key_enter(to, kv, key, &out);
		object_unlock(to);
	}
	if (!flag || rc != OBJ_OK)
		obj_drop(kv);
	return rc;
}

/* Undoes copies: their delete callbacks cannot keep them. */
static void attr_dup_undo(struct obj *to)
{
	int user_rc = obj_this_thread.user_rc;
	struct attr_cache *a = cache_of(to);
	struct keyval *kv;

	while (obj_attr_delete_all(to) == OBJ_CALLBACK) {
		object_lock(to);
		kv = a->newest != NULL ? attr_leave(a, a->newest) : NULL;
		object_unlock(to);
		if (kv != NULL)
			obj_drop(kv);
	}
	obj_this_thread.user_rc = user_rc;
}

int obj_attr_dup(void *from_, void *to_)
{
	struct obj *from = from_, *to = to_;
	struct attr_cache *a = cache_of(from);
	struct attr *t = NULL;
	uint64_t at = 0, last;
	int rc = OBJ_OK;

	if (from == to || from->u.cls != to->u.cls ||
		(cache_of(to) != NULL && cache_of(to)->count != 0))
		return OBJ_INVALID;
	if (a == NULL)
		return OBJ_OK;
	obj_hold(from);
	object_lock(from);
	last = a->serial;
	while (rc == OBJ_OK && (t = attr_after(a, t, at, last)) != NULL) {
		at = t->serial;
		rc = attr_dup_one(from, to, t);
		object_lock(from);
	}
	object_unlock(from);
	obj_drop(from);
	if (rc != OBJ_OK)
		attr_dup_undo(to);
	return rc;
}
