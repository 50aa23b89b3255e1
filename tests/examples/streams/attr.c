// SPDX-License-Identifier: BSD-3-Clause
/* attr.c - values of the user that hang on queues, and error handlers.
 *
 * Both are libobj's: here are only the lookups.  A key lives as long as a queue has a value of it,
 * and its callbacks run without any lock. */
#include "inner.h"

const struct obj_class_desc errh_desc = {
	.size = sizeof(errh_desc), .name = "error handler", .obj_size = sizeof(struct errh)};

int st_key_new(st_copy_fn *copy, st_del_fn *del, void *extra, int *key)
{
	struct obj_keyval_desc desc = {.size = sizeof(desc),
		.lang = OBJ_LANG_C,
		.copy = (void (*)(void))copy,
		.del = (void (*)(void))del,
		.extra = (intptr_t)extra};

	if (device.domain == NULL || obj_keyval_new(&device.queues, &desc, key) != OBJ_OK)
		return error_say(ST_NOMEM, "st_key_new: no memory, or the device does not run");
	return ST_OK;
}

int st_key_free(int *key)
{
	return obj_keyval_free(&device.queues, key) == OBJ_OK
		       ? ST_OK
		       : error_say(ST_HANDLE, "st_key_free: %d is no key", *key);
}

int st_queue_set(struct st_queue *queue, int key, void *value)
{
	struct queue *q = object_take(&device.queues, queue, "st_queue_set");
	int rc;

	if (q == NULL)
		return ST_HANDLE;
	rc = obj_attr_set(q, key, OBJ_LANG_C, (intptr_t)value);
	obj_drop(q);
	switch (rc) {
	case OBJ_OK: return ST_OK;
	case OBJ_CALLBACK:
		return error_say(
			ST_REFUSED, "st_queue_set: the delete callback returned %d", obj_user_rc());
	case OBJ_KEYVAL: return error_say(ST_HANDLE, "st_queue_set: %d is no key", key);
	default: return error_say(ST_NOMEM, "st_queue_set: %s", obj_error_text(rc));
	}
}

int st_queue_get(struct st_queue *queue, int key, void **value, int *found)
{
	struct queue *q = object_take(&device.queues, queue, "st_queue_get");
	intptr_t v = 0;
	int rc;

	if (q == NULL)
		return ST_HANDLE;
	rc = obj_attr_get(q, key, OBJ_LANG_C, &v, found);
	obj_drop(q);
	if (rc != OBJ_OK)
		return error_say(ST_HANDLE, "st_queue_get: %d is no key", key);
	if (*found)
		*value = (void *)v;
	return ST_OK;
}

int st_errh_new(st_errh_fn *fn, void *ctx, struct st_errh **errh)
{
	struct errh *e;

	if (fn == NULL)
		return error_say(ST_INVALID, "st_errh_new: no function");
	e = device.domain != NULL
		    ? obj_new_at(&device.errhs, NULL, (uintptr_t)__builtin_return_address(0))
		    : NULL;
	if (e == NULL)
		return error_say(ST_NOMEM, "st_errh_new: no memory, or the device does not run");
	e->fn = fn;
	e->ctx = ctx;
	*errh = obj_handle(e);
	return ST_OK;
}

int st_errh_free(struct st_errh **errh)
{
	obj_h h = *errh;
	int rc = object_free(
		&device.errhs, &h, "st_errh_free", (uintptr_t)__builtin_return_address(0));

	*errh = h;
	return rc;
}

/* NULL takes the handler away. */
int st_queue_errh(struct st_queue *queue, struct st_errh *errh)
{
	struct queue *q = object_take(&device.queues, queue, "st_queue_errh");
	struct errh *e = NULL;
	int rc = ST_OK;

	if (q == NULL)
		return ST_HANDLE;
	if (errh != NULL && (e = object_take(&device.errhs, errh, "st_queue_errh")) == NULL)
		rc = ST_HANDLE;
	else if (obj_errh_set(q, e) != OBJ_OK)
		rc = error_say(ST_NOMEM, "st_queue_errh: no memory");
	if (e != NULL)
		obj_drop(e);
	obj_drop(q);
	return rc;
}
