// SPDX-License-Identifier: BSD-3-Clause
/* buffer.c - memory of the device, and copies.
 *
 * A buffer is a direct object: its handle is an address that the user's compiler can follow.  It is
 * checked all the same where it is given to a function. */
#include "inner.h"

#include <stdio.h>
#include <string.h>

static int buffer_construct(void *self, void *arg)
{
	struct buffer *b = self;

	b->bytes = *(size_t *)arg;
	b->face.data = obj_mem_get(device.domain, b->bytes > 0 ? b->bytes : 1);
	return b->face.data != NULL ? 0 : ST_NOMEM;
}

static void buffer_destroy(void *self)
{
	obj_mem_put(device.domain, ((struct buffer *)self)->face.data);
}

static int buffer_describe(const void *self, char *buf, size_t n)
{
	return snprintf(buf, n, "%zu bytes", ((const struct buffer *)self)->bytes);
}

const struct obj_class_desc buffer_desc = {.size = sizeof(buffer_desc),
	.name = "buffer",
	.obj_size = sizeof(struct buffer),
	.flags = OBJ_F_DIRECT,
	.max = 65536,
	.construct = buffer_construct,
	.destroy = buffer_destroy,
	.describe = buffer_describe};

int st_buffer_new(size_t bytes, struct st_buffer **buffer)
{
	struct buffer *b = device.domain != NULL ? obj_new_at(&device.buffers, &bytes,
							   (uintptr_t)__builtin_return_address(0))
						 : NULL;

	if (b == NULL)
		return error_say(ST_NOMEM, "st_buffer_new: no memory for %zu bytes", bytes);
	*buffer = obj_handle(b);
	return ST_OK;
}

int st_buffer_free(struct st_buffer **buffer)
{
	obj_h h = *buffer;
	int rc = object_free(
		&device.buffers, &h, "st_buffer_free", (uintptr_t)__builtin_return_address(0));

	*buffer = h;
	return rc;
}

int st_buffer_name(struct st_buffer *buffer, const char *name)
{
	return object_name(&device.buffers, buffer, name, "st_buffer_name");
}

int st_buffer_size(struct st_buffer *buffer, size_t *bytes)
{
	struct buffer *b = object_take(&device.buffers, buffer, "st_buffer_size");

	if (b == NULL)
		return ST_HANDLE;
	*bytes = b->bytes;
	obj_drop(b);
	return ST_OK;
}

/* The common part of write, read and copy.  c->n and c->offset are set; `other' may be NULL. */
static int copy_put(struct st_queue *queue, struct command *c, struct st_buffer *buffer,
	struct st_buffer *other, const char *where)
{
	struct queue *q = object_take(&device.queues, queue, where);
	int rc = ST_HANDLE;

	if (q == NULL)
		return rc;
	c->args[0] = object_take(&device.buffers, buffer, where);
	c->nargs = c->args[0] != NULL;
	if (c->nargs == 1 && other != NULL) {
		c->args[1] = object_take(&device.buffers, other, where);
		c->nargs += c->args[1] != NULL;
	}
	if (c->nargs < 1 + (other != NULL)) {
		command_drop(c);
	} else {
		size_t room = c->args[0]->bytes;

		if (c->nargs == 2 && c->args[1]->bytes < room)
			room = c->args[1]->bytes;
		if (c->offset > room || c->n > room - c->offset) {
			rc = error_say(ST_INVALID, "%s: %zu bytes at %zu, and the buffer has %zu",
				where, c->n, c->offset, room);
			command_drop(c);
		} else {
			rc = command_put(q, c);
		}
	}
	obj_drop(q);
	return rc;
}

int st_write(
	struct st_queue *queue, struct st_buffer *to, size_t offset, const void *from, size_t bytes)
{
	struct command c = {
		.kind = WRITE, .n = bytes, .offset = offset, .host = (void *)(uintptr_t)from};

	return copy_put(queue, &c, to, NULL, "st_write");
}

int st_read(struct st_queue *queue, void *to, struct st_buffer *from, size_t offset, size_t bytes)
{
	struct command c = {.kind = READ, .n = bytes, .offset = offset, .host = to};

	return copy_put(queue, &c, from, NULL, "st_read");
}

int st_copy(struct st_queue *queue, struct st_buffer *to, struct st_buffer *from, size_t bytes)
{
	struct command c = {.kind = COPY, .n = bytes};

	if (from == NULL)
		return error_say(ST_HANDLE, "st_copy: no buffer to copy from");
	return copy_put(queue, &c, to, from, "st_copy");
}
