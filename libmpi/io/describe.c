// SPDX-License-Identifier: BSD-3-Clause
/* describe.c - a member's description of its access, and the choice that all make from these.
 *
 *      pieces of the file          estimated by the first runs of the view
 *      direct?                     pieces * time of a system call  <=  bytes * time of a copy
 *      holes?                      the runs of all members against [low, high): cover.h
 *      rounds?                     time of rounds of blocks against that of the most pieces */
#include "libmpi/core/err.h"
#include "libmpi/core/process_state.h"
#include "libmpi/io/collective.h"
#include "libmpi/io/hint.h"
#include "libmpi/io/hosts.h"
#include "libmpi/io/path.h"
#include "libmpi/io/stage.h"
#include "libmpi/io/view.h"
#include "libmpi/type/runs.h"
#include "libmpi/via/shared_mem.h"
#include <limits.h>

/* Times of a machine with the file in its page cache; see PERF.md. */
#define CALL_NS        600  /* a system call that moves a short piece */
#define COPY_NS_KIB    130  /* a copy of 1 KiB that a stage costs besides */
#define EXCHANGE_NS    4000 /* an exchange of a few members */
#define MESSAGE_NS_KIB 900  /* 1 KiB by messages */

#define CB_BLOCKS_EACH 4                      /* of an aggregator, if the access is long enough */
#define CB_BLOCK_LEAST MEAN_OR(64, 256 << 10) /* a shorter one costs more in messages */

#define SAMPLE 64
#define RUNS   256

/* --- pieces --------------------------------------------------------------------------------- */

/* About how many runs of the file the view bytes of a job are. */
static int64_t describe_run_count(const struct io_job *j)
{
	struct type_run run[SAMPLE];
	int64_t covered;
	int n;

	if (j->bytes == 0)
		return 0;
	n = type_runs(j->view->file_filetype, j->at, j->bytes, run, SAMPLE, &covered);
	if (covered == j->bytes)
		return n;
	return (int64_t)((double)j->bytes / (double)covered * n) + 1;
}

static enum io_tristate describe_wish(const struct io_file *f, enum io_direction direction)
{
	return (enum io_tristate)io_hint(f, direction == IO_WRITE ? IO_CB_WRITE : IO_CB_READ);
}

bool io_describe_is_direct(const struct io_collective *c, uint8_t *why)
{
	const struct io_job *j = c->j;
	enum io_tristate wish = describe_wish(c->f, (enum io_direction)j->direction);
	int64_t runs;

	*why = IO_WHYS;
	if (j->bytes == 0)
		return true;
	*why = IO_WHY_HINT;
	if (wish == IO_DISABLE)
		return true;
	*why = IO_WHY_ORDER;
	if (c->j->atomic || c->f->stream || !io_view_is_tidy(j->view))
		return true;
	*why = IO_WHY_LONG;
	if (wish == IO_ENABLE)
		return false;
	runs = describe_run_count(j);
	return runs * CALL_NS <= j->bytes / 1024 * COPY_NS_KIB + EXCHANGE_NS;
}

/* --- holes ---------------------------------------------------------------------------------- */

static void describe_runs(
	struct io_cover *cover, const struct io_view *v, int64_t at, int64_t bytes)
{
	struct type_run run[RUNS];

	for (int64_t covered; bytes > 0; bytes -= covered, at += covered) {
		int n = type_runs(v->file_filetype, at, bytes, run, RUNS, &covered);

		for (int i = 0; i < n; i++)
			io_cover_run(cover, v->disp + run[i].off, run[i].len);
	}
}

/* Whole tiles by the formula, if a tile is a comb; all else by its runs. */
static void describe_cover(struct io_cover *cover, const struct io_job *j)
{
	const struct io_view *v = j->view;
	const struct type *tile = v->file_filetype;
	int64_t at = j->at, end = at + j->bytes, first, last;
	struct type_comb comb;

	first = (at + tile->size - 1) / tile->size;
	last = end / tile->size;
	if (last <= first || !type_comb(tile, &comb)) {
		describe_runs(cover, v, at, j->bytes);
		return;
	}
	describe_runs(cover, v, at, first * tile->size - at);
	io_cover_combs(cover, v->disp + comb.off + first * tile->extent, &comb, last - first,
		tile->extent);
	describe_runs(cover, v, last * tile->size, end - last * tile->size);
}

/* --- the descriptor ------------------------------------------------------------------------- */

/* May this member have an access under way that is not in the queue of collective ones?  Until a
 * nonblocking one has ended, the program may start others. */
static bool describe_has_others(const struct io_collective *c)
{
	int own = c->g->queued + !c->later;

	return c->later || c->f->jobs > own || haft_life.user_threads;
}

void io_describe(struct io_collective *c, bool left)
{
	struct io_member *mine = &c->mine;
	const struct io_job *j = c->j;

	*mine = (struct io_member){.err = j->err};
	if (describe_has_others(c))
		mine->flags |= IO_MEMBER_HAS_OTHERS;
	if (c->g->stage != NULL) {
		struct io_stage *s = c->g->stage;

		mine->flags |= IO_MEMBER_SPACIOUS;
		mine->stage = via_mem_off(s, (int64_t)sizeof(*s));
		for (int i = 0; i < 2; i++)
			atomic_store_explicit(&s->half[i].filled, 0, memory_order_relaxed);
		atomic_store_explicit(&s->failed, 0, memory_order_relaxed);
	}
	if (!c->local)
		io_hosts_describe(c);
	if (!c->local && c->remote != NULL && c->mine_aggregator >= 0)
		mine->flags |= IO_MEMBER_SPACIOUS;
	if (j->err != 0 || j->bytes == 0 || !left)
		return;
	mine->first = io_view_byte(j->view, j->at);
	mine->end = io_view_byte(j->view, j->at + j->bytes - 1) + 1;
	mine->runs = describe_run_count(j);
	if (j->direction == IO_WRITE && c->local)
		describe_cover(&mine->cover, j);
	mine->cover.bytes = j->bytes;
}

