// SPDX-License-Identifier: BSD-3-Clause
/* seat.c - tenants of seats come and go: see shm.h.
 *
 *      launcher   seat_open ──> tenant runs ──> its process ends ──> seat_close ──> seat_open ...
 *                 name 17                                             no name         name 23
 *
 *      a rank     shm_seat_redirect  before it sends to the new tenant: its ring towards the former
 *                                    one goes back
 *                 shm_seat_renew     when the new tenant's first frame has come: it forgets the
 *                                    former one's ring
 *
 * Invariants
 *  - A rank's ends towards a seat (struct shm_peer) belong to one tenant in each direction:
 *    name_out and name_in.
 *  - Names grow: all frames of a tenant were put before those of one with a greater name.
 *
 * model/seat.pml proves that no frame is lost or goes to another tenant, whenever one ends. */
#include <errno.h>
#include <string.h>
#include <unistd.h>
#include "libshm/shm_inner.h"

static struct shm_doorbell *seat_doorbell(const struct shm_seg *seg, int seat)
{
	return (struct shm_doorbell *)seg_at(seg, seg->head->doorbell) + seat;
}

/* --- the launcher --------------------------------------------------------------------------- */

HAFT_START uint32_t shm_seat_name(const struct shm_seg *seg, int seat)
{
	return atomic_load_explicit(&seat_doorbell(seg, seat)->name, memory_order_acquire);
}

/* True if no tenant is in the seat. */
static bool seat_is_free(const struct shm_seg *seg, int seat)
{
	uint32_t name = shm_seat_name(seg, seat);

	return name == NAME_NOBODY || (name == 0 && seat >= shm_seg_nranks(seg));
}

/* Makes everything that a tenant leaves behind as it was at first.  Its inbox goes on: senders may
 * be in it. */
static void seat_clear(struct shm_seg *seg, int seat)
{
	struct shm_doorbell *d = seat_doorbell(seg, seat);
	struct wait_record *r = seg_at(seg, seg->head->record);

	memset(shm_seg_job_rank(seg, seat), 0, SHM_JOB_RANK);
	memset(&r[seat * WAIT_RECORDS], 0, WAIT_RECORDS * sizeof(*r));
	atomic_store_explicit(&d->sleeping, SLEEP_NONE, memory_order_relaxed);
	atomic_store_explicit(&d->proof_at, 0, memory_order_relaxed);
	atomic_store_explicit(&d->state, SHM_UNATTACHED, memory_order_relaxed);
	atomic_store_explicit(&d->pid, 0, memory_order_release);
}

int shm_seat_open(struct shm_seg *seg, int seat, uint32_t name)
{
	struct seg_head *h = seg->head;

	if (seat < 0 || seat >= shm_seg_nseats(seg) || name < 1 || name > SHM_NAME_MAX)
		return SHM_BAD;
	if (shm_seat_reserve(seg, seat, 1) != 0)
		return errno == ENOSPC || errno == ENOMEM ? SHM_NOMEM : SHM_SYS;
	if (!seat_is_free(seg, seat))
		return SHM_AGAIN;
	seat_clear(seg, seat);
	if (seat >= shm_seg_seats_end(seg))
		atomic_store_explicit(&h->seats_end, (uint32_t)seat + 1, memory_order_release);
	atomic_fetch_add_explicit(&h->live, 1, memory_order_relaxed);
	/* Release: with the name the whole seat is visible. */
	atomic_store_explicit(&seat_doorbell(seg, seat)->name, name, memory_order_release);
	return 0;
}

void shm_seat_close(struct shm_seg *seg, int seat)
{
	struct shm_doorbell *d = seat_doorbell(seg, seat);
	struct shm_doorbell *own = seat_doorbell(seg, shm_seg_nseats(seg));

	if (NEVER(seat < 0 || seat >= shm_seg_seats_end(seg)) || seat_is_free(seg, seat))
		return;
	atomic_store_explicit(&own->pid, (int32_t)getpid(), memory_order_relaxed);
	shm_channel_return(seg, seat);
	atomic_store_explicit(&d->state, SHM_DETACHED, memory_order_relaxed);
	atomic_store_explicit(&d->sleeping, SLEEP_NONE, memory_order_relaxed);
	shm_spread_leave_ended(seg, seat);
	atomic_store_explicit(&d->name, NAME_NOBODY, memory_order_release);
	atomic_fetch_sub_explicit(&seg->head->live, 1, memory_order_relaxed);
}

/* --- ranks ---------------------------------------------------------------------------------- */

HAFT_START void shm_newcomer_set(struct shm *s, shm_newcomer_fn *newcomer)
{
	s->in->newcomer = newcomer;
}

/* Processes have come or gone: watched words may lie in memory that is given back, and there may be
 * more of them than CPUs. */
static void seat_changed(struct shm *s)
{
	s->in->oversubscribed = shm_seg_oversubscribed_now(s->seg);
	s->in->short_nap = s->in->nwatches > 0 || s->in->short_nap;
	s->in->nwatches = 0;
}

/* This rank's pipe towards a seat is no longer its own. */
static void pipe_forget(struct shm *s, int dst)
{
	struct shm_private *in = s->in;
	struct shm_peer *p = &in->peer[dst];

	if (p->pipe_out == NULL)
		return;
	for (int i = 0; i < in->npipes; i++)
		if (in->pipe_dst[i] == dst) {
			in->pipe_dst[i] = in->pipe_dst[--in->npipes];
			break;
		}
	p->pipe_out = NULL;
	p->pipe_shown = false;
	p->put = p->put_free = 0;
}

void shm_seat_redirect(struct shm *s, int seat, uint32_t name)
{
	struct shm_peer *p = &s->in->peer[seat];

	if (p->name_out == name)
		return;
	seat_changed(s);
	pipe_forget(s, seat);
	shm_channel_drop_out(s, seat);
	s->tx[seat] = (struct shm_tx){0};
	p->out = NULL;
	p->payload = NULL;
	p->payload_head = p->payload_tail = p->credit = p->puts = 0;
	p->offered = p->no_ring = p->asked_read = p->readable = false;
	p->name_out = name;
}

/* Takes `value' out of a list of n. */
static void list_remove(int *list, int *n, int value)
{
	for (int i = 0; i < *n; i++)
		if (list[i] == value) {
			list[i] = list[--*n];
			return;
		}
}

void shm_seat_renew(struct shm *s, int src, uint32_t name)
{
	struct shm_private *in = s->in;
	struct shm_peer *p = &in->peer[src];

	seat_changed(s);
	list_remove(in->ring_src, &in->nrings, src);
	list_remove(in->pipe_src, &in->npipes_in, src);
	if (p->hot)
		list_remove(in->hot, &in->nhot, src);
	in->sweep = in->hot_next = 0;
	p->hot = false;
	s->rx[src] = (struct shm_rx){0};
	p->in = NULL;
	p->pipe_in = NULL;
	p->gen_in = p->got = 0;
	shm_channel_drop_in(s, src);
	p->name_in = name;
	if (in->newcomer != NULL)
		in->newcomer(src, name);
}
