// SPDX-License-Identifier: BSD-3-Clause
/* refuse.c - a collective call whose arguments one member's binding has refused.
 *
 *      member 0   io_write_all ──> exchange ◄── refuse_join   member 1: bind_fail, count is -1
 *
 * The engine was not called there, and the other members wait in its first exchange.  This member
 * takes part in that exchange with its error, so all fail alike.  An engine that has taken part
 * itself says so by io_has_joined. */
#include "libmpi/comm/comm_create.h"
#include "libmpi/core/err.h"
#include "libmpi/core/process_state.h"
#include "libmpi/io/agree.h"
#include "libmpi/io/convert.h"
#include "libmpi/io/file.h"
#include "libmpi/io/rep.h"
#include "libmpi/io/same_call.h"
#include "libmpi/io/shared.h"
#include "libmpi/io/view.h"
#include <engine.h>
#include <names.h>
#include <stdio.h>
#include <stdlib.h>

/* --- first steps of the other members ------------------------------------------------------- */

static int refuse_access(struct io_file *f, enum io_positioning positioning, enum io_form form,
	enum io_direction direction, int err)
{
	struct io_job j = {.f = f,
		.direction = (uint8_t)direction,
		.positioning = (uint8_t)positioning,
		.form = (uint8_t)form,
		.collective = true,
		.atomic = f->atomic};

	io_job_fail(&j, err);
	err = form == IO_BLOCKING ? io_same_call(f, io_same_call_of(&j)) : io_same_call_job(&j);
	if (err != 0) {
		free(j.words);
		return err;
	}
	err = j.err;
	if (direction == IO_WRITE)
		io_file_poison(f, err, j.words);
	if (positioning == IO_ORDERED)
		io_shared_order(&j);
	if (form != IO_BLOCKING)
		err = io_collective_refuse(&j);
	else if (f->stream ||
		 (f->atomic && io_rep_converts(f->view->rep) && !io_access_compares(f, f->view)))
		err = io_agree(f, io_job_error(&j)); /* as access_in_turn, access_apart */
	else {
		io_collective(&j);
		err = io_job_error(&j);
	}
	free(j.words);
	return err;
}

static int refuse_view(struct io_file *f, int err)
{
	return io_view_refuse(f, err);
}

static int refuse_info(struct io_file *f, int err)
{
	const struct io_same none = {.name = "a hint"};
	char words[HAFT_ERR_TEXT_MAX];
	int other;

	snprintf(words, sizeof(words), "%s", haft_err_text(err));
	other = io_same_call(f, COLL_FILE_SET_INFO);
	return other != 0 ? other : io_agree_same(f, haft_err(err, "%s", words), &none, 1, NULL);
}

/* --- which call it was ---------------------------------------------------------------------- */

#define REFUSE_CASES(name)         \
	case HAFT_MPI_File_##name: \
	case HAFT_MPI_File_##name##_c

static int refuse_file(struct io_file *f, int err, int fn)
{
#define REFUSE(name, positioning, form, direction) \
	REFUSE_CASES(name) : return refuse_access(f, positioning, form, direction, err)
	switch (fn) {
		REFUSE(read_at_all, IO_EXPLICIT, IO_BLOCKING, IO_READ);
		REFUSE(write_at_all, IO_EXPLICIT, IO_BLOCKING, IO_WRITE);
		REFUSE(read_all, IO_INDIVIDUAL, IO_BLOCKING, IO_READ);
		REFUSE(write_all, IO_INDIVIDUAL, IO_BLOCKING, IO_WRITE);
		REFUSE(read_ordered, IO_ORDERED, IO_BLOCKING, IO_READ);
		REFUSE(write_ordered, IO_ORDERED, IO_BLOCKING, IO_WRITE);
		REFUSE(iread_at_all, IO_EXPLICIT, IO_NONBLOCKING, IO_READ);
		REFUSE(iwrite_at_all, IO_EXPLICIT, IO_NONBLOCKING, IO_WRITE);
		REFUSE(iread_all, IO_INDIVIDUAL, IO_NONBLOCKING, IO_READ);
		REFUSE(iwrite_all, IO_INDIVIDUAL, IO_NONBLOCKING, IO_WRITE);
		REFUSE(read_at_all_begin, IO_EXPLICIT, IO_SPLIT, IO_READ);
		REFUSE(write_at_all_begin, IO_EXPLICIT, IO_SPLIT, IO_WRITE);
		REFUSE(read_all_begin, IO_INDIVIDUAL, IO_SPLIT, IO_READ);
		REFUSE(write_all_begin, IO_INDIVIDUAL, IO_SPLIT, IO_WRITE);
		REFUSE(read_ordered_begin, IO_ORDERED, IO_SPLIT, IO_READ);
		REFUSE(write_ordered_begin, IO_ORDERED, IO_SPLIT, IO_WRITE);
	case HAFT_MPI_File_set_view: return refuse_view(f, err);
	case HAFT_MPI_File_set_info: return refuse_info(f, err);
	default: return err;
	}
}

/* haft_life_hooks.refuse: self is the file; of MPI_File_open the communicator; NULL: it is not
 * known. */
static int refuse_join(int err, void *self, int fn)
{
	if (io_joined_take() || self == NULL)
		return err;
	if (fn == HAFT_MPI_File_open) {
		struct comm *c = self;
		int other = c->remote == NULL ? comm_check(c, COLL_FILE_OPEN)
					      : err; /* as the others begin */

		return other != 0 ? other : io_agree_on(c, err);
	}
	if (((const struct obj *)self)->u.cls != &haft_file_class || io_of(self) == NULL)
		return err;
	return refuse_file(io_of(self), err, fn);
}

HAFT_START __attribute__((constructor)) static void refuse_begin(void)
{
	haft_life_hooks.refuse = refuse_join;
}
