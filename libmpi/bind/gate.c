// SPDX-License-Identifier: BSD-3-Clause
/* gate.c - the slow paths into a call of MPI and out of it.
 *
 *     gate 0            the binding goes straight on: nothing here is called
 *     gate THREADS      bind_gate takes the library lock, bind_leave releases it
 *     gate HELPER       the same, without an atomic instruction (core/library_lock.h)
 *     gate DIE          it counts the call (HAFT_DIE)
 *     gate PROFILE      bind_gate begins the call in the profile, bind_leave ends it (libmpi/prof)
 *     gate METER        tools have asked for the call, or for messages (prof/meter.c)
 *     gate EVENTS       bind_leave calls tools back, without the lock (tool/event_ring.c)
 *     gate TOOLS        the call goes to tools, unless it comes from them (libmpi/qmpi)
 *     gate SHUT         MPI is not running: the call is refused, with words
 *     gate SHUT CHILD   a forked child: likewise
 *
 * Calls that are allowed at any time (rows with ANYTIME, MPI_T) take the lock at every level of
 * thread support, because they are thread-safe at every level (MPI-5.0 11.6.2). */
#include "libmpi/bind/binding.h"
#include "libmpi/core/current_call.h"

#include "libmpi/core/group_object.h"
#include "libmpi/core/topo.h"
#include "libmpi/core/traffic.h"
#include "libmpi/core/win_object.h"
#include "libmpi/ft/ft.h"
#include "libmpi/prof/prof.h"
#include "libmpi/qmpi/qmpi.h"
#include "libmpi/tool/tool.h"
#include <names.h>
#include <stdio.h>
#include <stdlib.h>

/* --- into the call -------------------------------------------------------------------------- */

int bind_not_running(int fn)
{
	const char *words = "called before MPI_Init";

	if (haft_gate_has(HAFT_GATE_CHILD))
		words = "called in a forked child of an MPI process: it has no place in the job, "
			"and must not call MPI before it executes another program";
	else if (haft_life.state != HAFT_BEFORE)
		words = "called after MPI_Finalize";
	return bind_raise(haft_err(MPI_ERR_OTHER, "%s", words), NULL, fn);
}

static inline bool gate_profiles(void)
{
	return haft_gate_has(HAFT_GATE_PROFILE);
}

static inline bool gate_meters(void)
{
	return bind_rare(haft_gate_has(HAFT_GATE_METER));
}

/* The time that the lock takes is the call's. */
static inline int gate_open(int fn, uintptr_t ret, uintptr_t cfa)
{
	uint64_t now;

	haft_gated_call = bind_fn_names[fn];
	now = gate_profiles() ? shm_ticks() : 0;
	if (haft_threads_enabled())
		haft_lock();
	else if (haft_gate_has(HAFT_GATE_HELPER))
		haft_lock_program();
	if (bind_rare(haft_gate_has(HAFT_GATE_DIE)))
		ft_die_count(haft_gated_call);
	if (now != 0)
		prof_enter((uint32_t)fn, now, ret, cfa);
	if (gate_meters())
		prof_meter_enter((uint32_t)fn);
	return 0;
}

/* Is it for a tool?  If it comes from tools, ret and cfa become those of the program's call. */
static inline bool gate_chains(int fn, uintptr_t *ret, uintptr_t *cfa)
{
	return bind_rare(haft_gate_has(HAFT_GATE_TOOLS)) && qmpi_enters(fn, ret, cfa);
}

static BIND_COLD int gate_unusual(int fn, uintptr_t ret, uintptr_t cfa)
{
	if (gate_chains(fn, &ret, &cfa))
		return BIND_CHAIN;
	if (haft_gate_has(HAFT_GATE_SHUT))
		return bind_not_running(fn);
	return gate_open(fn, ret, cfa);
}

static __attribute__((noinline)) int gate_other(int fn, uintptr_t ret, uintptr_t cfa)
{
	if (bind_rare(haft_gate_has(HAFT_GATE_SHUT | HAFT_GATE_TOOLS)))
		return gate_unusual(fn, ret, cfa);
	return gate_open(fn, ret, cfa);
}

/* Is there a helper, and no other reason?  Then the call has the lock. */
static inline bool gate_open_helper(int fn)
{
	if (bind_rare(haft_gate_now() != HAFT_GATE_HELPER))
		return false;
	haft_gated_call = bind_fn_names[fn];
	haft_lock_program();
	return true;
}

int bind_gate(int fn, uintptr_t ret, uintptr_t cfa)
{
	return gate_open_helper(fn) ? 0 : gate_other(fn, ret, cfa);
}

bool bind_chain(int fn, uintptr_t ret, uintptr_t cfa)
{
	return gate_chains(fn, &ret, &cfa);
}

