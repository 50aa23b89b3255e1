// SPDX-License-Identifier: BSD-3-Clause
/* failure_notice.c - how this process learns that another has failed.
 *
 *      mpiexec ── notice in the segment ──> ft_notice_handle ──> p2p_peer_died ──┐
 *      libnet  ── a broken connection ──────────────────────────> p2p_peer_lost <─┘
 *                                                                      │ hook
 *                                    agreements, revocations, collectives in memory <──┘
 *
 * The launcher is the parent of the processes, and never takes a living one for dead. */
#include "libmpi/boot/boot.h"
#include "libmpi/coll/coll_args.h"
#include "libmpi/core/clock.h"
#include "libmpi/core/process_state.h"
#include "libmpi/core/rank_name.h"
#include "libmpi/core/setting.h"
#include "libmpi/ft/ft.h"
#include "libmpi/ft/ft_inner.h"
#include "libmpi/via/alias.h"
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static bool on; /* failures are survived */

HAFT_START bool ft_is_on(void)
{
	return on;
}

/* A process has been lost: no collective call waits for it, if failures are survived. */
static void notice_end_collectives(int peer)
{
	p2p_collectives_lost(peer);
	if (on)
		coll_peer_lost(peer);
}

/* Failures are survived from now on.  Processes that had been lost by then, as their connections
 * broke before the launcher told of them, have ended no collective call. */
static void notice_on(void)
{
	if (on)
		return;
	on = true;
	p2p_failures_survive();
	for (uint32_t k = 0; k < p2p_failed_count(); k++)
		if (p2p_failed_at(k) >= 0) /* else it is forgotten */
			notice_end_collectives(p2p_failed_at(k));
}

void ft_use(bool handled)
{
	notice_on();
	boot_ft(handled && p2p_failed_count() > 0 ? BOOT_FT_HANDLED : BOOT_FT_SURVIVES);
}

/* Was the process spawned, and has it or another of its spawn ended before MPI_Init? */
static bool is_spawn_failure(const struct boot_notice *n)
{
	return n->how == BOOT_END_SPAWN_FAILED || n->how == BOOT_END_SIBLING;
}

/* Do the words tell of an end before MPI_Init? */
static bool notice_before_init(const struct boot_notice *n)
{
	return is_spawn_failure(n) || n->how == BOOT_END_NEW;
}

/* "rank 1 of world 2 (process 4711) was killed by signal 9 (Killed) at 12:00:00". */
static void notice_words(const struct boot_notice *n, char *words, size_t room)
{
	char how[80], at[16] = "", name[HAFT_RANK_NAME];
	time_t when = (time_t)n->when_s;
	struct tm tm;

	if (n->how == BOOT_END_HOST)
		snprintf(how, sizeof(how), "was on a host that cannot be reached any more");
	else if (n->how == BOOT_END_DIED)
		snprintf(how, sizeof(how), "has died before MPI_Finalize");
	else if (n->how == BOOT_END_ABORTED)
		snprintf(how, sizeof(how), "was ended by MPI_Abort with code %d",
			WEXITSTATUS(n->status));
	else if (WIFSIGNALED(n->status))
		snprintf(how, sizeof(how), "was killed by signal %d (%s)%s", WTERMSIG(n->status),
			strsignal(WTERMSIG(n->status)),
			notice_before_init(n) ? " before MPI_Init" : "");
	else
		snprintf(how, sizeof(how), "exited with code %d%s", WEXITSTATUS(n->status),
			n->how == BOOT_END_FAILED ? " before MPI_Finalize"
			: notice_before_init(n)   ? " before MPI_Init"
						  : "");
	if (localtime_r(&when, &tm) != NULL)
		strftime(at, sizeof(at), "%H:%M:%S", &tm);
	snprintf(words, room, "%s (process %d) %s at %s%s", haft_rank_name(name, n->world, n->rank),
		n->pid, how, at,
		n->how == BOOT_END_SIBLING ? ", and mpiexec ended the others" : "");
}

/* libshm's: the launcher tells that a process has ended, and the job goes on. */
static void ft_notice_handle(const void *record)
{
	struct boot_notice n;
	char words[160];

	memcpy(&n, record, sizeof(n));
	notice_words(&n, words, sizeof(words));
	if (n.how == BOOT_END_LEFT) {
		p2p_peer_left(n.number, words);
		return;
	}
	if (is_spawn_failure(&n)) {
		p2p_peer_spawn_failed(n.number, words);
		return;
	}
	notice_on();
	if (n.how == BOOT_END_HOST)
		p2p_peer_died(n.number, words);
	else
		p2p_peer_dies(n.number, words);
}

/* The notice of the end of a process.  False: there is none. */
static bool notice_of(int peer, struct boot_notice *notice)
{
	const void *record;

	for (uint32_t i = 0; (record = via_notice_get(i)) != NULL; i++) {
		memcpy(notice, record, sizeof(*notice));
		if (notice->number == peer)
			return true;
	}
	return false;
}

