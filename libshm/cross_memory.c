// SPDX-License-Identifier: BSD-3-Clause
/* cross_memory.c - reads and writes another rank's private memory, where the kernel permits it.
 *
 *   rank i   proof = a random number, in private memory
 *            doorbell[i].proof_at = &proof, .proof = its value
 *   rank j   reads 8 bytes at doorbell[i].proof_at of process doorbell[i].pid: is it that number?
 *
 * With containers, the process id may stand for another process here than for rank i.  So a rank
 * reads nothing of a peer that has not passed this check.  It is made once for each peer; a refusal
 * is remembered. */
#include "libshm/shm_inner.h"

HAFT_START void shm_cross_memory_offer(struct shm *s)
{
	struct shm_doorbell *d = &s->in->doorbell[s->me];

	s->in->proof = shm_os_random();
	atomic_store_explicit(&d->proof, s->in->proof, memory_order_relaxed);
	/* release: after the address, the number is visible */
	atomic_store_explicit(
		&d->proof_at, (uint64_t)(uintptr_t)&s->in->proof, memory_order_release);
}

static bool cross_memory_proven(const struct shm *s, int src)
{
	const struct shm_doorbell *d = &s->in->doorbell[src];
	uint64_t at = atomic_load_explicit(&d->proof_at, memory_order_acquire), seen = 0;
	int pid = atomic_load_explicit(&d->pid, memory_order_relaxed);

	return at != 0 && pid > 0 && shm_os_read(pid, &seen, at, sizeof(seen)) &&
	       seen == atomic_load_explicit(&d->proof, memory_order_relaxed);
}

bool shm_readable(struct shm *s, int src)
{
	struct shm_peer *p = &s->in->peer[src];

	if (unlikely(!p->asked_read)) {
		p->asked_read = true;
		p->readable = cross_memory_proven(s, src);
	}
	return p->readable;
}

static int rank_pid(const struct shm *s, int rank)
{
	return atomic_load_explicit(&s->in->doorbell[rank].pid, memory_order_relaxed);
}

bool shm_read(struct shm *s, int src, void *dst, uint64_t at, size_t len)
{
	if (unlikely(s->in->deferred.n > 0))
		shm_wakes_issue(s);
	if (shm_readable(s, src) && shm_os_read(rank_pid(s, src), dst, at, len)) {
		s->count.reads++;
		return true;
	}
	s->in->peer[src].readable = false;
	return false;
}

bool shm_write(struct shm *s, int dst, const void *src, uint64_t at, size_t len)
{
	if (shm_readable(s, dst) && shm_os_write(rank_pid(s, dst), src, at, len)) {
		s->count.writes++;
		return true;
	}
	s->in->peer[dst].readable = false;
	return false;
}
