// SPDX-License-Identifier: BSD-3-Clause
/* event_ring.c - events: kept where they happen, delivered at the end of the call.
 *
 *     engine ── event_keep ──> ring | 7 comm_created | 8 message_kept | ...       gate: EVENTS
 *                                     tail                               head
 *     bind_leave ── tool_events_deliver: dropped handlers, then event 7 to each listener, ...
 *
 * A callback runs without any lock, in a thread that has just left its call: it may call all of
 * MPI, so its safety requirement is always MPI_T_CB_REQUIRE_NONE, and the callback of the lowest
 * level is chosen.  One thread delivers at a time, in the order of the events.  Calls inside of a
 * callback deliver nothing; their events come later.
 *
 * Events that meet a full ring are dropped and counted.  Before the next event of any source is
 * delivered the dropped handlers hear of it (MPI-5.0 15.3.8.5).
 *
 * The lock of events is a leaf: nothing is called under it. */
#include "libmpi/core/clock.h"
#include "libmpi/core/err.h"
#include "libmpi/core/process_state.h"
#include "libmpi/prof/prof.h"
#include "libmpi/tool/tool.h"
#include <engine.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define RING MEAN_OR(4, 256) /* a call raises a few; a long wait keeps some hundred messages */

struct instance {
	enum haft_event type;
	obj_h object; /* that it is bound to, or NULL */
	int64_t at_ns;
	int64_t facts[HAFT_EVENT_FACTS];
};

BSS_BEHIND static struct instance ring[RING];
static struct {
	pthread_mutex_t lock;
	struct tool_listener *listeners; /* in the order of their registration */
	uint64_t head, tail;             /* numbers of events, from 1 */
	bool delivering;
	_Atomic(const struct instance *) current; /* of the callback that runs; else NULL */
	int waits; /* prof_meter_use of waits: 1 if a listener wants them */
} events = {.lock = PTHREAD_MUTEX_INITIALIZER, .head = 1, .tail = 1};

/* --- listeners ------------------------------------------------------------------------------ */

/* The callback of the lowest level, or NULL. */
static const struct tool_callback *listener_callback(const struct tool_listener *l)
{
	for (int i = 0; i < TOOL_LEVELS; i++)
		if (l->callback[i].fn != NULL)
			return &l->callback[i];
	return NULL;
}

static bool listener_wants(const struct tool_listener *l, const struct instance *e)
{
	return l->type == e->type && (l->object == NULL || l->object == e->object);
}

static void event_keep(enum haft_event e, obj_h object, const int64_t facts[HAFT_EVENT_FACTS]);

/* The types that have a listener with a callback, or with one that had. */
static uint32_t listeners_types(void)
{
	uint32_t types = 0;

	for (struct tool_listener *l = events.listeners; l != NULL; l = l->next) {
		if (l->from == 0 && listener_callback(l) != NULL)
			l->from = events.head;
		if (l->from != 0 && !l->freed)
			types |= UINT32_C(1) << l->type;
	}
	return types;
}

void tool_listeners_lock(void)
{
	pthread_mutex_lock(&events.lock);
}

void tool_listeners_unlock(void)
{
	uint32_t types = listeners_types();
	int waits = (types & (1u << EVENT_WAIT_BEGUN | 1u << EVENT_WAIT_ENDED)) != 0;
	int change = waits - events.waits;

	events.waits = waits;
	haft_event_hook = event_keep;
	atomic_store_explicit(&haft_events_wanted, types, memory_order_release);
	pthread_mutex_unlock(&events.lock);
	if (change == 0)
		return;
	prof_meter_use(PROF_WAITS, change);
	prof_meter_use(PROF_CALLS, change);
}

void tool_listener_add(struct tool_listener *l)
{
	struct tool_listener **at = &events.listeners;

	tool_listeners_lock();
	while (*at != NULL)
		at = &(*at)->next;
	*at = l;
	tool_listeners_unlock();
}

