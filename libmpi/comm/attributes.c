// SPDX-License-Identifier: BSD-3-Clause
/* attributes.c - attribute caching on communicators, datatypes and windows (MPI-5.0 7.7).
 *
 *     MPI_Comm_set_attr ──> comm_attr_comm_set ──> libobj: order, languages, callbacks
 *                                                    │ its result
 *                                   core/attr_name.c └──> MPI error class and words
 *
 * The predefined attributes of communicators (9.1.2, 11.10) hang on one object without a handle,
 * whichever communicator is asked; those of windows (12.2.6) hang on each window. */
#include "libmpi/comm/attributes.h"

#include "libmpi/core/comm_object.h"
#include "libmpi/core/type_object.h"
#include "libmpi/core/attr_name.h"
#include "libmpi/core/error_code.h"
#include "libmpi/core/err.h"
#include "libmpi/core/language.h"
#include "libmpi/core/setting.h"
#include "libobj/base.h"
#include <engine.h>
#include <limits.h>

static int keyval_create(
	struct obj_class *cls, void (*copy)(void), void (*del)(void), int *key, void *extra)
{
	struct obj_keyval_desc d = {
		.size = sizeof(d),
		.lang = haft_lang_take(),
		.copy = copy,
		.del = del,
		.extra = (intptr_t)extra,
	};

	return haft_attr_err(obj_keyval_new(cls, &d, key), 0);
}

/* Frees a key.  A freed key exists while an attribute has it (MPI-5.0 7.7.2): until then another
 * copy of its number may be freed, too, which changes nothing.  MPICH and Open MPI allow it. */
static int keyval_free(struct obj_class *cls, int *key)
{
	int was = *key, err = obj_keyval_free(cls, key);

	if (err == OBJ_KEYVAL && obj_keyval_exists(cls, was))
		err = OBJ_OK;
	if (err == OBJ_OK)
		*key = MPI_KEYVAL_INVALID;
	return haft_attr_err(err, was);
}

/* C gets the address of a predefined value, Fortran the value.  MPI_WIN_BASE is an address itself
 * (19.3.7). */
static intptr_t attr_value(int key, intptr_t at)
{
	if (key == MPI_WIN_BASE)
		return at;
	return key == MPI_WIN_SIZE ? *(const MPI_Aint *)at : *(const int *)at;
}

/* Is this a predefined key? */
static bool attr_key_fixed(int key)
{
	return key > 0 && key < OBJ_PERMANENT_MAX;
}

static int attr_read(void *self, int key, void *value, int *flag)
{
	int lang = haft_lang_take();
	bool by_address = lang != OBJ_LANG_C && attr_key_fixed(key);
	intptr_t v = 0;
	int err = obj_attr_get(self, key, by_address ? OBJ_LANG_C : lang, &v, flag);

	if (err == OBJ_OK && *flag)
		*(intptr_t *)value = by_address ? attr_value(key, v) : v;
	return haft_attr_err(err, key);
}

static int attr_write(void *self, int key, void *value)
{
	return haft_attr_err(obj_attr_set(self, key, haft_lang_take(), (intptr_t)value), key);
}

static int attr_delete(void *self, int key)
{
	return haft_attr_err(obj_attr_delete(self, key), key);
}

/* --- MPI calls ------------------------------------------------------------------------------ */

/* The objects of the predefined attributes; they have no handle.  Communicators of the World Model
 * have all of them, those of a session MPI_TAG_UB alone (9.1.2). */
static struct comm facts = {.o.refs = OBJ_REFS_SATURATED};
static struct comm no_facts = {.o.refs = OBJ_REFS_SATURATED};

static void *attr_owner_comm(struct comm *c, int key)
{
	if (!attr_key_fixed(key))
		return c;
	return c->session == NULL || key == MPI_TAG_UB ? &facts : &no_facts;
}

static void *attr_owner_type(struct type *t, int key)
{
	(void)key;
	return t;
}

static void *attr_owner_win(struct win *w, int key)
{
	(void)key;
	return w;
}

