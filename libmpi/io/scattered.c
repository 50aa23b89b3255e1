// SPDX-License-Identifier: BSD-3-Clause
/* scattered.c - independent access to the runs of a view with holes.
 *
 *      file       ##..###....##.......|.##..##...##
 *      by runs    ^  ^       ^                          a system call each, merged neighbours
 *      by block   └─────block───────┘                 one read; a write: read, change, write back
 *
 * Which one: a call costs as much as moving SCATTER_CALL bytes, and a block moves the holes as
 * well.  A block is a range of the view if the view is tidy.  Then the tile itself says where
 * the bytes of that range are in it: packing and unpacking move them.
 *
 * A write of a block writes the holes back.  It has the block locked exclusively, and each writer
 * of this open locks its range (io_may_rewrite).  Other opens are kept out for the moment of a
 * block: those of a file of one member by the kernel (F_SETLEASE), other programs' too; else by
 * the sieve lock.  Where that is not possible, and with members on several hosts, only runs are
 * written. */
#include "libmpi/io/path.h"

#include "libmpi/core/err.h"
#include "libmpi/core/num.h"
#include "libmpi/io/sieve_lock.h"
#include "libmpi/io/hint.h"
#include "libmpi/io/lock.h"
#include "libmpi/type/map_order.h"
#include "libmpi/type/runs.h"
#include "libmpi/type/type.h"
#include <stdlib.h>
#include <string.h>

#define SCATTER_RUNS   128
#define SCATTER_SAMPLE 16                     /* runs that tell how long runs are */
#define SCATTER_CALL   MEAN_OR(24, 6000)      /* bytes that are moved in the time of a call */
#define SCATTER_LOCKS  MEAN_OR(0, 2)          /* calls that the locks of a block cost */
#define SCATTER_STAGE  MEAN_OR(64, 256 << 10) /* bytes of runs that are packed at once */

/* An access under way. */
struct scatter {
	struct io_job *j;
	const struct type *tile;
	int64_t disp;
	int64_t at, end; /* of the view: the next byte, and the last one's successor */
	char *mem;       /* the view's byte j->at in memory, if that is one piece; or NULL */
	char *sieve;     /* malloc'ed: bytes of the file */
	char *stage;     /* malloc'ed: bytes of the view, if mem is NULL */
	int64_t room;    /* bytes of the block */
	bool sieving;    /* moved by blocks where that pays */
	bool at_end;     /* a read has met the end of the file */
};

bool io_view_is_tidy(const struct io_view *v)
{
	struct type *t = v->file_filetype;
	struct type_order o;

	if (v->linear || t->size == 0)
		return true;
	return type_order_of(t, &o) == 0 && !o.rule[TYPE_NONDECREASING].broken &&
	       !o.rule[TYPE_APART].broken && t->extent >= t->true_extent;
}

/* --- memory --------------------------------------------------------------------------------- */

/* The next n bytes of the view as one piece of memory: the user's, or the stage, which is filled
 * for a write. */
static char *scatter_memory(const struct scatter *s, int64_t n)
{
	const struct io_job *j = s->j;

	if (s->mem != NULL)
		return s->mem + (s->at - j->at);
	if (j->direction == IO_WRITE)
		type_pack(j->type, j->buf, j->count, s->at - j->at, s->stage, n);
	return s->stage;
}

/* The next n bytes of the view have been moved from or to scatter_memory. */
static void scatter_advance(struct scatter *s, int64_t n)
{
	const struct io_job *j = s->j;

	if (s->mem == NULL && j->direction == IO_READ)
		type_unpack(j->type, j->buf, j->count, s->at - j->at, s->stage, n);
	s->at += n;
}

static int scatter_no_memory(int64_t bytes)
{
	return haft_err(MPI_ERR_NO_MEM, "no memory for a stage of %lld bytes", (long long)bytes);
}

/* The bytes of the view that are packed or unpacked at once. */
static int64_t scatter_batch(const struct scatter *s)
{
	int64_t left = s->end - s->at;

	return s->mem != NULL ? left : num_min(left, SCATTER_STAGE);
}

static int scatter_stage_make(struct scatter *s)
{
	int64_t room = scatter_batch(s);

	if (s->mem != NULL || s->stage != NULL)
		return 0;
	s->stage = malloc((size_t)room);
	return s->stage != NULL ? 0 : scatter_no_memory(room);
}

/* --- run by run ----------------------------------------------------------------------------- */

