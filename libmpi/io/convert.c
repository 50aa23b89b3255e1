// SPDX-License-Identifier: BSD-3-Clause
/* convert.c - chunks of an access between memory and another representation (MPI-5.0 14.5).
 *
 *      memory   type type type ...        units [from, from + n) ──> stage ──> the file
 *
 * A unit is an entry of the type map if all entries have one basic type, so a chunk may end
 * anywhere in a large element.  Else it is an element. */
#include "libmpi/io/convert.h"

#include "libmpi/coll/reduce_op.h"
#include "libmpi/core/err.h"
#include "libmpi/core/library_lock.h"
#include "libmpi/core/num.h"
#include "libmpi/io/agree.h"
#include "libmpi/io/helper.h"
#include "libmpi/io/hint.h"
#include "libmpi/io/lock.h"
#include "libmpi/io/path.h"
#include "libmpi/io/rep.h"
#include "libmpi/type/signature.h"
#include "libmpi/type/type.h"
#include <engine.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#define CONVERT_STAGE MEAN_OR(64, 4 << 20) /* bytes converted at a time, or cb_buffer_size */

struct io_convert {
	const struct io_rep *rep;
	enum io_direction direction;
	char *buf;         /* the user's memory */
	int64_t count;     /* elements of type */
	struct type *type; /* the user's */
	struct type *only; /* basic type of all entries: units are entries; NULL: elements */
	int64_t units;     /* in all */
	int64_t entries;   /* of the type map, in a unit */
	int64_t file_unit, mem_unit; /* bytes of data of a unit */
	char *stage;                 /* malloc'ed */
	int64_t room;                /* units that fit the stage */
	char *packed; /* malloc'ed, as large in memory's form: entries of a type with gaps */
	bool later;   /* chunk by chunk, in a worker */
};

/* Bytes of the file that are converted at a time. */
static int64_t convert_stage(const struct io_file *f)
{
	return num_min(CONVERT_STAGE, io_hint(f, IO_CB_BUFFER_SIZE));
}

int io_convert_size(const struct io_view *v, struct type *t, int64_t *bytes)
{
	struct type *scaled;
	int err;

	if (!io_rep_converts(v->rep)) {
		*bytes = t->size;
		return 0;
	}
	err = io_rep_scale(v->rep, t, &scaled);
	if (err != 0)
		return err;
	*bytes = scaled->size;
	obj_drop(scaled);
	return 0;
}

/* --- units ---------------------------------------------------------------------------------- */

/* Finds the units of a job; allocates nothing. */
static int convert_units(struct io_convert *c, const struct io_job *j)
{
	const struct type_signature *sum = type_signature_of(j->type);
	int64_t element = j->count > 0 ? j->bytes / j->count : 0;

	if (sum == NULL)
		return haft_err(MPI_ERR_NO_MEM, "no memory for a signature");
	*c = (struct io_convert){.rep = j->view->rep,
		.direction = (enum io_direction)j->direction,
		.buf = j->buf,
		.count = j->count,
		.type = j->type,
		.units = j->count,
		.entries = j->type->basics,
		.file_unit = element,
		.mem_unit = j->type->size};
	if (sum->only != NULL && j->type->basics > 0 && element % j->type->basics == 0) {
		c->only = (struct type *)(uintptr_t)sum->only;
		c->units = j->count * j->type->basics;
		c->entries = 1;
		c->file_unit = element / j->type->basics;
		c->mem_unit = c->only->size;
	}
	if (j->bytes == 0)
		c->units = 0;
	return 0;
}

/* Allocates a stage for `bytes' of the view, at least a unit. */
static int convert_room(struct io_convert *c, int64_t bytes)
{
	if (c->units == 0)
		return 0;
	c->room = num_min(num_max(bytes / c->file_unit, 1), c->units);
	c->stage = malloc((size_t)(c->room * c->file_unit));
	if (c->only != NULL && !c->type->dense)
		c->packed = malloc((size_t)(c->room * c->mem_unit));
	if (c->stage == NULL || (c->only != NULL && !c->type->dense && c->packed == NULL))
		return haft_err(MPI_ERR_NO_MEM,
			"no memory to convert %lld bytes of a file to \"%s\"",
			(long long)(c->room * c->file_unit), c->rep->name);
	return 0;
}

