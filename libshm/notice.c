// SPDX-License-Identifier: BSD-3-Clause
/* notice.c - events of the whole segment: its end, and the launcher's notices for all ranks.
 *
 *      launcher   record n ──> event = n + 1 ──> rings every doorbell
 *      a rank     shm_idle: event differs from the last seen ──> handler(record) for each new one
 *
 * A rank looks at head->event where it looked for the end of the job before: when a pass has moved
 * nothing, and before it sleeps.  So notices cost no check on the fast path.
 *
 * Invariants
 *  - The launcher alone appends, and records never change.  The store of `event' publishes them.
 *  - EVENT_ABORTED stays for ever; no notice comes after it. */
#include <errno.h>
#include <limits.h>
#include <string.h>
#include "libshm/shm_inner.h"

static void *notice_at(const struct shm_seg *seg, uint32_t i)
{
	return seg_at(seg, seg->head->notices + (uint64_t)i * SHM_NOTICE_LEN);
}

static void doorbell_wake(const struct shm_seg *seg, struct shm_doorbell *d, int rank)
{
	uint32_t was = atomic_exchange_explicit(&d->sleeping, SLEEP_NONE, memory_order_seq_cst);

	if (was == SLEEP_FUTEX)
		shm_os_wake(&d->sleeping, INT_MAX);
	else if (was == SLEEP_OPS && seg->sleep_ops.ring != NULL)
		seg->sleep_ops.ring(seg->sleep_ops.arg, rank);
}

void shm_doorbells_wake(struct shm_seg *seg)
{
	struct shm_doorbell *d = seg_at(seg, seg->head->doorbell);

	for (int i = 0, n = shm_seg_seats_end(seg); i < n; i++)
		doorbell_wake(seg, &d[i], i);
}

void shm_seg_abort(struct shm_seg *seg)
{
	atomic_fetch_or_explicit(&seg->head->event, EVENT_ABORTED, memory_order_release);
	shm_doorbells_wake(seg);
}

HAFT_HOT bool shm_seg_aborted(const struct shm_seg *seg)
{
	return (atomic_load_explicit(&seg->head->event, memory_order_acquire) & EVENT_ABORTED) != 0;
}

int shm_notice_put(struct shm_seg *seg, const void *record)
{
	uint32_t n = atomic_load_explicit(&seg->head->event, memory_order_relaxed);
	uint64_t at = seg->head->notices + (uint64_t)n * SHM_NOTICE_LEN;

	if ((n & EVENT_ABORTED) != 0)
		return 0;
	if (n == SHM_NOTICE_MAX || (at % PAGE == 0 && shm_seg_reserve(seg, at, PAGE) != 0))
		return SHM_NOMEM;
	memcpy(notice_at(seg, n), record, SHM_NOTICE_LEN);
	if (!atomic_compare_exchange_strong_explicit(
		    &seg->head->event, &n, n + 1, memory_order_seq_cst, memory_order_relaxed))
		return 0; /* the job has been aborted meanwhile */
	shm_doorbells_wake(seg);
	return 0;
}

HAFT_START void shm_notice_set(struct shm *s, shm_notice_fn *handler)
{
	s->in->notice_handler = handler;
}

int shm_event_handle(struct shm *s)
{
	uint32_t n = atomic_load_explicit(&s->seg->head->event, memory_order_acquire);

	if ((n & EVENT_ABORTED) != 0)
		return SHM_ABORTED;
	while (s->in->notice_handler != NULL && s->in->event_seen < n)
		s->in->notice_handler(notice_at(s->seg, s->in->event_seen++));
	s->in->event_seen = n;
	return 0;
}

const void *shm_seg_notice(const struct shm_seg *seg, uint32_t i)
{
	uint32_t n = atomic_load_explicit(&seg->head->event, memory_order_acquire);

	n &= ~(uint32_t)EVENT_ABORTED;
	return i < n ? notice_at(seg, i) : NULL;
}

const void *shm_notice_get(const struct shm *s, uint32_t i)
{
	return shm_seg_notice(s->seg, i);
}

void shm_notice_poll(struct shm *s)
{
	if (unlikely(shm_event_new(s)))
		shm_event_handle(s);
}
