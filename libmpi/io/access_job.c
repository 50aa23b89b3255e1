// SPDX-License-Identifier: BSD-3-Clause
/* access_job.c - the result of an access, its end, and the effect of a failed one on its file. */
#include "libmpi/core/clock.h"
#include "libmpi/core/err.h"
#include "libmpi/io/check.h"
#include "libmpi/io/convert.h"
#include "libmpi/io/file.h"
#include "libmpi/io/long_access.h"
#include "libmpi/io/rep.h"
#include "libmpi/io/view.h"
#include <stdlib.h>
#include <string.h>

void io_job_fail(struct io_job *j, int err)
{
	if (err == 0 || j->err != 0)
		return;
	j->err = err;
	j->words = strdup(haft_err_text(err));
}

int io_job_error(const struct io_job *j)
{
	return j->err == 0 ? 0 : haft_err(j->err, "%s", j->words != NULL ? j->words : "");
}

int io_file_poison(struct io_file *f, int err, const char *words)
{
	if (likely(err == 0) || f->final_path == NULL || f->poisoned != 0)
		return err;
	f->poisoned = err;
	f->poisoned_words = strdup(words != NULL ? words : haft_err_text(err));
	return err;
}

void io_job_take(struct io_job *j, int err)
{
	if (err == 0)
		return;
	free(j->words);
	j->err = 0;
	io_job_fail(j, err);
}

void io_job_finish(struct io_job *j)
{
	if (likely(j->watched == NULL))
		return;
	if (j->direction == IO_WRITE || !io_rep_converts(j->view->rep)) /* else convert.c does */
		io_check_buffer_end(j->watched, j->moved);
}

void io_job_report(struct io_job *j)
{
	if (likely(j->watched == NULL) || j->err != 0)
		return;
	io_job_fail(j, io_check_buffer_error(j));
	if (j->form == IO_SPLIT && j->err != 0)
		j->f->split.touched = true;
}

void io_job_count(const struct io_job *j)
{
	struct io_counts *c = &j->f->counts;

	if (j->inner || !j->counted) /* one that was refused never began */
		return;
	c->moved[j->direction] += j->moved;
	c->failed += j->err != 0;
	c->partial += j->err == 0 && j->moved < j->asked;
	c->later += j->form != IO_BLOCKING;
	if (unlikely(j->began_ns != 0))
		c->later_ns +=
			(j->ended_ns != 0 ? j->ended_ns : (int64_t)clock_now_ns()) - j->began_ns;
}

void io_job_end(struct io_job *j)
{
	if (unlikely(io_progress_is_shown()) &&
		atomic_load_explicit(&io_progress_job, memory_order_relaxed) == j)
		io_progress_end();
	if (j->convert != NULL)
		io_convert_free(j);
	if (unlikely(j->watched != NULL))
		io_check_buffer_free(j);
	if (unlikely(j->err != 0) && j->direction == IO_WRITE)
		io_file_poison(j->f, j->err, j->words);
	if (j->view != NULL) {
		io_view_drop(j->view);
		j->f->jobs--;
	}
	if (j->form != IO_BLOCKING)
		obj_drop(j->type);
	free(j->words);
	j->view = NULL;
	j->words = NULL;
}
