// SPDX-License-Identifier: BSD-3-Clause
/* independent.c - an access of one process: run by run, through a small stage. */
#include "libmpi/core/err.h"
#include "libmpi/core/num.h"
#include "libmpi/io/view.h"
#include "libmpi/p2p/p2p.h"
#include "libmpi/type/runs.h"
#include "libmpi/type/type.h"
#include <stdlib.h>
#include <string.h>

#define INDEPENDENT_STAGE 65536
#define INDEPENDENT_RUNS  64

/* Moves bytes [at, at + n) of the job between the stage and the file; false: stop. */
static bool independent_piece(struct io_job *j, char *stage, int64_t at, int64_t n)
{
	const struct io_view *v = j->view;
	struct type_run run[INDEPENDENT_RUNS];

	for (int64_t done = 0, covered; done < n; done += covered) {
		int runs = type_runs(v->file_filetype, j->at + at + done, n - done, run,
			INDEPENDENT_RUNS, &covered);

		for (int i = 0; i < runs; i++) {
			int64_t moved;
			int err = j->way == IO_READ ? io_disk_read(j->f, stage, run[i].len,
							      v->disp + run[i].off, &moved)
						    : io_disk_write(j->f, stage, run[i].len,
							      v->disp + run[i].off, &moved);

			if (j->way == IO_READ && moved > 0)
				type_unpack(j->type, j->buf, j->count, j->moved, stage, moved);
			j->moved += moved;
			stage += run[i].len;
			io_job_fail(j, err);
			if (err != 0 || moved < run[i].len)
				return false;
		}
	}
	return true;
}

void io_independent(struct io_job *j)
{
	char *stage = malloc(INDEPENDENT_STAGE);
	bool more = stage != NULL;

	if (stage == NULL)
		io_job_fail(j, haft_err(MPI_ERR_NO_MEM, "no memory for the stage of an access"));
	for (int64_t at = 0, n; at < j->bytes && more; at += n) {
		n = num_min(j->bytes - at, INDEPENDENT_STAGE);
		if (j->way == IO_WRITE)
			type_pack(j->type, j->buf, j->count, at, stage, n);
		more = independent_piece(j, stage, at, n);
	}
	free(stage);
}

int io_independent_begin(struct io_job *j, struct req **request)
{
	struct req *r = p2p_req_new(j->f->comm, NULL);

	if (r != NULL && j->err == 0 && !j->collective)
		io_independent(j);
	if (r == NULL) {
		io_job_end(j);
		free(j);
		return haft_err(MPI_ERR_NO_MEM, "no memory for a request");
	}
	io_job_finish(j);
	r->res.source = MPI_ANY_SOURCE;
	r->res.tag = MPI_ANY_TAG;
	r->res.bytes = j->moved;
	if (j->err != 0)
		p2p_req_fail(r, io_job_error(j));
	p2p_req_done(r);
	io_job_end(j);
	free(j);
	*request = r;
	return 0;
}
