// SPDX-License-Identifier: BSD-3-Clause
/* stage_local.c - rounds of a collective access whose members share memory.
 *
 *                   round 0        | round 1              | round 2
 *      write  all:  pack half 0    |S pack half 1         |S pack half 0      S: exchange
 *             agg.:                |  write half 0  (read)|  write half 1     odd ones pack first
 *      read   agg.: read half 0    |S read half 1         |S read half 0
 *             all:                 |  unpack half 0       |  unpack half 1
 *
 * One exchange a round: when it is over, all have packed (or read) its half, and aggregators are
 * done with the other.  An aggregator packs and writes in turn; half of them in the other order, so
 * the kernel's copy of one goes on while others pack.
 *
 * Errors: an aggregator says in its stage in which round it failed, before the next exchange.  All
 * members look there after the exchange at what happened before it, so they stop in one round.
 * model/stage.pml is the model. */
#include "libmpi/core/err.h"
#include "libmpi/core/library_lock.h"
#include "libmpi/io/collective.h"
#include "libmpi/io/sieve_lock.h"
#include "libmpi/io/path.h"
#include "libmpi/io/stage.h"
#include "libmpi/via/shared_mem.h"
#include <string.h>

enum local_part { LOCAL_BEGIN, LOCAL_READY, LOCAL_ROUND, LOCAL_OVER };

static struct io_stage *local_stage(const struct io_collective *c, int a)
{
	return via_mem_at(c->g->all[io_stage_rank(c, a)].stage);
}

static char *local_data(const struct io_collective *c, struct io_stage *s, int64_t round)
{
	return s->data + (round & 1) * c->cb_block;
}

/* All members have come here when its exchange is over. */
static void local_exchange(struct io_collective *c)
{
	io_exchange_begin(c, true);
}

static void local_failed(struct io_collective *c, int64_t round, int err)
{
	io_job_fail(c->j, err);
	if (c->failed == 0)
		c->failed = (int)round + 1;
	atomic_store_explicit(&c->g->stage->failed, c->failed, memory_order_relaxed);
}

/* Has an aggregator failed in round `last' or before? */
static bool local_stopped(const struct io_collective *c, int64_t last)
{
	for (int a = 0; a < c->naggregators; a++) {
		int failed = atomic_load_explicit(&local_stage(c, a)->failed, memory_order_relaxed);

		if (failed != 0 && failed - 1 <= last)
			return true;
	}
	return false;
}

/* --- the aggregator's half ------------------------------------------------------------------ */

/* Reads a block into its half; bytes behind the end of the file are 0. */
static void local_load(struct io_collective *c, int64_t round)
{
	struct io_stage *s = c->g->stage;
	struct io_cb_block w;
	int64_t got = 0;
	char *data;
	int err = 0;

	if (c->mine_aggregator < 0 || round >= c->rounds)
		return;
	w = io_stage_cb_block(c, round, c->mine_aggregator);
	data = local_data(c, s, round) + (w.first - w.at);
	if (io_stage_used(c, &w)) {
		err = io_disk_read(c->f, data, w.end - w.first, w.first, &got);
		if (c->j->direction == IO_WRITE)
			memset(data + got, 0, (size_t)(w.end - w.first - got));
	}
	if (err != 0) {
		io_stage_lacks(&c->unwritten, w.first);
		local_failed(c, round, err);
	}
	atomic_store_explicit(
		&s->half[round & 1].valid, w.first - w.at + got, memory_order_relaxed);
}

/* Writes a block, if a member has packed something into it. */
static void local_store(struct io_collective *c, int64_t round)
{
	struct io_stage *s = c->g->stage;
	struct io_cb_block w;
	int64_t put = 0;
	int err;

	if (c->mine_aggregator < 0 || (c->failed != 0 && c->failed - 1 <= round))
		return;
	if (atomic_exchange_explicit(&s->half[round & 1].filled, 0, memory_order_relaxed) == 0)
		return;
	w = io_stage_cb_block(c, round, c->mine_aggregator);
	c->f->dirty = true;
	err = io_write_beside(
		c->f, local_data(c, s, round) + (w.first - w.at), w.end - w.first, w.first, &put);
	if (err == 0)
		return;
	io_stage_lacks(&c->unwritten, w.first + put);
	local_failed(c, round, err);
}

/* --- a member's half ------------------------------------------------------------------------ */

