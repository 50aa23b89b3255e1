// SPDX-License-Identifier: BSD-3-Clause
/* integers.c - the same functions for Fortran: each handle is an INTEGER.
 *
 * libobj keeps an INTEGER form of every handle, also of direct ones, so no table is needed here.
 * An INTEGER that names no live object becomes a handle that is never valid: the function of the C
 * interface then says its kind.  streams.f90 declares these. */
#include "inner.h"

/* A live object's INTEGER form, or 0. */
static int int_of(struct obj_class *cls, obj_h handle)
{
	void *self = handle != NULL ? obj_get(cls, handle) : NULL;

	return self != NULL ? obj_int(self) : 0;
}

#define QUEUE(i)  ((struct st_queue *)obj_from_int(&device.queues, i))
#define EVENT(i)  ((struct st_event *)obj_from_int(&device.events, i))
#define BUFFER(i) ((struct st_buffer *)obj_from_int(&device.buffers, i))
#define KERNEL(i) ((struct st_kernel *)obj_from_int(&device.kernels, i))

/* A name of Fortran, without its trailing blanks, for an object that was taken. */
static int name_set(void *self, const char *name, int len)
{
	int rc;

	if (self == NULL)
		return ST_HANDLE;
	rc = obj_name_set(self, name, len > 0 ? (size_t)len : 0, OBJ_FORTRAN);
	obj_drop(self);
	return rc == OBJ_OK ? ST_OK : error_say(ST_NOMEM, "a name: %s", obj_error_text(rc));
}

int st_queue_new_f(int *queue);
int st_queue_new_f(int *queue)
{
	struct st_queue *q = NULL;
	int rc = st_queue_new(&q);

	*queue = int_of(&device.queues, q);
	return rc;
}

int st_queue_spawn_f(int parent, int *child);
int st_queue_spawn_f(int parent, int *child)
{
	struct st_queue *q = NULL;
	int rc = st_queue_spawn(QUEUE(parent), &q);

	*child = int_of(&device.queues, q);
	return rc;
}

int st_queue_free_f(int *queue);
int st_queue_free_f(int *queue)
{
	struct st_queue *q = QUEUE(*queue);
	int rc = st_queue_free(&q);

	if (rc == ST_OK)
		*queue = 0;
	return rc;
}

int st_queue_sync_f(int queue);
int st_queue_sync_f(int queue)
{
	return st_queue_sync(QUEUE(queue));
}

int st_queue_wait_f(int queue, int event);
int st_queue_wait_f(int queue, int event)
{
	return st_queue_wait(QUEUE(queue), EVENT(event));
}

int st_queue_name_f(int queue, const char *name, int len);
int st_queue_name_f(int queue, const char *name, int len)
{
	return name_set(object_take(&device.queues, QUEUE(queue), "st_queue_name"), name, len);
}

int st_buffer_name_f(int buffer, const char *name, int len);
int st_buffer_name_f(int buffer, const char *name, int len)
{
	return name_set(object_take(&device.buffers, BUFFER(buffer), "st_buffer_name"), name, len);
}

int st_queue_set_f(int queue, int key, intptr_t value);
int st_queue_set_f(int queue, int key, intptr_t value)
{
	return st_queue_set(QUEUE(queue), key, (void *)value);
}

int st_queue_get_f(int queue, int key, intptr_t *value, int *found);
int st_queue_get_f(int queue, int key, intptr_t *value, int *found)
{
	void *v = NULL;
	int rc = st_queue_get(QUEUE(queue), key, &v, found);

	*value = (intptr_t)v;
	return rc;
}

/* A key whose values are inherited as they are. */
int st_key_new_f(int *key);
int st_key_new_f(int *key)
{
	return st_key_new((st_copy_fn *)OBJ_KV_COPY_SAME, NULL, NULL, key);
}

int st_event_new_f(int *event);
int st_event_new_f(int *event)
{
	struct st_event *e = NULL;
	int rc = st_event_new(&e);

	*event = int_of(&device.events, e);
	return rc;
}

