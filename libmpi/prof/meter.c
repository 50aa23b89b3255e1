// SPDX-License-Identifier: BSD-3-Clause
/* meter.c - what tools ask for by performance variables: the call that a thread is in, the time
 * that calls wait, and, with bind/gate.c, messages of communicators.
 *
 *     handles of libmpi/tool ── prof_meter_use ──┬── messages, calls: the gate has HAFT_GATE_METER
 *                                                └── waits: libshm's observer is meter_watch
 *
 * libshm has one observer.  While the profile is on, meter_watch calls the profile's. */
#include "libmpi/prof/prof.h"

#include "libmpi/core/clock.h"
#include "libmpi/core/event.h"
#include "libmpi/core/process_state.h"
#include "libmpi/via/via.h"

static int meter_users[PROF_METERS];
static _Atomic uint64_t waited_ns; /* written under the library's lock, if there are threads */
static _Atomic uint32_t meter_generation; /* calls that were entered in an older one are unknown */

static __thread struct {
	uint32_t depth, generation;
	uint32_t fn;    /* of the outermost call */
	uint64_t since; /* ns, when the wait under way was last looked at; 0: none */
	uint64_t begun; /* likewise, when it began */
} meter_call;

void prof_meter_enter(uint32_t fn)
{
	if (meter_call.generation != meter_generation) {
		meter_call.generation = meter_generation;
		meter_call.depth = 0;
	}
	if (meter_call.depth++ == 0)
		meter_call.fn = fn;
}

void prof_meter_leave(void)
{
	if (meter_call.generation == meter_generation && meter_call.depth > 0)
		meter_call.depth--;
}

uint32_t prof_meter_call(void)
{
	if (meter_call.generation != meter_generation || meter_call.depth == 0)
		return 0;
	return meter_call.fn;
}

uint64_t prof_meter_waited(void)
{
	return atomic_load_explicit(&waited_ns, memory_order_relaxed);
}

/* --- waits ---------------------------------------------------------------------------------- */

static bool meter_profiles(void)
{
	return haft_gate_has(HAFT_GATE_PROFILE);
}

static void meter_begin(struct shm_wait *w)
{
	meter_call.since = clock_now_ns();
	if (meter_call.begun == 0) {
		meter_call.begun = meter_call.since;
		haft_event(EVENT_WAIT_BEGUN, NULL, 0, 0, 0, 0);
	}
	if (meter_profiles())
		prof_watch.begin(w);
}

static void meter_idled(struct shm_wait *w)
{
	uint64_t now = clock_now_ns();

	if (meter_call.since != 0)
		atomic_fetch_add_explicit(&waited_ns, now - meter_call.since, memory_order_relaxed);
	meter_call.since = now;
	if (meter_profiles())
		prof_watch.idled(w);
}

static void meter_end(struct shm_wait *w)
{
	if (meter_call.begun != 0)
		haft_event(EVENT_WAIT_ENDED, NULL, (int64_t)(clock_now_ns() - meter_call.begun), 0,
			0, 0);
	meter_call.since = meter_call.begun = 0;
	if (meter_profiles())
		prof_watch.end(w);
}

static const struct shm_wait_observer meter_watch = {meter_begin, meter_idled, meter_end};

HAFT_START void prof_observe(void)
{
	const struct shm_wait_observer *o = meter_profiles() ? &prof_watch : NULL;

	if (via.shm != NULL)
		shm_wait_observe(via.shm, meter_users[PROF_WAITS] > 0 ? &meter_watch : o);
}

/* --- users ---------------------------------------------------------------------------------- */

void prof_meter_use(enum prof_meter what, int change)
{
	bool before = meter_users[PROF_MESSAGES] + meter_users[PROF_CALLS] > 0, after;

	meter_users[what] += change;
	after = meter_users[PROF_MESSAGES] + meter_users[PROF_CALLS] > 0;
	prof_observe();
	if (before == after)
		return;
	atomic_fetch_add_explicit(&meter_generation, 1, memory_order_relaxed);
	if (after)
		haft_gate_set(HAFT_GATE_METER);
	else
		haft_gate_clear(HAFT_GATE_METER);
}
