// SPDX-License-Identifier: BSD-3-Clause
/* channel.c - the owners of rings, payload areas and pipes, and the way of these back to the heap.
 *
 *      maker lives        doorbell[maker].made ──> ring ──> pipe ──> ring ──> 0
 *      maker has gone     doorbell[reader].kept ──> ring ──> 0     the reader may still look at it
 *      reader knows, or has gone                                   back to the heap
 *
 * Without seats that are used again none of this would be needed: rings live as long as the
 * segment.  With them each extent is in one chain, so the channels between two tenants are
 * given back when neither can touch them.
 *
 * A pipe may have readers that it served before and that have not looked since.  They know it by
 * the generation in its first word.  So the pipe of a tenant that has gone keeps that word: it is
 * no extent of the heap any more, but an idle pipe that the next tenant takes.
 *
 * Everything here is under head->lock.  Each change of a chain is one store. */
#include <string.h>
#include "libshm/shm_inner.h"

static struct channel *channel_at(const struct shm_seg *seg, uint64_t off)
{
	return off != 0 ? seg_at(seg, off) : NULL;
}

static uint64_t channel_off(const struct shm_seg *seg, const struct channel *c)
{
	return (uint64_t)((const char *)c - seg->base);
}

/* Takes the channel at *link out of its chain. */
static struct channel *channel_unlink(const struct shm_seg *seg, uint64_t *link)
{
	struct channel *c = channel_at(seg, *link);

	*link = c->next;
	return c;
}

static void channel_link(const struct shm_seg *seg, uint64_t *chain, struct channel *c)
{
	c->next = *chain;
	atomic_signal_fence(memory_order_seq_cst); /* whole at every store */
	*chain = channel_off(seg, c);
}

/* --- records: a page of them at a time ------------------------------------------------------ */

#define RECORDS (PAGE / sizeof(struct channel))

/* A free record; NULL: no memory. */
static struct channel *record_take(struct shm *s)
{
	struct seg_head *h = s->seg->head;
	struct channel *c = NULL;
	uint64_t page = 0;

	shm_lock_take(s->seg, s->me, &h->lock);
	if (h->free_channels == 0) {
		shm_lock_drop(&h->lock);
		page = shm_heap_alloc(s, PAGE, PAGE);
		shm_lock_take(s->seg, s->me, &h->lock);
	}
	for (size_t i = 0; page != 0 && i < RECORDS; i++)
		channel_link(s->seg, &h->free_channels, (struct channel *)seg_at(s->seg, page) + i);
	if (h->free_channels != 0)
		c = channel_unlink(s->seg, &h->free_channels);
	shm_lock_drop(&h->lock);
	return c;
}

static struct shm_doorbell *channel_doorbell(const struct shm_seg *seg, int seat)
{
	return (struct shm_doorbell *)seg_at(seg, seg->head->doorbell) + seat;
}

uint64_t shm_channel_new(struct shm *s, size_t len, size_t align, int dst)
{
	struct seg_lock *l = &s->seg->head->lock;
	uint64_t off = shm_heap_alloc(s, len, align);
	struct channel *c = off != 0 ? record_take(s) : NULL;

	if (c == NULL) {
		shm_heap_free(s, off, len, align);
		return 0;
	}
	*c = (struct channel){.off = off,
		.len = len,
		.align = (uint32_t)align,
		.maker = s->me,
		.reader = dst,
		.maker_name = s->in->name,
		.reader_name = s->in->peer[dst].name_out};
	shm_lock_take(s->seg, s->me, l);
	channel_link(s->seg, &channel_doorbell(s->seg, s->me)->made, c);
	shm_lock_drop(l);
	return off;
}

uint64_t shm_heap_alloc_own(struct shm *s, size_t len)
{
	return shm_channel_new(s, len, CACHE_LINE, s->me);
}

