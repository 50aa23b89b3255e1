// SPDX-License-Identifier: BSD-3-Clause
/* hosts_image.c - images of blocks that the members of a host share: see hosts.h.
 *
 *      a carrier's memory   | marks | bytes of block a | marks | bytes of block a' | ...
 *
 * A mark is a bit for each byte.  Members mark at the same time; a carrier looks at the marks and
 * clears them when all have told that they are done. */
#include "libmpi/io/hosts.h"

#include "libmpi/type/runs.h"
#include "libmpi/via/shared_mem.h"
#include <string.h>

#define IMAGE_RUNS  256
#define IMAGE_ALIGN 4096

static int64_t image_len(const struct io_collective *c)
{
	return c->image_room + c->image_room / 8;
}

/* How many images this member carries. */
static int image_count(const struct io_collective *c)
{
	const struct io_hosts *t = c->f->hosts;
	int members = io_hosts_members(t, t->mine), k = 0;

	while (t->member[t->first[t->mine] + k] != c->f->rank)
		k++;
	return k < c->naggregators ? (c->naggregators - k + members - 1) / members : 0;
}

void io_hosts_image_new(struct io_collective *c)
{
	struct io_aggregate *g = c->g;
	const struct io_hosts *t = c->f->hosts;
	int64_t len = image_len(c) * image_count(c);
	void *p;

	if (c->image_room == 0 || len == 0 || io_hosts_members(t, t->mine) < 2 ||
		(g->images != NULL && g->images_len == len && g->images_room == c->image_room))
		return;
	if (g->images != NULL)
		via_mem_free(g->images);
	g->images = NULL;
	if (via_mem_new(len, IMAGE_ALIGN, &p) != 0)
		return;
	if (via_mem_off(p, len) == 0) { /* private */
		via_mem_free(p);
		return;
	}
	for (int64_t i = 0; i < image_count(c); i++)
		memset((char *)p + i * image_len(c), 0, (size_t)(c->image_room / 8));
	g->images = p;
	g->images_len = len;
	g->images_room = c->image_room;
}

void io_hosts_describe(struct io_collective *c)
{
	if (c->remote != NULL && c->g->images != NULL && c->g->images_room == c->image_room)
		c->mine.stage = via_mem_off(c->g->images, c->g->images_len);
}

static char *image_of(const struct io_collective *c, int a)
{
	const struct io_hosts *t = c->f->hosts;
	int carrier = io_hosts_carrier(c, t->mine, a);
	int i = io_hosts_ordinal(c, t->mine, a) / io_hosts_members(t, t->mine);

	return (char *)via_mem_at(c->g->all[carrier].stage) + i * image_len(c);
}

char *io_hosts_image(const struct io_collective *c, int a)
{
	return image_of(c, a) + c->image_room / 8;
}

/* --- marks ---------------------------------------------------------------------------------- */

static _Atomic uint64_t *image_marks(const struct io_collective *c, int a)
{
	return (_Atomic uint64_t *)(void *)image_of(c, a);
}

/* Marks bytes [at, end).  Relaxed: a message to the carrier follows. */
static void image_mark(_Atomic uint64_t *marks, int64_t at, int64_t end)
{
	for (int64_t next; at < end; at = next) {
		uint64_t bits = ~(uint64_t)0 << (at & 63);

		next = (at | 63) + 1;
		if (next > end)
			bits &= ~(uint64_t)0 >> (next - end);
		if (bits == ~(uint64_t)0)
			atomic_store_explicit(&marks[at >> 6], bits, memory_order_relaxed);
		else
			atomic_fetch_or_explicit(&marks[at >> 6], bits, memory_order_relaxed);
	}
}

/* The first byte from `at' on that is marked, or is not; `end' if there is none. */
static int64_t image_next(_Atomic uint64_t *marks, int64_t at, int64_t end, bool marked)
{
	while (at < end) {
		uint64_t bits = atomic_load_explicit(&marks[at >> 6], memory_order_relaxed);

		bits = (marked ? bits : ~bits) & ~(uint64_t)0 << (at & 63);
		if (bits != 0) {
			at = (at & ~(int64_t)63) + __builtin_ctzll(bits);
			return at < end ? at : end;
		}
		at = (at | 63) + 1;
	}
	return end;
}

bool io_hosts_runs(
	struct io_collective *c, int a, bool (*fn)(void *arg, int64_t off, int64_t len), void *arg)
{
	struct io_cb_block w = io_stage_cb_block(c, c->round, a);
	_Atomic uint64_t *marks = image_marks(c, a);
	int64_t at = w.first - w.at, end = w.end - w.at, low = at >> 6, high = (end + 63) >> 6;
	bool goes_on = true;

	while (goes_on && (at = image_next(marks, at, end, true)) < end) {
		int64_t last = image_next(marks, at, end, false);

		goes_on = fn(arg, at, last - at);
		at = last;
	}
	for (int64_t i = low; i < high; i++)
		atomic_store_explicit(&marks[i], 0, memory_order_relaxed);
	return goes_on;
}

/* --- members -------------------------------------------------------------------------------- */

void io_hosts_pack(struct io_collective *c, int a, int64_t *at, int64_t *end)
{
	struct io_cb_block w = io_stage_cb_block(c, c->round, a);
	const struct io_view *v = c->j->view;
	_Atomic uint64_t *marks = image_marks(c, a);
	struct type_run run[IMAGE_RUNS];
	int64_t shift = v->disp - w.at, covered;

	io_stage_part(c, &w, at, end);
	if (c->j->direction == IO_WRITE)
		io_stage_move(c, &w, io_hosts_image(c, a), *at, *end);
	for (int64_t from = *at; from < *end; from += covered) {
		int n = type_runs(v->file_filetype, from, *end - from, run, IMAGE_RUNS, &covered);

		for (int i = 0; i < n; i++)
			image_mark(marks, shift + run[i].off, shift + run[i].off + run[i].len);
	}
}

void io_hosts_take(struct io_collective *c, int a, int64_t at, int64_t end)
{
	struct io_cb_block w = io_stage_cb_block(c, c->round, a);

	io_stage_move(c, &w, io_hosts_image(c, a), at, end);
}
