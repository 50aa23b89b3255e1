// SPDX-License-Identifier: BSD-3-Clause
/* watch.c - how long a call has waited, and for whom.
 *
 *     wait:   looks   idle idle idle idle idle   something moved   idle idle   done
 *                     └── waiting: summed up ─┘                    └───────┘     └─ blamed
 *                        asks the describer now and then
 *
 * The describer names the late ranks.  It is asked after POLL_TICKS, then each time the wait has
 * lasted an eighth longer: the last answer is of the last eighth of the wait.  When a collective
 * call goes on no rank is late any more, so the last answer with a name counts: the last to come,
 * or equal parts of the last ones.  A receive from any source is asked at the end, when it has
 * one. */
#include "libmpi/prof/prof.h"

#include "libmpi/core/process_state.h"
#include <string.h>

#define POLL_TICKS 3000    /* about 1 us */
#define NAP_NS     2000000 /* while several are late: one is the last */

static enum prof_why wait_why(const struct boot_wait *b)
{
	switch (b->kind) {
	case BOOT_WAIT_RECV:
	case BOOT_WAIT_PRECV: return PROF_SENDER;
	case BOOT_WAIT_SEND:
	case BOOT_WAIT_PSEND:
	case BOOT_WAIT_BACK: return PROF_RECEIVER;
	case BOOT_WAIT_COLL: return PROF_LAST;
	case BOOT_WAIT_LOCK: return PROF_LOCK;
	case BOOT_WAIT_WIN: return PROF_WINDOW;
	default: return PROF_OTHER;
	}
}

/* The peers that a wait is for, without this rank, which has just got a lock, or sends to itself.
 * Returns their number. */
static int watch_peers(const struct boot_wait *b, int32_t peers[BOOT_WAIT_LATE])
{
	bool parts = b->kind == BOOT_WAIT_PSEND || b->kind == BOOT_WAIT_PRECV;
	int n = 0;

	if (parts || (b->nlate == 0 && b->kind != BOOT_WAIT_LOCK)) {
		peers[0] = b->peer;
		return b->peer >= 0 && b->peer != haft_life.peer;
	}
	for (int i = 0; i < b->nlate && i < BOOT_WAIT_LATE; i++)
		if (b->late[i] != haft_life.peer)
			peers[n++] = b->late[i];
	return n;
}

/* Asks the waiter whom it waits for; keeps the last answer with a name. */
static void watch_ask(struct prof_call *c, const struct shm_wait *w)
{
	struct prof_now *shown = &prof_state.table->now;
	union {
		struct boot_wait b;
		uint64_t room[SHM_DESCRIPTION_LEN / 8];
	} told = {.room = {0}};
	int32_t peers[BOOT_WAIT_LATE] = {0};
	int n;

	if (w->describer == NULL)
		return;
	told.b.brief = 1;
	w->describer->describe(w->describer, &told);
	n = watch_peers(&told.b, peers);
	if (c->late > 0 && n == 0)
		return;
	memcpy(c->peers, peers, sizeof(peers));
	c->late = (int8_t)n;
	c->any = told.b.kind == BOOT_WAIT_RECV && told.b.peer < 0;
	c->why_told = (uint8_t)wait_why(&told.b);
	shown->why = c->why_told;
	shown->peer = c->late == 1 ? c->peers[0] + 1 : 0;
}

static void watch_begin(struct shm_wait *w)
{
	struct prof_call *c = prof_call_mine();
	uint64_t now;

	if (c->depth == 0 || (c->w != NULL && c->w != w))
		return; /* the progress thread; a wait inside of another */
	now = shm_ticks();
	c->idle = now;
	if (c->w == w)
		return;
	if (unlikely(prof_state.match.kind != PROF_RECORD_NONE))
		prof_trace_match(now);
	c->w = w;
	c->begin = prof_state.table->now.wait_since = now;
	c->check_at = now + POLL_TICKS;
	c->idled = 0;
	c->napped = false;
	c->late = -1;
	c->any = false;
	c->why_told = PROF_OTHER;
}

static void watch_idled(struct shm_wait *w)
{
	struct prof_call *c = prof_call_mine();
	uint64_t now;

	if (c->w != w || c->depth == 0)
		return;
	now = shm_ticks();
	c->idled += now - c->idle;
	c->idle = now;
	if (now < c->check_at)
		return;
	watch_ask(c, w);
	c->check_at = now + POLL_TICKS + (now - c->begin) / 8;
	if (c->late > 1 && w->nap_ns == 0) {
		w->nap_ns = NAP_NS;
		c->napped = true;
	} else if (c->napped && c->late <= 1) {
		w->nap_ns = 0;
		c->napped = false;
	}
}

static void blame(struct prof_call *c, enum prof_why why, int peer, uint64_t ticks)
{
	struct prof_peer *p = peer >= 0 ? prof_peer_row(peer) : NULL;

	if (p != NULL)
		p->why[why] += ticks;
	if (peer >= 0 && ticks > c->culprit_ticks) {
		c->culprit = peer + 1;
		c->culprit_ticks = ticks;
	}
}

/* The wait is over: its ticks, and whose they are. */
static void watch_resolve(struct prof_call *c)
{
	c->w = NULL;
	prof_state.table->now.wait_since = 0;
	prof_state.table->now.peer = 0;
	c->wait += c->idled;
	c->why[c->why_told] += c->idled;
	if (unlikely(prof_state.ring != NULL) && c->idled >= POLL_TICKS)
		prof_trace_wait(c);
	for (int i = 0; i < c->late; i++)
		blame(c, c->why_told, c->peers[i], c->idled / (uint64_t)c->late);
}

static void watch_end(struct shm_wait *w)
{
	struct prof_call *c = prof_call_mine();

	if (c->w != w)
		return;
	if (c->late < 0 || c->any)
		watch_ask(c, w);
	watch_resolve(c);
}

void prof_watch_drop(struct prof_call *c)
{
	if (c->w != NULL)
		watch_resolve(c);
}

const struct shm_wait_observer prof_watch = {watch_begin, watch_idled, watch_end};