static void local_pack(struct io_collective *c, int64_t round)
{
	for (int i = 0; i < c->naggregators; i++) {
		int a = (i + c->f->rank) % c->naggregators;
		struct io_stage *s = local_stage(c, a);
		struct io_cb_block w = io_stage_cb_block(c, round, a);
		int64_t at, end;

		io_stage_part(c, &w, &at, &end);
		if (at >= end)
			continue;
		io_stage_move(c, &w, local_data(c, s, round), at, end);
		atomic_fetch_add_explicit(
			&s->half[round & 1].filled, end - at, memory_order_relaxed);
	}
}

/* Takes the bytes that the file has, from the first on. */
static void local_unpack(struct io_collective *c, int64_t round)
{
	for (int a = 0; a < c->naggregators && !c->over; a++) {
		struct io_stage *s = local_stage(c, a);
		struct io_cb_block w = io_stage_cb_block(c, round, a), got = w;
		int64_t at, end, have;

		io_stage_part(c, &w, &at, &end);
		if (at >= end)
			continue;
		got.end = w.at +
			  atomic_load_explicit(&s->half[round & 1].valid, memory_order_relaxed);
		io_stage_part(c, &got, &at, &have);
		io_stage_move(c, &w, local_data(c, s, round), at, have);
		c->j->moved += have > at ? have - at : 0;
		c->over = have < end;
	}
}

/* --- the rounds ----------------------------------------------------------------------------- */

/* Other opens must not write into the holes of a block until it is written back (sieve_lock.h).
 * All members are within this call. */
static void local_enter(struct io_collective *c)
{
	bool had;

	if (!c->holes || c->mine_aggregator < 0)
		return;
	had = haft_user_begin();
	c->sieving = io_sieve_lock_take(c->f);
	haft_user_end(had);
	atomic_store_explicit(&c->g->stage->others_open, !c->sieving, memory_order_relaxed);
}

static void local_leave(struct io_collective *c)
{
	if (c->sieving)
		io_sieve_lock_drop(c->f);
	c->sieving = false;
	c->part = LOCAL_OVER;
}

/* Has an aggregator seen another open?  Equal on all members. */
static bool local_others_open(const struct io_collective *c)
{
	bool others_open = false;

	for (int a = 0; a < c->naggregators; a++)
		others_open = others_open || atomic_load_explicit(&local_stage(c, a)->others_open,
						     memory_order_relaxed);
	return others_open;
}

static void local_begin(struct io_collective *c)
{
	bool loads = c->holes || c->j->direction == IO_READ;

	local_enter(c);
	c->part = loads ? LOCAL_READY : LOCAL_ROUND;
	if (loads)
		local_load(c, 0);
	if (c->holes)
		local_load(c, 1);
	if (c->j->direction == IO_WRITE && !loads)
		local_pack(c, 0);
	local_exchange(c);
}

/* All have packed round c->round.  Writes of one file wait for each other in most file systems: so
 * every other aggregator packs the next round first, and writes while the others pack. */
static void local_write_round(struct io_collective *c)
{
	bool last = c->round + 1 == c->rounds, packs_first = (c->mine_aggregator & 1) != 0;

	if (local_stopped(c, c->round - 1)) {
		local_leave(c);
		return;
	}
	if (packs_first && !last)
		local_pack(c, c->round + 1);
	local_store(c, c->round);
	if (c->holes)
		local_load(c, c->round + 2);
	c->round++;
	if (last) {
		local_leave(c);
		return;
	}
	if (!packs_first)
		local_pack(c, c->round);
	local_exchange(c);
}

/* All aggregators have read round c->round. */
static void local_read_round(struct io_collective *c)
{
	bool stopped = local_stopped(c, c->round);

	if (!stopped)
		local_load(c, c->round + 1);
	local_unpack(c, c->round);
	if (++c->round == c->rounds || stopped) {
		c->part = LOCAL_OVER;
		return;
	}
	local_exchange(c);
}

bool io_stage_local_step(struct io_collective *c)
{
	for (;;) {
		switch ((enum local_part)c->part) {
		case LOCAL_BEGIN: local_begin(c); break;
		case LOCAL_READY: /* holes: both halves have been read before the first is filled */
			if (!io_exchange_step(c))
				return false;
			c->part = LOCAL_ROUND;
			c->others_open = c->holes && local_others_open(c);
			if (c->others_open) {
				local_leave(c);
			} else if (c->j->direction == IO_WRITE) {
				local_pack(c, 0);
				local_exchange(c);
			}
			break;
		case LOCAL_ROUND:
			if (!io_exchange_step(c))
				return false;
			if (c->j->direction == IO_WRITE)
				local_write_round(c);
			else
				local_read_round(c);
			break;
		case LOCAL_OVER: return true;
		}
	}
}