int st_event_free_f(int *event);
int st_event_free_f(int *event)
{
	struct st_event *e = EVENT(*event);
	int rc = st_event_free(&e);

	if (rc == ST_OK)
		*event = 0;
	return rc;
}

int st_event_record_f(int event, int queue);
int st_event_record_f(int event, int queue)
{
	return st_event_record(EVENT(event), QUEUE(queue));
}

int st_event_sync_f(int event);
int st_event_sync_f(int event)
{
	return st_event_sync(EVENT(event));
}

int st_event_query_f(int event, int *happened);
int st_event_query_f(int event, int *happened)
{
	return st_event_query(EVENT(event), happened);
}

int st_event_elapsed_f(int from, int to, int64_t *ns);
int st_event_elapsed_f(int from, int to, int64_t *ns)
{
	return st_event_elapsed(EVENT(from), EVENT(to), ns);
}

int st_buffer_new_f(int64_t bytes, int *buffer);
int st_buffer_new_f(int64_t bytes, int *buffer)
{
	struct st_buffer *b = NULL;
	int rc = bytes >= 0 ? st_buffer_new((size_t)bytes, &b) : ST_INVALID;

	*buffer = int_of(&device.buffers, b);
	return rc;
}

int st_buffer_free_f(int *buffer);
int st_buffer_free_f(int *buffer)
{
	struct st_buffer *b = BUFFER(*buffer);
	int rc = st_buffer_free(&b);

	if (rc == ST_OK)
		*buffer = 0;
	return rc;
}

int st_buffer_size_f(int buffer, int64_t *bytes);
int st_buffer_size_f(int buffer, int64_t *bytes)
{
	size_t n = 0;
	int rc = st_buffer_size(BUFFER(buffer), &n);

	*bytes = (int64_t)n;
	return rc;
}

int st_copy_f(int queue, int to, int from, int64_t bytes);
int st_copy_f(int queue, int to, int from, int64_t bytes)
{
	if (bytes < 0)
		return error_say(ST_INVALID, "st_copy: a negative size");
	return st_copy(QUEUE(queue), BUFFER(to), BUFFER(from), (size_t)bytes);
}

int st_write_f(int queue, int to, int64_t offset, const void *from, int64_t bytes);
int st_write_f(int queue, int to, int64_t offset, const void *from, int64_t bytes)
{
	if (offset < 0 || bytes < 0)
		return error_say(ST_INVALID, "st_write: a negative size");
	return st_write(QUEUE(queue), BUFFER(to), (size_t)offset, from, (size_t)bytes);
}

int st_read_f(int queue, void *to, int from, int64_t offset, int64_t bytes);
int st_read_f(int queue, void *to, int from, int64_t offset, int64_t bytes)
{
	if (offset < 0 || bytes < 0)
		return error_say(ST_INVALID, "st_read: a negative size");
	return st_read(QUEUE(queue), to, BUFFER(from), (size_t)offset, (size_t)bytes);
}

int st_kernel_new_f(void (*fn)(void), int *kernel);
int st_kernel_new_f(void (*fn)(void), int *kernel)
{
	struct st_kernel *k = NULL;
	int rc = st_kernel_new(ST_FORTRAN, fn, NULL, &k);

	*kernel = int_of(&device.kernels, k);
	return rc;
}

int st_kernel_free_f(int *kernel);
int st_kernel_free_f(int *kernel)
{
	struct st_kernel *k = KERNEL(*kernel);
	int rc = st_kernel_free(&k);

	if (rc == ST_OK)
		*kernel = 0;
	return rc;
}

int st_launch_f(int queue, int kernel, int64_t n, int nargs, const int args[]);
int st_launch_f(int queue, int kernel, int64_t n, int nargs, const int args[])
{
	struct st_buffer *list[ST_ARGS_MAX];

	if (n < 0 || nargs < 0 || nargs > ST_ARGS_MAX)
		return error_say(ST_INVALID, "st_launch: %d arguments", nargs);
	for (int i = 0; i < nargs; i++)
		list[i] = BUFFER(args[i]);
	return st_launch(QUEUE(queue), KERNEL(kernel), (size_t)n, nargs, list);
}
