// SPDX-License-Identifier: BSD-3-Clause
/* operation.c - what every operation is checked for, and operations with a request.
 *
 *      rank ──> epoch ──> buffers and sizes ──> types ──> range ──> conflicts ──> method
 *
 * An operation whose rank, epoch and range are right never writes outside of its window, whatever
 * the datatypes are: the span of the target's data is compared with the window. */
#include "libmpi/rma/operation.h"

#include "libmpi/core/err.h"
#include "libmpi/core/setting.h"
#include "libmpi/p2p/p2p.h"
#include "libmpi/rma/win.h"
#include "libmpi/rma/win_epoch.h"
#include "libmpi/type/signature.h"
#include "libmpi/via/shared_mem.h"
#include <engine.h>

#define TYPE_WORDS 160 /* of a signature in words: longer ones are cut */

static __attribute__((cold)) int operation_outside(
	const struct rma_operation *j, int64_t low, int64_t span)
{
	const struct rma_target *t = &j->w->target[j->rank];
	char words[RMA_WIN_WORDS];

	return haft_err(MPI_ERR_RMA_RANGE,
		"%lld bytes from byte %lld on, at displacement %lld of unit %lld, are not inside "
		"the %lld bytes of rank %d in %s",
		(long long)span, (long long)((int64_t)j->offset + low), (long long)j->disp,
		(long long)t->unit, (long long)t->bytes, j->rank, rma_win_words(j->w, words));
}

static int operation_range(struct rma_operation *j)
{
	const struct rma_target *t = &j->w->target[j->rank];
	char words[RMA_WIN_WORDS];
	int64_t low, span = type_span(j->ttype, j->tcount, &low), offset;

	if (j->disp < 0 && t->base != NULL)
		return haft_err(MPI_ERR_DISP, "displacement %lld at rank %d in %s is negative",
			(long long)j->disp, j->rank, rma_win_words(j->w, words));
	if (__builtin_mul_overflow(j->disp, t->unit, &offset))
		return haft_err(MPI_ERR_DISP,
			"displacement %lld times unit %lld at rank %d in %s overflows 64 bits",
			(long long)j->disp, (long long)t->unit, j->rank,
			rma_win_words(j->w, words));
	j->offset = (uint64_t)offset;
	j->at = (char *)((uintptr_t)t->base + (uintptr_t)offset);
	if (j->w->flavor == MPI_WIN_FLAVOR_DYNAMIC)
		return rma_attach_check(j->w, j->rank, j->offset + (uint64_t)low, span);
	if (unlikely(offset + low < 0 || offset + low > t->bytes || span > t->bytes - offset - low))
		return operation_outside(j, low, span);
	return 0;
}

/* Memory of a dynamic window is mapped here if it lies in the segment or is this process's own. */
static void operation_dynamic_route(struct rma_operation *j)
{
	const struct rma_target *t = &j->w->target[j->rank];
	uint64_t off = j->offset - t->seg;

	j->shared = off < via.mem_len && t->ctl != NULL && j->w->rma->direct;
	if (j->shared)
		j->at = via_mem_at(off);
	if (j->shared || j->rank == j->w->rank)
		j->method = RMA_DIRECT;
}

/* Checks buffers, counts, and that the data fits into its destination. */
static int operation_sizes(const struct rma_operation *j)
{
	int64_t target = j->tcount * j->ttype->size, from, to;
	int err = type_check(j->w, j->tcount, 1, j->ttype, "the target buffer");

	if (err == 0 && j->otype != NULL)
		err = type_check(j->origin, j->ocount, 1, j->otype, "the origin buffer");
	if (err == 0 && j->fetch)
		err = type_check(j->result, j->rcount, 1, j->rtype, "the result buffer");
	if (err != 0)
		return err;
	from = to = target;
	if (j->otype != NULL && j->kind != RMA_GET)
		from = j->ocount * j->otype->size;
	if (j->otype != NULL && j->kind == RMA_GET)
		to = j->ocount * j->otype->size;
	if (unlikely(from > to))
		return haft_err(MPI_ERR_TRUNCATE,
			"%lld bytes %s do not fit into the %lld that %s_count and %s_datatype say",
			(long long)from, j->kind == RMA_GET ? "at the target" : "of the origin",
			(long long)to, j->kind == RMA_GET ? "origin" : "target",
			j->kind == RMA_GET ? "origin" : "target");
	if (unlikely(j->fetch && target > j->rcount * j->rtype->size))
		return haft_err(MPI_ERR_TRUNCATE,
			"%lld bytes at the target are more than the %lld of the result buffer",
			(long long)target, (long long)(j->rcount * j->rtype->size));
	return 0;
}