static void convert_close(struct io_convert *c)
{
	free(c->stage);
	free(c->packed);
}

/* --- one chunk ------------------------------------------------------------------------------ */

/* Whole elements [from, from + n), in external32. */
static int convert_elements(const struct io_convert *c, int64_t from, int64_t n, char *file)
{
	char *mem = c->buf + from * c->type->extent;
	int64_t at = 0, bytes = n * c->file_unit;

	if (c->direction == IO_WRITE)
		return type_pack_external("external32", mem, n, c->type, file, bytes, &at);
	return type_unpack_external("external32", file, bytes, &at, mem, n, c->type);
}

/* Entries [from, from + n) of one basic type, in external32. */
static int convert_entries(const struct io_convert *c, int64_t from, int64_t n, char *file)
{
	int64_t at = 0, bytes = n * c->file_unit, first = from * c->mem_unit;
	char *mem = c->type->dense ? c->buf + first : c->packed;
	int err;

	if (c->direction == IO_WRITE) {
		if (!c->type->dense)
			type_pack(c->type, c->buf, c->count, first, mem, n * c->mem_unit);
		return type_pack_external("external32", mem, n, c->only, file, bytes, &at);
	}
	err = type_unpack_external("external32", file, bytes, &at, mem, n, c->only);
	if (err == 0 && !c->type->dense)
		type_unpack(c->type, c->buf, c->count, first, mem, n * c->mem_unit);
	return err;
}

/* The program has no function for this way: the bytes are as in memory, in the room of the file's
 * sizes. */
static int convert_as_is(const struct io_convert *c, int64_t from, int64_t n, char *file)
{
	int64_t each = num_min(c->mem_unit, c->file_unit);

	for (int64_t i = 0; i < n; i++, file += c->file_unit) {
		if (c->direction == IO_READ) {
			type_unpack(
				c->type, c->buf, c->count, (from + i) * c->mem_unit, file, each);
			continue;
		}
		memset(file, 0, (size_t)c->file_unit);
		type_pack(c->type, c->buf, c->count, (from + i) * c->mem_unit, file, each);
	}
	return 0;
}

/* By the program's function, whose count may be an int. */
static int convert_user(const struct io_convert *c, int64_t from, int64_t n, char *file)
{
	int64_t most = num_max(INT_MAX / num_max(c->entries, 1), 1), now;
	int err = 0;

	for (int64_t done = 0; done < n && err == 0; done += now) {
		now = num_min(n - done, most);
		err = io_rep_user_convert(c->rep, c->direction, c->buf, c->type, now * c->entries,
			file + done * c->file_unit, (from + done) * c->entries);
	}
	return err;
}

/* Converts units [from, from + n) between memory and `file'. */
static int convert_chunk(const struct io_convert *c, int64_t from, int64_t n, char *file)
{
	if (n == 0)
		return 0;
	if (c->rep->kind == IO_REP_USER && !io_rep_user_converts(c->rep, c->direction))
		return convert_as_is(c, from, n, file);
	if (c->rep->kind == IO_REP_USER)
		return convert_user(c, from, n, file);
	return c->only != NULL ? convert_entries(c, from, n, file)
			       : convert_elements(c, from, n, file);
}

/* --- the last element of a short read ------------------------------------------------------- */

/* The entries of an element that have come as a whole. */
struct convert_rest {
	const struct io_convert *c;
	char *file;
	int64_t left;    /* bytes of the file */
	int64_t entries; /* so many have come */
	int64_t bytes;   /* of memory, which they are */
	int err;
};

/* Bytes of an entry in the file; 0 and an error class: not known. */
static int64_t convert_entry(const struct io_rep *rep, const struct type *basic, int *err)
{
	struct type *scaled;
	int64_t bytes;

	if (rep->kind != IO_REP_USER)
		return type_external(basic);
	*err = io_rep_scale(rep, (struct type *)(uintptr_t)basic, &scaled);
	if (*err != 0)
		return 0;
	bytes = scaled->size;
	obj_drop(scaled);
	return bytes;
}

