// SPDX-License-Identifier: BSD-3-Clause
/* obj_fuzz.c - random operations on libobj, next to a model that is too simple to be wrong.
 *
 *     step:  draw an operation ──> call libobj ──> its callbacks ──> compare with the model
 *                                                    │
 *                                                    └─ succeed, refuse, or do a nested step
 *                                                       (to DEPTH_MAX)
 *
 * The model of an object is its two counts, its name, its error handler and its attributes in order
 * of setting.  Delete callbacks change the model themselves, so that nested operations see it
 * right.  After each outermost step exactly those objects have been destroyed whose counts are 0,
 * and exactly those keyvals released.
 *
 *     obj [-n STEPS] [-s SEED]      (0 STEPS: until killed)
 *
 * SEED is printed; with it a run repeats. */
#include "libobj/base.h"
#include "libobj/obj.h"
#include "tests/check_true.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define OBJECTS     200 /* in the model at once, pending ones included */
#define KEYVALS     24
#define ATTRS_MAX   40   /* of an object */
#define DEAD        1000 /* old handles that are tried again; less than 127 x QUARANTINE */
#define QUARANTINE  16
#define DEPTH_MAX   4
#define STEPS       1000000
#define CHECK_STEPS 64 /* operations between two checks of the whole domain */
#define NAME_LEN    32
#define PERMANENT   3   /* permanent objects, the first of the model */
#define NUMBER      100 /* of the first one */
#define COPY_MARK   0x40000000

/* Return value of callbacks that refuse. */
#define SAYS_NO_NEW    17
#define SAYS_NO_DELETE 29
#define SAYS_NO_COPY   31

enum { SIMPLE, DIRECT, LATER, HANDLER, CLASSES }; /* HANDLER's objects sit in error-handler slots */

struct thing {
	struct obj obj;
	int id; /* index in `objects' */
	int check;
};

struct attr {
	int keyval; /* index in `keyvals' */
	intptr_t value;
	bool deleting;
};

struct object {
	struct thing *self; /* NULL: not in use */
	int cls;
	obj_h handle;
	int number;
	unsigned user, refs;
	bool permanent, freeing, duping, destroyed;
	int errh; /* index, or -1 */
	int len;
	char name[NAME_LEN];
	int nattrs;
	struct attr attrs[ATTRS_MAX];
};

struct keyval {
	int number; /* 0: not in use */
	int cls;
	int attrs; /* that use it */
	bool freed, released;
	bool copies; /* by callback; else not at all */
};

static struct obj_domain *domain;
static struct obj_class classes[CLASSES];
static struct object objects[OBJECTS];
static struct keyval keyvals[KEYVALS];
static struct thing permanent[PERMANENT];
static struct {
	obj_h handle;
	int cls, number;
} dead[DEAD];
static unsigned ndead;
static uint64_t seed, seed_given;
static long step;
static int depth;  /* of operations */
static int inside; /* callbacks of ours on the stack */
static struct {
	struct object *o;
	int key;     /* 0: any, newest first */
} want;              /* whose delete callback is to come */
static int deferred; /* obj_defer_begin */
static const char *doing = "nothing";

/* --- help ----------------------------------------------------------------------------------- */

__attribute__((noreturn)) static inline void check_broken(
	const char *file, int line, const char *what)
{
	fprintf(stderr, "fuzz obj: seed %llu step %ld depth %d, %s: %s:%d: not %s\n",
		(unsigned long long)seed_given, step, depth, doing, file, line, what);
	abort();
}

static unsigned obj_draw(unsigned n)
{
	uint64_t z = (seed += 0x9e3779b97f4a7c15ULL);

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
	return (unsigned)((z ^ (z >> 31)) >> 33) % n;
}

static struct object *model(void *self)
{
	struct thing *t = self;

	CHECK(t->id >= 0 && t->id < OBJECTS && objects[t->id].self == t);
	return &objects[t->id];
}

