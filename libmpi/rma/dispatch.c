// SPDX-License-Identifier: BSD-3-Clause
/* dispatch.c - frames about windows as they arrive.
 *
 *      p2p ──> dispatch_frame ── context id ──> window ──> rma_am_request     PUT GET ACC
 *                                    │                     rma_am_reply       DATA ACK
 *                                    │                     rma_remote_frame   SYNC
 *                                    └── none yet ──> kept until rma_dispatch_unmatched
 *
 * A member may use a window as soon as it has the offers of all members, while another member still
 * waits for the last offer.  Frames that reach such a member early are kept, in order. */
#include "libmpi/rma/am.h"

#include "libmpi/core/process_state.h"
#include "libmpi/core/valid.h"
#include "libmpi/p2p/p2p.h"
#include "libmpi/rma/atomic.h"
#include "libmpi/rma/mailbox.h"
#include "libmpi/rma/win.h"
#include <stdlib.h>
#include <string.h>

/* A frame about a window that this process has not made yet. */
struct unmatched_frame {
	struct unmatched_frame *next;
	uint64_t ctx;
	int peer, kind;
	uint32_t len;
	_Alignas(16) char data[];
};

static struct unmatched_frame *unmatched, **unmatched_end = &unmatched;

static void dispatch(struct win *w, int peer, int kind, const void *data, uint32_t len)
{
	int from = group_rank_of(w->comm->group, peer);

	if (from < 0 || kind < AM_PUT || kind > AM_SYNC)
		p2p_protocol_error(
			peer, "a frame of kind %d about a window that is not its own", kind);
	if (unlikely(w->rma->broken))
		return; /* it was given up, by the sender as well as here */
	if (kind == AM_SYNC)
		rma_remote_frame(w, from, data, len);
	else if (kind == AM_DATA || kind == AM_ACK)
		rma_am_reply(w, from, kind, data, len);
	else
		rma_am_request(w, from, kind, data, len);
}

static void dispatch_later(const struct shm_frame *f)
{
	struct unmatched_frame *e = malloc(sizeof(*e) + f->len);

	if (e == NULL)
		haft_abort_job(MPI_ERR_NO_MEM, "no memory for a message about a window");
	*e = (struct unmatched_frame){NULL, f->ctx, f->src, f->tag, f->len};
	memcpy(e->data, f->data, f->len);
	*unmatched_end = e;
	unmatched_end = &e->next;
}

static void dispatch_frame(const struct shm_frame *f)
{
	struct win *w = rma_registry_find(f->ctx);

	if (likely(w != NULL))
		dispatch(w, f->src, f->tag, f->data, f->len);
	else
		dispatch_later(f);
}

void rma_dispatch_unmatched(struct win *w)
{
	uint64_t ctx = w->comm->ctx;
	struct unmatched_frame **p = &unmatched, *e;

	while ((e = *p) != NULL) {
		if (e->ctx != ctx) {
			p = &e->next;
			continue;
		}
		*p = e->next;
		dispatch(w, e->peer, e->kind, e->data, e->len);
		free(e);
	}
	unmatched_end = p;
}

HAFT_START void rma_init(void)
{
	p2p_deliver_register(FRAME_RMA, dispatch_frame, P2P_FROM_ANY);
	p2p_broken_hook(rma_broken_check);
	rma_atomic_init();
	rma_mailbox_init();
	haft_valid_add("rma_win_valid", rma_win_valid);
}
