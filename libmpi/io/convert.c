// SPDX-License-Identifier: BSD-3-Clause
/* convert.c - parts of an access between memory and another representation (MPI-5.0 14.5).
 *
 *      memory   type type type ...     entries of the type map, wherever they are
 *                  │ from `entry' on
 *      stage    |kept| ............ |  as many as fit; a part may end anywhere in an element
 *                  │
 *      view     at ──>
 *
 * If all entries have one size in the file, the stage has room for a number of them.  Else a visit
 * of the type map converts entry by entry.  A read may bring the beginning of an entry: its
 * bytes are kept, and the next part brings the rest. */
#include "libmpi/io/convert.h"

#include "libmpi/core/err.h"
#include "libmpi/core/num.h"
#include "libmpi/io/check.h"
#include "libmpi/io/access_thread.h"
#include "libmpi/io/hint.h"
#include "libmpi/io/rep.h"
#include "libmpi/type/signature.h"
#include "libmpi/type/type.h"
#include <engine.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#define CONVERT_STAGE MEAN_OR(64, 4 << 20) /* bytes converted at a time, or cb_buffer_size */
#define CONVERT_ENTRY 32 /* bytes of the largest entry in external32: two of 128 bits */
#define CONVERT_SIZES 4  /* sizes of entries that are remembered */

struct convert_size {
	const struct type *basic;
	int64_t bytes; /* in the file */
};

/* Bytes of data of an entry. */
struct convert_entry {
	int64_t mem, file;
};

struct io_convert {
	const struct io_rep *rep;
	enum io_direction direction;
	enum convert_mode mode;
	char *buf;                 /* the user's memory */
	int64_t count;             /* elements of type */
	struct type *type;         /* the user's */
	const struct type *only;   /* basic type of all entries; NULL: their sizes differ */
	struct convert_entry each; /* with `only' */
	int64_t element;           /* bytes of an element in the file */
	int64_t bytes;             /* of the view, in all */
	int64_t entry, at;         /* entries and bytes of the view that are done */
	int64_t filled;            /* bytes that are converted and not yet moved */
	int64_t filled_entries, filled_mem; /* likewise; bytes of memory */
	int64_t kept;                       /* bytes of an entry that a read has brought in part */
	char *stage;                        /* malloc'ed, `room' bytes */
	int64_t room;
	char *packed; /* malloc'ed, as large in memory's form: entries of a type with gaps */
	struct io_check_buffer *watched; /* the job's, of a read; looked at before bytes come in */
	struct convert_size size[CONVERT_SIZES];
	int next_size; /* to be forgotten */
	struct io_job part;
};

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

static bool convert_is_user(const struct io_convert *c)
{
	return c->rep->kind == IO_REP_USER;
}

/* --- the stage ------------------------------------------------------------------------------ */

static int convert_no_memory(const struct io_convert *c, int64_t bytes)
{
	return haft_err(MPI_ERR_NO_MEM, "no memory to convert %lld bytes of a file to \"%s\"",
		(long long)bytes, c->rep->name);
}

/* Makes the stage so large, with its bytes. */
static int convert_room(struct io_convert *c, int64_t bytes)
{
	char *more = realloc(c->stage, (size_t)bytes);

	if (more == NULL)
		return convert_no_memory(c, bytes);
	c->stage = more;
	c->room = bytes;
	return 0;
}

/* A stage for `bytes' of the view, and at least for an entry whose size is known. */
static int convert_stage(struct io_convert *c, int64_t bytes)
{
	bool gaps = c->only != NULL && !c->type->dense;
	int64_t least = c->only != NULL ? c->each.file : CONVERT_ENTRY;
	int err;

	if (c->bytes == 0)
		return 0;
	err = convert_room(c, num_max(num_min(bytes, c->bytes), least));
	if (err != 0 || !gaps)
		return err;
	c->packed = malloc((size_t)(c->room / c->each.file * c->each.mem));
	return c->packed != NULL ? 0 : convert_no_memory(c, c->room);
}

/* --- entries of one size -------------------------------------------------------------------- */

/* n entries of external32. */
static void convert_external(const struct io_convert *c, int64_t n, char *file)
{
	int64_t first = c->entry * c->each.mem, bytes = n * c->each.mem;
	char *mem = c->type->dense ? c->buf + first : c->packed;
	bool out = c->direction == IO_WRITE;
	int64_t each;

	if (out && !c->type->dense)
		type_pack(c->type, c->buf, c->count, first, mem, bytes);
	type_external_elements(out, c->only, mem, n, file, n * c->each.file, &each);
	if (!out && !c->type->dense)
		type_unpack(c->type, c->buf, c->count, first, mem, bytes);
}

