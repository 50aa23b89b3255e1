// SPDX-License-Identifier: BSD-3-Clause
/* shared.c - the shared file pointer (MPI-5.0 14.4.4).
 *
 *      member on rank 0's host      fetch-and-add on the word                    ~20 ns
 *      member on another host       SHARED_ADD {id, turn, n} ──> rank 0
 *                                   <── SHARED_WAS {id, before} */
#include "libmpi/io/shared.h"

#include "libmpi/p2p/outq.h"
#include "libmpi/p2p/p2p.h"
#include <string.h>

enum shared_kind { SHARED_ADD = 1, SHARED_WAS };

struct shared_frame {
	uint64_t id;   /* of the question, in its sender's process */
	int64_t value; /* ADD: n; WAS: what the pointer was */
	int64_t turn;  /* which of the two words */
};

/* A question to rank 0; on the stack of the thread that waits for its answer. */
struct shared_question {
	struct shared_question *next;
	uint64_t id;
	int64_t was;
	bool answered;
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

static void shared_answer(const struct shm_frame *f, const struct shared_frame *m)
{
	struct shared_question **at = &shared_questions;

	while (*at != NULL && (*at)->id != m->id)
		at = &(*at)->next;
	if (*at == NULL)
		p2p_protocol_error(f->src, "an answer about a shared file pointer that nobody "
					   "asked for");
	(*at)->was = m->value;
	(*at)->answered = true;
	*at = (*at)->next;
}

static void shared_frame_got(const struct shm_frame *f)
{
	struct io_file *file = shared_find(f->ctx);
	struct shared_frame m;

	if (f->len != sizeof(m) || (f->tag != SHARED_ADD && f->tag != SHARED_WAS))
		p2p_protocol_error(f->src, "a frame of %u bytes and kind %d about a file",
			(unsigned)f->len, f->tag);
	memcpy(&m, f->data, sizeof(m));
	if (f->tag == SHARED_WAS) {
		shared_answer(f, &m);
		return;
	}
	if (file == NULL || file->rank != 0 || group_rank_of(file->comm->group, f->src) < 0)
		p2p_protocol_error(f->src, "a frame about a file that is not open here");
	m.value = atomic_fetch_add(&file->shared->pointer[m.turn & 1], m.value);
	p2p_out_frame(f->src, f->ctx, SHARED_WAS, FRAME_IO, &m, sizeof(m));
}

void io_shared_attach(struct io_file *f)
{
	if (shared_files == NULL)
		p2p_deliver_register(FRAME_IO, shared_frame_got, P2P_FROM_LIVE);
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

static bool shared_is_answered(void *arg)
{
	const struct shared_question *q = arg;

	return q->answered;
}

/* Asks rank 0, which is on another host. */
static int64_t shared_ask(const struct io_file *f, int64_t n)
{
	static uint64_t last;
	struct shared_question q = {.next = shared_questions, .id = ++last};
	struct shared_frame m = {.id = q.id, .value = n, .turn = f->turn};
	const struct p2p_condition answered = {.ready = shared_is_answered, .arg = &q};

	shared_questions = &q;
	p2p_out_frame(
		group_peer(f->comm->group, 0), f->comm->ctx, SHARED_ADD, FRAME_IO, &m, sizeof(m));
	p2p_progress_until(&answered);
	return q.was;
}

int io_shared_add(struct io_file *f, int64_t n, int64_t *before)
{
	if (via_is_local(group_peer(f->comm->group, 0)))
		*before = atomic_fetch_add(&f->shared->pointer[f->turn], n);
	else
		*before = shared_ask(f, n);
	return 0;
}

void io_shared_prepare(struct io_file *f, int64_t to)
{
	atomic_store(&f->shared->pointer[f->turn ^ 1], to);
}

void io_shared_turn(struct io_file *f)
{
	f->turn ^= 1;
}