/* The end of this very call delivers the rest, and ends the listener. */
void tool_listener_free(struct tool_listener *l, MPI_T_event_free_cb_function *on_free, void *user)
{
	tool_listeners_lock();
	l->until = events.head;
	l->on_free = on_free;
	l->on_free_user = user;
	l->freed = true;
	tool_listeners_unlock();
	haft_gate_set(HAFT_GATE_EVENTS);
}

void tool_listeners_end(void)
{
	tool_listeners_lock();
	events.tail = events.head;
	for (struct tool_listener *l = events.listeners; l != NULL; l = l->next) {
		l->freed = true;
		l->until = 0;
		l->on_free = NULL;
		l->dropped = NULL;
	}
	tool_listeners_unlock();
	haft_gate_set(HAFT_GATE_EVENTS);
}

/* --- events --------------------------------------------------------------------------------- */

/* There is no room, or no callback: a handler that is there will hear of it. */
static void event_drop(struct tool_listener *l, enum haft_event type)
{
	if (l->dropped != NULL && l->from != 0 && !l->freed)
		l->lost[tool_event_types[type].source]++;
}

static int64_t event_fact(enum haft_event e, int i, int64_t fact)
{
	int first = haft_life.peer - haft_life.rank;

	if (strcmp(tool_event_types[e].element[i].name, "function") == 0 &&
		tool_event_types[e].source == TOOL_SOURCE_PROGRESS)
		return prof_meter_call();
	if (tool_event_types[e].element[i].form != ELEMENT_RANK)
		return fact;
	return fact >= first && fact < first + haft_life.size ? fact - first : -1;
}

/* By a thread that is inside of an engine. */
static void event_keep(enum haft_event e, obj_h object, const int64_t facts[HAFT_EVENT_FACTS])
{
	struct instance new = {.type = e, .object = object};

	for (int i = 0; i < tool_event_types[e].elements; i++)
		new.facts[i] = event_fact(e, i, facts[i]);
	pthread_mutex_lock(&events.lock);
	new.at_ns = (int64_t)clock_now_ns();
	if (events.head - events.tail < RING) {
		ring[events.head++ % RING] = new;
	} else {
		for (struct tool_listener *l = events.listeners; l != NULL; l = l->next)
			if (listener_wants(l, &new))
				event_drop(l, e);
	}
	pthread_mutex_unlock(&events.lock);
	haft_gate_set(HAFT_GATE_EVENTS);
}

/* --- delivery, by one thread at a time, under the lock but in callbacks --------------------- */

/* Tells one dropped handler.  False: there is none to be told. */
static bool deliver_dropped(void)
{
	for (struct tool_listener *l = events.listeners; l != NULL; l = l->next) {
		const struct tool_callback *c = listener_callback(l);
		MPI_T_event_dropped_cb_function *fn = l->dropped;
		MPI_T_event_registration handle = l->handle;

		for (int i = 0; fn != NULL && c != NULL && i < TOOL_SOURCES; i++) {
			MPI_Count n = (MPI_Count)l->lost[i];
			void *user = c->user;

			if (n == 0)
				continue;
			l->lost[i] = 0;
			pthread_mutex_unlock(&events.lock);
			fn(n, handle, i, MPI_T_CB_REQUIRE_NONE, user);
			pthread_mutex_lock(&events.lock);
			return true;
		}
	}
	return false;
}

/* The next listener for event number n, that has not had it yet. */
static struct tool_listener *deliver_next(const struct instance *e, uint64_t n)
{
	struct tool_listener *l = events.listeners;

	while (l != NULL && !(listener_wants(l, e) && l->from != 0 && l->from <= n &&
				    (!l->freed || n < l->until)))
		l = l->next;
	return l;
}

/* Event number n to all of its listeners: each then waits for those after it. */
static void deliver_event(const struct instance *e, uint64_t n)
{
	struct tool_listener *l;

	while ((l = deliver_next(e, n)) != NULL) {
		const struct tool_callback *c = listener_callback(l);
		MPI_T_event_registration handle = l->handle;
		struct tool_callback call;

		l->from = n + 1;
		if (c == NULL) {
			event_drop(l, e->type);
			continue;
		}
		call = *c;
		atomic_store_explicit(&events.current, e, memory_order_release);
		pthread_mutex_unlock(&events.lock);
		call.fn((MPI_T_event_instance)(uintptr_t)e, handle, MPI_T_CB_REQUIRE_NONE,
			call.user);
		pthread_mutex_lock(&events.lock);
		atomic_store_explicit(&events.current, NULL, memory_order_release);
	}
}