/* A random object whose handle is valid and that wants no rest, or NULL. */
static struct object *obj_pick(void)
{
	for (int i = 0; i < 20; i++) {
		struct object *o = &objects[obj_draw(OBJECTS)];

		if (o->self != NULL && o->user != 0 && !o->duping)
			return o;
	}
	return NULL;
}

/* The first slots are those of permanent objects. */
static struct object *pick_free_slot(void)
{
	for (int i = 0; i < 20; i++) {
		struct object *o = &objects[PERMANENT + obj_draw(OBJECTS - PERMANENT)];

		if (o->self == NULL)
			return o;
	}
	return NULL;
}

static struct keyval *pick_keyval(int cls)
{
	for (int i = 0; i < 20; i++) {
		struct keyval *k = &keyvals[obj_draw(KEYVALS)];

		if (k->number != 0 && !k->freed && k->cls == cls)
			return k;
	}
	return NULL;
}

static struct attr *attr_find(struct object *o, const struct keyval *k)
{
	for (int i = 0; i < o->nattrs; i++) {
		if (&keyvals[o->attrs[i].keyval] == k)
			return &o->attrs[i];
	}
	return NULL;
}

static void attr_add(struct object *o, struct keyval *k, intptr_t value)
{
	CHECK(o->nattrs < ATTRS_MAX);
	o->attrs[o->nattrs++] = (struct attr){.keyval = (int)(k - keyvals), .value = value};
	k->attrs++;
}

static void attr_remove(struct object *o, struct attr *a)
{
	int at = (int)(a - o->attrs);

	keyvals[a->keyval].attrs--;
	memmove(a, a + 1, (size_t)(o->nattrs - at - 1) * sizeof(*a));
	o->nattrs--;
}

/* --- callbacks ------------------------------------------------------------------------------ */

static void obj_operation(void);

static void maybe_nested(void)
{
	const char *was = doing;
	struct object *was_o = want.o;
	int was_key = want.key;

	inside++;
	if (depth < DEPTH_MAX && obj_draw(3) == 0)
		obj_operation();
	inside--;
	doing = was;
	want.o = was_o;
	want.key = was_key;
}

static int construct(void *self, void *arg)
{
	struct thing *t = self;

	t->id = *(int *)arg;
	t->check = t->id ^ 0x5aa5;
	return obj_draw(50) == 0 ? SAYS_NO_NEW : 0;
}

static void handle_died(const struct object *o)
{
	unsigned at = ndead++ % DEAD;

	dead[at].handle = o->handle;
	dead[at].cls = o->cls;
	dead[at].number = o->number;
}

static void obj_on_free(void *self)
{
	struct object *o = model(self);

	CHECK(o->freeing && o->nattrs == 0 && o->user == 1);
	CHECK(obj_get(&classes[o->cls], o->handle) == self);
	obj_hold(self);
	obj_drop(self);
	o->user = 0; /* the next thing that happens */
	handle_died(o);
}

static void destroy(void *self)
{
	struct object *o = model(self);

	CHECK(inside == 0 && deferred == 0);
	CHECK(o->user == 0 && o->refs == 0 && !o->permanent);
	CHECK(((struct thing *)self)->check == (((struct thing *)self)->id ^ 0x5aa5));
	CHECK(obj_get(&classes[o->cls], o->handle) == NULL);
	CHECK(obj_locks_held() == 0);
	if (o->errh >= 0)
		objects[o->errh].refs--;
	o->self = NULL;
}

static struct attr *attr_deleting(struct object *o, int key)
{
	for (int i = 0; i < o->nattrs; i++) {
		if (keyvals[o->attrs[i].keyval].number == key && o->attrs[i].deleting)
			return &o->attrs[i];
	}
	check_broken(__FILE__, __LINE__, "an attribute that is being deleted");
}

/* The attribute that a callback is for: of the key that was asked for, or else the newest. */
static struct attr *attr_expected(struct object *o, int key)
{
	CHECK(want.o == o && (want.key == 0 || want.key == key));
	for (int i = o->nattrs - 1; i >= 0; i--) {
		struct attr *a = &o->attrs[i];

		if (a->deleting)
			continue;
		if (keyvals[a->keyval].number == key)
			return a;
		CHECK(want.key != 0);
	}
	check_broken(__FILE__, __LINE__, "an attribute that there is");
}