/* Locks the range of runs that are to be written, against others' blocks. */
static int scatter_runs_lock(
	const struct scatter *s, const struct type_run *run, int n, struct io_lock *lock)
{
	int64_t lo = run[0].off, hi = run[0].off + run[0].len;

	lock->slot = -1;
	if (s->j->direction == IO_READ || s->j->atomic || !io_may_rewrite(s->j->f))
		return 0;
	for (int i = 1; i < n; i++) {
		lo = num_min(lo, run[i].off);
		hi = num_max(hi, run[i].off + run[i].len);
	}
	return io_lock_range(
		s->j->f, s->disp + lo, s->disp + hi, IO_LOCK_SHARED, IO_LOCK_HOST, lock);
}

/* Moves the next runs, at most SCATTER_RUNS of them and `most' bytes. */
static int scatter_runs(struct scatter *s, int64_t most)
{
	struct type_run run[SCATTER_RUNS];
	struct io_lock lock;
	int64_t bytes, moved, done = 0;
	int n = type_runs(s->tile, s->at, most, run, SCATTER_RUNS, &bytes);
	int err = scatter_runs_lock(s, run, n, &lock);
	char *mem = scatter_memory(s, bytes);

	for (int i = 0; i < n && err == 0 && !s->at_end; i++, done += moved) {
		err = io_move_run(s->j, mem + done, run[i].len, s->disp + run[i].off, &moved);
		s->at_end = moved < run[i].len;
	}
	io_unlock_range(s->j->f, &lock);
	scatter_advance(s, done);
	return err;
}

/* --- by blocks ----------------------------------------------------------------------------- */

/* A block: n bytes of the view from s->at on are in bytes [lo, hi) of the file. */
struct scatter_sieve {
	int64_t n, lo, hi;
	int64_t runs; /* about how many */
};

/* The largest block from s->at on. */
static struct scatter_sieve scatter_sieve_of(const struct scatter *s)
{
	struct scatter_sieve w = {.n = scatter_batch(s)};
	int64_t from = type_offset(s->tile, s->at), fit, bytes;
	struct type_run run[SCATTER_SAMPLE];
	int runs;

	fit = type_offset_find(s->tile, from + s->room) - s->at;
	w.n = num_min(w.n, fit);
	w.lo = s->disp + from;
	w.hi = s->disp + type_offset(s->tile, s->at + w.n - 1) + 1;
	runs = type_runs(s->tile, s->at, w.n, run, SCATTER_SAMPLE, &bytes);
	w.runs = runs < SCATTER_SAMPLE ? runs : w.n / num_max(bytes / runs, 1);
	return w;
}

/* Where the tile's address is, if the block is at s->block. */
static char *scatter_tile_at(const struct scatter *s, const struct scatter_sieve *w)
{
	return (char *)((uintptr_t)s->sieve - (uintptr_t)(w->lo - s->disp));
}

/* The tiles that the view has up to s->end. */
static int64_t scatter_tiles(const struct scatter *s)
{
	return s->end / s->tile->size + 1;
}

static int scatter_sieve_read(struct scatter *s, const struct scatter_sieve *w)
{
	int64_t got, n = w->n;
	char *mem = scatter_memory(s, n);
	int err = io_disk_read(s->j->f, s->sieve, w->hi - w->lo, w->lo, &got);

	s->at_end = got < w->hi - w->lo;
	if (s->at_end)
		n = got == 0 ? 0
			     : num_min(n, type_offset_find(s->tile, w->lo + got - s->disp) - s->at);
	type_pack(s->tile, scatter_tile_at(s, w), scatter_tiles(s), s->at, mem, n);
	scatter_advance(s, n);
	return err;
}

/* Reads a block, changes it, and writes it back. */
static int scatter_sieve_change(struct scatter *s, const struct scatter_sieve *w)
{
	int64_t bytes = w->hi - w->lo, got = bytes, moved = 0, n = w->n;
	struct io_file *f = s->j->f;
	char *mem = scatter_memory(s, n);
	int err = n == bytes ? 0 : io_disk_read(f, s->sieve, bytes, w->lo, &got);

	if (err != 0)
		return err;
	memset(s->sieve + got, 0, (size_t)(bytes - got)); /* behind the end of the file */
	type_unpack(s->tile, scatter_tile_at(s, w), scatter_tiles(s), s->at, mem, n);
	err = io_disk_write(f, s->sieve, bytes, w->lo, &moved);
	if (err != 0)
		n = moved == 0 ? 0
			       : num_min(n, type_offset_find(s->tile, w->lo + moved - s->disp) -
						    s->at);
	scatter_advance(s, n);
	return err;
}

