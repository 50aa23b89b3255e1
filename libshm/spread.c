// SPDX-License-Identifier: BSD-3-Clause
/* spread.c - ranks of a job spread over the CPUs by themselves, and stay free to go.
 *
 *      rank 0   rank 1   rank 2   rank 3            a rank yields, or wakes:
 *         \        |       /        |                 the CPU under it is another one ─> it counts
 *          \       |      /         |                 itself there, and no longer where it was
 *       [ CPU 0: 3 ranks ]   [ CPU 1: 1 rank ]        its CPU has two more ranks than another that
 *               '── one moves ──^                     it may use ─> it goes there
 *
 * The scheduler of the kernel moves no thread that has run lately, and none to a CPU whose rank
 * polls or is about to wake.  So three ranks that compute may share a CPU for seconds beside one
 * that waits, and two ranks that exchange messages may share one in their first milliseconds.
 *
 * A move is two calls of sched_setaffinity: to the one CPU, and back to the mask that was there
 * before.  So no rank stays bound, the scheduler may move it again, and a rank whose mask has one
 * CPU never moves.
 *
 * Invariants
 *  - A rank is counted on one CPU at most: that in its doorbell, of which it keeps a copy.  One
 *    that has slept for a whole nap, or has left, is counted nowhere.
 *  - One rank of a segment moves at a time, and then none for MOVE_NS: two that see the same gap
 *    do not both fill it. */
#include "libshm/shm_inner.h"

#define MOVE_NS        100000u /* a move takes about 10 us, and fills caches anew */
#define SPREAD_POLL_NS 100000u /* between two checks at all CPUs, by one of the ranks of a CPU */
#define GAP            2       /* with 1 it would only be the other way round ... */
#define SHARE          8 /* ... and of many ranks an eighth more: one of 32 is not worth a move */

static struct seg_spread *spread_of(const struct shm_seg *seg)
{
	return seg_at(seg, seg->head->spread);
}

/* The rank of doorbell d is on CPU now - 1 from now on; 0: on none. */
static void spread_count(struct seg_spread *p, struct shm_doorbell *d, int now)
{
	int was = atomic_exchange_explicit(&d->counted, now, memory_order_relaxed);

	if (was == now)
		return;
	if (was > 0)
		atomic_fetch_sub_explicit(&p->ranks[was - 1], 1, memory_order_relaxed);
	if (now > 0)
		atomic_fetch_add_explicit(&p->ranks[now - 1], 1, memory_order_relaxed);
}

HAFT_START static void spread_count_own(struct shm *s, int now)
{
	struct seg_spread *p = spread_of(s->seg);

	s->in->counted = now;
	s->in->cpu = now > 0 ? &p->cpu[now - 1] : &s->in->no_cpu;
	spread_count(p, &s->in->doorbell[s->me], now);
}

HAFT_HOT void shm_spread_update(struct shm *s)
{
	int cpu = shm_os_cpu(), now = cpu >= 0 && cpu < SPREAD_CPUS ? cpu + 1 : 0;

	if (unlikely(now != s->in->counted))
		spread_count_own(s, now);
}

/* It no longer counts as one that waits. */
static void spread_no_wait(struct shm *s)
{
	if (s->in->off_cpu != NULL)
		atomic_fetch_sub_explicit(&s->in->off_cpu->waiting, 1, memory_order_relaxed);
	s->in->off_cpu = NULL;
}

HAFT_HOT void shm_spread_off_cpu(struct shm *s, uint64_t ticks)
{
	struct spread_cpu *c = s->in->cpu;

	spread_no_wait(s);
	atomic_store_explicit(&c->off_since, ticks, memory_order_relaxed);
	atomic_fetch_add_explicit(&c->waiting, 1, memory_order_relaxed);
	s->in->off_cpu = c;
}

bool shm_spread_others_wait(const struct shm *s)
{
	const struct seg_spread *p = spread_of(s->seg);
	uint32_t ranks = 0, waiting = 0;

	for (int i = 0; i < SPREAD_CPUS; i++) {
		uint32_t here = atomic_load_explicit(&p->ranks[i], memory_order_relaxed);

		ranks += here;
		if (here > 0)
			waiting += atomic_load_explicit(&p->cpu[i].waiting, memory_order_relaxed);
	}
	return ranks <= waiting + 1;
}

bool shm_spread_cpu_waits(const struct shm *s)
{
	const struct seg_spread *p = spread_of(s->seg);
	int counted = s->in->counted;

	return counted > 0 &&
	       atomic_load_explicit(&s->in->cpu->waiting, memory_order_relaxed) + 1 >=
		       atomic_load_explicit(&p->ranks[counted - 1], memory_order_relaxed);
}