static int delete_callback(obj_h h, int key, void *value, void *extra)
{
	struct keyval *k = &keyvals[(intptr_t)extra];
	struct object *o = model(obj_get(&classes[k->cls], h));
	struct attr *a = attr_expected(o, key);
	intptr_t got;
	int found = 1;

	CHECK(k->number == key && !k->released && o->handle == h && a->value == (intptr_t)value);
	CHECK(obj_locks_held() == 0);
	a->deleting = true;
	if (!k->freed) {
		CHECK(obj_attr_get(o->self, key, OBJ_LANG_C, &got, &found) == OBJ_OK && !found);
		CHECK(obj_attr_delete(o->self, key) == OBJ_BUSY);
		CHECK(obj_attr_set(o->self, key, OBJ_LANG_C, 1) == OBJ_BUSY);
	}
	maybe_nested();
	a = attr_deleting(o, key);
	if (!o->duping && obj_draw(10) == 0) {
		a->deleting = false;
		return SAYS_NO_DELETE;
	}
	attr_remove(o, a);
	return 0;
}

static int copies_until; /* the copy callback that says no; counted down */

static int copy_callback(obj_h h, int key, void *extra, void *in, void *out, int *flag)
{
	struct keyval *k = &keyvals[(intptr_t)extra];
	struct object *o = model(obj_get(&classes[k->cls], h));

	CHECK(o->duping && k->number == key && !k->released && o->handle == h);
	for (int i = 0; i < o->nattrs; i++)
		CHECK(keyvals[o->attrs[i].keyval].number != key ||
			o->attrs[i].value == (intptr_t)in);
	*(intptr_t *)out = (intptr_t)in ^ COPY_MARK;
	*flag = 1;
	return copies_until-- == 0 ? SAYS_NO_COPY : 0;
}

static void keyval_released(intptr_t extra)
{
	struct keyval *k = &keyvals[extra];

	CHECK(k->freed && k->attrs == 0 && !k->released);
	k->released = true;
}

static void ignore(void *ctx, const struct obj_diag *diag)
{
	(void)ctx;
	CHECK(diag->why != OBJ_OK && strlen(diag->text) > 0);
}

/* --- operations: objects -------------------------------------------------------------------- */

static void do_new(void)
{
	struct object *o = pick_free_slot();
	int cls = (int)obj_draw(CLASSES), id = (int)(o - objects);
	struct thing *t;

	if (o == NULL)
		return;
	t = obj_new(&classes[cls], &id);
	if (t == NULL) {
		CHECK(obj_user_rc() == SAYS_NO_NEW);
		return;
	}
	CHECK(t->id == id);
	*o = (struct object){.self = t, .cls = cls, .user = 1, .errh = -1};
	o->handle = obj_handle(t);
	o->number = obj_int(t);
}

/* Does a caller further up the stack delete an attribute of it?  It still needs the object. */
static bool deleting(const struct object *o)
{
	for (int i = 0; i < o->nattrs; i++) {
		if (o->attrs[i].deleting)
			return true;
	}
	return false;
}

static void do_free(void)
{
	struct object *o = obj_pick();
	struct obj_class *c;
	bool last;
	obj_h h;
	int rc;

	if (o == NULL || (deleting(o) && !o->freeing))
		return;
	c = &classes[o->cls];
	h = o->handle;
	if (o->permanent || o->freeing) {
		rc = obj_draw(2) ? obj_free(c, &h) : obj_free_obj(o->self);
		CHECK(rc == (o->permanent ? OBJ_PERMANENT : OBJ_BUSY) && h == o->handle);
		return;
	}
	last = o->freeing = o->user == 1;
	want.o = o;
	want.key = 0;
	rc = obj_draw(2) ? obj_free(c, &h) : obj_free_obj(o->self);
	o->freeing = false;
	CHECK(rc == OBJ_OK || (rc == OBJ_CALLBACK && last && obj_user_rc() == SAYS_NO_DELETE));
	if (rc != OBJ_OK) {
		CHECK(h == o->handle && obj_get(c, h) == o->self && o->user == 1);
		return;
	}
	if (!last)
		o->user--;
	CHECK(h == NULL || h == o->handle);
	CHECK(o->user == 0 || obj_get(c, o->handle) == o->self);
	CHECK(o->user != 0 || obj_get(c, o->handle) == NULL);
}