/* The peer of a message as a number of the universe; -1: none. */
static int message_peer(enum bind_moves moves, const void *object, int rank)
{
	const struct comm *c = moves == BIND_REACHES ? ((const struct win *)object)->comm : object;
	const struct group *g = comm_peers(c);

	return rank >= 0 && rank < g->size ? group_peer(g, rank) : -1;
}

/* With a wrong handle nothing moves: the binding refuses the call. */
static void message_tell(enum bind_moves moves, int rank, int tag, int64_t count,
	MPI_Datatype datatype, void *object)
{
	static const enum prof_class class[] = {PROF_P2P, PROF_CLASSES, PROF_COLL, PROF_RMA};
	const struct type *t = obj_get_token(&haft_type_class, (obj_h)datatype);
	const void *o = obj_get_token(
		moves == BIND_REACHES ? &haft_win_class : &haft_comm_class, (obj_h)object);
	int64_t bytes = t != NULL && count > 0 ? t->size * count : 0;
	int peer = -1;

	if (rank == MPI_PROC_NULL || (o == NULL && moves != BIND_RECEIVES))
		return;
	if (gate_meters() && moves == BIND_SENDS && t != NULL && count >= 0)
		haft_traffic_sent(o, rank, (uint64_t)(t->size * count));
	if (!gate_profiles())
		return;
	if (moves == BIND_SENDS || moves == BIND_REACHES)
		peer = message_peer(moves, o, rank);
	prof_message(class[moves], bytes, peer);
	if (moves == BIND_SENDS && prof_traces() && peer >= 0 && t != NULL && tag >= 0)
		prof_trace_sent(peer, tag, ((const struct comm *)o)->ctx, (uint64_t)bytes);
}

static int blocks_number(enum bind_blocks whose, const struct comm *c)
{
	if (whose == BIND_OF_NEIGHBORS)
		return c->topo != NULL ? c->topo->neighbors.nout : 0;
	return whose == BIND_OF_PEERS ? comm_peers(c)->size : c->size;
}

void bind_blocks_tell(enum bind_blocks whose, struct haft_counts counts, const struct type *type,
	const struct comm *c)
{
	int n = counts.v != NULL && type != NULL ? blocks_number(whose, c) : 0;
	int64_t sum = 0;

	for (int i = 0; i < n; i++)
		sum += haft_count_at(counts, i) * type->size;
	prof_message(PROF_COLL, sum, -1);
}

void bind_blocks_each(enum bind_blocks whose, struct haft_counts counts, const MPI_Datatype *types,
	const struct comm *c)
{
	int n = counts.v != NULL && types != NULL ? blocks_number(whose, c) : 0;
	int64_t sum = 0;

	for (int i = 0; i < n; i++) {
		const struct type *t = obj_get_token(&haft_type_class, (obj_h)types[i]);

		sum += t != NULL ? haft_count_at(counts, i) * t->size : 0;
	}
	prof_message(PROF_COLL, sum, -1);
}

static __attribute__((noinline)) int gate_message(uint32_t moves, int peer, int tag, int64_t count,
	MPI_Datatype datatype, void *object, uintptr_t ret, uintptr_t cfa)
{
	int err = gate_other((int)(moves & ((1u << BIND_MOVES) - 1)), ret, cfa);

	if (err == 0 && (gate_profiles() || gate_meters()))
		message_tell(moves >> BIND_MOVES, peer, tag, count, datatype, object);
	return err;
}

int bind_gate_message(uint32_t moves, int peer, int tag, int64_t count, MPI_Datatype datatype,
	void *object, uintptr_t ret, uintptr_t cfa)
{
	if (gate_open_helper((int)(moves & ((1u << BIND_MOVES) - 1))))
		return 0;
	return gate_message(moves, peer, tag, count, datatype, object, ret, cfa);
}

/* A persistent request is started. */
static void start_tell(const struct req *r)
{
	if (gate_profiles())
		prof_start(r);
	if (gate_meters() && (r->kind == REQ_SEND || r->kind == REQ_PSEND) && r->peer >= 0)
		haft_traffic_sent(
			r->comm, group_rank_of(comm_peers(r->comm), r->peer), (uint64_t)r->bytes);
}

int bind_gate_starts(int fn, int n, const MPI_Request *requests, uintptr_t ret, uintptr_t cfa)
{
	int err = bind_gate(fn, ret, cfa);

	if (err != 0 || requests == NULL || !(gate_profiles() || gate_meters()))
		return err;
	for (int i = 0; i < n; i++) {
		const struct req *r = obj_get_token(&haft_req_class, (obj_h)requests[i]);

		if (r != NULL && r->persist)
			start_tell(r);
	}
	return 0;
}