void shm_channel_move(struct shm *s, const void *mem, int dst)
{
	uint64_t off = shm_off(s, mem), at;
	struct channel *c;

	shm_lock_take(s->seg, s->me, &s->seg->head->lock);
	at = channel_doorbell(s->seg, s->me)->made;
	for (; (c = channel_at(s->seg, at)) != NULL; at = c->next)
		if (c->off == off) {
			c->reader = dst;
			c->reader_name = s->in->peer[dst].name_out;
		}
	shm_lock_drop(&s->seg->head->lock);
}

/* --- giving back ---------------------------------------------------------------------------- */

static bool channel_is_pipe(const struct channel *c)
{
	return c->align == PAGE;
}

/* Gives back a channel that is in no chain.  The caller has the lock, which is free meanwhile. */
static void channel_give(struct shm_seg *seg, int me, struct channel *c)
{
	struct seg_head *h = seg->head;

	if (channel_is_pipe(c)) {
		channel_link(seg, &h->idle_pipes, c);
		return;
	}
	shm_lock_drop(&h->lock);
	shm_seg_heap_free(seg, me, c->off, c->len, c->align);
	shm_lock_take(seg, me, &h->lock);
	channel_link(seg, &h->free_channels, c);
}

uint64_t shm_channel_idle_pipe(struct shm *s, int dst)
{
	struct seg_head *h = s->seg->head;
	struct channel *c = NULL;

	if (h->idle_pipes == 0)
		return 0;
	shm_lock_take(s->seg, s->me, &h->lock);
	if (h->idle_pipes != 0) {
		c = channel_unlink(s->seg, &h->idle_pipes);
		c->maker = s->me;
		c->maker_name = s->in->name;
		c->reader = dst;
		c->reader_name = s->in->peer[dst].name_out;
		channel_link(s->seg, &channel_doorbell(s->seg, s->me)->made, c);
	}
	shm_lock_drop(&h->lock);
	return c != NULL ? c->off : 0;
}

/* Gives back those of a chain whose maker or reader is the tenant `name' of `seat'. */
static void chain_drop(struct shm *s, uint64_t *chain, bool by_reader, int seat, uint32_t name)
{
	uint64_t *link = chain;
	struct channel *c;

	shm_lock_take(s->seg, s->me, &s->seg->head->lock);
	while ((c = channel_at(s->seg, *link)) != NULL) {
		if ((by_reader ? c->reader : c->maker) == seat &&
			(by_reader ? c->reader_name : c->maker_name) == name) {
			channel_give(s->seg, s->me, channel_unlink(s->seg, link));
			link = chain; /* it may have changed meanwhile */
		} else {
			link = &c->next;
		}
	}
	shm_lock_drop(&s->seg->head->lock);
}

void shm_channel_drop_out(struct shm *s, int to)
{
	chain_drop(s, &channel_doorbell(s->seg, s->me)->made, true, to, s->in->peer[to].name_out);
}

void shm_channel_drop_in(struct shm *s, int from)
{
	chain_drop(
		s, &channel_doorbell(s->seg, s->me)->kept, false, from, s->in->peer[from].name_in);
}

/* The reader of a channel may still look at it. */
static bool channel_read(const struct shm_seg *seg, const struct channel *c)
{
	return c->reader != c->maker &&
	       atomic_load_explicit(&channel_doorbell(seg, c->reader)->name,
		       memory_order_relaxed) == c->reader_name;
}

void shm_channel_return(struct shm_seg *seg, int seat)
{
	struct shm_doorbell *d = channel_doorbell(seg, seat);
	int me = (int)seg->head->nseats;
	struct channel *c;

	shm_lock_take(seg, me, &seg->head->lock);
	while (d->made != 0) {
		c = channel_unlink(seg, &d->made);
		if (channel_read(seg, c))
			channel_link(seg, &channel_doorbell(seg, c->reader)->kept, c);
		else
			channel_give(seg, me, c);
	}
	while (d->kept != 0)
		channel_give(seg, me, channel_unlink(seg, &d->kept));
	shm_lock_drop(&seg->head->lock);
}
