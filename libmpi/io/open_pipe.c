// SPDX-License-Identifier: BSD-3-Clause
/* open_pipe.c - see open_pipe.h.
 *
 *      MPI_File_open ──> thread: open(2) ─────────── the other end is opened ──┐
 *            └── sleeps, "in MPI_File_open of /tmp/pipe, for its other end" <──┘ */
#include "libmpi/io/open_pipe.h"

#include "libmpi/boot/waitrec.h"
#include "libmpi/io/file.h"
#include "libmpi/io/work.h"
#include "libmpi/p2p/p2p.h"
#include <stdio.h>

struct open_pipe {
	struct shm_describer describer; /* first */
	struct io_work work;
	const struct io_file *f;
	void (*run)(void *arg);
	void *arg;
	bool over;
};

static struct open_pipe *pipe_of_work(struct io_work *w)
{
	return (struct open_pipe *)(void *)((char *)w - offsetof(struct open_pipe, work));
}

static void pipe_run(struct io_work *w)
{
	struct open_pipe *p = pipe_of_work(w);

	p->run(p->arg);
}

static void pipe_over(struct io_work *w)
{
	pipe_of_work(w)->over = true;
}

static bool pipe_is_over(void *arg)
{
	return ((const struct open_pipe *)arg)->over;
}

static void pipe_describe(const struct shm_describer *t, void *description)
{
	const char *path = ((const struct open_pipe *)t)->f->path;
	struct boot_wait *what = description;

	p2p_wait_report(BOOT_WAIT_PIPE, NULL, what);
	snprintf(what->name, sizeof(what->name), "%s", io_path_end(path, sizeof(what->name)));
}

void io_open_pipe(const struct io_file *f, void (*run)(void *arg), void *arg)
{
	struct open_pipe p = {.describer = {pipe_describe},
		.work = {.run = pipe_run, .over = pipe_over},
		.f = f,
		.run = run,
		.arg = arg};
	struct io_workers *own = io_workers_new();
	const struct p2p_condition over = {
		.ready = pipe_is_over, .arg = &p, .describer = &p.describer};

	io_work_start(own, &p.work);
	p2p_progress_until(&over);
	io_workers_free(own);
}
