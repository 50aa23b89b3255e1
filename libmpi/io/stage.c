// SPDX-License-Identifier: BSD-3-Clause
/* stage.c - blocks of a collective access: which aggregator has which, and a member's part in
 * one.
 *
 *      file     | block k | block k+1 | ...          k * block: blocks have fixed places
 *      stage    |..ab..cd..|                           byte p of the file is byte p - at of it
 *                 └ type_unpack of a range of the view, with the filetype, onto the stage
 *
 * A member finds its part of a block by the filetype's plan; no list is made. */
#include "libmpi/io/stage.h"
#include "libmpi/core/err.h"
#include "libmpi/io/collective.h"
#include "libmpi/io/hint.h"
#include "libmpi/io/hosts.h"
#include "libmpi/type/runs.h"
#include "libmpi/type/type.h"
#include "libmpi/via/shared_mem.h"
#include <stdlib.h>
#include <string.h>

#define STAGE_CB_BLOCK MEAN_OR(128, 1 << 20) /* bytes of a block in shared memory, at most */
#define STAGE_ALIGN    4096

int io_stage_rank(const struct io_collective *c, int a)
{
	if (c->local || io_hint(c->f, IO_CB_NODES) > 0)
		return (int)((int64_t)a * c->f->size / c->naggregators);
	return io_hosts_aggregator(c->f, c->naggregators, a);
}

struct io_cb_block io_stage_cb_block(const struct io_collective *c, int64_t round, int a)
{
	int64_t number = c->low / c->cb_block + round * c->naggregators + a;
	struct io_cb_block w = {number * c->cb_block, number * c->cb_block, 0};

	w.end = w.at + c->cb_block < c->high ? w.at + c->cb_block : c->high;
	w.first = w.at > c->low ? w.at : c->low;
	if (w.end < w.first)
		w.end = w.first;
	return w;
}

bool io_stage_used(const struct io_collective *c, const struct io_cb_block *w)
{
	for (int r = 0; r < c->f->size && w->first < w->end; r++)
		if (c->g->all[r].first < w->end && c->g->all[r].end > w->first)
			return true;
	return false;
}

/* Bytes of the view before byte `byte' of the file, within the access. */
static int64_t stage_position(const struct io_collective *c, int64_t byte)
{
	const struct io_job *j = c->j;
	int64_t at;

	if (byte <= c->mine.first)
		return j->at;
	if (byte >= c->mine.end)
		return j->at + j->bytes;
	at = type_offset_find(j->view->file_filetype, byte - j->view->disp);
	return at < j->at ? j->at : at > j->at + j->bytes ? j->at + j->bytes : at;
}

void io_stage_part(
	const struct io_collective *c, const struct io_cb_block *w, int64_t *at, int64_t *end)
{
	*at = *end = c->j->at;
	if (w->first >= w->end || c->mine.first >= w->end || c->mine.end <= w->first)
		return;
	*at = stage_position(c, w->first);
	*end = stage_position(c, w->end);
}

/* --- between memory and stage --------------------------------------------------------------- */

/* Moves view bytes [at, at + n) between packed memory and the stage. */
static void stage_scatter(
	const struct io_collective *c, char *element, int64_t at, char *packed, int64_t n)
{
	const struct type *tile = c->j->view->file_filetype;
	int64_t count = (at + n) / tile->size + 1;

	if (c->j->direction == IO_WRITE)
		type_unpack(tile, element, count, at, packed, n);
	else
		type_pack(tile, element, count, at, packed, n);
}

/* Moves memory bytes [from, from + n) of the packed form to or from `at'. */
static void stage_memory(const struct io_job *j, int64_t from, char *packed, int64_t n)
{
	if (j->direction == IO_WRITE)
		type_pack(j->type, j->buf, j->count, from, packed, n);
	else
		type_unpack(j->type, j->buf, j->count, from, packed, n);
}

