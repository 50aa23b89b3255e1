// SPDX-License-Identifier: BSD-3-Clause
/* win_remote.c - synchronization by frames, with members on other hosts.  See win_remote.h. */
#include "libmpi/rma/win_remote.h"
#include "libmpi/boot/waitrec.h"

#include "libmpi/rma/win_epoch.h"
#include <stdlib.h>
#include <string.h>

enum sync_kind {
	SYNC_LOCK = 1,
	SYNC_GRANT,
	SYNC_DROP,
	SYNC_POST,
	SYNC_COMPLETE,
	SYNC_WAKE,
	SYNC_BYE,
	SYNC_HELD
};

struct sync_frame {
	uint8_t kind; /* enum sync_kind */
	uint8_t mode; /* LOCK, DROP: enum rma_lock_mode */
	uint8_t pad[2];
	int32_t who; /* HELD: rank of the holder */
};
static_assert(sizeof(struct sync_frame) <= RMA_SYNC_MAX, "one frame");

/* Windows for whose lock a remote member waits: few, and seldom. */
static struct rma_epoch *remote_waiting;

static void remote_send(struct win *w, int rank, enum sync_kind kind, enum rma_lock_mode mode)
{
	struct sync_frame f = {.kind = (uint8_t)kind, .mode = (uint8_t)mode};

	rma_queue_sync(w, rank, &f, sizeof(f));
}

/* --- the origin ----------------------------------------------------------------------------- */

struct granted {
	const struct win *w;
	int rank;
};

static bool remote_granted(void *arg, bool rest)
{
	const struct granted *g = arg;

	(void)rest;
	return g->w->rma->epoch->target[g->rank].granted;
}

void rma_remote_lock_request(struct win *w, int rank, enum rma_lock_mode mode)
{
	w->rma->epoch->target[rank].granted = false;
	w->rma->epoch->target[rank].holder = -1;
	remote_send(w, rank, SYNC_LOCK, mode);
}

void rma_remote_lock(struct win *w, int rank, enum rma_lock_mode mode)
{
	struct granted g = {w, rank};
	struct rma_epoch_wait wait = {.w = w,
		.rank = rank,
		.late = rma_lock_holders_late,
		.ready = remote_granted,
		.arg = &g,
		.nap_ns = RMA_REPORT_NS};

	rma_remote_lock_request(w, rank, mode);
	rma_epoch_wait_until(&wait);
}

void rma_remote_unlock(struct win *w, int rank, enum rma_lock_mode mode)
{
	remote_send(w, rank, SYNC_DROP, mode);
}

void rma_remote_posted(struct win *w, int rank)
{
	remote_send(w, rank, SYNC_POST, LOCK_NONE);
}

void rma_remote_completed(struct win *w, int rank)
{
	remote_send(w, rank, SYNC_COMPLETE, LOCK_NONE);
}

int rma_remote_new(struct win *w)
{
	struct rma_epoch *e = w->rma->epoch;

	if (e->all_local)
		return 0;
	e->remote_waits = calloc((size_t)w->size, sizeof(*e->remote_waits));
	return e->remote_waits != NULL ? 0 : MPI_ERR_NO_MEM;
}

static bool remote_all_left(void *arg, bool rest)
{
	const struct rma_epoch *e = arg;

	(void)rest;
	return e->goodbyes == e->win->size - 1;
}

void rma_remote_quiesce(struct win *w)
{
	struct rma_epoch *e = w->rma->epoch;
	struct rma_epoch_wait wait = {.w = w, .rank = -1, .ready = remote_all_left, .arg = e};

	if (e->all_local)
		return;
	for (int i = 0; i < w->size; i++) {
		if (i != w->rank)
			remote_send(w, i, SYNC_BYE, LOCK_NONE);
	}
	rma_epoch_wait_until(&wait);
}

void rma_remote_free(struct win *w)
{
	struct rma_epoch *e = w->rma->epoch;

	for (struct rma_epoch **at = &remote_waiting; *at != NULL;) {
		if (*at == e)
			*at = e->remote_next;
		else
			at = &(*at)->remote_next;
	}
	free(e->remote_waits);
}

void rma_remote_wake(struct win *w, int rank)
{
	remote_send(w, rank, SYNC_WAKE, LOCK_NONE);
}

void rma_lock_holders_late(const struct rma_epoch_wait *wait, struct boot_wait *what)
{
	const struct win *w = wait->w;
	int who[BOOT_WAIT_LATE], n = 0;

	what->kind = BOOT_WAIT_LOCK;
	if (wait->rank >= 0 && w->target[wait->rank].ctl != NULL)
		n = rma_lock_holders(w, wait->rank, who, BOOT_WAIT_LATE);
	else if (wait->rank >= 0 && w->rma->epoch->target[wait->rank].holder >= 0)
		who[n++] = w->rma->epoch->target[wait->rank].holder;
	for (int i = 0; i < n; i++)
		rma_epoch_late(w, who[i], what);
}

