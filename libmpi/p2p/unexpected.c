// SPDX-License-Identifier: BSD-3-Clause
/* unexpected.c - memory for messages that have come before their receives (unexpected.h). */
#include "libmpi/p2p/unexpected.h"

#include "libmpi/core/err.h"
#include "libmpi/core/event.h"
#include "libmpi/p2p/credit.h"
#include "libmpi/p2p/sig.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Where a message's type signature is, behind `len' bytes of data: aligned. */
#define SIG_AT(len) (((len) + 7) & ~(size_t)7)

struct unexpected *p2p_unexpected_try(
	uint64_t ctx, int peer, int tag, int64_t total, int64_t data_len)
{
	size_t sig_at = SIG_AT((size_t)data_len);
	size_t more = p2p_state.sig != NULL ? sig_at + sizeof(*p2p_state.sig) : (size_t)data_len;
	struct unexpected *u = malloc(sizeof(*u) + more);

	if (u == NULL)
		return NULL;
	memset(u, 0, sizeof(*u));
	if (p2p_state.sig != NULL) {
		u->sig = (struct p2p_sig *)(void *)(u->data + sig_at);
		*u->sig = *p2p_state.sig;
	}
	u->ctx = ctx;
	u->peer = peer;
	u->tag = tag;
	u->total = total;
	return u;
}

__attribute__((noreturn)) static void unexpected_abort(int64_t total)
{
	char words[96];

	snprintf(words, sizeof(words),
		"no memory for a message of %lld byte%s that has no receive yet", (long long)total,
		total == 1 ? "" : "s");
	haft_abort_job(MPI_ERR_NO_MEM, words);
}

struct unexpected *p2p_unexpected_new(
	uint64_t ctx, int peer, int tag, int64_t total, int64_t data_len)
{
	struct unexpected *u = p2p_unexpected_try(ctx, peer, tag, total, data_len);

	if (u == NULL)
		unexpected_abort(total);
	return u;
}

/* A message of a collective call that cannot be kept: its receive fails, with words. */
static void unexpected_without_memory(const struct shm_frame *f)
{
	struct p2p_error_msg msg = {.err = MPI_ERR_NO_MEM};
	struct unexpected *u = p2p_unexpected_new(f->ctx, f->src, f->tag, sizeof(msg), sizeof(msg));

	snprintf(msg.words, sizeof(msg.words),
		"no memory for a message of %u byte%s that came before its receive", f->len,
		f->len == 1 ? "" : "s");
	u->is_error = true;
	memcpy(u->data, &msg, sizeof(msg));
	p2p_match_store(u);
}

/* Bytes that a message costs here. */
static int64_t unexpected_cost(const struct unexpected *u)
{
	return (int64_t)sizeof(*u) + u->total;
}

void p2p_unexpected_eager(const struct shm_frame *f)
{
	struct unexpected *u = p2p_unexpected_try(f->ctx, f->src, f->tag, f->len, f->len);

	if (u == NULL && f->ctx % CTX_PLANES == CTX_COLL) {
		unexpected_without_memory(f);
		return;
	}
	if (u == NULL)
		unexpected_abort(f->len);
	memcpy(u->data, f->data, f->len);
	p2p_match_store(u);
	haft_event(EVENT_MESSAGE_KEPT, NULL, f->src, f->tag, f->len, 0);
	p2p_credit_use(f->src, unexpected_cost(u));
}

void p2p_unexpected_uncharge(const struct unexpected *u)
{
	p2p_credit_use(u->peer, -unexpected_cost(u));
}
