// SPDX-License-Identifier: BSD-3-Clause
/* hang.h - attributes of one kind of objects, clause by clause; for communicators, datatypes and
 * windows alike.  Who includes it defines
 *
 *     KIND                        Comm, Type or Win, for MPI_<KIND>_set_attr and its like
 *     OBJECT                      MPI_Comm ...
 *     NULL_COPY, DUP, NULL_DELETE MPI_COMM_NULL_COPY_FN ...
 *     OTHER_KEY                   a key of another kind of objects
 *     object_new, object_free     static functions on OBJECT *; object_free returns what the call
 * did object_dup                  the same for a copy, if HAS_DUP
 *
 * and calls hang_all, with MPI_ERRORS_RETURN on MPI_COMM_SELF and on the objects. */
#ifndef TESTS_HANG_H
#define TESTS_HANG_H

#include "tests/check.h"

#define HANG_JOIN_(a, b, c) a##b##c
#define HANG_JOIN(a, b, c)  HANG_JOIN_(a, b, c)
#define M(name)             HANG_JOIN(MPI_, KIND, name)
#define V(number)           ((void *)(intptr_t)(number))

static char said[256];  /* what callbacks did: "c3 d4" .. with the values they were given */
static int copy_says;   /* what the next copy callbacks return */
static int delete_says; /* the same for delete */
static OBJECT seen;     /* by the last callback */
static int seen_key;

static void note(char what, void *value)
{
	size_t n = strlen(said);

	if (n + 8 < sizeof(said))
		snprintf(said + n, 8, "%c%d", what, (int)(intptr_t)value);
}

static int copies(OBJECT o, int key, void *extra, void *in, void *out, int *flag)
{
	seen = o;
	seen_key = key;
	note('c', in);
	*(void **)out = (char *)in + (intptr_t)extra;
	*flag = in != V(99); /* 99 is not copied */
	return in == V(98) ? MPI_ERR_INTERN : copy_says;
}

static int deletes(OBJECT o, int key, void *value, void *extra)
{
	(void)extra;
	seen = o;
	seen_key = key;
	note('d', value);
	return delete_says;
}

/* The value of an attribute, or -1: it has none. */
static int at(OBJECT o, int key)
{
	void *v = NULL;
	int flag = -1;

	OK(M(_get_attr)(o, key, &v, &flag));
	return flag ? (int)(intptr_t)v : -1;
}

static int key_new(intptr_t extra)
{
	int key = MPI_KEYVAL_INVALID;

	OK(M(_create_keyval)(copies, deletes, &key, (void *)extra));
	CHECK(key != MPI_KEYVAL_INVALID);
	return key;
}

/* The callbacks since the last look did exactly this. */
#define DID(text)                                                                    \
	do {                                                                         \
		if (strcmp(said, text) != 0)                                         \
			fprintf(stderr, "callbacks: %s, expected %s\n", said, text); \
		CHECK(strcmp(said, text) == 0);                                      \
		said[0] = '\0';                                                      \
	} while (0)

/* MPI-5.0 7.7.2, 7.7.3, 7.7.4: set, get, delete; the callback has the object's handle and the key.
 */
static void set_get_delete(void)
{
	int key = key_new(0), was = key;
	OBJECT o;

	object_new(&o);
	CHECK(at(o, key) == -1);
	OK(M(_set_attr)(o, key, V(7)));
	CHECK(at(o, key) == 7);
	DID("");
	OK(M(_delete_attr)(o, key));
	DID("d7");
	CHECK(seen == o && seen_key == was);
	CHECK(at(o, key) == -1);
	FAILS(MPI_ERR_KEYVAL, "has no attribute", M(_delete_attr)(o, key));
	OK(object_free(&o));
	DID("");
	OK(M(_free_keyval)(&key));
	CHECK(key == MPI_KEYVAL_INVALID);
}

/* MPI-5.0 7.7.2: setting again deletes the old value first; pitfall 1: whatever the order of keys,
 * and pitfall 5: what was set again is the newest.  Random operations against a list. */
static void model(void)
{
	int key[4], list[4], n = 0; /* keys by age, the oldest first */
	char want[64] = "";
	unsigned dice = 1;
	OBJECT o;

	for (int i = 0; i < 4; i++)
		key[i] = key_new(0);
	object_new(&o);
	for (int step = 0; step < 2000; step++) {
		int k = (int)(check_random(&dice) % 4), old = -1,
		    set = check_random(&dice) % 3 != 0;

		for (int i = 0; i < n; i++)
			if (list[i] / 1000 == k)
				old = i;
		CHECK(at(o, key[k]) == (old >= 0 ? list[old] : -1));
		snprintf(want, sizeof(want), old >= 0 ? "d%d" : "", old >= 0 ? list[old] : 0);
		if (!set && old < 0)
			continue;
		if (old >= 0)
			memmove(&list[old], &list[old + 1], (size_t)(--n - old) * sizeof(int));
		if (set) {
			list[n++] = k * 1000 + step % 1000;
			OK(M(_set_attr)(o, key[k], V(list[n - 1])));
		} else {
			OK(M(_delete_attr)(o, key[k]));
		}
		DID(want);
	}
	want[0] = '\0';
	while (n-- > 0)
		snprintf(want + strlen(want), 16, "d%d", list[n]);
	OK(object_free(&o));
	DID(want);
	for (int i = 0; i < 4; i++)
		OK(M(_free_keyval)(&key[i]));
}