static bool convert_rest_row(void *arg, const struct type *basic, char *mem, int64_t n)
{
	struct convert_rest *r = arg;
	int64_t each = convert_entry(r->c->rep, basic, &r->err), at = 0, fits = n;

	if (r->err != 0)
		return false;
	if (each > 0)
		fits = num_min(n, r->left / each);
	if (r->c->rep->kind != IO_REP_USER && fits > 0)
		r->err = type_unpack_external("external32", r->file, fits * each, &at, mem, fits,
			(struct type *)(uintptr_t)basic);
	r->file += fits * each;
	r->left -= fits * each;
	r->entries += fits;
	r->bytes += fits * basic->size;
	return r->err == 0 && fits == n;
}

/* Element `from' has only `left' bytes in the file: converts the entries that these are.  Returns
 * their bytes in memory. */
static int64_t convert_rest(
	const struct io_convert *c, int64_t from, int64_t left, char *file, int *err)
{
	struct convert_rest r = {.c = c, .file = file, .left = left};

	if (c->only != NULL || left == 0)
		return 0;
	*err = (c->rep->kind == IO_REP_USER ? type_each_whole : type_each)(
		c->type, c->buf + from * c->type->extent, 1, convert_rest_row, &r);
	if (*err == 0)
		*err = r.err;
	if (*err != 0 || r.entries == 0 || c->rep->kind != IO_REP_USER)
		return *err == 0 ? r.bytes : 0;
	if (io_rep_user_converts(c->rep, IO_READ))
		*err = io_rep_user_convert(
			c->rep, IO_READ, c->buf, c->type, r.entries, file, from * c->entries);
	else
		type_unpack(c->type, c->buf, c->count, from * c->mem_unit, file, r.bytes);
	return *err == 0 ? r.bytes : 0;
}

/* Converts the bytes [0, bytes) of the stage that a read has brought, units `from' on.  Returns the
 * bytes of memory that are right. */
static int64_t convert_in(const struct io_convert *c, int64_t from, int64_t bytes, int *err)
{
	int64_t units = c->file_unit > 0 ? bytes / c->file_unit : 0;

	*err = convert_chunk(c, from, units, c->stage);
	if (*err != 0)
		return 0;
	return units * c->mem_unit + convert_rest(c, from + units, bytes - units * c->file_unit,
					     c->stage + units * c->file_unit, err);
}

/* Converts what a read has brought, units `from' on.  Returns the bytes of memory that are right
 * here or in the file.  A read that has failed brings nothing. */
static int64_t convert_moved(
	const struct io_convert *c, int64_t from, const struct io_job *part, int *err)
{
	if (c->direction == IO_READ)
		return part->err == 0 ? convert_in(c, from, part->moved, err) : 0;
	return c->file_unit > 0 ? part->moved / c->file_unit * c->mem_unit : 0;
}

/* --- blocking ------------------------------------------------------------------------------- */

/* The greatest number of chunks of any member; all members return the first error alike. */
static int convert_rounds(const struct io_file *f, int err, int64_t *rounds)
{
	int64_t mine = -*rounds, least = mine;

	err = io_agree(f, err);
	if (err != 0 || f->alone)
		return err;
	err = coll_allreduce(&mine, &least, 1, type_predefined(MPI_INT64_T),
		coll_op_predefined(MPI_MIN), f->comm);
	*rounds = -least;
	return err;
}

/* Moves units [from, from + n) by a job for the stage, and counts those that are right in memory or
 * in the file.  false: it was short, or has failed. */
static bool convert_move(struct io_job *j, const struct io_convert *c, int64_t from, int64_t n,
	void (*move)(struct io_job *part), bool *failed)
{
	struct io_job part = {.f = j->f,
		.direction = j->direction,
		.positioning = j->positioning,
		.collective = j->collective,
		.locked = j->locked,
		.atomic = j->atomic,
		.buf = c->stage,
		.count = n * c->file_unit,
		.type = type_predefined(MPI_BYTE),
		.view = j->view,
		.at = j->at + from * c->file_unit,
		.bytes = n * c->file_unit};
	int err = 0;

	if (j->direction == IO_WRITE)
		io_job_fail(&part, convert_chunk(c, from, n, c->stage));
	if (j->collective || part.err == 0)
		move(&part);
	io_job_fail(j, io_job_error(&part));
	j->moved += convert_moved(c, from, &part, &err);
	io_job_fail(j, err);
	free(part.words);
	*failed = part.err != 0;
	return j->err == 0 && part.moved == part.bytes;
}

/* So many rounds, unless the moves fail: then they do so on all members.  Behind a chunk that was
 * short, or that this member could not convert, it takes part without data. */
