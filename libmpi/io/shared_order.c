// SPDX-License-Identifier: BSD-3-Clause
/* shared_order.c - places of ordered accesses (MPI-5.0 14.4.4): an exclusive scan of counts; the
 * last rank adds their sum to the shared pointer, and tells all where rank 0 begins. */
#include "libmpi/coll/reduce_op.h"
#include "libmpi/io/agree.h"
#include "libmpi/io/disk.h"
#include "libmpi/io/shared.h"
#include "libmpi/io/view.h"
#include "libmpi/core/err.h"
#include "libmpi/p2p/p2p.h"
#include "libmpi/type/type.h"
#include <engine.h>

/* Sums of the ranks before this one: etypes, and members with an error. */
static int order_scan(struct comm *c, const int64_t mine[2], int64_t before[2])
{
	before[0] = before[1] = 0;
	return coll_exscan(
		mine, before, 2, type_predefined(MPI_INT64_T), coll_op_predefined(MPI_SUM), c);
}

/* The result of the last rank to all. */
struct order_answer {
	int64_t first;  /* where the room of rank 0 begins */
	int64_t failed; /* a member has an error, and the pointer has not moved */
	int64_t n;      /* etypes of all members */
};

/* The last rank takes the room of all members.  That there is none is its error. */
static int order_take(struct io_job *j, const int64_t mine[2], const int64_t before[2],
	struct order_answer *answer)
{
	struct comm *c = j->f->comm;

	if (c->rank == c->size - 1) {
		answer->failed = before[1] + mine[1];
		answer->n = before[0] + mine[0];
		if (answer->failed == 0) {
			io_job_fail(j, io_shared_add(j->f, answer->n, io_view_most(j->view),
					       &answer->first));
			answer->failed = j->err != 0;
		}
	}
	return coll_bcast(answer, 3, type_predefined(MPI_INT64_T), c->size - 1, c);
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
	else
		io_job_fail(j, io_access_check_tiles(j));
}

/* No member leaves before the pointer is back.  After a failure some may have left. */
void io_shared_order_undo(struct io_file *f)
{
	bool moved = f->order.moved;

	f->order.moved = false;
	if (!moved || f->stream || p2p_comm_broken(f->comm))
		return;
	if (f->rank == 0 && f->order.word == f->word)
		io_shared_give_back(f, f->order.first, f->order.n);
	io_agree(f, 0);
}

static int64_t order_unit(const struct io_job *j)
{
	return j->view != NULL && j->view->unit > 0 ? j->view->unit : 1;
}

static void order_alone(struct io_job *j)
{
	struct io_file *f = j->f;
	int64_t unit = order_unit(j), n = j->bytes / unit, first = 0;

	f->order = (struct io_order){.n = n, .word = f->word};
	if (j->err == 0)
		io_job_fail(j, io_shared_add(f, n, io_view_most(j->view), &first));
	f->order.moved = j->placed = j->err == 0;
	f->order.first = first;
	order_position(j, first, unit);
}

static void order_together(struct io_job *j)
{
	struct io_file *f = j->f;
	int64_t unit = order_unit(j);
	int64_t mine[2] = {j->bytes / unit, j->err != 0}, before[2] = {0, 0};
	struct order_answer answer = {0};
	int err = 0;

	if (j->err != 0)
		mine[0] = 0;
	io_job_fail(j, order_scan(f->comm, mine, before));
	if (j->err != 0)
		mine[1] = 1; /* the last rank needs all, so it knows of a scan that has failed */
	err = order_take(j, mine, before, &answer);
	f->order = (struct io_order){
		.moved = answer.failed == 0, .word = f->word, .first = answer.first, .n = answer.n};
	j->placed = f->order.moved;
	if (answer.failed != 0 || j->err != 0)
		io_job_take(j, io_agree(f, io_job_error(j)));
	io_job_fail(j, err);
	order_position(j, answer.first + before[0], unit);
}

void io_shared_order(struct io_job *j)
{
	bool reserve = j->f->stream && j->err == 0 && j->bytes > 0;

	if (j->f->alone) {
		order_alone(j);
		return;
	}
	if (unlikely(reserve))
		io_job_fail(j, io_stream_reserve_begin(j));
	reserve = reserve && j->err == 0;
	order_together(j);
	if (unlikely(reserve))
		io_stream_reserve_end(j);
}