/* MPI-5.0 7.7.1, pitfall 11: a freed key is invalid at once, and its attributes live on. */
static void key_freed(void)
{
	int key = key_new(0), old = key;
	OBJECT o;

	object_new(&o);
	OK(M(_set_attr)(o, key, V(5)));
	OK(M(_free_keyval)(&key));
	CHECK(key == MPI_KEYVAL_INVALID);
	FAILS(MPI_ERR_KEYVAL, "", M(_free_keyval)(&old));
	FAILS(MPI_ERR_KEYVAL, "", M(_free_keyval)(&key));
	FAILS(MPI_ERR_KEYVAL, "", M(_set_attr)(o, old, V(6)));
	DID("");
	OK(object_free(&o));
	DID("d5");
}

/* MPI-5.0 7.7.5, pitfall 12: garbage, MPI_KEYVAL_INVALID and keys of another kind of objects. */
static void bad_keys(void)
{
	int bad[] = {MPI_KEYVAL_INVALID, OTHER_KEY, 12345, -1, 1 << 30}, flag;
	void *v;
	OBJECT o;

	object_new(&o);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		int key = bad[i];

		FAILS(MPI_ERR_KEYVAL, "", M(_set_attr)(o, key, NULL));
		FAILS(MPI_ERR_KEYVAL, "", M(_get_attr)(o, key, &v, &flag));
		FAILS(MPI_ERR_KEYVAL, "", M(_delete_attr)(o, key));
		FAILS(MPI_ERR_KEYVAL, "", M(_free_keyval)(&key));
		CHECK(key == bad[i]);
	}
	OK(object_free(&o));
}

/* --- callbacks that call MPI ------------------------------------------------------------------ */

static int other_key, new_key;
static int rc_self, rc_other, rc_set;

static int deletes_more(OBJECT o, int key, void *value, void *extra)
{
	int flag;
	void *v;

	(void)extra;
	note('x', value);
	rc_self = M(_delete_attr)(o, key);
	OK(M(_get_attr)(o, key, &v, &flag));
	CHECK(!flag); /* it is going */
	rc_other = M(_delete_attr)(o, other_key);
	rc_set = M(_set_attr)(o, new_key, V(3));
	return MPI_SUCCESS;
}

/* MPI-5.0 7.7.1: callbacks may call MPI.  Pitfalls 6, 7, 8: in the free of an object a delete
 * callback deletes another attribute, tries its own, and sets a new one, which goes too. */
static void reentrant(void)
{
	int key;
	OBJECT o;

	OK(M(_create_keyval)(NULL_COPY, deletes_more, &key, NULL));
	other_key = key_new(0);
	new_key = key_new(0);
	object_new(&o);
	OK(M(_set_attr)(o, other_key, V(1)));
	OK(M(_set_attr)(o, key, V(2)));
	OK(object_free(&o));
	DID("x2d1d3");
	CHECK(rc_self != MPI_SUCCESS && rc_other == MPI_SUCCESS && rc_set == MPI_SUCCESS);
	object_new(&o);
	OK(M(_set_attr)(o, other_key, V(1)));
	OK(M(_set_attr)(o, key, V(2)));
	OK(M(_delete_attr)(o, key));
	DID("x2d1");
	CHECK(at(o, new_key) == 3 && at(o, key) == -1);
	OK(object_free(&o));
	DID("d3");
	OK(M(_free_keyval)(&key));
	OK(M(_free_keyval)(&other_key));
	OK(M(_free_keyval)(&new_key));
}

static OBJECT victim;

static int frees_other(OBJECT o, int key, void *value, void *extra)
{
	(void)o;
	(void)key;
	(void)extra;
	note('f', value);
	return object_free(&victim);
}

/* MPI-5.0 7.7.1: a delete callback frees another object, which has attributes of its own. */
static void frees(void)
{
	int key, mine = key_new(0);
	OBJECT o;

	OK(M(_create_keyval)(NULL_COPY, frees_other, &key, NULL));
	object_new(&o);
	object_new(&victim);
	OK(M(_set_attr)(victim, mine, V(4)));
	OK(M(_set_attr)(o, mine, V(5)));
	OK(M(_set_attr)(o, key, V(6)));
	OK(object_free(&o));
	DID("f6d4d5");
	OK(M(_free_keyval)(&key));
	OK(M(_free_keyval)(&mine));
}

static OBJECT going;
static int rc_again;

static int frees_self(OBJECT o, int key, void *value, void *extra)
{
	OBJECT copy = o;

	(void)key;
	(void)extra;
	note('s', value);
	CHECK(o == going);
	rc_again = object_free(&copy);
	return MPI_SUCCESS;
}

