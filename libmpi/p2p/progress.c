// SPDX-License-Identifier: BSD-3-Clause
/* progress.c - progress, and the one loop in which a process of one thread waits: for messages,
 * for the flags of collectives and of windows, for files.  Threads wait in via/waiters.c.
 *
 *     p2p_progress ──┬─> via_poll          frames that have arrived ──> deliver.c
 *                    ├─> the worklist      credit, out, pipe_sends, pipe_recvs, pending
 *                    └─> hooks             schedules of collectives, windows ...
 *
 *     p2p_progress_until ── ready? ── no: ranks share CPUs? then one yield ── ready? ── no ──┐
 *                                                                                            v
 *                             ready? <── spin, yield or sleep <── nothing moved <──── one pass
 *                               └───────────────────────── no ───────────────────────────────^
 *
 * A call that has to wait longer than that yield makes progress for all outstanding operations of
 * the process. */
#include "libmpi/p2p/progress.h"

#include "libmpi/core/clock.h"
#include "libmpi/core/process_state.h"
#include "libmpi/p2p/claim.h"
#include "libmpi/p2p/credit.h"
#include "libmpi/p2p/deliver.h"
#include "libmpi/p2p/outq.h"
#include "libmpi/p2p/partitioned.h"
#include "libmpi/p2p/pipe_copy.h"
#include "libmpi/p2p/remote_stream.h"
#include <sched.h>

/* Collectives, communicators, three of windows, two of files, three of failures; two to spare. */
#define HOOKS_MAX 12

static HAFT_HOT_DATA struct {
	int (*hooks[HOOKS_MAX])(void);
	int nhooks;
	bool in_hooks;     /* a pass is inside them */
	int fruitless;     /* calls of p2p_progress_poll, lately, that moved nothing */
	int empty;         /* as fruitless, since the clock was read */
	uint64_t empty_ns; /* nothing has moved in a loop of such calls since then; 0: it has */
} progress;

void p2p_progress_hook(int (*hook)(void))
{
	for (int i = 0; i < progress.nhooks; i++) {
		if (progress.hooks[i] == hook)
			return;
	}
	if (ALWAYS(progress.nhooks < HOOKS_MAX))
		progress.hooks[progress.nhooks++] = hook;
}

void p2p_progress_watch(const _Atomic uint64_t *word, uint64_t seen)
{
	shm_watch(via.shm, word, seen);
}

void p2p_progress_wake(void)
{
	shm_wake_own(via.shm);
}

/* --- one pass ------------------------------------------------------------------------------- */

static bool progress_has_work(const struct p2p_peer *p)
{
	return p->out.head != NULL || p->pipe_sends.head != NULL || p->pipe_recvs.head != NULL ||
	       p->credit_due || p->pending != NULL;
}

/* Serves the peers with work.  Those with nothing left leave the list. */
static int progress_worklist(void)
{
	struct p2p_peer *p = p2p_state.worklist;
	int moved = 0;

	p2p_state.worklist = NULL;
	while (p != NULL) {
		struct p2p_peer *next = p->worklist_next;
		int peer = p->peer;

		p->listed = false;
		moved += p2p_credit_send(peer) + p2p_out_push(peer) + p2p_pipe_push(peer) +
			 p2p_pipe_pull(peer);
		if (p->pending != NULL)
			moved += p2p_part_flush(peer);
		if (progress_has_work(p))
			p2p_peer_enlist(peer);
		p = next;
	}
	return moved;
}

/* A hook may call a function of the user's, which gives the lock up.  Then the pass of another
 * thread skips the hooks, and must be woken if they have moved something. */
static int progress_hooks(void)
{
	int moved = 0;

	if (progress.in_hooks)
		return 0;
	progress.in_hooks = true;
	for (int i = 0; i < progress.nhooks; i++)
		moved += progress.hooks[i]();
	progress.in_hooks = false;
	if (moved > 0)
		via_poller_wake();
	return moved;
}

int p2p_progress_beside(int (*hook)(void))
{
	int moved = via_poll(), more;

	if (p2p_state.worklist != NULL)
		moved += progress_worklist();
	more = hook != NULL ? hook() : 0;
	if (more > 0)
		via_poller_wake();
	return moved + more;
}

/* A pass in which so many frames have arrived. */
static inline int progress_pass_of(int moved)
{
	if (p2p_state.worklist != NULL)
		moved += progress_worklist();
	return progress.nhooks > 0 ? moved + progress_hooks() : moved;
}

