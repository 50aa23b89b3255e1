// SPDX-License-Identifier: BSD-3-Clause
/* via.c - opening the transports, frames to peers that are not all local, and the end of a job.
 *
 *      via_put ──> via_put_any ──┬── seat >= 0 ──> libshm
 *                                └── seat <  0 ──> remote.c
 *
 *      via_poll ─> via_poll_any ─┬── each pass ──────────────> libshm
 *                                └── one pass of several ────> remote.c: a system call */
#include "libmpi/via/via.h"
#include "libmpi/via/alias.h"
#include "libmpi/via/remote.h"

#include "libmpi/core/err.h"
#include "libmpi/core/process_state.h"
#include "libmpi/core/rank_name.h"
#include "libmpi/core/setting.h"
#include "libmpi/core/valid.h"
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* The table of settings has the order of libshm's. */
static_assert(SHM_SLEEP_AUTO == 0 && SHM_SLEEP_NEVER == 1 && SHM_SLEEP_ALWAYS == 2,
	"HAFT_SLEEP=auto, never, always");

/* Between two spins or yields a process with remote peers polls its sockets, which takes as long as
 * several spins.  So it sleeps earlier if other processes wait for the CPU. */
#define SPINS_REMOTE  50
#define YIELDS_REMOTE 10

#define MANY_A_CPU 8 /* ranks: most that wait in MPI_Finalize wait for starts of processes */

/* The settings of this rank's waits. */
HAFT_START static struct shm_tune tune_wanted(void)
{
	struct shm_tune t = {
		.puts = (uint32_t)haft_setting_get(SETTING_RING_AFTER),
		.spins = (uint32_t)haft_setting_get(SETTING_SPIN),
		.yields = (uint32_t)haft_setting_get(SETTING_YIELD),
		.sleep = (enum shm_sleep)haft_setting_get(SETTING_SLEEP),
		.stay = haft_setting_get(SETTING_MOVE) != 0,
	};

	if (via.net != NULL && via.oversubscribed) {
		t.spins = t.spins < SPINS_REMOTE ? t.spins : SPINS_REMOTE;
		t.yields = t.yields < YIELDS_REMOTE ? t.yields : YIELDS_REMOTE;
	}
	return t;
}

HAFT_START void via_tune(void)
{
	const struct shm_tune t = tune_wanted();

	shm_tune_set(via.shm, &t);
}

HAFT_START void via_tune_last_wait(void)
{
	struct shm_tune t = tune_wanted();

	if (t.sleep == SHM_SLEEP_AUTO && shm_seg_ranks_per_cpu(via.shm->seg) >= MANY_A_CPU)
		t.sleep = SHM_SLEEP_ALWAYS;
	shm_tune_set(via.shm, &t);
}

static struct {
	int (*host_of)(int peer); /* via_conf's */
	const char *(*host_name)(int peer);
	int (*seat_of)(int peer);
	void (*lost)(int peer, bool left, const char *words);
	bool (*ended)(int peer, const char *words);
	int (*peer_first)(int seat);
	bool isolated;      /* each peer is a node of its own: HAFT_VIA=net, ofi-all; equal in the
			* universe */
	int32_t *tenant_in; /* by seat: 1 + the number whose frames come from it; 0: a first rank */
	int32_t *tenant_out; /* likewise, to which frames go */
} job;

int via_node_any(int peer)
{
	if (via_is_alias(peer))
		return via_alias_node(peer);
	return job.isolated ? peer : job.host_of(peer);
}

int via_machine(int peer)
{
	return via_is_alias(peer) ? via_alias_node(peer) : job.host_of(peer);
}

void *via_job_record(void)
{
	return shm_seg_job_rank(via.shm->seg, via.shm->me);
}

void *via_extra(void)
{
	static void *extra;

	if (extra == NULL)
		extra = shm_seg_extra_take(via.shm->seg, via.shm->me);
	return extra;
}

void *via_crash(void)
{
	shm_seg_core(via.shm->seg);
	return via_extra();
}

const char *via_host(int peer)
{
	return via_is_alias(peer) ? via_alias_host(peer) : job.host_name(peer);
}

/* seat_of where every other peer is remote. */
static int seat_isolated(int peer)
{
	return peer == via.me ? via.seat : -1;
}

void via_mix(void)
{
	via.mixed = true;
	via.oversubscribed = shm_seg_oversubscribed_now(via.shm->seg);
}

/* --- tenants of seats ----------------------------------------------------------------------- */

/* No memory for them ends the job: frames could not be told apart. */
static int32_t *tenants(int32_t **table)
{
	if (*table == NULL)
		*table = calloc((size_t)shm_seg_nseats(via.shm->seg), sizeof(**table));
	if (*table == NULL)
		haft_abort_job(MPI_ERR_NO_MEM, "no memory for the numbers of spawned processes");
	return *table;
}