/* --- the choice ----------------------------------------------------------------------------- */

/* All descriptors together. */
struct described {
	int64_t low, high, runs, most_runs;
	struct io_cover cover;
	bool failed, others, stages;
};

static struct described describe_all(const struct io_collective *c)
{
	struct described d = {.low = INT64_MAX, .stages = true};

	for (int r = 0; r < c->f->size; r++) {
		const struct io_member *m = &c->g->all[r];

		d.failed = d.failed || m->err != 0;
		d.others = d.others || (m->flags & IO_MEMBER_HAS_OTHERS) != 0;
		d.runs += m->runs;
		d.most_runs = m->runs > d.most_runs ? m->runs : d.most_runs;
		io_cover_add(&d.cover, &m->cover);
		if (m->first >= m->end)
			continue;
		d.low = m->first < d.low ? m->first : d.low;
		d.high = m->end > d.high ? m->end : d.high;
	}
	return d;
}

/* Lists of runs and overlapping parts need memory besides the block. */
static int64_t describe_cb_block(const struct io_collective *c, const struct described *d)
{
	int64_t room = io_stage_room(c->f), list, overlap, share;

	if (c->local)
		return c->g->cb_block;
	list = 1 + 24 * d->runs / d->cover.bytes;
	overlap = 1 + (d->cover.bytes - 1) / (d->high - d->low);
	room /= list * overlap;
	if (c->image_room > 0 && c->image_room < room)
		room = c->image_room;
	/* Some blocks for each aggregator: one is written while the next is exchanged. */
	share = (d->high - d->low) / ((int64_t)CB_BLOCKS_EACH * c->naggregators) / CB_BLOCK_LEAST +
		1;
	if (share * CB_BLOCK_LEAST < room)
		room = share * CB_BLOCK_LEAST;
	room = io_hosts_cb_block(c->f, c->naggregators, room);
	return room < IO_CB_BLOCK_MIN ? IO_CB_BLOCK_MIN : room;
}

/* Are rounds cheaper than a system call for each piece? */
static bool described_rounds_are_cheap(const struct io_collective *c, const struct described *d)
{
	double range = (double)(d->high - d->low), ns = c->local ? COPY_NS_KIB : MESSAGE_NS_KIB;
	double staged = range / 1024 * ns * (c->holes ? 2 : 1) / c->naggregators +
			(double)c->rounds * EXCHANGE_NS;

	return staged < (double)d->most_runs * CALL_NS;
}

/* An atomic access locks its own range, against other opens as well. */
static uint8_t describe_why(const struct io_collective *c, const struct described *d)
{
	if (c->j->atomic)
		return IO_WHY_ORDER;
	if (c->holes && c->in_place)
		return IO_WHY_HOLES;
	if (describe_wish(c->f, (enum io_direction)c->j->direction) == IO_ENABLE)
		return IO_WHY_ALWAYS;
	return described_rounds_are_cheap(c, d) ? IO_WHY_ROUNDS : IO_WHY_CALLS;
}

static void describe_aggregators(struct io_collective *c, const struct described *d)
{
	int64_t cb_blocks;

	c->mine_aggregator = -1;
	for (int a = 0; a < c->naggregators; a++)
		if (io_stage_rank(c, a) == c->f->rank)
			c->mine_aggregator = a;
	cb_blocks = (d->high - 1) / c->cb_block - d->low / c->cb_block + 1;
	c->rounds = (cb_blocks + c->naggregators - 1) / c->naggregators;
}

enum io_collective_state io_describe_choose(struct io_collective *c)
{
	struct described d = describe_all(c);

	if (d.failed)
		return COLLECTIVE_WORDS;
	if (d.low >= d.high)
		return COLLECTIVE_DONE;
	for (int a = 0; a < c->naggregators; a++)
		d.stages = d.stages &&
			   (c->g->all[io_stage_rank(c, a)].flags & IO_MEMBER_SPACIOUS) != 0;
	c->low = d.low;
	c->high = d.high;
	c->round = 0;
	c->lacks_stage = !d.stages;
	c->why = IO_WHY_STAGE;
	if (!d.stages)
		return COLLECTIVE_SPREAD;
	c->cb_block = describe_cb_block(c, &d);
	if (!c->local)
		io_hosts_choose(c);
	describe_aggregators(c, &d);
	c->holes = c->j->direction == IO_WRITE && c->local &&
		   !io_cover_is_full(&d.cover, d.low, d.high);
	c->in_place = d.others || c->j->atomic || (c->f->amode & MPI_MODE_WRONLY) != 0;
	c->why = describe_why(c, &d);
	return c->why < IO_WHY_ROUNDS ? COLLECTIVE_SPREAD : COLLECTIVE_STAGE;
}