/* An object is freed again by a callback of its own free: refused, and the callback runs once. */
static void frees_itself(void)
{
	int key;

	OK(M(_create_keyval)(NULL_COPY, frees_self, &key, NULL));
	object_new(&going);
	OK(M(_set_attr)(going, key, V(1)));
	OK(object_free(&going));
	DID("s1");
	CHECK(rc_again != MPI_SUCCESS);
	OK(M(_free_keyval)(&key));
}

/* MPI-5.0 7.7.2: a delete callback that fails makes the call fail.  Pitfall 9: nothing is half
 * done: the attribute, the older ones and the handle stay, and freeing works later. */
static void delete_fails(void)
{
	int a = key_new(0), b = key_new(0), c = key_new(0);
	OBJECT o, old;

	object_new(&o);
	old = o;
	OK(M(_set_attr)(o, a, V(1)));
	OK(M(_set_attr)(o, b, V(2)));
	delete_says = MPI_ERR_INTERN;
	FAILS(MPI_ERR_INTERN, "delete callback", M(_delete_attr)(o, a));
	FAILS(MPI_ERR_INTERN, "delete callback", M(_set_attr)(o, a, V(3)));
	FAILS(MPI_ERR_INTERN, "delete callback", object_free(&o));
	DID("d1d1d2");
	CHECK(o == old && at(o, a) == 1 && at(o, b) == 2);
	OK(M(_set_attr)(o, c, V(3))); /* nobody has to be deleted for it */
	delete_says = MPI_SUCCESS;
	OK(object_free(&o));
	DID("d3d2d1");
	OK(M(_free_keyval)(&a));
	OK(M(_free_keyval)(&b));
	OK(M(_free_keyval)(&c));
}

#ifdef HAS_DUP
/* MPI-5.0 7.7.2, 7.7.4: a dup calls the copy callback of every key, in any order; flag 0: not
 * copied; what is copied is the callback's value. */
static void dups(void)
{
	int a = key_new(10), b = key_new(0), none, same;
	OBJECT o, p;

	OK(M(_create_keyval)(NULL_COPY, NULL_DELETE, &none, NULL));
	OK(M(_create_keyval)(DUP, deletes, &same, NULL));
	object_new(&o);
	OK(M(_set_attr)(o, a, V(1)));
	OK(M(_set_attr)(o, b, V(99)));
	OK(M(_set_attr)(o, none, V(3)));
	OK(M(_set_attr)(o, same, V(4)));
	object_dup(o, &p);
	CHECK(strlen(said) == 5 && strstr(said, "c1") && strstr(said, "c99"));
	said[0] = '\0';
	CHECK(seen == o);
	CHECK(at(p, a) == 11 && at(p, b) == -1 && at(p, none) == -1 && at(p, same) == 4);
	OK(object_free(&o));
	DID("d4d99d1");
	OK(object_free(&p));
	DID("d4d11");
	OK(M(_free_keyval)(&a));
	OK(M(_free_keyval)(&b));
	OK(M(_free_keyval)(&none));
	OK(M(_free_keyval)(&same));
}

/* MPI-5.0 7.7.2, pitfall 10: a failing copy fails the dup; the copies that were made are deleted,
 * and the old object has what it had. */
static void copy_fails(void)
{
	int a = key_new(100), b = key_new(0);
	OBJECT o, p;

	object_new(&o);
	OK(M(_set_attr)(o, a, V(1)));
	OK(M(_set_attr)(o, b, V(98)));
	FAILS(MPI_ERR_INTERN, "copy callback", object_dup(o, &p));
	DID("c1c98d101");
	CHECK(at(o, a) == 1 && at(o, b) == 98);
	OK(object_free(&o));
	said[0] = '\0';
	OK(M(_free_keyval)(&a));
	OK(M(_free_keyval)(&b));
}

/* MPI-5.0 7.7.1: a freed key is still used by dups: its attributes are copied. */
static void freed_key_dups(void)
{
	int key = key_new(1);
	OBJECT o, p;

	object_new(&o);
	OK(M(_set_attr)(o, key, V(1)));
	OK(M(_free_keyval)(&key));
	OK(object_dup(o, &p));
	OK(object_free(&o));
	OK(object_free(&p));
	DID("c1d1d2");
}
#endif

/* 64 attributes on one object: all are found, and go in the reverse order. */
static void many(void)
{
	int key[64];
	OBJECT o;

	object_new(&o);
	for (int i = 0; i < 64; i++) {
		OK(M(_create_keyval)(NULL_COPY, NULL_DELETE, &key[i], NULL));
		OK(M(_set_attr)(o, key[i], V(i)));
	}
	for (int i = 0; i < 64; i++)
		CHECK(at(o, key[i]) == i);
	OK(object_free(&o));
	for (int i = 0; i < 64; i++)
		OK(M(_free_keyval)(&key[i]));
}

static void hang_all(void)
{
	set_get_delete();
	model();
	key_freed();
	bad_keys();
	reentrant();
	frees();
	frees_itself();
	delete_fails();
	many();
#ifdef HAS_DUP
	dups();
	copy_fails();
	freed_key_dups();
#endif
}

#endif