/* The number of a seat's tenant, as frames from it mean it. */
static int tenant_of(int seat)
{
	int number = job.tenant_in != NULL ? job.tenant_in[seat] : 0;

	return number > 0 ? number - 1 : job.peer_first(seat);
}

/* libshm's: the next frame from this seat is the first of a process that was spawned. */
static void tenant_came(int seat, uint32_t name)
{
	int *in = &tenants(&job.tenant_in)[seat];

	via_mix();
	if (*in > 0 && *in != (int)name)
		via_peer_gone(*in - 1);
	*in = (int)name;
}

/* From now on frames to the seat go to this process, which is no first rank. */
static void tenant_face(int seat, int number)
{
	int *out = &tenants(&job.tenant_out)[seat];

	via_mix();
	if (*out != number + 1 && (*out > 0 || seat < shm_seg_nranks(via.shm->seg)))
		via_peer_gone(*out > 0 ? *out - 1 : job.peer_first(seat));
	*out = number + 1;
	shm_seat_redirect(via.shm, seat, (uint32_t)number + 1);
}

void via_peer_gone(int number)
{
	struct via_peer *p = (struct via_peer *)(uintptr_t)via_peer(number);
	char words[HAFT_RANK_NAME + 64], name[HAFT_RANK_NAME];

	if (!p->made)
		return;
	p->seat = -1;
	p->put_seat = 0;
	p->direct = 0;
	snprintf(words, sizeof(words), "%s has ended", haft_number_name(name, number));
	if (job.ended(number, words) && p->rma == NULL && p->ofi == NULL)
		via_peer_unmake(p);
}

bool via_peer_release(int number)
{
	struct via_peer *p = (struct via_peer *)(uintptr_t)via_peer(number);

	if (!p->made)
		return true;
	if (net_peer_state_get(via.net, number) < NET_PEER_LEFT || p->rma != NULL ||
		p->ofi != NULL || !job.ended(number, "it has left MPI"))
		return false;
	via_peer_unmake(p);
	return true;
}

HAFT_START void via_notice_set(shm_notice_fn *handler)
{
	shm_notice_set(via.shm, handler);
}

void via_notice_poll(void)
{
	shm_notice_poll(via.shm);
}

const void *via_notice_get(uint32_t i)
{
	return shm_notice_get(via.shm, i);
}

bool via_connected(int peer)
{
	return !via_is_local(peer) && via.net != NULL && via_remote_connected(peer);
}

void via_peer_died(int number)
{
	struct via_peer *p = via_peer_get(number);

	if (via_is_local(number))
		shm_pipe_abandon(via.shm, via_seat(number));
	else
		via_remote_abandon(number);
	via_mix();
	p->seat = VIA_SEAT_DEAD;
	p->put_seat = 0;
	p->direct = 0;
}

void via_peer_unreachable(int number)
{
	char words[HAFT_RANK_NAME + 64], name[HAFT_RANK_NAME];

	snprintf(words, sizeof(words), "%s has ended, or is not known here",
		haft_number_name(name, number));
	job.lost(number, false, words);
}

int via_seat_find(int peer)
{
	int seat;

	if (via_is_alias(peer))
		return -1;
	seat = job.seat_of != NULL ? job.seat_of(peer) : peer;
	if (job.seat_of != NULL && seat >= 0 && seat != via.seat &&
		shm_seat_name(via.shm->seg, seat) != 0)
		tenant_face(seat, peer);
	return seat;
}

/* HAFT_VIA=shm, but some peer is on another host. */
static int shm_refused(const struct via_conf *conf)
{
	int remote = 0;

	while (job.seat_of(remote) >= 0)
		remote++;
	return haft_err(MPI_ERR_OTHER,
		"HAFT_VIA=shm is for processes of one host, but rank %d is on host %s and "
		"rank %d on host %s: unset HAFT_VIA (or set it to auto), or start all on "
		"one host",
		conf->me, job.host_name(conf->me), remote, job.host_name(remote));
}

/* True if HAFT_VIA wants sockets that the launcher should have made.  A program without launcher
 * has none, and its spawned processes share its memory. */
static bool sockets_wanted(const struct via_conf *conf)
{
	return haft_via_isolates(haft_setting_get(SETTING_VIA)) && conf->first == 0 &&
	       conf->npeers > 1;
}

/* Chooses the transports by HAFT_VIA, and opens what remote peers need. */
static int transports_open(const struct via_conf *conf)
{
	int64_t set = haft_setting_get(SETTING_VIA);

	job.host_of = conf->host_of;
	job.host_name = conf->host_name;
	job.isolated = haft_via_isolates(set) && conf->key != NULL;
	job.seat_of = job.isolated ? seat_isolated : conf->seat_of;
	job.peer_first = conf->peer_first;
	job.lost = conf->lost;
	job.ended = conf->ended;
	via.mixed = job.isolated || !conf->seats_are_numbers;
	shm_newcomer_set(via.shm, tenant_came);
	if (conf->one_host && !job.isolated && !sockets_wanted(conf))
		return 0;
	return set == HAFT_VIA_SHM ? shm_refused(conf) : via_remote_open(conf);
}

