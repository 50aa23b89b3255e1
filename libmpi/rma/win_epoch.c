// SPDX-License-Identifier: BSD-3-Clause
/* win_epoch.c - the state of a window's epochs: made, asked and waited in.  The picture is in win_epoch.h.
 */
#include "libmpi/rma/win_epoch.h"

#include "libmpi/core/err.h"
#include "libmpi/core/setting.h"
#include "libmpi/rma/conflict.h"
#include "libmpi/rma/win_remote.h"
#include "libmpi/rma/win_lock.h"
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define LOOKS 200 /* at the bell, before passes that look at everything */

uint64_t rma_now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

void rma_epoch_posted(struct win *w, int rank, int from, bool ring)
{
	_Atomic uint32_t *posts = &rma_lock_pairs(w, rank)[from].posts;
	uint32_t old = atomic_load_explicit(posts, memory_order_relaxed);

	atomic_store_explicit(posts, old + 1, memory_order_release); /* nobody else counts it */
	if (ring)
		rma_epoch_ring(w, rank);
}

void rma_epoch_completed(struct win *w, int rank, int from)
{
	_Atomic uint32_t *dones = &rma_lock_pairs(w, rank)[from].dones;
	uint32_t old = atomic_load_explicit(dones, memory_order_relaxed);

	atomic_store_explicit(dones, old + 1, memory_order_relaxed); /* nobody else counts it */
	atomic_fetch_add_explicit(&w->target[rank].ctl->sync.done, 1, memory_order_acq_rel);
	rma_epoch_ring(w, rank);
}

/* --- waiting -------------------------------------------------------------------------------- */

static int epoch_pass(void *arg)
{
	(void)arg;
	return p2p_progress();
}

static bool epoch_ready(void *arg)
{
	const struct rma_epoch_wait *wait = arg;

	return wait->ready(wait->arg, true);
}

void rma_epoch_late(const struct win *w, int rank, struct shm_what *what)
{
	if (what->nlate < SHM_WHAT_LATE)
		what->late[what->nlate] = w->target[rank].peer;
	what->nlate++;
}

