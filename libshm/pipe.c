// SPDX-License-Identifier: BSD-3-Clause
/* pipe.c - chunks for large messages, from one rank to one other.
 *
 *   producer                                                   consumer
 *     acquire -> [chunk 0][chunk 1][chunk 2][chunk 3] <- front
 *     publish: put = generation, count -------------->
 *                <-------------------------- got = count :release
 *
 * The producer makes a pipe when it first needs one towards a peer, and offers it in a frame.  It
 * may have pipe_max of them; then a drained one (put == got) goes to the next peer under a new
 * generation.  The former consumer finds another generation than it was offered, and forgets the
 * pipe; its last store there was the release of the last chunk.  The pipe towards a process that
 * has died counts as drained: else pipe_max of them would leave none for the living. */
#include "libshm/shm_inner.h"

static struct shm_pipe *pipe_at(const struct shm *s, uint64_t off)
{
	return shm_ptr(s, off);
}

static uint32_t pipe_nchunks(const struct shm *s)
{
	return s->seg->head->chunks;
}

static size_t pipe_chunk_len(const struct shm *s)
{
	return s->seg->head->chunk_len;
}

static char *pipe_chunk(const struct shm *s, struct shm_pipe *p, uint32_t i)
{
	return (char *)p + PAGE + i % pipe_nchunks(s) * pipe_chunk_len(s);
}

static uint32_t pipe_generation(const struct shm_pipe *p)
{
	return (uint32_t)(atomic_load_explicit(&p->put, memory_order_relaxed) >> 32);
}

/* Takes a drained pipe away from the peer that it served; NULL if there is none. */
static struct shm_pipe *pipe_steal(struct shm *s, int dst, uint32_t *count)
{
	struct shm_private *in = s->in;

	for (int i = 0; i < in->npipes; i++) {
		struct shm_peer *p = &in->peer[in->pipe_dst[i]];
		struct shm_pipe *pipe = p->pipe_out;

		if (atomic_load_explicit(&pipe->got, memory_order_acquire) != p->put ||
			!p->pipe_shown)
			continue;
		*count = p->put;
		p->pipe_out = NULL;
		p->pipe_shown = false;
		in->pipe_dst[i] = dst;
		shm_channel_move(s, pipe, dst);
		s->count.pipes_moved++;
		return pipe;
	}
	return NULL;
}

/* Makes a pipe empty that has no producer; returns the chunks that went through. */
static uint32_t pipe_empty(struct shm_pipe *p)
{
	uint32_t count = (uint32_t)atomic_load_explicit(&p->put, memory_order_relaxed);

	atomic_store_explicit(&p->got, count, memory_order_relaxed);
	return count;
}

/* A pipe towards `dst', new or moved; not yet shown to it. */
static int pipe_make(struct shm *s, int dst)
{
	struct shm_private *in = s->in;
	struct shm_peer *p = &in->peer[dst];
	struct shm_pipe *pipe = NULL;
	uint32_t count = 0;
	uint64_t off;

	if (in->npipes < in->pipe_max) {
		off = shm_channel_idle_pipe(s, dst);
		if (off == 0)
			off = shm_channel_new(
				s, PAGE + pipe_nchunks(s) * pipe_chunk_len(s), PAGE, dst);
		if (off != 0) {
			pipe = pipe_at(s, off);
			count = pipe_empty(pipe);
			in->pipe_dst[in->npipes++] = dst;
			s->count.pipes++;
		} else if (in->npipes == 0) {
			return SHM_NOMEM;
		}
	}
	if (pipe == NULL)
		pipe = pipe_steal(s, dst, &count);
	if (pipe == NULL) {
		shm_wait_for_room(s, NULL, 0);
		return SHM_AGAIN;
	}
	atomic_store_explicit(&pipe->put, (uint64_t)(pipe_generation(pipe) + 1) << 32 | count,
		memory_order_release);
	p->pipe_out = pipe;
	p->put = p->put_free = count;
	return 0;
}