/* Are the rings, pipes, inbox and waits of this process in order?  An abort may leave them
 * half done. */
static bool via_segment_valid(void)
{
	return via.shm == NULL || shm_seg_aborted(via.shm->seg) || shm_valid(via.shm);
}

HAFT_START int via_open(struct via_conf *conf)
{
	int err;

	via.seat = conf->seat_of(conf->me);
	err = shm_attach(conf->seg, via.seat, &via.shm);
	if (err != 0)
		return haft_err(MPI_ERR_OTHER, "rank %d cannot attach to the shared segment: %s",
			conf->me, shm_error_text(err));
	via.me = conf->me;
	via.npeers = conf->npeers;
	via.universe = conf->universe;
	via.awaited = -1;
	via.frame_max = via.shm->frame_max;
	via.mem_len = shm_seg_len(conf->seg);
	via.oversubscribed = shm_seg_oversubscribed_now(conf->seg);
	via.deliver = conf->deliver;
	via.peer_made = conf->peer_made;
	haft_valid_add("via_peers_valid", via_peers_valid);
	haft_valid_add("via_segment_valid", via_segment_valid);
	via_remote_prepare(conf);
	err = via_peers_open(conf->first + conf->npeers);
	if (err == 0)
		err = transports_open(conf);
	via_tune();
	return err;
}

/* --- peers that are not all local ----------------------------------------------------------- */

/* Can a peer without a seat be reached by sockets? */
static bool via_reachable(int seat)
{
	return via.net != NULL && seat != VIA_SEAT_DEAD;
}

int via_put_any(int peer, const struct shm_hdr *h, const void *buf, size_t len)
{
	int seat = via_seat(peer);

	if (unlikely(seat < 0))
		return via_reachable(seat) ? via_remote_put(peer, h, buf, len) : VIA_LOST;
	return shm_put(via.shm, seat, h, buf, len);
}

int via_reserve_any(int peer, size_t len, void **room)
{
	int seat = via_seat(peer);

	if (unlikely(seat < 0))
		return via_reachable(seat) ? via_remote_reserve(peer, len, room) : VIA_LOST;
	return shm_reserve(via.shm, seat, len, room);
}

void via_commit_any(int peer, const struct shm_hdr *h, size_t len)
{
	int seat = via_seat(peer);

	if (seat < 0)
		via_remote_commit(peer, h, len);
	else
		shm_commit(via.shm, seat, h, len);
}

/* Delivers a frame of libshm, whose src is a seat, with the number of the peer. */
static void deliver_local(void *arg, const struct shm_frame *f)
{
	struct shm_frame named = *f;

	named.src = f->src == via.seat ? via.me : tenant_of(f->src);
	via.deliver(arg, &named);
}

/* Polling sockets takes a system call, polling memory does not.  While messages arrive by memory,
 * and for LOCAL_PASSES passes (about 3 us) after the last of them, only one pass of REMOTE_EVERY
 * polls the sockets. */
#define LOCAL_PASSES 64
#define REMOTE_EVERY 16

int via_poll_any(void)
{
	static uint32_t local_passes, tick;
	int n = shm_poll(via.shm, deliver_local, NULL);

	if (via.net == NULL)
		return n;
	if (n > 0)
		local_passes = via.awaited < 0 ? LOCAL_PASSES : 0;
	else if (local_passes > 0)
		local_passes--;
	if (unlikely(atomic_load_explicit(&via.due, memory_order_relaxed))) {
		atomic_store_explicit(&via.due, false, memory_order_relaxed);
		return n + via_remote_poll(true);
	}
	if (local_passes == 0 || ++tick % REMOTE_EVERY == 0)
		n += via_remote_poll(false);
	return n;
}

int via_poll_from_any(int peer)
{
	struct shm_frame f;

	if (via_seat(peer) < 0 || !shm_peek(via.shm, via_seat(peer), &f))
		return 0;
	deliver_local(NULL, &f);
	shm_next(via.shm, &f);
	return 1;
}

/* --- waiting -------------------------------------------------------------------------------- */

#define ENDING_S 10 /* the launcher ends a rank within a second; without one the rank ends itself */

/* Another rank has aborted.  The launcher reports it and ends all ranks: waits for that in
 * silence.  The service of a program without launcher leaves the end to it. */
static void job_ends(void)
{
	int code = haft_life_hooks.end_code != NULL ? haft_life_hooks.end_code() : -1;

	if (code >= 0) {
		haft_flush();
		_exit(code);
	}
	sleep(ENDING_S);
	_exit(1);
}

HAFT_HOT void via_idle(struct shm_wait *w)
{
	if (unlikely(shm_idle(via.shm, w) == SHM_ABORTED))
		job_ends();
}