int bind_gate_read(int fn, uintptr_t ret, uintptr_t cfa)
{
	if (gate_chains(fn, &ret, &cfa))
		return BIND_CHAIN;
	if (haft_gate_has(HAFT_GATE_SHUT))
		return bind_not_running(fn);
	if (gate_profiles())
		prof_count((uint32_t)fn);
	return 0;
}

int bind_gate_read_any(int fn, uintptr_t ret, uintptr_t cfa)
{
	if (gate_chains(fn, &ret, &cfa))
		return BIND_CHAIN;
	return haft_life.state == HAFT_BEFORE && haft_objects_open() != 0 ? MPI_ERR_NO_MEM : 0;
}

HAFT_START int bind_gate_any(int fn, uintptr_t ret, uintptr_t cfa)
{
	uint64_t now = gate_profiles() ? shm_ticks() : 0;

	if (gate_chains(fn, &ret, &cfa))
		return BIND_CHAIN;
	if (bind_rare(haft_life.state == HAFT_BEFORE) && haft_objects_open() != 0)
		return MPI_ERR_NO_MEM;
	haft_lock();
	if (now != 0)
		prof_enter((uint32_t)fn, now, ret, cfa);
	if (gate_meters())
		prof_meter_enter((uint32_t)fn);
	return 0;
}

static int gate_tool_check(void)
{
	if (haft_gate_has(HAFT_GATE_CHILD))
		return haft_err(MPI_T_ERR_INVALID, "called in a forked child of an MPI process");
	if (!tool_up())
		return haft_err(MPI_T_ERR_NOT_INITIALIZED,
			"MPI_T_init_thread has not been called, or MPI_T_finalize as often");
	return 0;
}

int bind_gate_tool(int fn, uintptr_t ret, uintptr_t cfa)
{
	int err = bind_gate_any(fn, ret, cfa);

	if (err != 0)
		return err == BIND_CHAIN ? BIND_CHAIN : MPI_T_ERR_MEMORY;
	err = gate_tool_check();
	return err == 0 ? 0 : bind_fail_tool(err);
}

int bind_gate_tool_read(int fn, uintptr_t ret, uintptr_t cfa)
{
	if (gate_chains(fn, &ret, &cfa))
		return BIND_CHAIN;
	if (gate_profiles())
		prof_count_anywhere((uint32_t)fn);
	return gate_tool_check();
}

/* --- out of it ------------------------------------------------------------------------------ */

/* MPI_Finalize shuts the gate, so the gate does not say whether this call took the lock. */
HAFT_START static __attribute__((noinline)) void leave_other(void)
{
	if (prof_state.table != NULL)
		prof_leave();
	if (gate_meters())
		prof_meter_leave();
	if (haft_locked)
		haft_unlock();
	if (bind_rare(haft_gate_has(HAFT_GATE_EVENTS)))
		tool_events_deliver();
}

void bind_leave(void)
{
	if (haft_gate_now() != HAFT_GATE_HELPER || prof_state.table != NULL ||
		!haft_leave_program())
		leave_other();
}

int bind_fail(int err, void *self, int fn)
{
	haft_fort_site = 0;
	if (haft_life_hooks.refuse != NULL)
		err = haft_life_hooks.refuse(err, self, fn);
	err = bind_raise(err, self, fn);
	bind_leave();
	return err;
}

int bind_fail_tool_read(int err)
{
	char words[HAFT_ERR_TEXT_MAX];

	if (err >= MPI_T_ERR_CANNOT_INIT)
		return err;
	snprintf(words, sizeof(words), "%s", haft_err_text(err));
	return haft_err(err == MPI_ERR_NO_MEM ? MPI_T_ERR_MEMORY : MPI_T_ERR_INVALID, "%s", words);
}

int bind_fail_tool(int err)
{
	haft_fort_site = 0;
	err = bind_fail_tool_read(err);
	bind_leave();
	return err;
}

/* --- functions without an engine ------------------------------------------------------------ */

int bind_no_engine(const struct obj_class *class, void *handle, int fn)
{
	void *self =
		class != NULL && haft_life.state != HAFT_BEFORE ? obj_get(class, handle) : NULL;

	return bind_raise(haft_err(MPI_ERR_UNSUPPORTED_OPERATION,
				  "this version of Haft does not have %s yet", bind_fn_names[fn]),
		self, fn);
}

int bind_no_engine_tool(int fn)
{
	return haft_err(MPI_ERR_UNSUPPORTED_OPERATION, "this version of Haft does not have %s yet",
		bind_fn_names[fn]);
}

/* --- scratch -------------------------------------------------------------------------------- */

void *bind_scratch_heap(int64_t n)
{
	return reallocarray(NULL, (size_t)n, sizeof(void *));
}

void bind_scratch_free(void *room)
{
	free(room);
}
