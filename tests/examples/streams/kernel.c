// SPDX-License-Identifier: BSD-3-Clause
/* kernel.c - kernels: functions of the user, in C or in Fortran, and the workers that run commands.
 *
 * A Fortran kernel gets the number of elements by reference and then each buffer's data, as an
 * explicit-shape array expects it.  The number of arguments is known only when it is launched, so
 * the call is made by obj_call with a signature. */
#include "inner.h"

#include <stdio.h>
#include <string.h>

const struct obj_class_desc kernel_desc = {
	.size = sizeof(kernel_desc), .name = "kernel", .obj_size = sizeof(struct kernel)};

int st_kernel_new(enum st_lang lang, void (*fn)(void), void *ctx, struct st_kernel **kernel)
{
	struct kernel *k;

	if (fn == NULL || (lang != ST_C && lang != ST_FORTRAN))
		return error_say(
			ST_INVALID, "st_kernel_new: no function, or language %d", (int)lang);
	k = device.domain != NULL
		    ? obj_new_at(&device.kernels, NULL, (uintptr_t)__builtin_return_address(0))
		    : NULL;
	if (k == NULL)
		return error_say(ST_NOMEM, "st_kernel_new: no memory, or the device does not run");
	k->lang = lang;
	k->fn = fn;
	k->ctx = ctx;
	*kernel = obj_handle(k);
	return ST_OK;
}

int st_kernel_free(struct st_kernel **kernel)
{
	obj_h h = *kernel;
	int rc = object_free(
		&device.kernels, &h, "st_kernel_free", (uintptr_t)__builtin_return_address(0));

	*kernel = h;
	return rc;
}

int st_launch(struct st_queue *queue, struct st_kernel *kernel, size_t n, int nargs,
	struct st_buffer *const args[])
{
	struct command c = {.kind = LAUNCH, .n = n};
	struct queue *q;
	int rc;

	if (nargs < 0 || nargs > ST_ARGS_MAX)
		return error_say(
			ST_INVALID, "st_launch: %d arguments, not 0 to %d", nargs, ST_ARGS_MAX);
	q = object_take(&device.queues, queue, "st_launch");
	if (q == NULL)
		return ST_HANDLE;
	c.kernel = object_take(&device.kernels, kernel, "st_launch");
	while (c.kernel != NULL && c.nargs < nargs) {
		c.args[c.nargs] = object_take(&device.buffers, args[c.nargs], "st_launch");
		if (c.args[c.nargs] == NULL)
			break;
		c.nargs++;
	}
	if (c.kernel != NULL && c.nargs == nargs) {
		rc = command_put(q, &c);
	} else {
		command_drop(&c);
		rc = ST_HANDLE;
	}
	obj_drop(q);
	return rc;
}

/* "v(&l,p,p,...)": a number by reference, and a pointer for each buffer. */
static int fortran_run(struct command *c)
{
	char sig[8 + 2 * ST_ARGS_MAX + 2];
	void *values[ST_ARGS_MAX], *args[ST_ARGS_MAX + 1];
	int64_t n = (int64_t)c->n;
	int at = snprintf(sig, sizeof(sig), "v(&l");
	char none[8];

	args[0] = &n;
	for (int i = 0; i < c->nargs; i++) {
		at += snprintf(sig + at, sizeof(sig) - (size_t)at, ",p");
		values[i] = c->args[i]->face.data;
		args[i + 1] = &values[i];
	}
	snprintf(sig + at, sizeof(sig) - (size_t)at, ")");
	return obj_call(sig, c->kernel->fn, none, args);
}

static int launch_run(struct command *c)
{
	void *data[ST_ARGS_MAX];

	if (c->kernel->lang == ST_FORTRAN)
		return fortran_run(c);
	for (int i = 0; i < c->nargs; i++)
		data[i] = c->args[i]->face.data;
	return ((int (*)(size_t, void *const[], void *))c->kernel->fn)(c->n, data, c->kernel->ctx);
}

int command_run(struct command *c)
{
	switch (c->kind) {
	case LAUNCH: return launch_run(c);
	case WRITE: memcpy((char *)c->args[0]->face.data + c->offset, c->host, c->n); break;
	case READ: memcpy(c->host, (char *)c->args[0]->face.data + c->offset, c->n); break;
	case COPY: memmove(c->args[0]->face.data, c->args[1]->face.data, c->n); break;
	case RECORD:
	case WAIT: break; /* the queue does these */
	}
	return 0;
}
