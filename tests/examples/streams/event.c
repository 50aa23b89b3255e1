// SPDX-License-Identifier: BSD-3-Clause
/* event.c - events: points in a queue that others can wait for.
 *
 * An event counts its recordings when they are put into a queue, and again when the queue reaches
 * them.  A call that waits, waits for the last recording of that moment.  So an event can be used
 * again. */
#include "inner.h"

#include <stdio.h>

static int event_describe(const void *self, char *buf, size_t n)
{
	const struct event *e = self;

	return snprintf(buf, n, "recorded %llu times", (unsigned long long)e->recorded);
}

const struct obj_class_desc event_desc = {.size = sizeof(event_desc),
	.name = "event",
	.obj_size = sizeof(struct event),
	.describe = event_describe};

int st_event_new(struct st_event **event)
{
	struct event *e = device.domain != NULL ? obj_new_at(&device.events, NULL,
							  (uintptr_t)__builtin_return_address(0))
						: NULL;

	if (e == NULL)
		return error_say(ST_NOMEM, "st_event_new: no memory, or the device does not run");
	*event = obj_handle(e);
	return ST_OK;
}

int st_event_free(struct st_event **event)
{
	obj_h h = *event;
	int rc = object_free(
		&device.events, &h, "st_event_free", (uintptr_t)__builtin_return_address(0));

	*event = h;
	return rc;
}

/* Both handles are looked up before anything is done; the references go into the command. */
static int pair_put(
	struct st_queue *queue, struct st_event *event, enum kind kind, const char *where)
{
	struct queue *q = object_take(&device.queues, queue, where);
	struct command c = {.kind = kind};
	int rc;

	if (q == NULL)
		return ST_HANDLE;
	c.event = object_take(&device.events, event, where);
	rc = c.event != NULL ? command_put(q, &c) : ST_HANDLE;
	obj_drop(q);
	return rc;
}

int st_event_record(struct st_event *event, struct st_queue *queue)
{
	return pair_put(queue, event, RECORD, "st_event_record");
}

int st_queue_wait(struct st_queue *queue, struct st_event *event)
{
	return pair_put(queue, event, WAIT, "st_queue_wait");
}

int st_event_sync(struct st_event *event)
{
	struct event *e = object_take(&device.events, event, "st_event_sync");
	uint64_t time;

	if (e == NULL)
		return ST_HANDLE;
	pthread_mutex_lock(&device.lock);
	time = e->recorded;
	while (e->happened < time)
		pthread_cond_wait(&device.change, &device.lock);
	pthread_mutex_unlock(&device.lock);
	obj_drop(e);
	return ST_OK;
}

int st_event_query(struct st_event *event, int *happened)
{
	struct event *e = object_take(&device.events, event, "st_event_query");

	if (e == NULL)
		return ST_HANDLE;
	pthread_mutex_lock(&device.lock);
	*happened = e->recorded > 0 && e->happened == e->recorded;
	pthread_mutex_unlock(&device.lock);
	obj_drop(e);
	return ST_OK;
}

int st_event_elapsed(struct st_event *from, struct st_event *to, int64_t *ns)
{
	struct event *a = object_take(&device.events, from, "st_event_elapsed"), *b;
	int rc = ST_HANDLE;

	if (a == NULL)
		return rc;
	b = object_take(&device.events, to, "st_event_elapsed");
	if (b != NULL) {
		pthread_mutex_lock(&device.lock);
		rc = a->happened > 0 && b->happened > 0 ? ST_OK : ST_INVALID;
		*ns = b->ns - a->ns;
		pthread_mutex_unlock(&device.lock);
		obj_drop(b);
	}
	obj_drop(a);
	return rc != ST_INVALID ? rc
				: error_say(rc, "st_event_elapsed: an event has not happened yet");
}