static void convert_chunks(struct io_job *j, const struct io_convert *c, int64_t rounds,
	void (*move)(struct io_job *part))
{
	bool whole = true, failed = false;

	for (int64_t i = 0, done = 0, n; i < rounds && !failed; i++, done += n) {
		n = whole ? num_min(c->units - done, c->room) : 0;
		whole = convert_move(j, c, done, n, move, &failed) && whole;
		if (!whole && !j->collective)
			break;
	}
}

static int64_t convert_count(const struct io_convert *c)
{
	return c->room > 0 ? (c->units + c->room - 1) / c->room : 1;
}

/* An atomic access is one step: it has the lock of its range while the chunks are moved. */
static int convert_lock(struct io_job *j, struct io_lock *lock)
{
	bool had;
	int err;

	lock->slot = -1;
	if (!j->atomic || j->collective || j->bytes == 0)
		return 0;
	had = haft_user_begin();
	err = io_independent_lock(j, lock);
	haft_user_end(had);
	j->locked = err == 0;
	return err;
}

void io_convert(struct io_job *j, void (*move)(struct io_job *part))
{
	bool whole = j->atomic && j->collective; /* in one step without a lock here */
	struct io_convert c = {.units = 0};
	struct io_lock lock = {.slot = -1};
	int64_t rounds;
	int err = j->err != 0 ? io_job_error(j) : convert_units(&c, j);

	if (err == 0)
		err = convert_room(&c, whole ? j->bytes : convert_stage(j->f));
	rounds = err == 0 ? convert_count(&c) : 1;
	if (j->collective)
		err = convert_rounds(j->f, err, &rounds);
	else if (err == 0)
		err = convert_lock(j, &lock);
	io_job_take(j, err);
	if (err == 0)
		convert_chunks(j, &c, rounds, move);
	io_unlock_range(j->f, &lock);
	if (j->collective && err == 0 && j->direction == IO_READ) /* a conversion may have failed */
		io_job_take(j, io_agree(j->f, io_job_error(j)));
	convert_close(&c);
}

/* --- nonblocking ---------------------------------------------------------------------------- */

void io_convert_begin(struct io_job *j)
{
	struct io_convert *c = calloc(1, sizeof(*c));
	int err;

	if (c == NULL) {
		io_job_fail(j, haft_err(MPI_ERR_NO_MEM, "no memory to convert data"));
		return;
	}
	err = convert_units(c, j);
	c->later = !j->collective && c->rep->kind != IO_REP_USER &&
		   (j->watched == NULL || j->direction == IO_WRITE);
	if (err == 0)
		err = convert_room(c, c->later ? convert_stage(j->f) : j->bytes);
	j->convert = c;
	if (c->later) { /* a worker may not make a signature */
		if (c->only != NULL && err == 0 && type_signature_of(c->only) == NULL)
			err = haft_err(MPI_ERR_NO_MEM, "no memory for a signature");
		io_job_fail(j, err);
		return;
	}
	io_helper_kept_off++;
	if (err == 0 && j->direction == IO_WRITE)
		err = convert_chunk(c, 0, c->units, c->stage);
	io_job_fail(j, err);
	j->buf = c->stage; /* c has the user's memory and type, and holds the type */
	j->count = err == 0 ? j->bytes : 0;
	j->type = type_predefined(MPI_BYTE);
}

bool io_convert_is_later(const struct io_job *j)
{
	return j->convert->later;
}

void io_convert_later(struct io_job *j, void (*move)(struct io_job *part))
{
	struct io_lock lock;
	int err = io_independent_lock(j, &lock);

	io_job_fail(j, err);
	j->locked = err == 0 && j->atomic;
	if (err == 0)
		convert_chunks(j, j->convert, convert_count(j->convert), move);
	io_unlock_range(j->f, &lock);
}

void io_convert_finish(struct io_job *j)
{
	struct io_convert *c = j->convert;
	int err = 0;

	if (c->later)
		return;
	j->moved = convert_moved(c, 0, j, &err);
	io_job_fail(j, err);
}

void io_convert_free(struct io_job *j)
{
	struct io_convert *c = j->convert;

	j->convert = NULL;
	convert_close(c);
	if (!c->later) { /* else the job has the type */
		io_helper_kept_off--;
		obj_drop(c->type);
	}
	free(c);
}
