// SPDX-License-Identifier: BSD-3-Clause
/* shared.c - the shared file pointer (MPI-5.0 14.4.4).
 *
 *      member on rank 0's host      fetch-and-add on the word                    ~20 ns
 *      member on another host       a datagram to a thread of rank 0 (pointer.h); else a frame:
 *                                   SHARED_ADD {id, word, n} ──> rank 0
 *                                   <── SHARED_WAS {id, before}, or SHARED_CLOSED {id} */
#include "libmpi/io/shared.h"

#include "libmpi/core/err.h"
#include "libmpi/core/library_lock.h"
#include "libmpi/core/process_state.h"
#include "libmpi/io/pointer.h"
#include "libmpi/p2p/outq.h"
#include "libmpi/p2p/p2p.h"
#include <mpi-ext.h>
#include <stdio.h>
#include <string.h>

enum shared_kind { SHARED_ADD = 1, SHARED_WAS, SHARED_CLOSED };

#define SHARED_FIRST_MS 20 /* from a datagram to the second; each later one after twice as long */
#define SHARED_TRIES    5  /* then rank 0 is asked by a frame as well */
#define SHARED_NAP_NS   200000000u

/* A question to rank 0, in a frame, or with `n' replaced its answer. */
struct shared_question {
	struct shared_question *next;
	struct io_pointer_question q;
	struct io_file *f;
	uint32_t nap_ns;
	int64_t was;
	bool answered;
	bool closed; /* rank 0 has closed the file, and knows of `was' failed processes */
};

static struct io_file *shared_files;             /* open ones, of this process */
static struct shared_question *shared_questions; /* not answered yet */

static struct io_file *shared_find(uint64_t ctx)
{
	struct io_file *f = shared_files;

	while (f != NULL && f->comm->ctx != ctx)
		f = f->next;
	return f;
}

/* An answer that has come by a datagram before is dropped. */
static void shared_answer(const struct io_pointer_question *m, bool closed)
{
	struct shared_question *q = shared_questions;

	while (q != NULL && q->q.id != m->id)
		q = q->next;
	if (q == NULL || q->answered)
		return;
	q->was = m->n;
	q->closed = closed;
	q->answered = !closed;
}

/* The question of a member.  A file that is no longer open here gets an answer, too: a question may
 * come by a datagram first, or after rank 0 has closed the file alone.  It does so if another
 * member has died, or the file is revoked.  The asker may know of neither yet, so the answer has
 * the number of deaths. */
static void shared_asked(const struct shm_frame *f, struct io_pointer_question *m)
{
	struct io_file *file = shared_find(f->ctx);

	if (file == NULL) {
		m->n = p2p_failed_count();
		p2p_out_frame(f->src, f->ctx, SHARED_CLOSED, FRAME_IO, m, sizeof(*m));
		return;
	}
	if (file->rank != 0 || group_rank_of(file->comm->group, f->src) != m->rank || m->rank < 0)
		p2p_protocol_error(f->src, "a question about a file to a rank that is not 0");
	if (file->pointer_server != NULL)
		m->n = io_pointer_answer(file->pointer_server, m);
	else
		m->n = io_shared_step(&file->shared->pointer[m->word & 1], m->n, m->most);
	p2p_out_frame(f->src, f->ctx, SHARED_WAS, FRAME_IO, m, sizeof(*m));
}

static void shared_frame_got(const struct shm_frame *f)
{
	struct io_pointer_question m;

	if (f->len != sizeof(m) || f->tag < SHARED_ADD || f->tag > SHARED_CLOSED)
		p2p_protocol_error(f->src, "a frame of %u bytes and kind %d about a file",
			(unsigned)f->len, f->tag);
	memcpy(&m, f->data, sizeof(m));
	if (f->tag == SHARED_ADD)
		shared_asked(f, &m);
	else
		shared_answer(&m, f->tag == SHARED_CLOSED);
}

/* A member of a pipe has failed: no access behind its lowest place gets a turn. */
static void shared_lose(struct io_file *f, int rank)
{
	int64_t start = atomic_load(&f->shared->member[rank].start), lost = atomic_load(&f->lost);

	if (start != 0 && (lost == 0 || start < lost))
		atomic_store(&f->lost, start);
}

/* A member has failed, or a communicator is revoked: turns on a pipe may never come. */
static void shared_check_members(void)
{
	for (struct io_file *f = shared_files; f != NULL; f = f->next) {
		if (!f->stream || !p2p_comm_broken(f->comm))
			continue;
		if ((f->comm->hints & COMM_REVOKED) != 0)
			atomic_store(&f->revoked, true);
		for (int r = 0; r < f->size; r++)
			if (p2p_peer_gone(group_peer(f->comm->group, r)))
				shared_lose(f, r);
	}
}

/* haft_life_hooks.uncommitted. */
static void shared_uncommitted(bool finalize)
{
	for (const struct io_file *f = shared_files; f != NULL; f = f->next)
		if (f->final_path != NULL && (f->rank == 0 || !finalize))
			fprintf(stderr,
				"haft: %s: not committed, because %s before MPI_File_close; the "
				"new contents stay in %s\n",
				f->final_path, finalize ? "MPI was finalized" : "the job ends",
				f->path);
}