/* Ends one freed listener that has had its last event.  False: there is none. */
static bool deliver_end(void)
{
	struct tool_listener **at = &events.listeners, *l;

	while (*at != NULL && !((*at)->freed && (*at)->until <= events.tail))
		at = &(*at)->next;
	l = *at;
	if (l == NULL)
		return false;
	*at = l->next;
	pthread_mutex_unlock(&events.lock);
	if (l->on_free != NULL)
		l->on_free(l->handle, MPI_T_CB_REQUIRE_NONE, l->on_free_user);
	free(l);
	pthread_mutex_lock(&events.lock);
	return true;
}

/* Events of callbacks stay for the end of the next call, else this one might never end. */
void tool_events_deliver(void)
{
	uint64_t end;

	pthread_mutex_lock(&events.lock);
	if (events.delivering) {
		pthread_mutex_unlock(&events.lock);
		return;
	}
	events.delivering = true;
	haft_gate_clear(HAFT_GATE_EVENTS);
	for (end = events.head; events.tail < end;) {
		struct instance e = ring[events.tail % RING];

		while (deliver_dropped())
			;
		if (events.tail < end)
			deliver_event(&e, events.tail);
		events.tail += events.tail < end;
	}
	while (deliver_dropped() || deliver_end())
		;
	events.delivering = false;
	if (events.tail != events.head)
		haft_gate_set(HAFT_GATE_EVENTS);
	pthread_mutex_unlock(&events.lock);
}

/* --- the instance of the callback that runs ------------------------------------------------- */

static int instance_find(MPI_T_event_instance handle, const struct instance **e)
{
	*e = atomic_load_explicit(&events.current, memory_order_acquire);
	if (*e == NULL || (const void *)handle != (const void *)*e)
		return haft_err(MPI_T_ERR_INVALID_HANDLE,
			"%p is not the event of a callback that runs", (void *)handle);
	return 0;
}

static void instance_put(const struct instance *e, int element, void *to)
{
	enum tool_element form = tool_event_types[e->type].element[element].form;
	int small = (int)e->facts[element];

	if (tool_element_bytes(form) == sizeof(small))
		memcpy(to, &small, sizeof(small));
	else
		memcpy(to, &e->facts[element], sizeof(e->facts[element]));
}

int tool_event_read(MPI_T_event_instance event_instance, int element_index, void *buffer)
{
	const struct instance *e;
	int n, err = instance_find(event_instance, &e);

	if (err != 0)
		return err;
	n = tool_event_types[e->type].elements;
	if (element_index < 0 || element_index >= n)
		return tool_bad_index("element", element_index, n);
	if (buffer == NULL)
		return haft_err(MPI_T_ERR_INVALID, "buffer is NULL");
	instance_put(e, element_index, buffer);
	return 0;
}

int tool_event_copy(MPI_T_event_instance event_instance, void *buffer)
{
	const struct instance *e;
	int err = instance_find(event_instance, &e);

	if (err == 0 && buffer == NULL)
		err = haft_err(MPI_T_ERR_INVALID, "buffer is NULL");
	for (int i = 0; err == 0 && i < tool_event_types[e->type].elements; i++)
		instance_put(e, i, (char *)buffer + tool_element_at(&tool_event_types[e->type], i));
	return err;
}

int tool_event_get_timestamp(MPI_T_event_instance event_instance, int64_t *event_timestamp)
{
	const struct instance *e;
	int err = instance_find(event_instance, &e);

	if (err == 0)
		*event_timestamp = e->at_ns;
	return err;
}

int tool_event_get_source(MPI_T_event_instance event_instance, int *source_index)
{
	const struct instance *e;
	int err = instance_find(event_instance, &e);

	if (err == 0)
		*source_index = (int)tool_event_types[e->type].source;
	return err;
}