static void epoch_tell(const struct shm_describer *t, struct shm_what *what)
{
	const struct rma_epoch_wait *wait = (const struct rma_epoch_wait *)t;
	char name[RMA_WIN_WORDS];

	what->kind = REQ_WIN;
	what->bytes = -1;
	what->peer = what->rank = what->tag = -1;
	what->open = 1;
	p2p_wait_report(NULL, what);
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

/* A moment of nothing but looking: what we wait for may come from another CPU in that time. */
static bool epoch_look(struct rma_epoch_wait *wait, const struct shm_flag *bell)
{
	uint32_t old = shm_flag_get(bell);

	for (int i = 0; i < LOOKS; i++) {
		if (shm_flag_get(bell) == old)
			continue;
		if (wait->ready(wait->arg, false))
			return true;
		old = shm_flag_get(bell);
	}
	return false;
}

void rma_epoch_wait_until(struct rma_epoch_wait *wait)
{
	struct shm_flag *bell = &wait->w->rma->ctl->sync.bell;
	struct shm_wait s;

	if (wait->ready(wait->arg, false))
		return;
	wait->teller.tell = epoch_tell;
	if (haft_threads_enabled()) {
		via_wait_timed(
			&(struct via_condition){epoch_ready, wait, epoch_pass, bell, &wait->teller},
			&wait->nap_ns);
		return;
	}
	if (!via.contended && epoch_look(wait, bell))
		return;
	shm_wait_begin(&s);
	s.teller = &wait->teller;
	s.flag = bell;
	for (;;) {
		s.old = shm_flag_get(bell);
		if (wait->ready(wait->arg, true))
			break;
		s.nap_ns = wait->nap_ns;
		if (s.nap)
			s.told = false; /* who is late may be another by now */
		if (p2p_progress() > 0)
			shm_wait_again(&s);
		else
			via_idle(&s);
	}
	via_wait_end(&s);
}

/* --- words ---------------------------------------------------------------------------------- */

/* What is open on the window; buf (n bytes) is room for it. */
static const char *epoch_state_words(const struct win *w, char *buf, size_t n)
{
	static const char *const words[] = {
		[EPOCH_CLOSED] = "no access epoch is open",
		[EPOCH_FENCE] = "MPI_Win_fence was the last synchronization",
		[EPOCH_FENCED] = "a fence epoch is open",
		[EPOCH_START] = "an access epoch of MPI_Win_start is open",
		[EPOCH_LOCK] = "locked by this process",
		[EPOCH_ALL] = "an epoch of MPI_Win_lock_all is open",
	};
	const struct rma_epoch *e = w->rma->epoch;
	size_t len = 0;

	if (e->access == EPOCH_CLOSED && !e->posted)
		return "no epoch is open";
	if (e->access != EPOCH_LOCK) {
		snprintf(buf, n, "%s%s", words[e->access],
			e->posted ? ", and an exposure epoch of MPI_Win_post" : "");
		return buf;
	}
	len += (size_t)snprintf(buf, n, "locked at");
	for (int i = 0, named = 0; i < w->size && len < n && named < 4; i++) {
		if (e->target[i].held == HELD_NONE)
			continue;
		len += (size_t)snprintf(buf + len, n - len, " rank %d%s", i,
			e->target[i].held == HELD_WAITING ? " (awaited)" : "");
		named++;
	}
	if (e->posted && len < n)
		snprintf(buf + len, n - len, ", and an exposure epoch of MPI_Win_post is open");
	return buf;
}

int rma_epoch_error(const struct win *w, int rank, const char *what)
{
	char name[RMA_WIN_WORDS], room[160];
	const char *state = epoch_state_words(w, room, sizeof(room));

	rma_win_words(w, name);
	if (rank >= 0)
		return haft_err(MPI_ERR_RMA_SYNC, "%s, rank %d: %s: %s", name, rank, what, state);
	return haft_err(MPI_ERR_RMA_SYNC, "%s: %s: %s", name, what, state);
}

int rma_epoch_no_rank(const struct win *w, int rank)
{
	char name[RMA_WIN_WORDS];

	return haft_err(MPI_ERR_RANK, "rank %d is not in %s", rank, rma_win_words(w, name));
}

int rma_epoch_assert(const struct win *w, int modes)
{
	const int all = MPI_MODE_NOCHECK | MPI_MODE_NOSTORE | MPI_MODE_NOPUT | MPI_MODE_NOPRECEDE |
			MPI_MODE_NOSUCCEED;
	char name[RMA_WIN_WORDS];

	if (likely((modes & ~all) == 0))
		return 0;
	return haft_err(MPI_ERR_ASSERT, "%s: 0x%x has bits that are no MPI_MODE_ constant",
		rma_win_words(w, name), (unsigned)modes);
}

/* --- accesses ------------------------------------------------------------------------------- */

/* May the target be accessed?  The words of why not, or NULL. */
static const char *epoch_refused(struct win *w, int rank)
{
	struct rma_epoch *e = w->rma->epoch;

	switch ((enum rma_epoch_access)e->access) {
	case EPOCH_FENCE:
		if (e->posted)
			return "a fence epoch cannot be open together with one of MPI_Win_post";
		e->access = EPOCH_FENCED;
		rma_epoch_open_all(w, true);
		return NULL;
	case EPOCH_FENCED:
	case EPOCH_ALL: return NULL;
	case EPOCH_START:
		if (e->target[rank].held != HELD_STARTED)
			return "not in the group of MPI_Win_start";
		rma_epoch_start_wait(w, rank);
		return NULL;
	case EPOCH_LOCK:
		if (e->target[rank].held == HELD_NONE || e->target[rank].held == HELD_WAITING)
			return "not locked by this process";
		return NULL;
	case EPOCH_CLOSED: break;
	}
	return "no epoch lets this process access it";
}

int rma_epoch_check(struct win *w, int rank)
{
	const char *why = epoch_refused(w, rank);

	return why == NULL ? 0 : rma_epoch_error(w, rank, why);
}

int rma_epoch_passive(const struct win *w, int rank)
{
	const struct rma_epoch *e = w->rma->epoch;

	if (likely(e->access == EPOCH_LOCK || e->access == EPOCH_ALL))
		return 0;
	return rma_epoch_error(w, rank,
		"a request-based operation needs an epoch of MPI_Win_lock or MPI_Win_lock_all");
}

bool rma_epoch_types(const struct win *w)
{
	return w->rma->epoch->types;
}

int rma_epoch_record(struct win *w, const struct rma_access *a)
{
	return w->rma->epoch->check != NULL ? rma_conflict_access(w, a) : 0;
}

/* --- life ----------------------------------------------------------------------------------- */

int rma_epoch_new(struct win *w, const struct info *info)
{
	struct rma_epoch *e = calloc(1, sizeof(*e));

	(void)info;
	if (e == NULL)
		return haft_err(MPI_ERR_NO_MEM, "no memory for the epochs of a window");
	w->rma->epoch = e;
	e->target = calloc((size_t)w->size, sizeof(*e->target));
	e->started = calloc((size_t)w->size, sizeof(*e->started));
	e->posteds = calloc((size_t)w->size, sizeof(*e->posteds));
	e->win = w;
	e->types = (haft_setting_get(SETTING_CHECK) & HAFT_CHECK_TYPES) != 0;
	e->near = true;
	for (int i = 0; i < w->size; i++) {
		e->near = e->near && w->target[i].ctl != NULL;
		e->serves = e->serves || w->target[i].way == RMA_AM;
	}
	if (e->target == NULL || e->started == NULL || e->posteds == NULL ||
		rma_remote_new(w) != 0 || rma_conflict_new(w) != 0) {
		rma_epoch_free(w);
		return haft_err(MPI_ERR_NO_MEM, "no memory to synchronize a window of %d processes",
			w->size);
	}
	e->slow = e->types || e->check != NULL;
	return 0;
}

void rma_epoch_free(struct win *w)
{
	struct rma_epoch *e = w->rma->epoch;

	if (e == NULL)
		return;
	rma_remote_free(w);
	rma_conflict_free(w);
	w->rma->epoch = NULL;
	free(e->target);
	free(e->started);
	free(e->posteds);
	free(e);
}

int rma_epoch_end(struct win *w)
{
	const struct rma_epoch *e = w->rma->epoch;

	if (e->posted || (e->access != EPOCH_CLOSED && e->access != EPOCH_FENCE))
		return rma_epoch_error(w, -1, "it cannot be freed inside an epoch");
	return 0;
}
