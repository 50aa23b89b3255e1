// SPDX-License-Identifier: BSD-3-Clause
/* shared_order.c - places of ordered accesses (MPI-5.0 14.4.4): an exclusive scan of counts; the
 * last rank adds their sum to the shared pointer, and tells all where rank 0 begins. */
#include "libmpi/coll/reduce_op.h"
#include "libmpi/io/agree.h"
#include "libmpi/io/shared.h"
#include "libmpi/io/view.h"
#include "libmpi/core/err.h"
#include "libmpi/type/type.h"
#include <engine.h>

/* Sums of the ranks before this one: etypes, and members with an error. */
static int order_scan(struct comm *c, const int64_t mine[2], int64_t before[2])
{
	before[0] = before[1] = 0;
	return coll_exscan(
		mine, before, 2, type_predefined(MPI_INT64_T), coll_op_predefined(MPI_SUM), c);
}

/* The last rank takes the room of all members; *first: where that of rank 0 begins; *failed: a
 * member has an error, and the pointer has not moved. */
static int order_take(
	struct io_file *f, const int64_t mine[2], const int64_t before[2], int64_t answer[2])
{
	struct comm *c = f->comm;

	if (c->rank == c->size - 1) {
		answer[1] = before[1] + mine[1];
		if (answer[1] == 0)
			io_shared_add(f, before[0] + mine[0], &answer[0]);
	}
	return coll_bcast(answer, 2, type_predefined(MPI_INT64_T), c->size - 1, c);
}

/* Sets j->at to a position in etypes, if the file has bytes with such numbers. */
static void order_position(struct io_job *j, int64_t position, int64_t unit)
{
	int64_t end;

	j->at = 0;
	if (j->err != 0)
		return;
	if (__builtin_mul_overflow(position, unit, &j->at) ||
		__builtin_add_overflow(j->at, j->bytes, &end) || !io_view_fits(j->view, end))
		io_job_fail(j, haft_err(MPI_ERR_ARG, "the shared file pointer is at etype %lld",
				       (long long)position));
}

/* No member leaves before the pointer is back. */
void io_shared_order_undo(struct io_file *f)
{
	int64_t was;

	if (!f->order.moved || f->stream)
		return;
	f->order.moved = false;
	if (f->rank == f->size - 1)
		io_shared_add(f, -f->order.n, &was);
	io_agree(f, 0);
}

void io_shared_order(struct io_job *j)
{
	struct io_file *f = j->f;
	int64_t unit = j->view != NULL && j->view->unit > 0 ? j->view->unit : 1;
	int64_t mine[2] = {j->bytes / unit, j->err != 0}, before[2] = {0, 0}, first[2] = {0, 0};
	int err = 0;

	f->order = (struct io_order){.n = mine[0]};
	if (f->alone) {
		f->order.moved = j->placed = j->err == 0;
		if (j->err == 0)
			io_shared_add(f, mine[0], &first[0]);
		order_position(j, first[0], unit);
		return;
	}
	if (j->err != 0)
		mine[0] = 0;
	io_job_fail(j, order_scan(f->comm, mine, before));
	if (j->err != 0)
		mine[1] = 1; /* the last rank needs all, so it knows of a scan that has failed */
	err = order_take(f, mine, before, first);
	f->order = (struct io_order){first[1] == 0, before[0] + mine[0]};
	j->placed = f->order.moved;
	if (first[1] != 0 || j->err != 0)
		err = io_agree(f, io_job_error(j));
	io_job_fail(j, err);
	order_position(j, first[0] + before[0], unit);
}