/* p2p's. */
static bool ft_dead(int peer)
{
	struct boot_notice notice;

	return notice_of(peer, &notice) && notice.how != BOOT_END_LEFT;
}

#define NOTICE_WAIT_US 20000 /* the launcher tells of a dead process in about a millisecond */
#define NOTICE_STEP_US 200
#define NOTICE_LATE_NS 1000000000ull /* on a machine with much other work */

/* p2p's: a process is not known any more.  Has it ended before MPI_Init?  The words say so then.  A
 * refused connection may be seen before the notice, which is waited for, but not at each of many
 * processes. */
static bool ft_spawn_failed(int peer, char *words, size_t n)
{
	static int us = 50 * NOTICE_WAIT_US; /* that are left */
	int first = haft_life.peer - haft_life.rank;
	bool spawned = peer < first || peer >= first + haft_life.size, found;
	struct boot_notice notice;
	int until = us - 10 * NOTICE_WAIT_US; /* another host's take longer */

	if (haft_life.state != HAFT_RUNNING)
		return false; /* no call is left that could raise it */
	for (found = notice_of(peer, &notice);
		!found && spawned && boot_launched() && us > 0 && us > until;
		found = notice_of(peer, &notice)) {
		usleep(NOTICE_STEP_US);
		us -= NOTICE_STEP_US;
	}
	if (!found || !is_spawn_failure(&notice))
		return false;
	notice_words(&notice, words, n);
	return true;
}

/* p2p's: a connection has broken, or a peer says that the process has failed.  The launcher's
 * notice says why.  It is read here, and not acted upon: this runs in a poll.  Of many processes
 * without a notice the first one is waited for. */
static void ft_lost_words(int peer, char *words, size_t n)
{
	static uint64_t vain_ns; /* the end of the last wait without a notice; 0: there was one */
	uint64_t now = clock_now_ns(), until = now;
	bool found;
	struct boot_notice notice;

	if (haft_life.state == HAFT_RUNNING && boot_launched() && !via_is_alias(peer) &&
		(vain_ns == 0 || now - vain_ns > NOTICE_LATE_NS))
		until += NOTICE_LATE_NS;
	while (!(found = notice_of(peer, &notice)) && now < until) {
		usleep(NOTICE_STEP_US);
		now = clock_now_ns();
	}
	vain_ns = found ? 0 : now;
	if (found)
		notice_words(&notice, words, n);
}

static void ft_peer_lost(int peer, bool left)
{
	if (!left)
		notice_end_collectives(peer);
	ft_agree_peer_lost(peer);
	ft_revoke_peer_lost(peer);
}

/* The handler of this folder's frames. */
static void ft_got_frame(const struct shm_frame *f)
{
	if (f->ctx % CTX_PLANES == FT_AGREE)
		ft_agree_got(f);
	else if (f->ctx % CTX_PLANES == FT_REVOKE && ft_revoke_fits(f))
		ft_revoke_got(f);
	else
		p2p_protocol_error(f->src, "a frame about failures of %u bytes", f->len);
}

HAFT_START void ft_open(void)
{
	p2p_hooks.lost = ft_peer_lost;
	p2p_hooks.lost_words = ft_lost_words;
	p2p_hooks.spawn_failed = ft_spawn_failed;
	p2p_hooks.dead = ft_dead;
	haft_comm_hooks.differ = ft_comm_differ;
	p2p_deliver_register(FRAME_FT, ft_got_frame, P2P_FROM_LIVE);
	via_notice_set(ft_notice_handle);
	if (haft_setting_get(SETTING_FT) == HAFT_FT_YES)
		ft_use(false);
	ft_die_open();
}

/* --- members -------------------------------------------------------------------------------- */

struct ft_members ft_members(const struct comm *c)
{
	struct ft_members m = {.first = c->group, .n = c->group->size, .me = c->rank};

	if (c->remote == NULL)
		return m;
	m.n += c->remote->size;
	m.second = c->remote;
	if (c->low)
		return m;
	m.first = c->remote;
	m.second = c->group;
	m.me += c->remote->size;
	m.side = 1;
	return m;
}

int ft_member_of(const struct ft_members *m, int peer)
{
	int r = group_rank_of(m->first, peer);

	if (r >= 0 || m->second == NULL)
		return r;
	r = group_rank_of(m->second, peer);
	return r >= 0 ? m->first->size + r : -1;
}

struct find {
	uint64_t ctx;
	struct comm *c;
};

static int comm_find_one(struct comm *c, void *arg)
{
	struct find *f = arg;

	if (c->ctx != f->ctx)
		return 0;
	f->c = c;
	return 1;
}

struct comm *ft_comm_find(uint64_t ctx)
{
	struct find f = {.ctx = ctx};

	ft_comm_each(comm_find_one, &f);
	return f.c;
}