void io_shared_attach(struct io_file *f)
{
	haft_life_hooks.uncommitted = shared_uncommitted;
	if (shared_files == NULL)
		p2p_deliver_register(FRAME_IO, shared_frame_got, P2P_FROM_LIVE);
	p2p_broken_hook(shared_check_members);
	f->next = shared_files;
	shared_files = f;
}

const struct io_file *io_shared_first(void)
{
	return shared_files;
}

void io_shared_detach(struct io_file *f)
{
	struct io_file **at = &shared_files;

	while (*at != NULL && *at != f)
		at = &(*at)->next;
	if (*at != NULL)
		*at = f->next;
}

/* --- asking rank 0, which is on another host ------------------------------------------------ */

/* By datagrams: without the library's lock, and without rank 0's CPU time.  False: no answer. */
static bool shared_ask_thread(struct shared_question *q)
{
	struct io_pointer_client *c = q->f->pointer_client;
	int64_t was;
	bool had, got = false;

	if (c == NULL)
		return false;
	had = haft_user_begin();
	for (int i = 0; i < SHARED_TRIES && !got; i++) {
		io_pointer_ask(c, &q->q);
		got = io_pointer_answered(c, &q->q, SHARED_FIRST_MS << i, &was);
	}
	haft_user_end(had);
	if (got)
		q->was = was;
	q->answered = got;
	return got;
}

/* Rank 0 has failed, or the file is revoked: no answer comes. */
static bool shared_is_lost(const struct io_file *f)
{
	return (f->comm->hints & COMM_REVOKED) != 0 || p2p_peer_gone(group_peer(f->comm->group, 0));
}

/* A frame has been sent; and datagrams still are. */
static bool shared_is_answered(void *arg)
{
	struct shared_question *q = arg;
	struct io_pointer_client *c = q->f->pointer_client;

	if (!q->answered && c != NULL)
		q->answered = io_pointer_answered(c, &q->q, 0, &q->was);
	return q->answered || q->closed || shared_is_lost(q->f);
}

static void shared_ask_frame(struct shared_question *q)
{
	const struct comm *c = q->f->comm;
	const struct p2p_condition answered = {
		.ready = shared_is_answered, .arg = q, .nap_ns = &q->nap_ns};
	struct shared_question **at = &shared_questions;

	q->next = shared_questions;
	shared_questions = q;
	p2p_out_frame(group_peer(c->group, 0), c->ctx, SHARED_ADD, FRAME_IO, &q->q, sizeof(q->q));
	if (q->f->pointer_client != NULL)
		io_pointer_ask(q->f->pointer_client, &q->q);
	p2p_progress_until(&answered);
	while (*at != q)
		at = &(*at)->next;
	*at = q->next;
}

static bool shared_is_free(void *arg)
{
	return !((const struct io_file *)arg)->asking;
}

/* Closing is collective, so rank 0 has done it alone for one of two reasons. */
static int shared_closed_error(const struct shared_question *q)
{
	bool failed = q->was > 0;

	return haft_err(failed ? MPIX_ERR_PROC_FAILED : MPIX_ERR_REVOKED,
		"rank 0, which has the shared file pointer, has closed %s, because %s", q->f->path,
		failed ? "a process has failed" : "it is revoked");
}

/* One thread asks at a time: numbers of questions come to rank 0 in order. */
static int shared_ask(struct io_file *f, int64_t n, int64_t most, int64_t *before)
{
	static uint64_t last;
	const struct p2p_condition free = {.ready = shared_is_free, .arg = f};
	struct shared_question q = {.f = f,
		.nap_ns = SHARED_NAP_NS,
		.q = {.n = n, .most = most, .rank = f->rank, .word = f->word}};
	int err;

	if (f->asking)
		p2p_progress_until(&free);
	f->asking = true;
	q.q.id = ++last;
	if (!shared_ask_thread(&q))
		shared_ask_frame(&q);
	f->asking = false;
	*before = q.was;
	if (q.answered)
		return 0;
	err = p2p_comm_error(f->comm);
	return err != 0 ? err : shared_closed_error(&q);
}

int io_shared_add(struct io_file *f, int64_t n, int64_t most, int64_t *before)
{
	int err = 0;

	if ((f->comm->hints & COMM_REVOKED) != 0)
		return p2p_comm_error(f->comm);
	if (f->pointer_local)
		*before = io_shared_step(&f->shared->pointer[f->word], n, most);
	else
		err = shared_ask(f, n, most, before);
	if (likely(err != 0 || *before >= 0))
		return err;
	return haft_err(MPI_ERR_ARG,
		"the shared file pointer of %s is at etype %lld: %lld more have no place in a file",
		f->path, (long long)(-1 - *before), (long long)n);
}

void io_shared_give_back(struct io_file *f, int64_t before, int64_t n)
{
	int64_t now = before + n;

	if (via_is_local(group_peer(f->comm->group, 0)))
		atomic_compare_exchange_strong(&f->shared->pointer[f->word], &now, before);
}

void io_shared_prepare(struct io_file *f, int64_t to)
{
	atomic_store(&f->shared->pointer[f->word ^ 1], to);
}

void io_shared_word_next(struct io_file *f)
{
	f->word ^= 1;
}
