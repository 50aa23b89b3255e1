// SPDX-License-Identifier: BSD-3-Clause
/* view.c - which parts of a file a process sees (MPI-5.0 14.3).
 *
 * MPI_File_set_view makes a new view beside the old one, which pending accesses keep.  All members
 * agree that theirs are good before any goes over to it, so a failed call leaves every view as it
 * was.  Its cost is that of the datatypes' descriptions, never of their blocks. */
#include "libmpi/io/view.h"

#include "libmpi/core/err.h"
#include "libmpi/core/num.h"
#include "libmpi/io/agree.h"
#include "libmpi/io/check.h"
#include "libmpi/io/disk.h"
#include "libmpi/io/file.h"
#include "libmpi/io/hint.h"
#include "libmpi/io/rep.h"
#include "libmpi/io/same_call.h"
#include "libmpi/io/shared.h"
#include "libmpi/type/runs.h"
#include "libmpi/type/type.h"
#include <engine.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void io_view_hold(struct io_view *v)
{
	v->refs++;
}

void io_view_drop(struct io_view *v)
{
	if (--v->refs > 0)
		return;
	if (v->file_etype != NULL)
		obj_drop(v->file_etype);
	if (v->file_filetype != NULL)
		obj_drop(v->file_filetype);
	obj_drop(v->etype);
	obj_drop(v->filetype);
	free(v);
}

int io_view_complete(struct io_view *v)
{
	struct type *tile, *etype;
	int err;

	if (likely(v->file_filetype != NULL))
		return 0;
	err = io_rep_scale(v->rep, v->etype, &etype);
	if (err != 0)
		return err;
	err = io_rep_scale(v->rep, v->filetype, &tile);
	if (err != 0) {
		obj_drop(etype);
		return err;
	}
	v->unit = etype->size;
	v->linear = tile->dense || (tile->solid && tile->size == tile->extent);
	v->first = v->disp + tile->true_lb;
	v->file_etype = etype;
	v->file_filetype = tile;
	return 0;
}

/* Makes a view that has one reference. */
static int view_new(int64_t disp, struct type *etype, struct type *filetype,
	const struct io_rep *rep, struct io_view **view)
{
	struct io_view *v = calloc(1, sizeof(*v));
	int err;

	if (v == NULL)
		return haft_err(MPI_ERR_NO_MEM, "no memory for a view of a file");
	obj_hold(etype);
	obj_hold(filetype);
	v->refs = 1;
	v->disp = disp;
	v->etype = etype;
	v->filetype = filetype;
	v->rep = rep;
	err = io_rep_is_lazy(rep) ? 0 : io_view_complete(v);
	if (err == 0)
		*view = v;
	else
		io_view_drop(v);
	return err;
}

int io_view_initial(struct io_file *f)
{
	struct type *byte = type_predefined(MPI_BYTE);

	return view_new(0, byte, byte, io_rep_native(), &f->view);
}

/* --- positions ------------------------------------------------------------------------------ */

int64_t io_view_byte(const struct io_view *v, int64_t at)
{
	if (likely(v->linear))
		return v->first + at;
	return v->file_filetype->size > 0 ? v->disp + type_offset(v->file_filetype, at) : v->disp;
}

bool io_view_fits(const struct io_view *v, int64_t end)
{
	const struct type *tile = v->file_filetype;
	int64_t reach = 0, tiles = tile->size > 0 && end > 0 ? (end - 1) / tile->size : 0;

	if (v->linear)
		return !__builtin_add_overflow(v->first, end, &reach);
	return !__builtin_mul_overflow(tiles, tile->extent, &reach) &&
	       !__builtin_add_overflow(reach, tile->true_lb + tile->true_extent, &reach) &&
	       !__builtin_add_overflow(reach, v->disp, &reach);
}

bool io_view_one_tile(const struct io_view *v, int64_t at, int64_t end)
{
	return end <= at || at / v->file_filetype->size == (end - 1) / v->file_filetype->size;
}

int64_t io_view_most(const struct io_view *v)
{
	const struct type *tile = v->file_filetype;
	int64_t room = INT64_MAX - num_max(v->linear ? v->first : v->disp, 0), bytes;

	if (v->unit <= 0)
		return INT64_MAX;
	if (v->linear)
		return room / v->unit;
	room -= num_max(tile->true_lb + tile->true_extent, 0);
	if (room < 0)
		return 0;
	if (tile->extent <= 0 || __builtin_mul_overflow(room / tile->extent, tile->size, &bytes))
		bytes = INT64_MAX;
	return bytes / v->unit;
}

int64_t io_view_position(const struct io_view *v, int64_t byte)
{
	int64_t at;

	if (v->file_filetype->size == 0 || v->unit == 0)
		return 0;
	if (v->linear)
		at = num_max(byte - v->first, 0);
	else
		at = byte > v->disp ? type_offset_find(v->file_filetype, byte - v->disp) : 0;
	if (at > INT64_MAX - v->unit)
		return at / v->unit * v->unit;
	return num_round_up(at, v->unit);
}

/* --- MPI_File_set_view ---------------------------------------------------------------------- */