static void do_share(void)
{
	struct object *o = obj_pick();

	if (o == NULL || o->freeing || o->user > 5)
		return;
	CHECK(obj_share(o->self) == o->handle);
	if (!o->permanent)
		o->user++;
}

static void do_hold(void)
{
	struct object *o = obj_pick();

	if (o == NULL || o->refs > 5)
		return;
	if (obj_draw(2))
		obj_hold(o->self);
	else
		CHECK(obj_acquire(&classes[o->cls], o->handle) == o->self);
	if (!o->permanent)
		o->refs++;
}

/* References of slots are not ours to drop: `obj_held' counts what remains. */
static unsigned obj_held(const struct object *o)
{
	unsigned n = o->refs;

	for (int i = 0; i < OBJECTS && o->cls == HANDLER; i++) {
		if (objects[i].self != NULL && objects[i].errh == (int)(o - objects))
			n--;
	}
	return n;
}

static void do_drop(void)
{
	for (int i = 0; i < 20; i++) {
		struct object *o = &objects[obj_draw(OBJECTS)];

		if (o->self == NULL || o->permanent || obj_held(o) == 0)
			continue;
		o->refs--;
		obj_drop(o->self);
		return;
	}
}

static void do_look(void)
{
	struct object *o = obj_pick();
	uint32_t user, internal;

	if (o == NULL)
		return;
	CHECK(obj_handle(o->self) == o->handle && obj_int(o->self) == o->number);
	CHECK(obj_get(&classes[o->cls], o->handle) == o->self);
	CHECK(obj_find(&classes[o->cls], o->number) == o->self);
	CHECK(obj_from_int(&classes[o->cls], o->number) == o->handle);
	CHECK(obj_why(&classes[o->cls], o->handle, NULL) == OBJ_OK);
	CHECK(obj_get(&classes[(o->cls + 1) % CLASSES], o->handle) == NULL);
	CHECK(obj_why(&classes[(o->cls + 1) % CLASSES], o->handle, NULL) == OBJ_WRONG_CLASS);
	if (o->permanent || inside > 0)
		return;
	obj_refs(o->self, &user, &internal);
	CHECK(user == o->user && internal == o->refs);
}

static void do_look_dead(void)
{
	unsigned at = obj_draw(DEAD);
	struct obj_class *c = &classes[dead[at].cls];
	obj_h h = dead[at].handle;

	if (h == NULL)
		return;
	if (dead[at].cls == DIRECT) /* an address may be in use again */
		return;
	CHECK(obj_get(c, h) == NULL && obj_acquire(c, h) == NULL);
	CHECK(obj_find(c, dead[at].number) == NULL);
	CHECK(obj_why(c, h, NULL) == OBJ_STALE);
	CHECK(obj_free(c, &h) == OBJ_STALE && h == dead[at].handle);
}

static void do_name(void)
{
	struct object *o = obj_pick();
	int how = obj_draw(2) ? OBJ_C : OBJ_FORTRAN;
	char buf[NAME_LEN + 10];
	size_t n = obj_draw(how == OBJ_C ? NAME_LEN + 8 : NAME_LEN); /* C's are cut sometimes */

	if (o == NULL)
		return;
	for (size_t i = 0; i < n; i++)
		buf[i] = "abc   "[obj_draw(6)];
	CHECK(obj_name_set(o->self, buf, n, how) == OBJ_OK);
	while (how == OBJ_FORTRAN && n > 0 && buf[n - 1] == ' ')
		n--;
	o->len = (int)(n < NAME_LEN ? n : NAME_LEN - 1);
	memcpy(o->name, buf, (size_t)o->len);
}

