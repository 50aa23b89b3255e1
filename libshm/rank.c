// SPDX-License-Identifier: BSD-3-Clause
/* rank.c - a process takes its place in the segment, and leaves it.
 *
 *     one mapping:  | struct shm, struct shm_private | tx | rx | peer | ring_src | pipe_src ...
 *                   '-- of the rank --'              '-- tables with a row a seat --'
 *
 * The private ends of rings and pipes (how far they are) exist only here.  So a process that has
 * left does not come back. */
#include "libshm/shm_inner.h"

#include <sys/mman.h>
#include <unistd.h>

#define NO_SPIN_START 32 /* waits without spinning after the CPUs were oversubscribed */
#define PIPE_MEMORY   ((uint64_t)256 << 20) /* all pipes of all ranks together; at least 4 a rank */

static int pipe_max(const struct seg_head *h)
{
	uint64_t n = PIPE_MEMORY / ((uint64_t)h->chunk_len * h->chunks) / h->nranks;

	if (HAFT_MEAN)
		n = 0;
	n = n < MEAN_OR(1, 4) ? MEAN_OR(1, 4) : n;
	return (int)(n < h->nseats ? n : h->nseats);
}

#define RANK_TABLES 6 /* of rank_alloc and rank_tables_set */

/* --- the tables of seats --------------------------------------------------------------------- */

/* The next n elements of `size' bytes at *at, which is moved behind them. */
static void *rank_bump_alloc(char **at, size_t n, size_t size)
{
	char *p = *at;

	*at += (n * size + CACHE_LINE - 1) / CACHE_LINE * CACHE_LINE;
	return p;
}

/* The two structs of a rank: on one page, which a waiting rank needs in each turn. */
struct rank_head {
	struct shm s;
	struct shm_private in;
};

/* Sets each table of n seats, behind the head. */
static void rank_tables_set(struct shm *s, size_t n)
{
	struct shm_private *in = s->in;
	char *at = (char *)s;

	rank_bump_alloc(&at, 1, sizeof(struct rank_head));
	s->tx = rank_bump_alloc(&at, n, sizeof(*s->tx));
	s->rx = rank_bump_alloc(&at, n, sizeof(*s->rx));
	in->peer = rank_bump_alloc(&at, n, sizeof(*in->peer));
	in->ring_src = rank_bump_alloc(&at, n, sizeof(*in->ring_src));
	in->pipe_src = rank_bump_alloc(&at, n, sizeof(*in->pipe_src));
	in->pipe_dst = rank_bump_alloc(&at, n, sizeof(*in->pipe_dst));
}

static void rank_free(struct shm *s)
{
	munmap(s, s->in->mapped);
}

/* One mapping holds the head and all tables: a seat costs memory once its rank is talked to.
 * calloc clears, and so touches, memory that was freed before. */
static struct shm *rank_alloc(struct shm_seg *seg)
{
	struct rank_head *h;
	size_t n = seg->head->nseats;
	size_t seat = sizeof(*h->s.tx) + sizeof(*h->s.rx) + sizeof(*h->in.peer) +
		      sizeof(*h->in.ring_src) + sizeof(*h->in.pipe_src) + sizeof(*h->in.pipe_dst);
	/* the head and each table begin on a line of their own */
	size_t len = sizeof(*h) + n * seat + (1 + RANK_TABLES) * CACHE_LINE;

	h = mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1,
		0);
	if (h == MAP_FAILED)
		return NULL;
	h->s.in = &h->in;
	h->in.mapped = len;
	h->in.cpu = &h->in.no_cpu;
	rank_tables_set(&h->s, n);
	return &h->s;
}

/* --- coming and going ------------------------------------------------------------------------ */

static void rank_init(struct shm *s, struct shm_seg *seg, int me)
{
	struct seg_head *h = seg->head;
	struct shm_private *in = s->in;

	s->base = seg->base;
	s->slots = h->slots;
	s->credit_mask = (uint16_t)(s->slots / 4 - 1);
	s->fence = h->fence != 0;
	s->me = me;
	s->nranks = (int)h->nseats;
	s->frame_max = h->frame_max;
	s->seg = seg;
	in->inbox = (struct shm_inbox *)seg_at(seg, h->inbox) + me;
	s->doorbell = in->doorbell = seg_at(seg, h->doorbell);
	in->record = (struct wait_record *)seg_at(seg, h->record) + me * WAIT_RECORDS;
	in->inbox_head = shm_inbox_start(in->inbox);
	in->name = shm_seat_name(seg, me);
	in->pipe_max = pipe_max(h);
	in->oversubscribed = shm_seg_oversubscribed_now(seg);
	in->tune = (struct shm_tune){.puts = SHM_PUTS, .spins = SHM_SPINS, .yields = SHM_YIELDS};
	in->no_spin = in->oversubscribed ? NO_SPIN_START : 0;
}

/* A rank that attaches; NULL with *error. */
static struct shm *rank_claim(struct shm_seg *seg, int me, int *error)
{
	struct shm *s = rank_alloc(seg);
	int32_t none = 0;

	*error = SHM_NOMEM;
	if (s == NULL)
		return NULL;
	rank_init(s, seg, me);
	if (atomic_compare_exchange_strong_explicit(&s->in->doorbell[me].pid, &none,
		    (int32_t)getpid(), memory_order_acq_rel, memory_order_relaxed))
		return s;
	rank_free(s);
	*error = SHM_BAD;
	return NULL;
}

HAFT_START int shm_attach(struct shm_seg *seg, int me, struct shm **out)
{
	struct shm *s;
	int e;

	if (me < 0 || me >= shm_seg_nseats(seg))
		return SHM_BAD;
	if (seg->len < seg->head->len && !shm_heap_limit(seg, me, seg->len))
		return SHM_NOMEM;
	s = rank_claim(seg, me, &e);
	if (s == NULL)
		return e;
	shm_poll_word_set(s, NULL);
	shm_cross_memory_offer(s);
	s->in->no_membarrier = !s->fence && shm_os_barrier_join() != 0;
	shm_spread_update(s);
	atomic_store_explicit(&s->in->record->cpu, shm_os_cpu(), memory_order_relaxed);
	atomic_store_explicit(&s->in->record->calls, 0, memory_order_relaxed);
	atomic_store_explicit(&s->in->doorbell[me].state, SHM_ATTACHED, memory_order_release);
	*out = s;
	return 0;
}

HAFT_START void shm_tune_set(struct shm *s, const struct shm_tune *t)
{
	s->in->tune = *t;
	s->unrecorded = 0;
}

void shm_detach(struct shm *s)
{
	if (s == NULL)
		return;
	must_valid(shm_seg_aborted(s->seg) || shm_valid(s));
	shm_spread_leave(s);
	atomic_store_explicit(&s->in->doorbell[s->me].state, SHM_DETACHED, memory_order_release);
	rank_free(s);
}