/* Five calls for each class of objects. */
#define ENGINES(kind, copy_fn, delete_fn)                                                \
	int comm_attr_##kind##_new(copy_fn *copy, delete_fn *del, int *key, void *extra) \
	{                                                                                \
		return keyval_create(&haft_##kind##_class, (void (*)(void))copy,         \
			(void (*)(void))del, key, extra);                                \
	}                                                                                \
	int comm_attr_##kind##_end(int *key)                                             \
	{                                                                                \
		return keyval_free(&haft_##kind##_class, key);                           \
	}                                                                                \
	int comm_attr_##kind##_set(struct kind *o, int key, void *value)                 \
	{                                                                                \
		return attr_write(o, key, value);                                        \
	}                                                                                \
	int comm_attr_##kind##_get(struct kind *o, int key, void *value, int *flag)      \
	{                                                                                \
		return attr_read(attr_owner_##kind(o, key), key, value, flag);           \
	}                                                                                \
	int comm_attr_##kind##_delete(struct kind *o, int key)                           \
	{                                                                                \
		return attr_delete(o, key);                                              \
	}

ENGINES(comm, MPI_Comm_copy_attr_function, MPI_Comm_delete_attr_function)
ENGINES(type, MPI_Type_copy_attr_function, MPI_Type_delete_attr_function)
ENGINES(win, MPI_Win_copy_attr_function, MPI_Win_delete_attr_function)

/* --- predefined ----------------------------------------------------------------------------- */

static const struct {
	int key;
	int value;
} fixed[] = {
	{MPI_TAG_UB, INT_MAX},
	{MPI_HOST, MPI_PROC_NULL},
	{MPI_IO, MPI_ANY_SOURCE},
};

/* Sets a predefined attribute.  C gets the address `at' (11.10), which must stay valid for ever.
 * NULL: the key has no value. */
HAFT_START static int attr_fix_at(int key, int *at)
{
	struct obj_keyval_desc d = {.size = sizeof(d),
		.lang = OBJ_LANG_C,
		.flags = OBJ_KV_FIXED,
		.copy = OBJ_KV_COPY_SAME};
	int err = obj_keyval_permanent(&haft_comm_class, (uint32_t)key, &d);

	if (err != OBJ_OK || at == NULL)
		return err;
	return obj_attr_fix(&facts, key, OBJ_LANG_C, (intptr_t)at);
}

static int attr_fix(int key, int value)
{
	static int values[16];
	static int n;

	must(n < (int)countof(values));
	values[n] = value;
	return attr_fix_at(key, &values[n++]);
}

/* Registers the keys of windows; the attributes come with each window (comm_attr_win_fix). */
static int attr_win_keys(void)
{
	static const int keys[] = {MPI_WIN_BASE, MPI_WIN_SIZE, MPI_WIN_DISP_UNIT,
		MPI_WIN_CREATE_FLAVOR, MPI_WIN_MODEL};
	struct obj_keyval_desc d = {.size = sizeof(d), .lang = OBJ_LANG_C, .flags = OBJ_KV_FIXED};
	int err = OBJ_OK;

	for (size_t i = 0; i < countof(keys) && err == OBJ_OK; i++)
		err = obj_keyval_permanent(&haft_win_class, (uint32_t)keys[i], &d);
	return err;
}

int comm_attr_win_fix(struct win *w, int key, void *value)
{
	return haft_attr_err(obj_attr_fix(w, key, OBJ_LANG_C, (intptr_t)value), key);
}

HAFT_START int comm_attr_open(int universe, int appnum, bool one_clock)
{
	int err = attr_win_keys();

	facts.o.u.cls = no_facts.o.u.cls = &haft_comm_class;
	for (size_t i = 0; i < countof(fixed) && err == OBJ_OK; i++)
		err = attr_fix(fixed[i].key, fixed[i].value);
	if (err == OBJ_OK)
		err = attr_fix(MPI_WTIME_IS_GLOBAL, one_clock);
	if (err == OBJ_OK)
		err = attr_fix(MPIX_FT, haft_setting_get(SETTING_FT) != HAFT_FT_NO);
	if (err == OBJ_OK)
		err = attr_fix_at(MPI_LASTUSEDCODE, &haft_code_last);
	if (err == OBJ_OK)
		err = universe >= 0 ? attr_fix(MPI_UNIVERSE_SIZE, universe)
				    : attr_fix_at(MPI_UNIVERSE_SIZE, NULL);
	if (err == OBJ_OK)
		err = appnum >= 0 ? attr_fix(MPI_APPNUM, appnum) : attr_fix_at(MPI_APPNUM, NULL);
	return err == OBJ_OK
		       ? 0
		       : haft_err(MPI_ERR_NO_MEM, "predefined attributes: %s", obj_error_text(err));
}