void io_stage_move(const struct io_collective *c, const struct io_cb_block *w, char *data,
	int64_t at, int64_t end)
{
	const struct io_job *j = c->j;
	const struct type *tile = j->view->file_filetype;
	char *element = (char *)((uintptr_t)data + (uintptr_t)(j->view->disp - w->at));
	char *memory = type_contiguous_at(j->type, j->buf, j->count);
	int64_t first;

	if (at >= end)
		return;
	if (memory != NULL) {
		stage_scatter(c, element, at, memory + (at - j->at), end - at);
		return;
	}
	first = type_offset(tile, at);
	if (type_offset(tile, end - 1) - first == end - 1 - at) { /* one run of the file */
		stage_memory(j, at - j->at, element + first, end - at);
		return;
	}
	for (int64_t n; at < end; at += n) {
		n = end - at < IO_TMP ? end - at : IO_TMP;
		if (j->direction == IO_WRITE)
			stage_memory(j, at - j->at, c->g->tmp, n);
		stage_scatter(c, element, at, c->g->tmp, n);
		if (j->direction == IO_READ)
			stage_memory(j, at - j->at, c->g->tmp, n);
	}
}

int64_t io_stage_written(const struct io_collective *c)
{
	bool failed_any = c->round < c->rounds;
	int64_t lacks = c->unsent;

	if (c->mine.first >= c->mine.end)
		return 0;
	for (int r = 0; r < c->f->size; r++) {
		failed_any = failed_any || c->g->all[r].err != 0;
		if (c->g->all[r].runs > 0)
			io_stage_lacks(&lacks, c->g->all[r].runs - 1);
	}
	if (!failed_any)
		return c->j->bytes;
	for (int a = 0; a < c->naggregators && c->round < c->rounds; a++) {
		struct io_cb_block w = io_stage_cb_block(c, c->round, a);

		if (w.first < w.end)
			io_stage_lacks(&lacks, w.first);
	}
	return lacks == 0 ? c->j->bytes : stage_position(c, lacks - 1) - c->j->at;
}

/* --- memory --------------------------------------------------------------------------------- */

int64_t io_stage_room(const struct io_file *f)
{
	int64_t half = io_hint(f, IO_CB_BUFFER_SIZE) / 2, block = io_hint(f, IO_CB_BLOCK_SIZE);

	if (block > 0 && block < half)
		half = block;
	return half < IO_CB_BLOCK_MIN ? IO_CB_BLOCK_MIN : half;
}

void io_stage_size(struct io_collective *c)
{
	int64_t room = io_stage_room(c->f);

	if (c->g->cb_block == 0)
		c->g->cb_block = io_hosts_cb_block(
			c->f, c->naggregators, room < STAGE_CB_BLOCK ? room : STAGE_CB_BLOCK);
}

/* Without memory there is no stage, which the descriptor says. */
static void stage_new_shared(struct io_collective *c)
{
	struct io_aggregate *g = c->g;
	int64_t len = (int64_t)sizeof(*g->stage) + 2 * g->cb_block;
	void *p;

	if (via_mem_new(len, STAGE_ALIGN, &p) != 0)
		return;
	if (via_mem_off(p, len) == 0) { /* private */
		via_mem_free(p);
		return;
	}
	memset(p, 0, sizeof(*g->stage));
	g->stage = p;
}

static int stage_new_messages(struct io_collective *c)
{
	struct io_aggregate *g = c->g;
	int room = 3 * c->naggregators + 2 * c->f->size;

	if (room > g->room) {
		struct req *reqs = realloc(g->reqs, (size_t)room * sizeof(*reqs));

		if (reqs == NULL)
			return MPI_ERR_NO_MEM;
		g->reqs = reqs;
		g->room = room;
	}
	if (c->mine_aggregator >= 0 && g->local_room < 2 * io_stage_room(c->f)) {
		char *local = realloc(g->local, 2 * (size_t)io_stage_room(c->f));

		if (local == NULL)
			return MPI_ERR_NO_MEM;
		g->local = local;
		g->local_room = 2 * io_stage_room(c->f);
	}
	io_hosts_image_new(c);
	return c->remote != NULL ? 0 : io_stage_remote_new(c);
}

int io_stage_new(struct io_collective *c)
{
	struct io_aggregate *g = c->g;
	int err = 0;

	if (g->tmp == NULL)
		g->tmp = malloc(IO_TMP);
	if (g->tmp == NULL)
		err = MPI_ERR_NO_MEM;
	if (c->local && c->mine_aggregator >= 0 && g->stage == NULL)
		stage_new_shared(c);
	if (!c->local && err == 0)
		err = stage_new_messages(c);
	return err == 0 ? 0 : haft_err(err, "no memory for a collective access");
}