static void do_name_get(void)
{
	struct object *o = obj_pick();
	char buf[NAME_LEN + 10];
	int len = -1, how = obj_draw(2) ? OBJ_C : OBJ_FORTRAN;

	if (o == NULL)
		return;
	memset(buf, '#', sizeof(buf));
	obj_name_get(o->self, buf, sizeof(buf), how, &len);
	CHECK(len == o->len && memcmp(buf, o->name, (size_t)len) == 0);
	if (how == OBJ_C)
		CHECK(buf[len] == 0);
	for (size_t i = (size_t)len; how == OBJ_FORTRAN && i < sizeof(buf); i++)
		CHECK(buf[i] == ' ');
}

static void do_errh(void)
{
	struct object *o = obj_pick(), *h = obj_draw(4) ? obj_pick() : NULL, *old;
	void *got;

	if (o == NULL || o->cls == HANDLER || (h != NULL && (h->cls != HANDLER || h->permanent)))
		return;
	old = o->errh >= 0 ? &objects[o->errh] : NULL;
	got = obj_errh_get(o->self);
	CHECK(got == (old != NULL ? old->self : NULL));
	if (got != NULL)
		obj_drop(got);
	o->errh = h != NULL ? (int)(h - objects) : -1;
	if (h != NULL)
		h->refs++;
	if (old != NULL)
		old->refs--;
	CHECK(obj_errh_set(o->self, h != NULL ? h->self : NULL) == OBJ_OK);
}

/* --- operations: attributes ----------------------------------------------------------------- */

static void do_keyval_new(void)
{
	struct keyval *k = &keyvals[obj_draw(KEYVALS)];
	struct obj_keyval_desc desc = {.size = sizeof(desc),
		.lang = OBJ_LANG_C,
		.del = (void (*)(void))delete_callback,
		.extra = k - keyvals,
		.extra_free = keyval_released};

	if (k->number != 0)
		return;
	*k = (struct keyval){.cls = (int)obj_draw(CLASSES), .copies = obj_draw(2)};
	desc.copy = k->copies ? (void (*)(void))copy_callback : OBJ_KV_COPY_NONE;
	CHECK(obj_keyval_new(&classes[k->cls], &desc, &k->number) == OBJ_OK);
}

static void do_keyval_free(void)
{
	struct keyval *k = pick_keyval((int)obj_draw(CLASSES));
	int number, again;

	if (k == NULL || obj_draw(4) != 0)
		return;
	number = again = k->number;
	k->freed = true;
	CHECK(obj_keyval_free(&classes[k->cls], &number) == OBJ_OK && number == 0);
	CHECK(obj_keyval_free(&classes[k->cls], &again) == OBJ_KEYVAL);
}

static void do_attr_set(void)
{
	struct object *o = obj_pick();
	struct keyval *k = o != NULL ? pick_keyval(o->cls) : NULL;
	intptr_t value = (intptr_t)obj_draw(1000000) + 1;
	struct attr *a;
	bool busy;
	int rc;

	if (k == NULL || o->nattrs >= ATTRS_MAX - DEPTH_MAX)
		return;
	a = attr_find(o, k);
	busy = a != NULL && a->deleting;
	want.o = o;
	want.key = k->number;
	rc = obj_attr_set(o->self, k->number, OBJ_LANG_C, value);
	if (busy) {
		CHECK(rc == OBJ_BUSY);
		return;
	}
	if (rc == OBJ_CALLBACK) {
		CHECK(a != NULL && obj_user_rc() == SAYS_NO_DELETE && attr_find(o, k) != NULL);
		return;
	}
	CHECK(attr_find(o, k) == NULL);
	if (rc == OBJ_KEYVAL) { /* freed by the old value's callback */
		CHECK(a != NULL && k->freed);
		return;
	}
	CHECK(rc == OBJ_OK);
	attr_add(o, k, value);
}

