// SPDX-License-Identifier: BSD-3-Clause
/* event.h - events that engines raise for tools (MPI-5.0 15.3.8), where a branch costs nothing.
 *
 *     engine ── haft_event(EVENT_..., object, facts) ── a tool listens? ──> haft_event_hook
 *     libmpi/tool: event_type.c has their names and facts, event_ring.c calls the tool back at the
 *     end of the call
 *
 * The order is that of their indices in the tools interface: a new one comes last. */
#ifndef HAFT_CORE_EVENT_H
#define HAFT_CORE_EVENT_H

#include "libobj/base.h"
#include "libobj/obj.h"
#include <stdatomic.h>
#include <stdint.h>

enum haft_event {
	EVENT_COMM_CREATED,
	EVENT_COMM_FREED,
	EVENT_COMM_NAMED,
	EVENT_WIN_CREATED,
	EVENT_WIN_FREED,
	EVENT_FILE_OPENED,
	EVENT_FILE_CLOSED,
	EVENT_ERROR_RAISED,
	EVENT_PEER_LOST,
	EVENT_MESSAGE_KEPT,
	EVENT_RENDEZVOUS_BEGUN,
	EVENT_SENDER_HELD,
	EVENT_WAIT_BEGUN,
	EVENT_WAIT_ENDED,
	HAFT_EVENTS
};

#define HAFT_EVENT_FACTS 4

/* A bit for each event that a tool listens to.  Relaxed: a tool that begins to listen has no order
 * to an event of another thread; the hook takes a lock. */
extern _Atomic uint32_t haft_events_wanted;

/* Set by libmpi/tool while a bit is.  Keeps the event; does not call the program, or fail. */
extern void (*haft_event_hook)(
	enum haft_event e, obj_h object, const int64_t facts[HAFT_EVENT_FACTS]);

static inline bool haft_event_wanted(enum haft_event e)
{
	return unlikely((atomic_load_explicit(&haft_events_wanted, memory_order_relaxed) &
				(UINT32_C(1) << e)) != 0);
}

/* The handle of an object as a fact. */
static inline int64_t haft_event_handle(const void *object)
{
	return (int64_t)(intptr_t)obj_handle(object);
}

/* object: the handle of the object to which the event belongs, or NULL. */
static inline void haft_event(
	enum haft_event e, obj_h object, int64_t a, int64_t b, int64_t c, int64_t d)
{
	if (haft_event_wanted(e))
		haft_event_hook(e, object, (const int64_t[HAFT_EVENT_FACTS]){a, b, c, d});
}

#endif