HAFT_HOT uint64_t shm_spread_on_cpu(struct shm *s, uint64_t ticks)
{
	const struct spread_cpu *off = s->in->off_cpu;
	struct spread_cpu *c;
	uint64_t since;

	spread_no_wait(s);
	shm_spread_update(s);
	c = s->in->cpu;
	since = atomic_load_explicit(&c->off_since, memory_order_relaxed);
	atomic_store_explicit(&c->off_since, 0, memory_order_relaxed);
	return c != off || since == 0 || since > ticks ? 0 : ticks - since;
}

bool shm_shares_cpu(const struct shm *s, int rank)
{
	int counted = atomic_load_explicit(&s->in->doorbell[rank].counted, memory_order_relaxed);

	return counted == 0 || counted - 1 == shm_os_cpu();
}

void shm_spread_leave(struct shm *s)
{
	spread_count_own(s, 0);
}

void shm_spread_leave_ended(const struct shm_seg *seg, int seat)
{
	struct shm_doorbell *d = (struct shm_doorbell *)seg_at(seg, seg->head->doorbell) + seat;

	spread_count(spread_of(seg), d, 0);
}

/* The CPU of `allowed' with the fewest ranks; of several, the next one after `mine': near, and not
 * the same for all jobs of a machine. */
static int spread_least(
	const struct seg_spread *p, const struct shm_cpus_allowed *allowed, int mine)
{
	const int words = countof(allowed->word);
	const uint64_t up_to_mine = ~UINT64_C(0) >> (63 - mine % 64);
	uint32_t least = UINT32_MAX;
	int found = -1;

	for (int i = 0; i <= words; i++) { /* the word of `mine' comes first and last */
		int w = (mine / 64 + i) % words;
		uint64_t left = allowed->word[w];

		left &= i == 0 ? ~up_to_mine : i == words ? up_to_mine : ~UINT64_C(0);
		for (; left != 0; left &= left - 1) {
			int cpu = w * 64 + __builtin_ctzll(left);
			uint32_t n = atomic_load_explicit(&p->ranks[cpu], memory_order_relaxed);

			if (n < least) {
				least = n;
				found = cpu;
			}
		}
	}
	return found;
}

/* Has no rank moved just before?  Without a system call; spread_may_move decides. */
static bool spread_move_due(const struct seg_spread *p, uint64_t now)
{
	return now >= atomic_load_explicit(&p->next_ns, memory_order_relaxed);
}

/* May this rank move now?  Then no other does for MOVE_NS. */
static bool spread_may_move(struct seg_spread *p, uint64_t now)
{
	uint64_t next = atomic_load_explicit(&p->next_ns, memory_order_relaxed);

	return now >= next && atomic_compare_exchange_strong_explicit(&p->next_ns, &next,
				      now + MOVE_NS, memory_order_relaxed, memory_order_relaxed);
}

static void spread_move(struct shm *s, const struct shm_cpus_allowed *allowed, int to)
{
	spread_count_own(s, to + 1);
	if (shm_os_cpu_move(allowed, to))
		s->count.moves++;
	shm_spread_update(s);
}

void shm_spread_check(struct shm *s, uint64_t now)
{
	struct seg_spread *p = spread_of(s->seg);
	int mine = s->in->counted - 1, to;
	struct shm_cpus_allowed allowed;
	uint32_t most, least;

	if (now < s->in->spread_next_ns || s->in->tune.stay)
		return;
	s->in->spread_next_ns = now + SPREAD_POLL_NS * (1 + shm_seg_ranks_per_cpu(s->seg));
	if (mine < 0 || atomic_load_explicit(&p->ranks[mine], memory_order_relaxed) < GAP ||
		!shm_os_cpus_allowed(&allowed))
		return;
	to = spread_least(p, &allowed, mine);
	if (to < 0)
		return;
	most = atomic_load_explicit(&p->ranks[mine], memory_order_relaxed);
	least = atomic_load_explicit(&p->ranks[to], memory_order_relaxed);
	if (most < least + GAP + least / SHARE || !spread_may_move(p, now))
		return;
	spread_move(s, &allowed, to);
}

void shm_spread_move_back(struct shm *s, int to)
{
	struct seg_spread *p = spread_of(s->seg);
	int mine = s->in->counted - 1;
	struct shm_cpus_allowed allowed;
	uint32_t here, there;
	uint64_t now;

	if (mine < 0 || mine == to || s->in->tune.stay)
		return;
	here = atomic_load_explicit(&p->ranks[mine], memory_order_relaxed);
	there = atomic_load_explicit(&p->ranks[to], memory_order_relaxed);
	if (here < there + GAP)
		return;
	now = shm_os_now();
	if (!spread_move_due(p, now) || !shm_os_cpus_allowed(&allowed) ||
		(allowed.word[to / 64] >> to % 64 & 1) == 0 || !spread_may_move(p, now))
		return;
	spread_move(s, &allowed, to);
}