/* The program has no function for this direction: the bytes are as in memory, in the room of the
 * file's sizes.  n entries, from packed byte `at' of elements of t on. */
static void convert_as_is(const struct io_convert *c, struct type *t, char *mem, int64_t count,
	int64_t at, struct convert_entry entry, int64_t n, char *file)
{
	int64_t both = num_min(entry.mem, entry.file);

	for (int64_t i = 0; i < n; i++, file += entry.file, at += entry.mem) {
		if (c->direction == IO_READ) {
			type_unpack(t, mem, count, at, file, both);
			continue;
		}
		memset(file, 0, (size_t)entry.file);
		type_pack(t, mem, count, at, file, both);
	}
}

/* By the program's function, whose count may be an int.  More entries than that have one size. */
static int convert_user(const struct io_convert *c, int64_t n, char *file)
{
	int64_t now;
	int err = 0;

	for (int64_t done = 0; done < n && err == 0; done += now) {
		now = num_min(n - done, INT_MAX);
		err = io_rep_user_convert(c->rep, c->direction, c->buf, c->type, now,
			file + done * c->each.file, c->entry + done);
	}
	return err;
}

/* --- entries of many sizes ------------------------------------------------------------------ */

/* A visit of entries, from c->entry on, as many as `left' bytes of the file have. */
struct convert_visit {
	struct io_convert *c;
	bool move; /* converts them, unless a function of the program does it afterwards */
	char *file;
	int64_t left;
	int64_t entries, bytes; /* passed; bytes of memory */
	int64_t lacks;          /* bytes in the file of the entry that did not fit; or 0 */
	int err;
};

/* Bytes of an entry in the file, in a representation of the program; -CLASS: an error with
 * words. */
static int64_t convert_entry_bytes(struct io_convert *c, const struct type *basic)
{
	struct convert_size *s = c->size;
	struct type *scaled;
	int err;

	for (; s < c->size + CONVERT_SIZES; s++)
		if (s->basic == basic)
			return s->bytes;
	err = io_rep_scale(c->rep, (struct type *)(uintptr_t)basic, &scaled);
	if (err != 0)
		return -err;
	s = &c->size[c->next_size++ % CONVERT_SIZES];
	*s = (struct convert_size){basic, scaled->size};
	obj_drop(scaled);
	return s->bytes;
}

/* Notes that n entries of a sequence of `len' have been passed.  false: the visit is over. */
static bool convert_passed(
	struct convert_visit *w, const struct type *basic, int64_t n, int64_t len, int64_t each)
{
	w->file += n * each;
	w->left -= n * each;
	w->entries += n * basic->basics;
	w->bytes += n * basic->size;
	if (n < len)
		w->lacks = each;
	return n == len;
}

static bool convert_row_external(void *arg, const struct type *basic, char *mem, int64_t n)
{
	struct convert_visit *w = arg;
	bool out = w->c->direction == IO_WRITE;
	int64_t each, fits = type_external_elements(
			      out, basic, mem, n, w->move ? w->file : NULL, w->left, &each);

	return convert_passed(w, basic, fits, n, each);
}

/* A representation of the program, whose function converts the entries afterwards. */
static bool convert_row_user(void *arg, const struct type *basic, char *mem, int64_t n)
{
	struct convert_visit *w = arg;
	struct io_convert *c = w->c;
	int64_t each = convert_entry_bytes(c, basic), fits = n;

	if (each < 0) {
		w->err = (int)-each;
		return false;
	}
	if (each > 0)
		fits = num_min(fits, w->left / each);
	fits = num_min(fits, (INT_MAX - w->entries) / basic->basics); /* a count may be an int */
	if (w->move && fits > 0 && !io_rep_user_converts(c->rep, c->direction))
		convert_as_is(c, (struct type *)(uintptr_t)basic, mem, n, 0,
			(struct convert_entry){basic->size, each}, fits, w->file);
	return convert_passed(w, basic, fits, n, each);
}

/* The whole elements with which the visit begins, in external32: faster than one by one.  0 or an
 * error class with words. */
