// SPDX-License-Identifier: BSD-3-Clause
/* mailbox.c - operations on private memory at the target: the own process polls its mailbox
 * while it is in MPI.  See mailbox.h. */
#include "libmpi/rma/mailbox.h"

#include "libmpi/core/setting.h"
#include "libmpi/p2p/p2p.h"
#include "libmpi/rma/am.h"
#include "libmpi/via/shared_mem.h"
#include <string.h>

#define MAILBOX_POLLS 600 /* at the mailbox after an operation was executed: a microsecond */
#define MAILBOX_BATCH 64  /* operations executed so, before polling for other requests */

static struct {
	struct rma_mailbox *own;
	int users;  /* windows that hold it */
	bool fence; /* barriers of others do not reach this process: it fences itself */
} mailbox;

static int mailbox_execute(struct rma_mailbox *b)
{
	const struct rma_am_run run = {b->offset, b->len};
	struct win *w = rma_registry_find(b->ctx);
	bool shared;
	char *at;

	if (w == NULL || b->len > MAILBOX_DATA)
		return MPI_ERR_WIN;
	if (b->kind == RMA_ACC) {
		const struct rma_am_head h = {.op = b->op, .basic = b->basic, .runs = 1};

		return rma_am_accumulate(w, &h, &run, b->data, b->fetch ? b->old : NULL);
	}
	at = rma_am_memory(w, &run, &shared);
	if (at == NULL)
		return MPI_ERR_RMA_RANGE;
	if (b->kind == RMA_PUT)
		rma_mailbox_copy(at, b->data, b->len);
	else
		rma_mailbox_copy(b->old, at, b->len);
	return 0;
}

static int mailbox_take(struct rma_mailbox *b, uint32_t word)
{
	atomic_store_explicit(&b->taken, word, memory_order_relaxed);
	if (unlikely(mailbox.fence))
		atomic_thread_fence(memory_order_seq_cst);
	else
		atomic_signal_fence(memory_order_seq_cst);
	if (atomic_load_explicit(&b->word, memory_order_acquire) != word) {
		atomic_store_explicit(
			&b->done, word ^ (MAILBOX_POSTED | MAILBOX_REVOKED), memory_order_release);
		return 0;
	}
	b->err = mailbox_execute(b);
	atomic_store_explicit(&b->done, word, memory_order_release);
	return 1;
}

/* Polls once. > 0: executed an operation. */
static int mailbox_poll_once(struct rma_mailbox *b)
{
	uint32_t word;

	atomic_store_explicit(&b->polls, atomic_load_explicit(&b->polls, memory_order_relaxed) + 1,
		memory_order_relaxed);
	word = atomic_load_explicit(&b->word, memory_order_acquire);
	if (likely(!shm_poll_word_changed(via.shm, word)))
		return 0;
	return (word & MAILBOX_POSTED) != 0 ? mailbox_take(b, word) : 0;
}

/* A hook of p2p_progress.  After one operation the origin often posts another, sooner than the next
 * call of the hook; so it polls on for a while. */
static int mailbox_poll_batch(void)
{
	struct rma_mailbox *b = mailbox.own;
	int n = 0;

	if (b == NULL || mailbox_poll_once(b) == 0)
		return 0;
	for (int i = 0; i < MAILBOX_POLLS; i++)
		if (mailbox_poll_once(b) > 0 && ++n < MAILBOX_BATCH)
			i = 0;
	return 1;
}

int rma_mailbox_poll(void)
{
	return mailbox.own != NULL ? mailbox_poll_once(mailbox.own) : 0;
}

HAFT_START void rma_mailbox_init(void)
{
	mailbox.own = NULL;
	mailbox.users = 0;
}

static bool mailbox_wanted(void)
{
	int64_t method = haft_setting_get(SETTING_RMA);

	return method == HAFT_RMA_MAILBOX || (method == HAFT_RMA_AUTO && !via.oversubscribed);
}

uint64_t rma_mailbox_hold(void)
{
	const int64_t len = sizeof(struct rma_mailbox);
	void *p = NULL;
	uint64_t off;

	if (!mailbox_wanted())
		return 0;
	if (mailbox.own == NULL) {
		if (via_mem_new(len, CACHE_LINE, &p) != 0)
			return 0;
		if (via_mem_off(p, len) == 0) {
			via_mem_free(p);
			return 0;
		}
		memset(p, 0, sizeof(struct rma_mailbox));
		mailbox.fence = shm_must_fence(via.shm);
		mailbox.own = p;
		shm_poll_word_set(via.shm, &mailbox.own->word);
		p2p_progress_hook(mailbox_poll_batch);
	}
	off = via_mem_off(mailbox.own, len);
	mailbox.users++;
	return off;
}

void rma_mailbox_drop(void)
{
	if (--mailbox.users > 0)
		return;
	shm_poll_word_set(via.shm, NULL);
	via_mem_free(mailbox.own);
	mailbox.own = NULL;
}
