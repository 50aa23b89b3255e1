// SPDX-License-Identifier: BSD-3-Clause
/* partitioned.c - MPI's calls for partitioned communication (partitioned.h; MPI-5.0 chapter 4). */
#include "libmpi/p2p/partitioned.h"

#include "libmpi/core/err.h"
#include "libmpi/core/library_lock.h"
#include "libmpi/p2p/request.h"
#include <engine.h>
#include <stdlib.h>

/* --- making --------------------------------------------------------------------------------- */

static bool part_alloc(struct part_op *p)
{
	size_t n = (size_t)p->n;

	if (!p->sends) {
		p->missing = calloc(n, sizeof(*p->missing));
		return p->missing != NULL;
	}
	p->marks = calloc(n, sizeof(*p->marks));
	p->unsent = calloc(n / 64 + 1, sizeof(*p->unsent));
	for (size_t i = 0; p->marks != NULL && i < n; i++)
		p->marks[i].part = p;
	return p->marks != NULL && p->unsent != NULL;
}

/* An operation whose request is filled; NULL: no memory. */
static struct part_op *part_new(struct req *r, bool sends, int n, int64_t count)
{
	struct part_op *p = calloc(1, sizeof(*p));

	if (p == NULL)
		return NULL;
	p->req = r;
	p->sends = sends;
	p->peer = r->peer;
	p->n = n;
	p->part_bytes = count * r->type->size;
	p->bytes = p->part_bytes * n;
	if (part_alloc(p) && (p->peer == MPI_PROC_NULL || id_table_take(&p2p_parts, p, &p->id)))
		return p;
	p->peer = MPI_PROC_NULL; /* it has no id */
	p2p_part_free(p);
	return NULL;
}

static void part_start_send(struct part_op *p)
{
	for (int i = 0; i < p->n; i++)
		atomic_store_explicit(&p->marks[i].next, PART_UNMARKED, memory_order_relaxed);
	p->nunsent = p->n;
	p->frag_at = p->frag_end = 0;
	p->req->open_parts = 0; /* ends when the last partition has been sent */
}

static void part_start_recv(struct part_op *p)
{
	for (int i = 0; i < p->n; i++)
		atomic_store_explicit(&p->missing[i], p->part_bytes, memory_order_relaxed);
	p->bytes_missing = p->bytes;
	p->bytes_coming = 0;
	if (p->matched)
		p2p_part_pend(p, PENDING_READY);
}

static int part_start(struct req *r)
{
	struct part_op *p = r->part;

	p2p_part_take_marks();
	p->starts++;
	if (p->sends)
		part_start_send(p);
	if (p->peer == MPI_PROC_NULL) {
		r->res = (struct req_result){.source = MPI_PROC_NULL, .tag = MPI_ANY_TAG};
		r->open_parts = 0;
		r->done = true;
	} else if (p->lost) {
		p2p_part_fail_lost(p);
	} else if (p->revoked) {
		p2p_part_fail_revoked(p);
	} else if (!p2p_part_fits(p)) {
		p2p_part_mismatch(p);
	} else if (p->no_memory) {
		p2p_part_fail_memory(p);
	} else if (!p->sends) {
		part_start_recv(p);
	}
	return 0;
}

static const struct req_ops part_ops = {.start = part_start, .gone = p2p_part_gone};

/* Makes a request of n partitions of m each; m->peer is still a rank of c. */
static int part_init(
	bool sends, int n, const struct p2p_message *m, struct comm *c, struct req **request)
{
	struct p2p_message whole = *m;
	struct part_op *p;
	struct req *r;
	int err;

	if (n <= 0)
		return haft_err(MPI_ERR_ARG, "partitions is %d, and must be at least 1", n);
	err = type_check(m->buf, m->count, n, m->type, "the buffer");
	if (err != 0)
		return err;
	r = p2p_req_new_message(m->type, c);
	if (r == NULL)
		return p2p_req_no_memory();
	whole.count *= n;
	if (m->peer != MPI_PROC_NULL)
		whole.peer = group_peer(comm_peers(c), m->peer);
	p2p_req_fill(r, sends ? REQ_PSEND : REQ_PRECV, &whole, c, c->ctx | CTX_PART);
	r->persist = true;
	p = part_new(r, sends, n, m->count);
	err = p == NULL ? p2p_req_no_memory() : 0;
	if (err == 0 && m->peer != MPI_PROC_NULL)
		err = p2p_part_offer_start(p, m->type, c, m->tag);
	if (err != 0 && p != NULL)
		p2p_part_free(p);
	if (err != 0) {
		p2p_req_free(r);
		return err;
	}
	r->part = p;
	r->ops = &part_ops;
	*request = r;
	return 0;
}

int p2p_psend_init(const void *buf, int n, int64_t count, struct type *type, int dest, int tag,
	struct comm *c, struct info *info, struct req **request)
{
	struct p2p_message m = {buf, count, type, dest, tag};

	(void)info;
	return part_init(true, n, &m, c, request);
}

int p2p_precv_init(void *buf, int n, int64_t count, struct type *type, int source, int tag,
	struct comm *c, struct info *info, struct req **request)
{
	struct p2p_message m = {buf, count, type, source, tag};

	(void)info;
	return part_init(false, n, &m, c, request);
}

/* --- ready ---------------------------------------------------------------------------------- */

static int part_not_sending(const struct req *r)
{
	if (r->kind != REQ_PSEND)
		return haft_err(MPI_ERR_REQUEST, "the request is not a partitioned send");
	if (!r->active)
		return haft_err(MPI_ERR_REQUEST, "the partitioned send has not been started");
	return 0;
}