HAFT_HOT int p2p_progress(void)
{
	return progress_pass_of(via_poll());
}

int p2p_progress_help(void)
{
	int moved;

	if (p2p_state.helping || via_is_waiting())
		return -1;
	p2p_state.helping = true;
	shm_wakes_defer(via.shm);
	moved = p2p_progress();
	p2p_state.helping = false;
	return moved;
}

/* The helper's pass is in a function of the user's, without the lock: it must end, or the hooks
 * rest. */
static void progress_let_help(void)
{
	haft_unlock();
	sched_yield();
	haft_lock();
}

/* A loop over MPI_Test that lasts is as a wait that has become long.  Reading the clock costs as
 * much as a call, so only some calls do. */
static void progress_poll_long(void)
{
	enum { CALLS = 256, LONG_MS = 100 };
	uint64_t now;

	if (++progress.empty < CALLS)
		return;
	progress.empty = 0;
	now = clock_now_ns();
	if (progress.empty_ns == 0)
		progress.empty_ns = now;
	if (now - progress.empty_ns < LONG_MS * (uint64_t)NS_PER_MS)
		return;
	progress.empty_ns = 0;
	if (p2p_hooks.long_wait != NULL)
		p2p_hooks.long_wait(NULL);
}

/* The process that we wait for may need this CPU.  A loop over MPI_Test would keep it for a whole
 * turn of the scheduler.  With threads the lock is held here, so the CPU is not given up. */
void p2p_progress_poll(void)
{
	enum { FRUITLESS = 16 }; /* calls: 1 to 2 us, less than a switch of processes */

	if (p2p_progress() > 0) {
		progress.fruitless = 0;
		progress.empty = 0;
		progress.empty_ns = 0;
		return;
	}
	progress_poll_long();
	via_notice_poll();
	if (!via.oversubscribed || haft_threads_enabled()) {
		progress.fruitless = 0;
		return;
	}
	if (++progress.fruitless < FRUITLESS)
		return;
	progress.fruitless = 0;
	shm_yield(via.shm);
}

static int progress_pass(void *arg)
{
	(void)arg;
	return p2p_progress();
}

/* --- waiting -------------------------------------------------------------------------------- */

static void progress_until_threads(const struct p2p_condition *want)
{
	struct via_condition c = {
		want->ready, want->arg, progress_pass, want->flag, want->describer};

	if (want->nap_ns != NULL)
		via_wait_timed(&c, want->nap_ns);
	else
		via_wait(&c);
}

/* Frames of the awaited message's sender are looked for in its ring first. */
static bool progress_polls_peer(const struct req *r)
{
	return r != NULL && r->kind == REQ_RECV && r->peer >= 0 &&
	       via_peer_get(r->peer)->put_seat > 0;
}

/* A pass of a wait.  Is it for one message of any source?  Then what arrives behind that one stays
 * where it is: else it would be copied aside, as there is no receive for it yet. */
static int progress_pass_for(const struct req *r)
{
	if (r != NULL && r->kind == REQ_RECV && r->peer == MPI_ANY_SOURCE)
		return progress_pass_of(via_poll_until(&r->done));
	return p2p_progress();
}

/* With HAFT_PROGRESS=thread the helper of a peer that computes reads a long message, if a CPU is
 * idle: this one, once the rank sleeps.  Of a remote peer it is not known whether it computes.  As
 * each poll of sockets is a system call, a usual wait would keep the CPU for a millisecond. */
static void progress_idle(struct shm_wait *w)
{
	w->brief = haft_helper && (p2p_claim_awaits_helper() || p2p_stream_awaits_helper());
	via_idle(w);
}

/* Is it there?  If not, the flag had the value *old before that was asked. */
static inline bool progress_ready(const struct p2p_condition *want, uint32_t *old)
{
	if (want->flag != NULL)
		*old = shm_flag_get(want->flag);
	return want->ready(want->arg);
}

/* The caller has found that it is not ready, with w->old. */
static void progress_until_alone(const struct p2p_condition *want, struct shm_wait *w)
{
	bool one = progress_polls_peer(want->req), several = true;

	do {
		if (want->nap_ns != NULL) {
			w->nap_ns = *want->nap_ns;
			if (w->nap)
				w->described = false; /* other ranks may be late by now */
		}
		if (want->flag != NULL)
			shm_flag_spin(via.shm, want->flag, w->old);
		if (one && p2p_poll_awaited(want->req, several) > 0)
			continue;
		several = want->several;
		if (unlikely(p2p_state.helping))
			progress_let_help();
		if (progress_pass_for(want->req) > 0)
			shm_wait_again(w);
		else if (want->flag != NULL ? shm_flag_get(want->flag) == w->old
					    : !want->ready(want->arg))
			progress_idle(w);
	} while (!progress_ready(want, &w->old));
}