/* Is it unknown whether other processes have opened the file, and write into a block? */
static bool scatter_needs_sole(const struct io_file *f)
{
	return f->alone && (f->amode & MPI_MODE_UNIQUE_OPEN) == 0;
}

/* As scatter_sieve_change, while this is the sole open of the file.  If there are others, no more
 * blocks.  A process is sole for one block at a time: hence the lock. */
static int scatter_sieve_sole(struct scatter *s, const struct scatter_sieve *w)
{
	struct io_file *f = s->j->f;
	struct io_lock lock;
	int err = io_lock_range(f, 0, INT64_MAX, IO_LOCK_EXCLUSIVE, IO_LOCK_HOST, &lock);

	if (err != 0)
		return err;
	s->sieving = io_sole_take(f);
	if (s->sieving) {
		err = scatter_sieve_change(s, w);
		io_sole_give(f);
	}
	io_unlock_range(f, &lock);
	return err;
}

/* Likewise, with the block locked, unless the whole access is locked already. */
static int scatter_sieve_write(struct scatter *s, const struct scatter_sieve *w)
{
	struct io_file *f = s->j->f;
	struct io_lock lock = {.slot = -1};
	int err = 0;

	if (scatter_needs_sole(f))
		return scatter_sieve_sole(s, w);
	if (!s->j->atomic)
		err = io_lock_range(f, w->lo, w->hi, IO_LOCK_EXCLUSIVE, IO_LOCK_HOST, &lock);
	s->sieving = err == 0 && io_sieve_lock_take(f);
	if (s->sieving) {
		err = scatter_sieve_change(s, w);
		io_sieve_lock_drop(f);
	}
	io_unlock_range(f, &lock);
	return err;
}

/* Is a block cheaper than its runs?  A write moves it twice. */
static bool scatter_sieve_pays(const struct scatter *s, const struct scatter_sieve *w)
{
	bool read = s->j->direction == IO_READ;
	int64_t how = io_hint(s->j->f, read ? IO_DS_READ : IO_DS_WRITE);
	int64_t span = w->hi - w->lo, holes = span - w->n;

	if (how != IO_AUTOMATIC)
		return how == IO_ENABLE && w->runs > 1;
	if (read)
		return w->runs > 1 && holes <= w->runs * SCATTER_CALL;
	return w->runs > 1 && span + holes <= (w->runs - SCATTER_LOCKS) * SCATTER_CALL;
}

static int scatter_sieve_make(struct scatter *s)
{
	const struct io_file *f = s->j->f;
	int64_t span = type_offset(s->tile, s->end - 1) - type_offset(s->tile, s->at) + 1;

	s->room = num_min(span, io_hint(f, s->j->direction == IO_READ ? IO_IND_RD_BUFFER_SIZE
								      : IO_IND_WR_BUFFER_SIZE));
	s->sieve = malloc((size_t)s->room);
	return s->sieve != NULL ? 0 : scatter_no_memory(s->room);
}

/* May this member write blocks?  A sole open is more than the lock of an atomic access. */
static bool scatter_rewrites(const struct io_job *j)
{
	const struct io_file *f = j->f;

	return io_may_rewrite(f) && f->readable && io_hint(f, IO_DS_WRITE) != IO_DISABLE &&
	       !(j->atomic && scatter_needs_sole(f));
}

/* Moves the next part, with blocks. */
static int scatter_by_sieve(struct scatter *s)
{
	struct scatter_sieve w = scatter_sieve_of(s);

	if (!scatter_sieve_pays(s, &w))
		return scatter_runs(s, w.n);
	io_count(&s->j->f->counts.sieved, 1);
	return s->j->direction == IO_READ ? scatter_sieve_read(s, &w) : scatter_sieve_write(s, &w);
}

int io_scattered(struct io_job *j, bool tidy)
{
	struct scatter s = {.j = j,
		.tile = j->view->file_filetype,
		.disp = j->view->disp,
		.at = j->at,
		.end = j->at + j->bytes,
		.mem = type_contiguous_at(j->type, j->buf, j->count)};
	int err = scatter_stage_make(&s);

	if (j->direction == IO_READ)
		s.sieving = tidy;
	else
		s.sieving = tidy && scatter_rewrites(j);
	if (err == 0 && s.sieving)
		err = scatter_sieve_make(&s);
	while (err == 0 && s.at < s.end && !s.at_end)
		err = s.sieving ? scatter_by_sieve(&s) : scatter_runs(&s, scatter_batch(&s));
	j->moved = s.at - j->at;
	free(s.sieve);
	free(s.stage);
	return err;
}
