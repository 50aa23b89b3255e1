// SPDX-License-Identifier: BSD-3-Clause
/* win_wait.c - waiting on a window, and the counters that end such waits.
 *
 *      waiter:  ready?  ── no ──> p2p_progress_until: poll, spin, sleep until the doorbell rings
 *      waker:   store or add ──> rma_epoch_ring: adds 1 to the waiter's doorbell
 *
 * While a thread waits it polls for all outstanding requests of the process. */
#include "libmpi/rma/win_epoch.h"
#include "libmpi/boot/waitrec.h"

#include "libmpi/rma/win_lock.h"
#include "libmpi/rma/win.h"
#include <stddef.h>
#include <stdio.h>

void rma_epoch_posted(struct win *w, int rank, int from, bool ring)
{
	_Atomic uint32_t *posts = &rma_lock_pairs(w, rank)[from].posts;
	uint32_t old = atomic_load_explicit(posts, memory_order_relaxed);

	atomic_store_explicit(posts, old + 1, memory_order_release); /* its only writer */
	if (ring)
		rma_epoch_ring(w, rank);
}

void rma_epoch_completed(struct win *w, int rank, int from)
{
	_Atomic uint32_t *dones = &rma_lock_pairs(w, rank)[from].dones;
	uint32_t old = atomic_load_explicit(dones, memory_order_relaxed);

	atomic_store_explicit(dones, old + 1, memory_order_relaxed); /* its only writer */
	atomic_fetch_add_explicit(&w->target[rank].ctl->sync.done, 1, memory_order_acq_rel);
	rma_epoch_ring(w, rank);
}

/* --- waiting -------------------------------------------------------------------------------- */

static bool wait_ready(void *arg)
{
	const struct rma_epoch_wait *wait = arg;

	return wait->ready(wait->arg, true) || wait->w->rma->broken;
}

void rma_epoch_late(const struct win *w, int rank, struct boot_wait *what)
{
	if (what->nlate < BOOT_WAIT_LATE)
		what->late[what->nlate] = w->target[rank].peer;
	what->nlate++;
}

static void wait_describe(const struct shm_describer *t, void *description)
{
	const struct rma_epoch_wait *wait = (const struct rma_epoch_wait *)t;
	struct boot_wait *what = description;
	char name[RMA_WIN_WORDS];

	p2p_wait_report(BOOT_WAIT_WIN, NULL, what);
	snprintf(what->name, sizeof(what->name), "%.*s", (int)sizeof(what->name) - 1,
		rma_win_words(wait->w, name));
	if (wait->rank >= 0) {
		what->rank = wait->rank;
		what->peer = wait->w->target[wait->rank].peer;
	}
	if (wait->late != NULL)
		wait->late(wait, what);
	else if (wait->rank >= 0)
		rma_epoch_late(wait->w, wait->rank, what);
}

/* Checks of the condition alone, before progress is made: with a CPU for each rank it is there in
 * the time of a few cache lines, and a pass of progress takes as long. */
#define WAIT_POLLS 200

static bool wait_poll(const struct rma_epoch_wait *wait)
{
	for (int i = via_oversubscribed() ? 0 : WAIT_POLLS; i > 0; i--)
		if (wait->ready(wait->arg, true))
			return true;
	return false;
}

void rma_epoch_wait_until(struct rma_epoch_wait *wait)
{
	struct shm_flag *doorbell = &wait->w->rma->ctl->sync.doorbell;

	if (wait->ready(wait->arg, false) || wait_poll(wait))
		return;
	wait->describer.describe = wait_describe;
	p2p_progress_until(&(struct p2p_condition){.ready = wait_ready,
		.arg = wait,
		.describer = &wait->describer,
		.flag = doorbell,
		.nap_ns = &wait->nap_ns});
}

/* A flush: for active messages that targets have not answered. */
struct flush_wait {
	struct shm_describer describer; /* first */
	struct win *w;
	bool (*ready)(void *arg);
	void *arg;
};

static bool flush_ready(void *arg)
{
	const struct flush_wait *about = arg;

	return about->ready(about->arg) || about->w->rma->broken;
}

static void flush_describe(const struct shm_describer *t, void *description)
{
	const struct flush_wait *about = (const struct flush_wait *)t;
	struct boot_wait *what = description;

	for (int i = 0; i < about->w->size; i++) {
		if (about->w->target[i].first != NULL)
			rma_epoch_late(about->w, i, what);
	}
	p2p_wait_report(BOOT_WAIT_COLL, about->w->comm, what);
}

void rma_queue_wait(struct win *w, bool (*ready)(void *arg), void *arg)
{
	struct flush_wait about = {{flush_describe}, w, ready, arg};

	p2p_progress_until(&(struct p2p_condition){
		.ready = flush_ready, .arg = &about, .describer = &about.describer});
}