HAFT_HOT static int progress_poll(const struct p2p_condition *want)
{
	return progress_polls_peer(want->req) ? p2p_poll_awaited(want->req, true)
					      : progress_pass_for(want->req);
}

/* Where ranks share CPUs: is it there once the others have had this one?  A flag comes without a
 * pass of this rank, a message does not.  *slow: slow yields so far, for struct shm_wait. */
HAFT_HOT static bool progress_yield(const struct p2p_condition *want, uint32_t *old, uint32_t *slow)
{
	if (want->flag == NULL && progress_poll(want) > 0 && want->ready(want->arg))
		return true;
	*slow = shm_yield_unrecorded(via.shm);
	if (want->flag == NULL)
		progress_poll(want);
	return progress_ready(want, old);
}

HAFT_HOT void p2p_progress_until(const struct p2p_condition *want)
{
	struct shm_wait w;
	uint32_t old = 0, slow = 0;

	if (progress_ready(want, &old))
		return;
	if (haft_threads_enabled()) {
		progress_until_threads(want);
		return;
	}
	via_await(want->req != NULL ? want->req->peer : -1);
	if (shm_may_yield_unrecorded(via.shm) && progress_yield(want, &old, &slow)) {
		via_await(-1);
		return;
	}
	shm_wait_begin(&w);
	w.describer = want->describer;
	w.flag = want->flag;
	w.old = old;
	w.slow = slow;
	progress_until_alone(want, &w);
	via_wait_end(&w);
	via_await(-1);
}

HAFT_HOT static bool progress_req_done(void *arg)
{
	return ((const struct req *)arg)->done;
}

/* Done, or something has failed while it was waited for. */
struct one_of {
	const struct req *r;
	uint32_t lost;
};

HAFT_HOT static bool progress_one_of(void *arg)
{
	const struct one_of *o = arg;

	return o->r->done || p2p_state.lost != o->lost;
}

HAFT_HOT bool p2p_wait_one_of(struct req *r, struct req *const reqs[], int n)
{
	struct p2p_about about = {{p2p_wait_report_req}, r, reqs, n, false};
	struct one_of one = {r, p2p_state.ft ? 0 : p2p_state.lost};

	p2p_progress_until(&(struct p2p_condition){.ready = progress_one_of,
		.arg = &one,
		.describer = &about.describer,
		.req = r,
		.several = n > 1});
	return r->done;
}

/* Not inline: it would cost the calls that need not wait. */
HAFT_HOT __attribute__((noinline)) void p2p_wait_done(struct req *r)
{
	struct p2p_about about = {{p2p_wait_report_req}, r, NULL, 0, false};

	p2p_progress_until(&(struct p2p_condition){
		.ready = progress_req_done, .arg = r, .describer = &about.describer, .req = r});
}

void p2p_wait_until(bool (*ready)(void *arg), void *arg, struct p2p_about about)
{
	about.describer.describe = p2p_wait_report_req;
	p2p_progress_until(
		&(struct p2p_condition){.ready = ready, .arg = arg, .describer = &about.describer});
}

HAFT_START static bool progress_nothing_out(void *arg)
{
	(void)arg;
	return p2p_state.worklist == NULL && via_all_sent();
}

HAFT_START void p2p_flush(void)
{
	p2p_wait_until(progress_nothing_out, NULL, (struct p2p_about){.req = NULL});
}

static bool progress_out_or_late(void *arg)
{
	return progress_nothing_out(NULL) || clock_now_ns() >= *(const uint64_t *)arg;
}

void p2p_flush_for(int ms)
{
	static const uint32_t nap_ns = NS_PER_MS;
	uint64_t until = clock_now_ns() + (uint64_t)ms * NS_PER_MS;

	p2p_progress_until(&(struct p2p_condition){
		.ready = progress_out_or_late, .arg = &until, .nap_ns = &nap_ns});
}

static bool progress_freed_done(void *arg)
{
	const struct comm *c = arg;

	return c->freed == 0;
}

void p2p_complete_freed(struct comm *c)
{
	p2p_wait_until(progress_freed_done, c, (struct p2p_about){.req = NULL});
}
