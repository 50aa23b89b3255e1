// SPDX-License-Identifier: BSD-3-Clause
/* attr.c - caching (MPI-5.0 7.7) over libobj's attributes, and the predefined attributes of
 * MPI_COMM_WORLD (9.1.2, 11.10).
 *
 * libobj knows order, languages, re-entrant and failing callbacks; here its answers become MPI's
 * error classes. */
#include "libmpi/comm/attr.h"

#include "libmpi/core/code.h"
#include "libmpi/core/err.h"
#include <engine.h>
#include <limits.h>

static int failed(int err, int key)
{
	int code = obj_user_rc();

	switch (err) {
	case OBJ_OK: return 0;
	case OBJ_KEYVAL:
		return haft_err(MPI_ERR_KEYVAL, "%d is not a key for this kind of object%s", key,
			key == MPI_KEYVAL_INVALID ? " but MPI_KEYVAL_INVALID" : "");
	case OBJ_PERMANENT:
		return haft_err(
			MPI_ERR_KEYVAL, "attribute %d is predefined: it cannot be changed", key);
	case OBJ_INVALID: return haft_err(MPI_ERR_KEYVAL, "the object has no attribute %d", key);
	case OBJ_BUSY:
		return haft_err(
			MPI_ERR_KEYVAL, "attribute %d is being deleted by its own callback", key);
	case OBJ_CALLBACK:
		return haft_err(haft_err_of_callback(code),
			"the delete callback of attribute %d returned %d", key, code);
	}
	return haft_err(MPI_ERR_NO_MEM, "no memory for attribute %d", key);
}

static int create(
	struct obj_class *cls, void (*copy)(void), void (*del)(void), int *key, void *extra)
{
	struct obj_keyval_desc d = {
		.size = sizeof(d),
		.lang = OBJ_LANG_C,
		.copy = copy,
		.del = del,
		.extra = (intptr_t)extra,
	};

	return failed(obj_keyval_new(cls, &d, key), 0);
}

static int freed(struct obj_class *cls, int *key)
{
	int was = *key, err = obj_keyval_free(cls, key);

	if (err == OBJ_OK)
		*key = MPI_KEYVAL_INVALID;
	return failed(err, was);
}

static int get(void *self, int key, void *value, int *flag)
{
	intptr_t v = 0;
	int err = obj_attr_get(self, key, OBJ_LANG_C, &v, flag);

	if (err == OBJ_OK && *flag)
		*(void **)value = (void *)v;
	return failed(err, key);
}

int comm_create_keyval(MPI_Comm_copy_attr_function *copy, MPI_Comm_delete_attr_function *del,
	int *key, void *extra)
{
	return create(&haft_comm_class, (void (*)(void))copy, (void (*)(void))del, key, extra);
}

int comm_free_keyval(int *key)
{
	return freed(&haft_comm_class, key);
}

int comm_set_attr(struct comm *c, int key, void *value)
{
	return failed(obj_attr_set(c, key, OBJ_LANG_C, (intptr_t)value), key);
}

/* Predefined attributes are those of MPI_COMM_WORLD, whichever communicator is asked. */
int comm_get_attr(struct comm *c, int key, void *value, int *flag)
{
	bool predefined = key >= MPI_TAG_UB && key <= MPI_UNIVERSE_SIZE;

	return get(predefined ? &haft_world : c, key, value, flag);
}

int comm_delete_attr(struct comm *c, int key)
{
	return failed(obj_attr_delete(c, key), key);
}

/* --- predefined ---------------------------------------------------------------------------- */

static const struct {
	int key;
	int value; /* UNIVERSE and APPNUM are known only when the job is */
} fixed[] = {
	{MPI_TAG_UB, INT_MAX}, {MPI_HOST, MPI_PROC_NULL}, {MPI_IO, MPI_ANY_SOURCE},
	{MPI_WTIME_IS_GLOBAL, 1}, /* one node: one clock */
};

/* C reads a pointer to the value (11.10); `at' stays for ever.  NULL: the key has no value. */
static int fix_at(int key, int *at)
{
	struct obj_keyval_desc d = {.size = sizeof(d),
		.lang = OBJ_LANG_C,
		.flags = OBJ_KV_FIXED,
		.copy = OBJ_KV_COPY_SAME};
	int err = obj_keyval_permanent(&haft_comm_class, (uint32_t)key, &d);

	if (err != OBJ_OK || at == NULL)
		return err;
	return obj_attr_fix(&haft_world, key, OBJ_LANG_C, (intptr_t)at);
}

static int fix(int key, int value)
{
	static int values[16];
	static int n;

	must(n < (int)countof(values));
	values[n] = value;
	return fix_at(key, &values[n++]);
}

int attr_open(int universe, int appnum)
{
	int err = OBJ_OK;

	for (size_t i = 0; i < countof(fixed) && err == OBJ_OK; i++)
		err = fix(fixed[i].key, fixed[i].value);
	if (err == OBJ_OK)
		err = fix_at(MPI_LASTUSEDCODE, &haft_code_last);
	if (err == OBJ_OK)
		err = fix(MPI_UNIVERSE_SIZE, universe);
	if (err == OBJ_OK)
		err = appnum >= 0 ? fix(MPI_APPNUM, appnum) : fix_at(MPI_APPNUM, NULL);
	return err == OBJ_OK
		       ? 0
		       : haft_err(MPI_ERR_NO_MEM, "predefined attributes: %s", obj_error_text(err));
}