/* Pushes the mark of one partition on the stack. */
static int part_mark(struct part_op *p, int i)
{
	struct part_mark *m, *was = PART_UNMARKED;
	void *head;

	if (i < 0 || i >= p->n)
		return haft_err(MPI_ERR_ARG, "partition %d is not one of 0..%d", i, p->n - 1);
	if (p->peer == MPI_PROC_NULL)
		return 0;
	m = &p->marks[i];
	if (!atomic_compare_exchange_strong(&m->next, &was, NULL))
		return haft_err(MPI_ERR_ARG, "partition %d is ready already", i);
	head = atomic_load(&haft_lock_deferred);
	do {
		atomic_store_explicit(&m->next, head, memory_order_relaxed);
	} while (!atomic_compare_exchange_weak(&haft_lock_deferred, &head, m));
	return 0;
}

/* Sends the partitions that the marks allow; if another thread of several has the lock, it will. */
static void part_send_marked(void)
{
	bool locks = haft_calls_lock();

	if (haft_threads_enabled()) {
		if (!haft_trylock())
			return;
	} else if (locks) {
		haft_lock();
	}
	p2p_part_take_marks();
	if (locks)
		haft_unlock();
}

/* Copies what of a Fortran section is ready now.  Under the lock, so that the copy of a thread that
 * looked earlier cannot overwrite this one. */
static void part_take_section(struct req *r)
{
	if (r->copies == NULL)
		return;
	if (haft_calls_lock())
		haft_lock();
	p2p_req_copies_take(r);
	if (haft_calls_lock())
		haft_unlock();
}

int p2p_pready(int i, struct req *r)
{
	return p2p_pready_range(i, i, r);
}

int p2p_pready_range(int low, int high, struct req *r)
{
	int err = part_not_sending(r);

	if (err == 0 && low > high)
		err = haft_err(
			MPI_ERR_ARG, "partition_low is %d, above partition_high %d", low, high);
	if (err == 0)
		part_take_section(r);
	for (int i = low; err == 0 && i <= high; i++)
		err = part_mark(r->part, i);
	part_send_marked();
	return err;
}

int p2p_pready_list(int n, const int list[], struct req *r)
{
	int err = part_not_sending(r);

	if (err == 0 && n > 0 && list == NULL)
		err = haft_err(MPI_ERR_ARG, "array_of_partitions is NULL");
	if (err == 0)
		part_take_section(r);
	for (int i = 0; err == 0 && i < n; i++)
		err = part_mark(r->part, list[i]);
	part_send_marked();
	return err;
}

/* --- arrived -------------------------------------------------------------------------------- */

/* Under the lock, which protects `done'. */
static bool part_recheck(const struct req *r, int i)
{
	if (!r->done && !part_has_arrived(r->part, i))
		p2p_progress_poll();
	return r->done || part_has_arrived(r->part, i);
}

/* A partition of an operation that has failed will not arrive: a loop over the call ends here. */
static int part_arrived_error(const struct req *r, int i)
{
	if (!r->done || r->res.error == 0 || part_has_arrived(r->part, i))
		return 0;
	return p2p_req_error(r, r->res.error);
}

int p2p_parrived(struct req *r, int i, int *flag)
{
	const struct part_op *p;
	int err;

	*flag = 1;
	if (r == NULL)
		return 0;
	if (r->kind != REQ_PRECV)
		return haft_err(MPI_ERR_REQUEST, "the request is not a partitioned receive");
	p = r->part;
	if (i < 0 || i >= p->n)
		return haft_err(MPI_ERR_ARG, "partition %d is not one of 0..%d", i, p->n - 1);
	if (!r->active || (part_has_arrived(p, i) && r->copies == NULL))
		return 0;
	if (haft_calls_lock())
		haft_lock();
	*flag = part_recheck(r, i);
	if (*flag && r->copies != NULL)
		p2p_req_copies_give(r, false);
	err = part_arrived_error(r, i);
	if (haft_calls_lock())
		haft_unlock();
	return err;
}

/* --- opening -------------------------------------------------------------------------------- */

static void part_got(const struct shm_frame *f)
{
	p2p_part_got_frame(f->kind, f->src, f->ctx, (uint32_t)f->tag, f->data, f->len);
}

HAFT_START void p2p_part_open(void)
{
	haft_lock_deferred_hook = p2p_part_take_marks;
	for (int kind = FRAME_PART_MATCH; kind <= FRAME_PART_CLOSE; kind++)
		p2p_deliver_register(kind, part_got, P2P_FROM_LIVE);
}

/* --- the invariants ------------------------------------------------------------------------- */

static bool part_op_valid(const struct part_op *p)
{
	if (p->req == NULL && p->closed && p->pending == 0)
		return false; /* it is over, and should have been freed */
	if (p->pending != 0 && !p->queued)
		return false;
	if (p->sends)
		return p->nunsent >= 0 && p->nunsent <= p->n && p->frag_at <= p->frag_end;
	return p->bytes_coming >= 0 && p->bytes_coming <= p->bytes_missing;
}

bool p2p_part_valid(void)
{
	for (uint32_t i = 0; i < p2p_parts.n; i++) {
		const struct part_op *p = id_table_get(&p2p_parts, i);

		if (p != NULL && !part_op_valid(p))
			return false;
	}
	return id_table_valid(&p2p_parts);
}