/* A sequential file is seen from where the shared pointer is, without holes. */
static int view_check_sequential(struct io_file *f, int64_t *disp, const struct type *filetype)
{
	int64_t now;
	int err;

	if (!f->sequential && *disp == MPI_DISPLACEMENT_CURRENT)
		return haft_err(MPI_ERR_ARG, "MPI_DISPLACEMENT_CURRENT needs a file that was "
					     "opened with MPI_MODE_SEQUENTIAL");
	if (!f->sequential)
		return *disp >= 0 ? 0
				  : haft_err(MPI_ERR_ARG, "the displacement is %lld",
					    (long long)*disp);
	if (*disp != MPI_DISPLACEMENT_CURRENT)
		return haft_err(MPI_ERR_UNSUPPORTED_OPERATION,
			"a file opened with MPI_MODE_SEQUENTIAL is viewed from "
			"MPI_DISPLACEMENT_CURRENT only");
	if (filetype->size != filetype->extent)
		return haft_err(MPI_ERR_UNSUPPORTED_OPERATION,
			"the filetype has holes, and %s was opened with MPI_MODE_SEQUENTIAL",
			f->path);
	err = io_shared_add(f, 0, 0, &now);
	*disp = io_view_byte(f->view, now * f->view->unit);
	return err;
}

/* Checks the arguments and makes the new view of this member. */
static int view_make(struct io_file *f, int64_t disp, struct type *etype, struct type *filetype,
	const char *datarep, struct io_view **view)
{
	const struct io_rep *rep = NULL;
	int err = io_rep_find(datarep, &rep);
	bool overlaps = f->view->overlaps;

	if (err == 0 && (f->split.req != NULL || io_check_wanted))
		err = io_file_idle(f);
	if (err == 0 && (etype != f->view->etype || filetype != f->view->filetype))
		err = io_view_check_types(f, etype, filetype, &overlaps);
	if (err == 0)
		err = view_check_sequential(f, &disp, filetype);
	if (err == 0)
		err = view_new(disp, etype, filetype, rep, view);
	if (err == 0)
		(*view)->overlaps = overlaps;
	return err;
}

#define VIEW_SAME 3 /* numbers that members compare */

static int64_t view_hash(const char *s)
{
	uint64_t h = 0xcbf29ce484222325u;

	for (; *s != '\0'; s++)
		h = (h ^ (unsigned char)*s) * 0x100000001b3u;
	return (int64_t)(h >> 1);
}

static void view_say_rep(const void *datarep, char *text, size_t n)
{
	snprintf(text, n, "\"%s\"", (const char *)datarep);
}

static int view_set(struct file *fh, int64_t disp, struct type *etype, struct type *filetype,
	const char *datarep, struct info *info)
{
	struct io_file *f = io_of(fh);
	struct io_view *v = NULL;
	struct io_same same[VIEW_SAME] = {{.name = "the extent of the etype in the file"},
		{view_hash(datarep), "the data representation", view_say_rep, datarep},
		{io_hints_same_all(info), "the set of hints that must be equal", io_hints_same_say,
			info}};
	bool any[IO_AGREE_ANY]; /* holes; hints that are ignored */
	char *ignored;
	int err = io_same_call(f, COLL_FILE_SET_VIEW);

	if (err == 0 && f->sequential && !f->alone)
		err = io_agree(f, 0); /* the shared pointer rests from here on */
	if (err != 0)
		return err;
	err = view_make(f, disp, etype, filetype, datarep, &v);
	ignored = io_check_hints(f, info, true);
	any[1] = ignored != NULL;
	any[0] = atomic_load_explicit(&f->holes, memory_order_relaxed) ||
		 (err == 0 && (v->file_filetype == NULL || !v->linear));
	if (err == 0 && v->file_etype != NULL)
		same[0].value = v->file_etype->extent;
	if (err == 0 && f->rank == 0)
		io_shared_prepare(f, 0);
	err = io_agree_same(f, err, same, countof(same), any);
	if (err != 0) {
		if (v != NULL)
			io_view_drop(v);
		free(ignored);
		return err;
	}
	io_view_drop(f->view);
	f->view = v;
	atomic_store_explicit(&f->holes, any[0], memory_order_relaxed);
	f->position = 0;
	io_shared_word_next(f);
	io_hints_change(f, info);
	io_check_hints_tell(f, ignored, any[1], "MPI_File_set_view");
	return 0;
}

int io_set_view(struct file *fh, int64_t disp, struct type *etype, struct type *filetype,
	const char *datarep, struct info *info)
{
	return io_has_joined(view_set(fh, disp, etype, filetype, datarep, info));
}

int io_view_refuse(struct io_file *f, int err)
{
	const struct io_same none[VIEW_SAME] = {{.name = ""}, {.name = ""}, {.name = ""}};
	char words[HAFT_ERR_TEXT_MAX];
	int other;

	snprintf(words, sizeof(words), "%s", haft_err_text(err));
	other = io_same_call(f, COLL_FILE_SET_VIEW);
	if (other != 0)
		return other;
	if (f->sequential && !f->alone)
		io_agree(f, 0); /* as view_set */
	return io_agree_same(f, haft_err(err, "%s", words), none, VIEW_SAME, NULL);
}

/* A type for the user: a predefined one is itself, any other a copy to be freed. */
static int view_give_type(struct type *t, struct type **given)
{
	if (!type_is_predefined(t))
		return type_dup(t, given);
	*given = t;
	return 0;
}

int io_get_view(
	struct file *fh, int64_t *disp, struct type **etype, struct type **filetype, char *datarep)
{
	const struct io_view *v = io_of(fh)->view;
	struct type *first;
	int err = view_give_type(v->etype, &first);

	if (err != 0)
		return err;
	err = view_give_type(v->filetype, filetype);
	if (err != 0) {
		if (!type_is_predefined(first))
			obj_free_obj(first);
		return err;
	}
	*etype = first;
	*disp = v->disp;
	snprintf(datarep, MPI_MAX_DATAREP_STRING, "%s", v->rep->name);
	return 0;
}
