// SPDX-License-Identifier: BSD-3-Clause
/* putget.c - MPI_Put and MPI_Get (MPI-5.0 12.3.1, 12.3.2), and what every operation is checked for.
 *
 *      rma_put ── dense, the same type on both sides, mapped, open ──> bounds ──> memmove
 *         └───── anything else ──> struct rma_operation ──> rma_operation_check ──> type_copy, rma_vm_move or rma_am_start
 *
 * A target of which rank, epoch and bounds are right is never written outside of its window,
 * whatever the datatypes are: the span of the target's data is what is compared. */
#include "libmpi/rma/operation.h"

#include "libmpi/core/err.h"
#include "libmpi/p2p/p2p.h"
#include "libmpi/rma/mailbox.h"
#include "libmpi/rma/win.h"
#include "libmpi/type/signature.h"
#include "libmpi/via/shared_mem.h"
#include <engine.h>
#include <string.h>

#define TYPE_WORDS 160 /* of a signature in words: longer ones are cut */

/* --- checks --------------------------------------------------------------------------------- */

static __attribute__((cold)) int operation_outside(
	const struct rma_operation *j, int64_t low, int64_t span)
{
	const struct rma_target *t = &j->w->target[j->rank];
	char words[RMA_WIN_WORDS];

	return haft_err(MPI_ERR_RMA_RANGE,
		"%lld bytes from byte %lld on, at displacement %lld of unit %lld, are not inside "
		"the %lld bytes of rank %d in %s",
		(long long)span, (long long)((int64_t)j->place + low), (long long)j->disp,
		(long long)t->unit, (long long)t->bytes, j->rank, rma_win_words(j->w, words));
}

static int operation_range(struct rma_operation *j)
{
	const struct rma_target *t = &j->w->target[j->rank];
	char words[RMA_WIN_WORDS];
	int64_t low, span = type_span(j->ttype, j->tcount, &low), place;

	if (j->disp < 0 && t->base != NULL)
		return haft_err(MPI_ERR_DISP, "displacement %lld at rank %d in %s is negative",
			(long long)j->disp, j->rank, rma_win_words(j->w, words));
	if (__builtin_mul_overflow(j->disp, t->unit, &place))
		return haft_err(MPI_ERR_DISP,
			"displacement %lld times unit %lld at rank %d in %s is no address",
			(long long)j->disp, (long long)t->unit, j->rank,
			rma_win_words(j->w, words));
	j->place = (uint64_t)place;
	j->at = (char *)((uintptr_t)t->base + (uintptr_t)place);
	if (j->w->flavor == MPI_WIN_FLAVOR_DYNAMIC)
		return rma_attach_check(j->w, j->rank, j->place + (uint64_t)low, span);
	if (unlikely(place + low < 0 || place + low > t->bytes || span > t->bytes - place - low))
		return operation_outside(j, low, span);
	return 0;
}

/* Memory of a dynamic window is mapped here if it lies in the segment, or is our own. */
static void operation_dynamic_way(struct rma_operation *j)
{
	const struct rma_target *t = &j->w->target[j->rank];
	uint64_t off = j->place - t->seg;

	j->shared = off < via.mem_len && t->ctl != NULL && j->w->rma->direct;
	if (j->shared)
		j->at = via_mem_at(off);
	if (j->shared || j->rank == j->w->rank)
		j->way = RMA_DIRECT;
}

/* Buffers and counts that can be, and data that fits where it goes. */
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
	if (j->otype != NULL && j->what != RMA_GET)
		from = j->ocount * j->otype->size;
	if (j->otype != NULL && j->what == RMA_GET)
		to = j->ocount * j->otype->size;
	if (unlikely(from > to))
		return haft_err(MPI_ERR_TRUNCATE,
			"%lld bytes %s do not fit into the %lld that %s_count and %s_datatype say",
			(long long)from, j->what == RMA_GET ? "at the target" : "of the origin",
			(long long)to, j->what == RMA_GET ? "origin" : "target",
			j->what == RMA_GET ? "origin" : "target");
	if (unlikely(j->fetch && target > j->rcount * j->rtype->size))
		return haft_err(MPI_ERR_TRUNCATE,
			"%lld bytes at the target are more than the %lld of the result buffer",
			(long long)target, (long long)(j->rcount * j->rtype->size));
	return 0;
}

/* An epoch lets this process access the target, or can be made to. */
static int operation_open(const struct rma_operation *j)
{
	struct win *w = j->w;

	return likely(rma_is_open(w, &w->target[j->rank])) ? 0 : rma_epoch_check(w, j->rank);
}

/* The basic types of the first `bytes' bytes here and at the target are the same. */
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

/* HAFT_CHECK=types: the two sides match. */
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