/* 0 if the epoch lets this process access the target, perhaps after a wait for its post. */
static int operation_open(const struct rma_operation *j)
{
	struct win *w = j->w;

	return likely(rma_is_open(w, &w->target[j->rank])) ? 0 : rma_epoch_check(w, j->rank);
}

/* Compares the basic types of the first `bytes' bytes here and at the target. 0, or MPI_ERR_TYPE
 * with words. */
static int operation_same_types(
	const struct rma_operation *j, struct type *here, int64_t bytes, const char *which)
{
	char name[RMA_WIN_WORDS], a[TYPE_WORDS], b[TYPE_WORDS];
	struct type_signature sum, target;

	if (type_signature_bytes(here, bytes, &sum) != 0 ||
		type_signature_bytes(j->ttype, bytes, &target) != 0)
		return haft_err(MPI_ERR_NO_MEM, "no memory to compare datatypes");
	if (likely(sum.hash == target.hash) || sum.packed || target.packed)
		return 0;
	return haft_err(MPI_ERR_TYPE, "the %s buffer is %s, and the memory of rank %d in %s is %s",
		which, type_signature_words(here, bytes, a, sizeof(a)), j->rank,
		rma_win_words(j->w, name), type_signature_words(j->ttype, bytes, b, sizeof(b)));
}

/* HAFT_CHECK=types: compares the types of both sides. */
static int operation_types(const struct rma_operation *j)
{
	int64_t bytes = j->tcount * j->ttype->size, origin;
	int err = 0;

	if (likely(rma_is_open(j->w, &j->w->target[j->rank]) || !rma_epoch_types(j->w)))
		return 0;
	if (j->otype != NULL) {
		origin = j->ocount * j->otype->size;
		err = operation_same_types(j, j->otype, origin < bytes ? origin : bytes, "origin");
	}
	if (err == 0 && j->fetch)
		err = operation_same_types(j, j->rtype, bytes, "result");
	return err;
}

/* HAFT_CHECK=rma: records the access.  The target is not open then. */
static int operation_record(const struct rma_operation *j)
{
	const struct rma_access a = {.rank = j->rank,
		.kind = j->kind,
		.op = j->op,
		.disp = j->disp,
		.count = j->tcount,
		.type = j->ttype,
		.req = j->req};

	return likely(rma_is_open(j->w, &j->w->target[j->rank])) ? 0 : rma_epoch_record(j->w, &a);
}

int rma_operation_check(struct rma_operation *j)
{
	const struct rma_target *t;
	char words[RMA_WIN_WORDS];
	int err;

	if (j->rank == MPI_PROC_NULL)
		return -1;
	if (j->rank >= j->w->size)
		return haft_err(
			MPI_ERR_RANK, "rank %d is not in %s", j->rank, rma_win_words(j->w, words));
	t = &j->w->target[j->rank];
	err = operation_open(j);
	if (err == 0)
		err = operation_sizes(j);
	if (err == 0)
		err = operation_types(j);
	if (err != 0)
		return err;
	if (j->tcount * j->ttype->size == 0)
		return -1;
	err = operation_range(j);
	if (err == 0)
		err = operation_record(j);
	j->method = t->method;
	j->shared = t->shared;
	if (err == 0 && j->w->flavor == MPI_WIN_FLAVOR_DYNAMIC)
		operation_dynamic_route(j);
	return err;
}

/* MPI_ERR_RMA_SYNC if no passive epoch is open (12.3.5).  Real programs pass MPI_PROC_NULL in other
 * epochs: that is an error with HAFT_CHECK=strict. */
static int operation_request_epoch(const struct rma_operation *j)
{
	if (j->rank == MPI_PROC_NULL && (haft_setting_get(SETTING_CHECK) & HAFT_CHECK_STRICT) == 0)
		return 0;
	return rma_epoch_passive(j->w, j->rank);
}

int rma_operation_request(
	struct rma_operation *j, int (*run)(struct rma_operation *j), struct req **request)
{
	struct req *r;
	int err = operation_request_epoch(j);

	if (err != 0)
		return err;
	if (j->rank != MPI_PROC_NULL)
		rma_epoch_poll(j->w);
	r = p2p_req_new(j->w->comm, NULL);
	if (r == NULL)
		return haft_err(MPI_ERR_NO_MEM, "no memory for a request");
	j->req = r;
	err = run(j);
	if (err != 0) {
		p2p_req_done(r);
		p2p_request_free(&r);
		return err;
	}
	p2p_req_done(r);
	*request = r;
	return 0;
}