/* --- the target ----------------------------------------------------------------------------- */

/* Tells a waiting member which rank holds the lock, if that changed. */
static void remote_tell_holder(struct win *w, struct rma_remote_wait *f)
{
	struct sync_frame held = {.kind = SYNC_HELD, .who = -1};

	f->told_ns = clock_now_ns();
	if (rma_lock_holders(w, w->rank, &held.who, 1) == 0 || held.who == f->holder)
		return;
	f->holder = held.who;
	rma_queue_sync(w, f->k.who, &held, sizeof(held));
}

/* Grants the lock of this process to the remote members that can have it now.  Returns how many. */
static int remote_serve(struct win *w)
{
	struct rma_remote_wait **at = &w->rma->epoch->remote;
	int served = 0;

	while (*at != NULL) {
		struct rma_remote_wait *f = *at;

		if (!rma_lock_wait_ready(&f->k, true)) {
			if (clock_now_ns() - f->told_ns >= RMA_REPORT_NS)
				remote_tell_holder(w, f);
			at = &f->next;
			continue;
		}
		*at = f->next;
		remote_send(w, f->k.who, SYNC_GRANT, f->k.mode);
		served++;
	}
	return served;
}

static int remote_serve_all(void)
{
	int served = 0;

	for (struct rma_epoch *e = remote_waiting; e != NULL; e = e->remote_next)
		served += remote_serve(e->win);
	for (struct rma_epoch **at = &remote_waiting; *at != NULL;) {
		if ((*at)->remote == NULL)
			*at = (*at)->remote_next;
		else
			at = &(*at)->remote_next;
	}
	return served;
}

static void remote_serve_later(struct rma_epoch *e)
{
	for (struct rma_epoch *i = remote_waiting; i != NULL; i = i->remote_next) {
		if (i == e)
			return;
	}
	e->remote_next = remote_waiting;
	remote_waiting = e;
	p2p_progress_hook(remote_serve_all);
}

static void remote_lock_wanted(struct win *w, int from, enum rma_lock_mode mode)
{
	struct rma_epoch *e = w->rma->epoch;
	struct rma_remote_wait *f = &e->remote_waits[from], **end = &e->remote;

	if (rma_lock_try(w, w->rank, from, mode)) {
		remote_send(w, from, SYNC_GRANT, mode);
		return;
	}
	*f = (struct rma_remote_wait){
		.k = {.w = w, .rank = w->rank, .who = from, .mode = mode}, .holder = -1};
	rma_lock_wait_begin(&f->k);
	remote_tell_holder(w, f);
	while (*end != NULL)
		end = &(*end)->next;
	*end = f;
	remote_serve_later(e);
}

/* Is this frame valid from that member?  A member that waits for our lock does not request it
 * again, drops a lock that it holds, and leaves once. */
static bool remote_sane(const struct win *w, int from, const struct sync_frame *f)
{
	const struct rma_epoch *e = w->rma->epoch;

	if (f->kind == SYNC_HELD)
		return f->who >= 0 && f->who < w->size;
	if (f->kind < SYNC_LOCK || f->kind > SYNC_BYE)
		return false;
	if (f->kind == SYNC_BYE)
		return !e->target[from].left;
	if (f->kind != SYNC_LOCK && f->kind != SYNC_DROP)
		return true;
	if (f->mode != LOCK_SHARED && f->mode != LOCK_EXCLUSIVE)
		return false;
	if (f->kind == SYNC_DROP)
		return rma_lock_is_held(w, w->rank, from, (enum rma_lock_mode)f->mode);
	if (e->remote_waits == NULL)
		return false;
	for (const struct rma_remote_wait *i = e->remote; i != NULL; i = i->next) {
		if (i == &e->remote_waits[from])
			return false;
	}
	return true;
}

void rma_remote_frame(struct win *w, int from, const void *data, uint32_t len)
{
	struct rma_epoch *e = w->rma->epoch;
	struct sync_frame f = {0};

	if (len == sizeof(f))
		memcpy(&f, data, sizeof(f));
	if (!remote_sane(w, from, &f))
		p2p_protocol_error(w->target[from].peer,
			"word %u, %u, %d of %u bytes about a window's synchronization", f.kind,
			f.mode, f.who, len);
	switch ((enum sync_kind)f.kind) {
	case SYNC_LOCK: remote_lock_wanted(w, from, (enum rma_lock_mode)f.mode); break;
	case SYNC_GRANT: e->target[from].granted = true; break;
	case SYNC_DROP: rma_lock_drop(w, w->rank, from, (enum rma_lock_mode)f.mode); break;
	case SYNC_POST: rma_epoch_posted(w, w->rank, from, true); break;
	case SYNC_COMPLETE: rma_epoch_completed(w, w->rank, from); break;
	case SYNC_WAKE: remote_serve(w); break;
	case SYNC_BYE:
		e->target[from].left = true;
		e->goodbyes++;
		break;
	case SYNC_HELD: e->target[from].holder = f.who; break;
	}
}