void shm_pipe_abandon(struct shm *s, int dst)
{
	struct shm_peer *p = &s->in->peer[dst];

	if (p->pipe_out == NULL)
		return;
	(void)pipe_empty(p->pipe_out);
	p->pipe_shown = true; /* the dead wait for no offer */
}

static int pipe_offer(struct shm *s, int dst)
{
	const struct shm_hdr h = {.kind = KIND_PIPE};
	struct shm_peer *p = &s->in->peer[dst];
	struct channel_offer o = {
		.off = shm_off(s, p->pipe_out), .gen = pipe_generation(p->pipe_out), .pos = p->put};
	int e = shm_put(s, dst, &h, &o, sizeof(o));

	if (e != 0)
		return e;
	s->count.put--;
	p->pipe_shown = true;
	return 0;
}

int shm_pipe_acquire(struct shm *s, int dst, void **ptr, size_t *cap)
{
	struct shm_peer *p = &s->in->peer[dst];
	uint64_t got;
	int e;

	if (unlikely(!p->pipe_shown)) {
		e = p->pipe_out == NULL ? pipe_make(s, dst) : 0;
		if (e == 0)
			e = pipe_offer(s, dst);
		if (e != 0)
			return e;
	}
	if (p->put - p->put_free >= pipe_nchunks(s)) {
		got = atomic_load_explicit(&p->pipe_out->got, memory_order_acquire);
		p->put_free = (uint32_t)got;
		if (p->put - p->put_free >= pipe_nchunks(s)) {
			shm_wait_for_room(s, &p->pipe_out->got, got);
			return SHM_AGAIN;
		}
	}
	*ptr = pipe_chunk(s, p->pipe_out, p->put);
	*cap = pipe_chunk_len(s);
	return 0;
}

void shm_pipe_publish(struct shm *s, int dst, size_t len)
{
	struct shm_peer *p = &s->in->peer[dst];
	uint64_t gen = pipe_generation(p->pipe_out);

	must(len > 0 && len <= pipe_chunk_len(s));
	atomic_store_explicit(
		&p->pipe_out->len[p->put % pipe_nchunks(s)], (uint32_t)len, memory_order_relaxed);
	p->put++;
	atomic_store_explicit(&p->pipe_out->put, gen << 32 | p->put, memory_order_release);
	s->count.chunks++;
	doorbell_ring(s, dst);
}

void shm_pipe_accept(struct shm *s, int src, const struct channel_offer *o)
{
	struct shm_private *in = s->in;
	struct shm_peer *p = &in->peer[src];

	if (p->gen_in == 0)
		in->pipe_src[in->npipes_in++] = src;
	p->pipe_in = pipe_at(s, o->off);
	p->gen_in = o->gen;
	p->got = o->pos;
}

/* Chunks that wait at `src's pipe; a pipe that was given to another peer is forgotten. */
static uint32_t pipe_chunks_waiting(struct shm_peer *p)
{
	uint64_t put;

	if (p->pipe_in == NULL)
		return 0;
	put = atomic_load_explicit(&p->pipe_in->put, memory_order_acquire);
	if ((uint32_t)(put >> 32) != p->gen_in) {
		p->pipe_in = NULL;
		return 0;
	}
	return (uint32_t)put - p->got;
}

bool shm_pipe_has_chunk(const struct shm *s, int src)
{
	return pipe_chunks_waiting(&s->in->peer[src]) > 0;
}

int shm_pipe_front(struct shm *s, int src, const void **ptr, size_t *len)
{
	struct shm_peer *p = &s->in->peer[src];

	if (pipe_chunks_waiting(p) == 0)
		return SHM_AGAIN;
	*ptr = pipe_chunk(s, p->pipe_in, p->got);
	*len = atomic_load_explicit(
		&p->pipe_in->len[p->got % pipe_nchunks(s)], memory_order_relaxed);
	return 0;
}

void shm_pipe_release(struct shm *s, int src)
{
	struct shm_peer *p = &s->in->peer[src];

	must(p->pipe_in != NULL);
	p->got++;
	atomic_store_explicit(&p->pipe_in->got, p->got, memory_order_release);
	doorbell_ring(s, src);
}