/* A freed keyval's number works as long as attributes hold it (and may, while a call that sets one
 * runs callbacks). */
static void do_attr_get(void)
{
	struct object *o = obj_pick();
	struct keyval *k = &keyvals[obj_draw(KEYVALS)];
	struct attr *a;
	intptr_t value = 0;
	int found = -1, rc;

	if (o == NULL || k->number == 0 || k->cls != o->cls)
		return;
	a = attr_find(o, k);
	rc = obj_attr_get(o->self, k->number, OBJ_LANG_C, &value, &found);
	if (k->freed && k->attrs == 0 && rc == OBJ_KEYVAL)
		return;
	CHECK(rc == OBJ_OK);
	CHECK(found == (a != NULL && !a->deleting));
	CHECK(!found || value == a->value);
}

static void do_attr_delete(void)
{
	struct object *o = obj_pick();
	struct keyval *k = o != NULL ? pick_keyval(o->cls) : NULL;
	struct attr *a;
	bool busy;
	int rc;

	if (k == NULL)
		return;
	a = attr_find(o, k);
	busy = a != NULL && a->deleting;
	want.o = o;
	want.key = k->number;
	rc = obj_attr_delete(o->self, k->number);
	if (a == NULL)
		CHECK(rc == OBJ_INVALID);
	else if (busy)
		CHECK(rc == OBJ_BUSY);
	else if (rc == OBJ_CALLBACK)
		CHECK(obj_user_rc() == SAYS_NO_DELETE && attr_find(o, k) != NULL);
	else
		CHECK(rc == OBJ_OK);
}

static void do_attr_visit(void)
{
	struct object *o = obj_pick();
	uint64_t at = 0;
	int key, lang, i = 0;
	intptr_t value;

	if (o == NULL)
		return;
	while (obj_attr_next(o->self, &at, &key, &lang, &value)) {
		while (i < o->nattrs && o->attrs[i].deleting)
			i++;
		CHECK(i < o->nattrs && lang == OBJ_LANG_C);
		CHECK(o->attrs[i].value == value && keyvals[o->attrs[i].keyval].number == key);
		i++;
	}
	while (i < o->nattrs && o->attrs[i].deleting)
		i++;
	CHECK(i == o->nattrs);
}

static void do_attr_dup(void)
{
	struct object *from = obj_pick(), *to = obj_pick();
	int copies = 0, rc;
	bool fails = false;

	if (inside > 0 || from == NULL || to == NULL || from == to || from->cls != to->cls ||
		to->nattrs != 0)
		return;
	copies_until = obj_draw(4) == 0 ? (int)obj_draw(3) : ATTRS_MAX;
	for (int i = 0; i < from->nattrs && !fails; i++) {
		struct keyval *k = &keyvals[from->attrs[i].keyval];

		if (!k->copies)
			continue;
		fails = copies_until == copies++;
		if (!fails)
			attr_add(to, k, from->attrs[i].value ^ COPY_MARK);
	}
	/* a failing copy deletes the copies, whose callbacks take them out of the model again */
	from->duping = to->duping = true;
	want.o = to;
	want.key = 0;
	rc = obj_attr_dup(from->self, to->self);
	from->duping = to->duping = false;
	CHECK(rc == (fails ? OBJ_CALLBACK : OBJ_OK));
	CHECK(!fails || (to->nattrs == 0 && obj_user_rc() == SAYS_NO_COPY));
}

static void do_delete_all(void)
{
	struct object *o = obj_pick();
	int rc;

	if (o == NULL || inside > 0)
		return;
	want.o = o;
	want.key = 0;
	rc = obj_attr_delete_all(o->self);
	CHECK(rc == OBJ_OK
			? o->nattrs == 0
			: rc == OBJ_CALLBACK && obj_user_rc() == SAYS_NO_DELETE && o->nattrs > 0);
}

/* --- operations: the rest ------------------------------------------------------------------- */