static int convert_elements(struct convert_visit *w)
{
	struct io_convert *c = w->c;
	int64_t n = c->entry % c->type->basics == 0 ? w->left / c->element : 0, at = 0;
	int64_t bytes = n * c->element;
	char *mem = c->buf + c->entry / c->type->basics * c->type->extent;
	int err = 0;

	if (n == 0)
		return 0;
	if (w->move && c->direction == IO_WRITE)
		err = type_pack_external("external32", mem, n, c->type, w->file, bytes, &at);
	else if (w->move)
		err = type_unpack_external("external32", w->file, bytes, &at, mem, n, c->type);
	w->file += bytes;
	w->left -= bytes;
	w->entries += n * c->type->basics;
	w->bytes += n * c->type->size;
	return err;
}

/* 0 or an error class with words. */
static int convert_visit(struct convert_visit *w)
{
	struct io_convert *c = w->c;
	bool user = convert_is_user(c);
	int err = user ? 0 : convert_elements(w);

	if (err == 0 && (user || w->left > 0))
		err = type_each_from(c->type, c->buf, c->count, c->entry + w->entries, !user,
			user ? convert_row_user : convert_row_external, w);
	return err != 0 ? err : w->err;
}

/* --- one part ------------------------------------------------------------------------------- */

/* Converts the entries from c->entry on that `bytes' of the stage have, or have room for, and says
 * in *w how many these are. */
static int convert_entries(struct io_convert *c, int64_t bytes, struct convert_visit *w)
{
	bool user = convert_is_user(c) && io_rep_user_converts(c->rep, c->direction);
	int64_t n;
	int err = 0;

	*w = (struct convert_visit){.c = c, .move = true, .file = c->stage, .left = bytes};
	if (c->only == NULL) {
		err = convert_visit(w);
	} else {
		n = bytes / c->each.file;
		w->entries = n;
		w->bytes = n * c->each.mem;
		w->left = bytes - n * c->each.file;
		if (!convert_is_user(c))
			convert_external(c, n, c->stage);
		else if (!user)
			convert_as_is(c, c->type, c->buf, c->count, c->entry * c->each.mem, c->each,
				n, c->stage);
	}
	if (err == 0 && user && w->entries > 0)
		err = convert_user(c, w->entries, c->stage);
	return err;
}

/* Fills the stage.  If an entry is larger, the stage grows. */
static int convert_fill(struct io_convert *c)
{
	struct convert_visit w;
	int64_t bytes;
	int err;

	if (c->filled > 0 || c->bytes == c->at)
		return 0;
	for (;;) {
		bytes = num_min(c->room, c->bytes - c->at);
		err = convert_entries(c, bytes, &w);
		if (err != 0 || w.entries > 0 || w.lacks <= c->room)
			break;
		err = convert_room(c, w.lacks);
		if (err != 0)
			break;
	}
	c->filled = bytes - w.left;
	c->filled_entries = w.entries;
	c->filled_mem = w.bytes;
	return err;
}

/* Bytes of memory of a part that has written `moved' bytes. */
static int64_t convert_written(struct io_convert *c, int64_t moved, int *err)
{
	struct convert_visit w = {.c = c, .left = moved};

	if (moved == c->filled)
		return c->filled_mem;
	if (c->only != NULL)
		return moved / c->each.file * c->each.mem;
	*err = convert_visit(&w);
	return w.bytes;
}

/* Converts what a read has brought behind the kept bytes.  Returns bytes of memory. */
static int64_t convert_read(struct io_convert *c, int64_t moved, int *err)
{
	int64_t bytes = c->kept + moved, done;
	struct convert_visit w;

	if (c->watched != NULL)
		io_check_buffer_end(c->watched, 0);
	c->watched = NULL;
	*err = convert_entries(c, bytes, &w);
	if (*err != 0)
		return 0;
	done = bytes - w.left;
	memmove(c->stage, c->stage + done, (size_t)w.left);
	c->kept = w.left;
	c->entry += w.entries;
	c->at += done;
	if (c->kept == c->room)
		*err = convert_room(c, num_max(w.lacks, c->room + 1));
	return w.bytes;
}

struct io_job *io_convert_next(struct io_job *j)
{
	struct io_convert *c = j->convert;
	struct io_job *part = &c->part;
	bool locked = part->locked;