/* What is still not open now is recorded. */
static int operation_record(const struct rma_operation *j)
{
	const struct rma_access a = {.rank = j->rank,
		.what = j->what,
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
	j->way = t->way;
	j->shared = t->shared;
	if (err == 0 && j->w->flavor == MPI_WIN_FLAVOR_DYNAMIC)
		operation_dynamic_way(j);
	return err;
}

/* --- put and get ---------------------------------------------------------------------------- */

/* Only the bytes that the source has are moved. */
static int putget(struct rma_operation *j)
{
	int err = rma_operation_check(j);

	if (err != 0)
		return err < 0 ? 0 : err;
	if (j->way == RMA_VM)
		return rma_delegate(j) == 0 ? 0 : rma_vm_move(j);
	if (j->way == RMA_AM)
		return rma_am_start(j);
	if (j->what == RMA_GET)
		return type_copy(j->at, j->tcount, j->ttype, j->origin, j->ocount, j->otype);
	return type_copy(j->origin, j->ocount, j->otype, j->at, j->tcount, j->ttype);
}

/* Where the target's bytes are mapped, for the simple case: mapped, open, inside, the same number
 * of bytes on both sides, without gaps.  NULL: it is not that simple. */
static inline char *putget_fast_at(const struct win *w, const void *origin, int64_t ocount,
	const struct type *otype, int rank, int64_t disp, int64_t tcount, const struct type *ttype,
	int64_t *n)
{
	const struct rma_target *t;
	int64_t place, m;

	if (unlikely((unsigned)rank >= (unsigned)w->size))
		return NULL;
	t = &w->target[rank];
	if (unlikely(!rma_is_open(w, t) || t->way != RMA_DIRECT || !otype->dense || !ttype->dense))
		return NULL;
	if (unlikely(__builtin_mul_overflow(disp, t->unit, &place) ||
		     __builtin_mul_overflow(ocount, otype->size, n) ||
		     __builtin_mul_overflow(tcount, ttype->size, &m)))
		return NULL;
	if (unlikely(*n != m || (uint64_t)place > (uint64_t)t->bytes || m > t->bytes - place ||
		     (uintptr_t)origin <= (uintptr_t)MPI_IN_PLACE))
		return NULL;
	return t->base + place;
}

/* Words are stored as such: nobody sees half of one. */
static inline void putget_copy(void *to, const void *from, int64_t n)
{
	if (n == 8)
		__builtin_memcpy(to, from, 8);
	else if (n == 4)
		__builtin_memcpy(to, from, 4);
	else
		memmove(to, from, (size_t)n);
}

int rma_put(const void *origin, int64_t ocount, struct type *otype, int rank, int64_t disp,
	int64_t tcount, struct type *ttype, struct win *w)
{
	struct rma_operation j;
	int64_t n;
	char *at = putget_fast_at(w, origin, ocount, otype, rank, disp, tcount, ttype, &n);

	if (likely(at != NULL)) {
		putget_copy(at, origin, n);
		return 0;
	}
	j = rma_operation_of(RMA_PUT, NULL, origin, ocount, otype, rank, disp, tcount, ttype, w);
	return putget(&j);
}

int rma_get(void *origin, int64_t ocount, struct type *otype, int rank, int64_t disp,
	int64_t tcount, struct type *ttype, struct win *w)
{
	struct rma_operation j;
	int64_t n;
	char *at = putget_fast_at(w, origin, ocount, otype, rank, disp, tcount, ttype, &n);

	if (likely(at != NULL)) {
		putget_copy(origin, at, n);
		return 0;
	}
	j = rma_operation_of(RMA_GET, NULL, origin, ocount, otype, rank, disp, tcount, ttype, w);
	return putget(&j);
}

/* --- with requests -------------------------------------------------------------------------- */

int rma_operation_request(
	struct rma_operation *j, int (*run)(struct rma_operation *j), struct req **request)
{
	struct req *r;
	int err = j->rank == MPI_PROC_NULL ? 0 : rma_epoch_passive(j->w, j->rank);

	if (err != 0)
		return err;
	r = p2p_req_new(j->w->comm, NULL);
	if (r == NULL)
		return haft_err(MPI_ERR_NO_MEM, "no memory for a request");
	j->req = r;
	r->parts = 1;
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

int rma_rput(const void *origin, int64_t ocount, struct type *otype, int rank, int64_t disp,
	int64_t tcount, struct type *ttype, struct win *w, struct req **request)
{
	struct rma_operation j = rma_operation_of(
		RMA_PUT, NULL, origin, ocount, otype, rank, disp, tcount, ttype, w);

	return rma_operation_request(&j, putget, request);
}

int rma_rget(void *origin, int64_t ocount, struct type *otype, int rank, int64_t disp,
	int64_t tcount, struct type *ttype, struct win *w, struct req **request)
{
	struct rma_operation j = rma_operation_of(
		RMA_GET, NULL, origin, ocount, otype, rank, disp, tcount, ttype, w);

	return rma_operation_request(&j, putget, request);
}