static void do_defer(void)
{
	if (inside > 0)
		return;
	if (deferred < 3 && obj_draw(2)) {
		obj_defer_begin();
		deferred++;
	} else if (deferred > 0) {
		deferred--;
		obj_defer_end();
	}
}

static bool waits(const struct object *o)
{
	return o->self != NULL && o->user == 0 && o->refs == 0;
}

static void do_reap(void)
{
	long n = 0;

	if (inside > 0 || deferred > 0)
		return;
	for (int i = 0; i < OBJECTS; i++)
		n += waits(&objects[i]) && objects[i].cls == LATER;
	CHECK(obj_reap(domain) == n);
	for (int i = 0; i < OBJECTS; i++)
		CHECK(!waits(&objects[i]));
}

static void permanent_begin(int i)
{
	struct object *o = &objects[i];

	memset(&permanent[i], 0, sizeof(permanent[i]));
	permanent[i].id = i;
	*o = (struct object){.self = &permanent[i], .cls = i % CLASSES, .user = 1, .errh = -1};
	o->permanent = true;
	o->number = NUMBER + i;
	o->len = 5;
	memcpy(o->name, "world", 5);
	CHECK(obj_permanent(&classes[o->cls], (uint32_t)o->number, o->self, "world", 0) == OBJ_OK);
	o->handle = obj_handle(o->self);
}

static void do_permanent_end(void)
{
	int i = (int)obj_draw(PERMANENT);
	struct object *o = &objects[i];

	if (inside > 0 || obj_draw(10) != 0)
		return;
	while (o->nattrs > 0)
		attr_remove(o, &o->attrs[0]);
	if (o->errh >= 0)
		objects[o->errh].refs--;
	o->self = NULL;
	obj_permanent_end(&permanent[i]);
	CHECK(obj_get(&classes[o->cls], o->handle) == NULL);
	permanent_begin(i);
}

static int obj_count(void *self, void *ctx)
{
	struct object *o = model(self);

	CHECK(o->user > 0);
	++*(uint64_t *)ctx;
	return 0;
}

static void check_class(int cls)
{
	struct obj_class_stats s = {.size = sizeof(s)};
	uint64_t live = 0, pending = 0, permanents = 0, n = 0;

	for (int i = 0; i < OBJECTS; i++) {
		struct object *o = &objects[i];

		if (o->self == NULL || o->cls != cls)
			continue;
		permanents += o->permanent;
		live += !o->permanent && o->user > 0;
		pending += !o->permanent && o->user == 0;
	}
	obj_stats(&classes[cls], &s);
	CHECK(s.live == live && s.pending == pending && s.permanent == permanents);
	CHECK(obj_foreach(&classes[cls], obj_count, &n) == 0 && n == live);
}

static void do_count(void)
{
	static int null_fd = -1;
	long all = 0;

	if (inside > 0 || obj_draw(50) != 0)
		return;
	for (int c = 0; c < CLASSES; c++)
		check_class(c);
	for (int i = PERMANENT; i < OBJECTS; i++)
		all += objects[i].self != NULL;
	for (int i = 0; i < KEYVALS; i++)
		all += keyvals[i].number != 0 && !keyvals[i].released;
	if (null_fd < 0)
		null_fd = open("/dev/null", O_WRONLY);
	CHECK(obj_leaks(domain, obj_draw(2) ? OBJ_FMT_TEXT : OBJ_FMT_JSON, null_fd) == all);
}

/* A class that comes and goes with some objects in it. */
static void do_class(void)
{
	static const struct obj_class_desc desc = {
		.size = sizeof(desc), .name = "short-lived", .obj_size = sizeof(struct thing)};
	struct obj_class c = {0};
	long alive = 0, n = obj_draw(100);

	if (inside > 0 || deferred > 0 || obj_draw(50) != 0)
		return;
	CHECK(obj_class_open(&c, domain, &desc) == OBJ_OK);
	for (long i = 0; i < n; i++) {
		void *self = obj_new(&c, NULL);

		CHECK(self != NULL);
		if (obj_draw(2))
			alive++;
		else
			CHECK(obj_free_obj(self) == OBJ_OK);
	}
	CHECK(obj_class_close(&c) == alive);
}