	*part = (struct io_job){.f = j->f,
		.direction = j->direction,
		.positioning = j->positioning,
		.form = j->form,
		.collective = j->collective,
		.inner = true,
		.locked = locked,
		.atomic = j->atomic,
		.type = type_predefined(MPI_BYTE),
		.view = j->view,
		.at = j->at + c->at + c->kept};
	io_job_fail(part, io_job_error(j));
	if (c->direction == IO_WRITE && part->err == 0)
		io_job_fail(part, convert_fill(c));
	if (part->err != 0)
		return part;
	part->buf = c->stage + c->kept;
	part->bytes = c->filled;
	if (c->direction == IO_READ)
		part->bytes = num_min(c->room - c->kept, c->bytes - c->at - c->kept);
	part->count = part->bytes;
	return part;
}

bool io_convert_taken(struct io_job *j)
{
	struct io_convert *c = j->convert;
	struct io_job *part = &c->part;
	int err = 0;

	io_job_fail(j, io_job_error(part));
	free(part->words);
	part->words = NULL;
	if (c->direction == IO_WRITE) {
		if (part->moved > 0)
			j->moved += convert_written(c, part->moved, &err);
		c->entry += c->filled_entries;
		c->at += c->filled;
		c->filled = c->filled_entries = 0;
	} else if (part->err == 0 && part->moved > 0) { /* one that has failed brings nothing */
		j->moved += convert_read(c, part->moved, &err);
	}
	io_job_fail(j, err);
	return j->err == 0 && part->bytes > 0 && part->moved == part->bytes &&
	       c->at + c->kept < c->bytes;
}

/* --- a job ---------------------------------------------------------------------------------- */

/* By which thread. */
static enum convert_mode convert_choose(const struct io_convert *c, const struct io_job *j)
{
	const struct io_file *f = j->f;

	if (j->collective && f->size > 1 && !j->atomic && !f->stream)
		return CONVERT_ROUNDS;
	if (j->form == IO_BLOCKING)
		return CONVERT_HERE;
	if (!convert_is_user(c))
		return CONVERT_WORKER;
	return j->atomic ? CONVERT_HERE : CONVERT_CHAIN;
}

/* Finds the entries of a job. */
static int convert_prepare(struct io_convert *c, struct io_job *j)
{
	const struct type_signature *sum = type_signature_of(j->type);
	int64_t element = j->count > 0 ? j->bytes / j->count : 0;

	if (sum == NULL)
		return haft_err(MPI_ERR_NO_MEM, "no memory for a signature");
	c->buf = j->buf;
	c->count = j->count;
	c->type = j->type;
	c->bytes = j->bytes;
	c->element = element;
	if (sum->only != NULL && element > 0 && element % j->type->basics == 0) {
		c->only = sum->only;
		c->each.file = element / j->type->basics;
		c->each.mem = c->only->size;
	}
	return 0;
}

void io_convert_begin(struct io_job *j)
{
	int64_t bytes = num_min(CONVERT_STAGE, io_hint(j->f, IO_CB_BUFFER_SIZE));
	struct io_convert *c = calloc(1, sizeof(*c));
	int err;

	if (c == NULL) {
		io_job_fail(j, haft_err(MPI_ERR_NO_MEM, "no memory to convert data"));
		return;
	}
	j->convert = c;
	c->rep = j->view->rep;
	c->direction = (enum io_direction)j->direction;
	c->mode = convert_choose(c, j);
	if (j->direction == IO_READ && j->watched != NULL) {
		c->watched = j->watched; /* the buffer stays as it is until all bytes have come */
		bytes = j->bytes;
	}
	if (convert_is_user(c) && j->form != IO_BLOCKING)
		io_access_thread_kept_off++;
	err = convert_prepare(c, j);
	if (err == 0)
		err = convert_stage(c, bytes);
	if (err == 0 && convert_is_user(c) && j->direction == IO_WRITE)
		err = convert_fill(c);
	io_job_fail(j, err);
}

enum convert_mode io_convert_mode(const struct io_job *j)
{
	return j->convert->mode;
}

void io_convert_all(struct io_job *j, bool locked, void (*move)(struct io_job *part))
{
	struct io_job *part;

	j->convert->part.locked = locked;
	do {
		part = io_convert_next(j);
		if (part->err == 0 && part->bytes > 0)
			move(part);
	} while (io_convert_taken(j));
}

void io_convert_free(struct io_job *j)
{
	struct io_convert *c = j->convert;

	j->convert = NULL;
	if (convert_is_user(c) && j->form != IO_BLOCKING)
		io_access_thread_kept_off--;
	free(c->part.words);
	free(c->stage);
	free(c->packed);
	free(c);
}
