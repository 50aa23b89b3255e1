// SPDX-License-Identifier: BSD-3-Clause
/* rank.c - a process takes its place in the segment, and leaves it. */
#include <stdlib.h>
#include <unistd.h>
#include "libshm/inner.h"

#define CROWD_START 32                    /* waits without spinning after the CPUs were crowded */
#define PIPE_MEMORY ((uint64_t)256 << 20) /* all pipes of all ranks together; at least 4 a rank */

/* The ring of those who have none: never full. */
static struct shm_slot nothing;

static int pipe_max(const struct head *h)
{
	uint64_t n = PIPE_MEMORY / (h->chunk_len * PIPE_CHUNKS) / h->nranks;

	if (HAFT_MEAN)
		n = 0;
	n = n < MEAN_OR(1, 4) ? MEAN_OR(1, 4) : n;
	return (int)(n < h->nranks ? n : h->nranks);
}

static void release(struct shm *s)
{
	if (s->in != NULL) {
		free(s->in->peer);
		free(s->in->ring_src);
		free(s->in->pipe_src);
		free(s->in->pipe_dst);
	}
	free(s->in);
	free(s->tx);
	free(s->rx);
	free(s);
}

static struct shm *reserve(struct shm_seg *seg)
{
	size_t n = seg->head->nranks;
	struct shm *s = calloc(1, sizeof *s);

	if (s == NULL)
		return NULL;
	s->tx = calloc(n, sizeof *s->tx);
	s->rx = calloc(n, sizeof *s->rx);
	s->in = calloc(1, sizeof *s->in);
	if (s->in != NULL) {
		s->in->peer = calloc(n, sizeof *s->in->peer);
		s->in->ring_src = calloc(n, sizeof(int));
		s->in->pipe_src = calloc(n, sizeof(int));
		s->in->pipe_dst = calloc(n, sizeof(int));
	}
	if (s->tx == NULL || s->rx == NULL || s->in == NULL || s->in->peer == NULL ||
		s->in->ring_src == NULL || s->in->pipe_src == NULL || s->in->pipe_dst == NULL) {
		release(s);
		return NULL;
	}
	return s;
}

static void fill(struct shm *s, struct shm_seg *seg, int me)
{
	struct head *h = seg->head;
	struct shm_in *in = s->in;

	s->base = seg->base;
	s->fence = h->fence != 0;
	s->me = me;
	s->nranks = (int)h->nranks;
	s->frame_max = h->frame_max;
	s->seg = seg;
	in->inbox = (struct inbox *)seg_at(seg, h->inbox) + me;
	in->door = seg_at(seg, h->door);
	in->page = (struct page *)seg_at(seg, h->page) + me;
	in->pipe_max = pipe_max(h);
	in->contended = shm_seg_contended(seg);
	in->crowd = in->contended ? CROWD_START : 0;
	for (int i = 0; i < s->nranks; i++) {
		s->tx[i].door = &in->door[i];
		s->rx[i].slot = &nothing;
	}
}

int shm_attach(struct shm_seg *seg, int me, struct shm **out)
{
	struct shm_door *door;
	struct shm *s;
	int32_t none = 0;

	if (me < 0 || me >= shm_seg_nranks(seg))
		return SHM_BAD;
	s = reserve(seg);
	if (s == NULL)
		return SHM_NOMEM;
	fill(s, seg, me);
	door = &s->in->door[me];
	if (!atomic_compare_exchange_strong_explicit(&door->pid, &none, (int32_t)getpid(),
		    memory_order_acq_rel, memory_order_relaxed)) {
		release(s);
		return SHM_BAD;
	}
	s->in->weak = !s->fence && shm_os_barrier_join() != 0;
	atomic_store_explicit(&s->in->page->cpu, shm_os_cpu(), memory_order_relaxed);
	atomic_store_explicit(&door->state, SHM_ATTACHED, memory_order_release);
	*out = s;
	return 0;
}

void shm_detach(struct shm *s)
{
	if (s == NULL)
		return;
	atomic_store_explicit(&s->in->door[s->me].state, SHM_DETACHED, memory_order_release);
	release(s);
}
