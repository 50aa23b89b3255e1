// SPDX-License-Identifier: BSD-3-Clause
/* queue.c - queues, and the workers that run their commands.
 *
 *     device.busy ──► queue ──► queue ──► ...        each has commands, in order
 *                       │ first
 *                       v
 *                    launch ─► record ─► copy        the first is run, unless it waits for an event
 *
 * A queue holds itself while it is in device.busy.  A worker takes the first queue whose first
 * command can run, marks it, and runs the command without the lock. */
#include "inner.h"

#include <stdio.h>
#include <string.h>

static int queue_construct(void *self, void *unused)
{
	struct queue *q = self;

	(void)unused;
	q->last = &q->first;
	return 0;
}

static int queue_describe(const void *self, char *buf, size_t n)
{
	const struct queue *q = self;

	return snprintf(buf, n, "%s", q->first != NULL ? "with work" : "idle");
}

const struct obj_class_desc queue_desc = {.size = sizeof(queue_desc),
	.name = "queue",
	.obj_size = sizeof(struct queue),
	.construct = queue_construct,
	.describe = queue_describe};

int st_queue_new(struct st_queue **queue)
{
	struct queue *q = device.domain != NULL ? obj_new_at(&device.queues, NULL,
							  (uintptr_t)__builtin_return_address(0))
						: NULL;

	if (q == NULL)
		return error_say(ST_NOMEM, "st_queue_new: no memory, or the device does not run");
	*queue = obj_handle(q);
	return ST_OK;
}

/* The attributes first: if a copy callback says no, there is no child. */
int st_queue_spawn(struct st_queue *parent, struct st_queue **child)
{
	struct queue *p = object_take(&device.queues, parent, "st_queue_spawn"), *q;
	void *errh;
	int rc;

	if (p == NULL)
		return ST_HANDLE;
	q = obj_new_at(&device.queues, NULL, (uintptr_t)__builtin_return_address(0));
	rc = q != NULL ? obj_attr_dup(p, q) : OBJ_NOMEM;
	if (rc == OBJ_OK && (errh = obj_errh_get(p)) != NULL) {
		rc = obj_errh_set(q, errh);
		obj_drop(errh);
	}
	obj_drop(p);
	if (rc == OBJ_OK) {
		*child = obj_handle(q);
		return ST_OK;
	}
	if (q != NULL)
		obj_free_obj(q);
	if (rc == OBJ_CALLBACK)
		return error_say(ST_REFUSED,
			"st_queue_spawn: the copy callback of an attribute returned %d",
			obj_user_rc());
	return error_say(ST_NOMEM, "st_queue_spawn: %s", obj_error_text(rc));
}

int st_queue_free(struct st_queue **queue)
{
	obj_h h = *queue;
	int rc = object_free(
		&device.queues, &h, "st_queue_free", (uintptr_t)__builtin_return_address(0));

	*queue = h;
	return rc;
}

int st_queue_name(struct st_queue *queue, const char *name)
{
	return object_name(&device.queues, queue, name, "st_queue_name");
}

int st_queue_sync(struct st_queue *queue)
{
	struct queue *q = object_take(&device.queues, queue, "st_queue_sync");
	int failed;

	if (q == NULL)
		return ST_HANDLE;
	pthread_mutex_lock(&device.lock);
	while (q->first != NULL)
		pthread_cond_wait(&device.change, &device.lock);
	failed = q->failed;
	q->failed = 0;
	pthread_mutex_unlock(&device.lock);
	obj_drop(q);
	return failed == 0 ? ST_OK
			   : error_say(ST_KERNEL, "st_queue_sync: a kernel returned %d", failed);
}

/* --- commands ------------------------------------------------------------------------------- */

void command_drop(const struct command *c)
{
	if (c->kernel != NULL)
		obj_drop(c->kernel);
	if (c->event != NULL)
		obj_drop(c->event);
	for (int i = 0; i < c->nargs; i++)
		obj_drop(c->args[i]);
}

int command_put(struct queue *q, const struct command *c)
{
	struct command *copy = obj_mem_get(device.domain, sizeof(*copy));

	if (copy == NULL) {
		command_drop(c);
		return error_say(ST_NOMEM, "no memory for a command");
	}
	*copy = *c;
	copy->next = NULL;
	pthread_mutex_lock(&device.lock);
	if (c->kind == RECORD)
		copy->time = ++c->event->recorded;
	if (c->kind == WAIT)
		copy->time = c->event->recorded;
	if (q->first == NULL) {
		obj_hold(q); /* until it is empty */
		q->next = device.busy;
		device.busy = q;
	}
	*q->last = copy;
	q->last = &copy->next;
	pthread_cond_broadcast(&device.change);
	pthread_mutex_unlock(&device.lock);
	return ST_OK;
}

/* --- workers -------------------------------------------------------------------------------- */

static int command_ready(const struct command *c)
{
	return c->kind != WAIT || c->event->happened >= c->time;
}

/* A queue whose first command can run, marked; NULL: none now.  Under the lock. */
static struct queue *queue_pick(void)
{
	for (struct queue *q = device.busy; q != NULL; q = q->next)
		if (!q->running && command_ready(q->first)) {
			q->running = 1;
			return q;
		}
	return NULL;
}

static void queue_unlink(struct queue *q)
{
	struct queue **at = &device.busy;

	while (*at != q)
		at = &(*at)->next;
	*at = q->next;
}

/* Tells the queue's error handler of a kernel that has failed. */
static void failure_tell(struct queue *q, int code)
{
	struct errh *e = obj_errh_get(q);
	char name[128];
	int len;

	if (e == NULL)
		return;
	obj_name_get(q, name, sizeof(name), OBJ_C, &len);
	e->fn(code, name, e->ctx);
	obj_drop(e);
}

/* The first command has run: it leaves the queue, and the queue perhaps the list.  Returns whether
 * the queue's own reference is to be given back.  Under the lock. */
static int command_end(struct queue *q, struct command *c, int code)
{
	q->running = 0;
	q->first = c->next;
	if (code != 0)
		q->failed = code;
	if (c->kind == RECORD) {
		c->event->happened = c->time;
		c->event->ns = time_ns();
	}
	pthread_cond_broadcast(&device.change);
	if (q->first != NULL)
		return 0;
	q->last = &q->first;
	queue_unlink(q);
	return 1;
}

/* Runs the first command of a marked queue.  Destroying an object may be the user's code: never
 * under the lock. */
static void queue_step(struct queue *q)
{
	struct command *c = q->first;
	int code = command_run(c), empty;

	if (code != 0)
		failure_tell(q, code);
	pthread_mutex_lock(&device.lock);
	empty = command_end(q, c, code);
	pthread_mutex_unlock(&device.lock);
	command_drop(c);
	obj_mem_put(device.domain, c);
	if (empty)
		obj_drop(q);
}

void *worker_run(void *unused)
{
	struct queue *q;

	(void)unused;
	pthread_mutex_lock(&device.lock);
	while ((q = queue_pick()) != NULL || !device.ending) {
		if (q == NULL) {
			pthread_cond_wait(&device.change, &device.lock);
			continue;
		}
		pthread_mutex_unlock(&device.lock);
		queue_step(q);
		pthread_mutex_lock(&device.lock);
	}
	pthread_mutex_unlock(&device.lock);
	return NULL;
}