/* --- the run -------------------------------------------------------------------------------- */

static const struct {
	const char *name;
	void (*fn)(void);
	unsigned weight;
} ops[] = {
	{"new", do_new, 30},
	{"free", do_free, 26},
	{"share", do_share, 6},
	{"hold", do_hold, 12},
	{"drop", do_drop, 20},
	{"look", do_look, 20},
	{"look at a dead one", do_look_dead, 10},
	{"name set", do_name, 6},
	{"name get", do_name_get, 6},
	{"error handler", do_errh, 8},
	{"keyval new", do_keyval_new, 6},
	{"keyval free", do_keyval_free, 6},
	{"attribute set", do_attr_set, 40},
	{"attribute get", do_attr_get, 30},
	{"attribute delete", do_attr_delete, 14},
	{"attribute walk", do_attr_visit, 6},
	{"attribute dup", do_attr_dup, 20},
	{"attribute delete all", do_delete_all, 2},
	{"defer", do_defer, 4},
	{"reap", do_reap, 4},
	{"permanent end", do_permanent_end, 2},
	{"count", do_count, 2},
	{"class", do_class, 2},
};

static void obj_operation(void)
{
	unsigned total = 0, at;
	size_t i = 0;

	for (size_t k = 0; k < countof(ops); k++)
		total += ops[k].weight;
	for (at = obj_draw(total); at >= ops[i].weight; i++)
		at -= ops[i].weight;
	doing = ops[i].name;
	depth++;
	ops[i].fn();
	depth--;
}

/* Objects whose counts are 0 have been destroyed; destroy and keyval_released look after the other
 * direction. */
static void check_gone(void)
{
	CHECK(obj_locks_held() == 0);
	if (deferred > 0)
		return;
	for (int i = 0; i < OBJECTS; i++)
		CHECK(!waits(&objects[i]) || objects[i].cls == LATER);
	for (int i = 0; i < KEYVALS; i++) {
		struct keyval *k = &keyvals[i];

		CHECK(!k->freed || k->attrs > 0 || k->released);
		if (k->released)
			k->number = 0;
	}
}

static void obj_open_all(void)
{
	struct obj_domain_opts opts = {
		.size = sizeof(opts), .name = "fuzz", .quarantine = QUARANTINE, .report = ignore};
	struct obj_class_desc desc = {.size = sizeof(desc),
		.obj_size = sizeof(struct thing),
		.name_max = NAME_LEN,
		.construct = construct,
		.on_free = obj_on_free,
		.destroy = destroy};
	static const char *const names[] = {"plain", "direct", "later", "handler"};

	CHECK(obj_domain_open(&domain, &opts) == OBJ_OK);
	for (int i = 0; i < CLASSES; i++) {
		desc.name = names[i];
		desc.flags = i == DIRECT ? OBJ_F_DIRECT : i == LATER ? OBJ_F_LATER : 0;
		CHECK(obj_class_open(&classes[i], domain, &desc) == OBJ_OK);
	}
	for (int i = 0; i < PERMANENT; i++)
		permanent_begin(i);
}

int main(int argc, char **argv)
{
	long steps = STEPS;
	int c;

	seed_given = 1;
	while ((c = getopt(argc, argv, "n:s:")) != -1) {
		if (c == 'n')
			steps = atol(optarg);
		else if (c == 's')
			seed_given = strtoull(optarg, NULL, 0);
		else
			return 2;
	}
	seed = seed_given;
	printf("fuzz obj: -s %llu -n %ld\n", (unsigned long long)seed, steps);
	fflush(stdout);
	obj_open_all();
	for (step = 0; steps == 0 || step < steps; step++) {
		obj_operation();
		check_gone();
		CHECK(step % CHECK_STEPS != 0 || obj_domain_valid(domain));
	}
	while (deferred-- > 0)
		obj_defer_end();
	obj_domain_close(domain, -1, OBJ_FMT_TEXT);
	return 0;
}
