// SPDX-License-Identifier: BSD-3-Clause
/* via.c - attaching to the transports, and what happens to a waiting rank when its job ends. */
#include "libmpi/via/via.h"
#include "libmpi/via/remote.h"

#include "libmpi/core/err.h"
#include "libmpi/core/setting.h"
#include <mpi.h>
#include <unistd.h>

struct via via;

/* The table of settings has the order of libshm's. */
static_assert(SHM_SLEEP_AUTO == 0 && SHM_SLEEP_NEVER == 1 && SHM_SLEEP_ALWAYS == 2,
	"HAFT_SLEEP=auto, never, always");

/* Between two spins or yields a process with far peers looks at its sockets, which takes as long as
 * several of these: where others wait for the CPU it sleeps the sooner. */
#define SPINS_REMOTE  50
#define YIELDS_REMOTE 10

void via_tune(void)
{
	struct shm_tune t = {
		.puts = (uint32_t)haft_setting_get(SETTING_RING_AFTER),
		.spins = (uint32_t)haft_setting_get(SETTING_SPIN),
		.yields = (uint32_t)haft_setting_get(SETTING_YIELD),
		.sleep = (enum shm_sleep)haft_setting_get(SETTING_SLEEP),
	};

	if (via.net != NULL && via.contended) {
		t.spins = t.spins < SPINS_REMOTE ? t.spins : SPINS_REMOTE;
		t.yields = t.yields < YIELDS_REMOTE ? t.yields : YIELDS_REMOTE;
	}
	shm_tune_set(via.shm, &t);
}

static int (*place_of)(int peer);        /* the number of its host */
static const char *(*host_of)(int peer); /* the name */
static int (*slot_of)(int peer);         /* NULL: slots and peers are the same */
static int (*peer_at)(int slot);
static bool isolated; /* everybody is to be alone */

int via_node_any(int peer)
{
	return isolated ? peer : place_of(peer);
}

int via_machine(int peer)
{
	return place_of(peer);
}

const char *via_host(int peer)
{
	return host_of(peer);
}

/* With HAFT_VIA=net or ofi-all nobody else is near. */
static int seat_isolated(int peer)
{
	return peer == via.me ? via.slot : -1;
}

int via_seat_find(int peer)
{
	return slot_of != NULL ? slot_of(peer) : peer;
}

/* HAFT_VIA=shm, but some are on other hosts. */
static int shm_refused(const struct via_conf *conf)
{
	int far = 0;

	while (slot_of(far) >= 0)
		far++;
	return haft_err(MPI_ERR_OTHER,
		"HAFT_VIA=shm is for processes of one host, but rank %d is on host %s and "
		"rank %d on host %s: unset HAFT_VIA (or set it to auto), or start all on "
		"one host",
		conf->me, conf->host(conf->me), far, conf->host(far));
}

/* How peers are reached, as the user wants it: opens what far peers need. */
static int transports_open(const struct via_conf *conf, int nslots)
{
	int64_t set = haft_setting_get(SETTING_VIA);

	place_of = conf->place;
	host_of = conf->host;
	isolated = haft_via_apart(set) && conf->npeers > 1;
	slot_of = isolated ? seat_isolated : conf->slot_of;
	peer_at = conf->peer_at;
	via.mixed = slot_of != NULL;
	if (!isolated && conf->npeers <= nslots)
		return 0;
	return set == HAFT_VIA_SHM ? shm_refused(conf) : via_remote_open(conf);
}

int via_open(struct via_conf *conf)
{
	int err;

	via.slot = conf->slot_of != NULL ? conf->slot_of(conf->me) : conf->me;
	err = shm_attach(conf->seg, via.slot, &via.shm);
	if (err != 0)
		return haft_err(MPI_ERR_OTHER, "rank %d cannot attach to the shared segment: %s",
			conf->me, shm_error_text(err));
	via.me = conf->me;
	via.npeers = conf->npeers;
	via.awaited = -1;
	via.frame_max = via.shm->frame_max;
	via.mem_len = shm_seg_len(conf->seg);
	via.contended = shm_seg_contended(conf->seg);
	via.deliver = conf->deliver;
	via.peer_made = conf->peer_made;
	err = via_peers_open(conf->npeers);
	if (err == 0)
		err = transports_open(conf, shm_seg_nranks(conf->seg));
	via_tune();
	return err;
}

/* --- peers that are not slots --------------------------------------------------------------- */

int via_put_any(int peer, const struct shm_hdr *h, const void *buf, size_t len)
{
	int slot = via_seat(peer);

	if (slot < 0)
		return via_remote_put(peer, h, buf, len);
	return shm_put(via.shm, slot, h, buf, len);
}

int via_reserve_any(int peer, size_t len, void **room)
{
	int slot = via_seat(peer);

	if (slot < 0)
		return via_remote_reserve(peer, len, room);
	return shm_reserve(via.shm, slot, len, room);
}

void via_commit_any(int peer, const struct shm_hdr *h, size_t len)
{
	int slot = via_seat(peer);

	if (slot < 0)
		via_remote_commit(peer, h, len);
	else
		shm_commit(via.shm, slot, h, len);
}

/* A frame from a slot is one from a peer. */
static void deliver_local(void *arg, const struct shm_frame *f)
{
	struct shm_frame named = *f;

	named.src = f->src == via.slot ? via.me : peer_at(f->src);
	via.deliver(arg, &named);
}

/* A look at sockets is a system call, and one at memory is not.  While messages come through memory
 * only one pass of so many looks at the sockets. */
#define LOCAL_PASSES \
	64 /* passes without a message, about 3 us: then the next may come from anywhere */
#define REMOTE_EVERY 16

int via_poll_any(void)
{
	static uint32_t hot, tick;
	int n = shm_poll(via.shm, deliver_local, NULL);

	if (via.net == NULL)
		return n;
	if (n > 0)
		hot = via.awaited < 0 ? LOCAL_PASSES : 0;
	else if (hot > 0)
		hot--;
	if (unlikely(atomic_load_explicit(&via.due, memory_order_relaxed))) {
		atomic_store_explicit(&via.due, false, memory_order_relaxed);
		return n + via_remote_poll(true);
	}
	if (hot == 0 || ++tick % REMOTE_EVERY == 0)
		n += via_remote_poll(false);
	return n;
}

int via_poll_from_any(int peer)
{
	struct shm_frame f;

	if (!via_is_local(peer) || !shm_peek(via.shm, via_seat(peer), &f))
		return 0;
	deliver_local(NULL, &f);
	shm_next(via.shm, &f);
	return 1;
}

/* --- waiting -------------------------------------------------------------------------------- */

#define ENDING_S \
	10 /* the launcher ends a rank within a second; without one we end by ourselves \
	    */

/* Another rank has given up.  The launcher reports it and ends everybody: say nothing, wait for
 * that. */
static void job_ends(void)
{
	sleep(ENDING_S);
	_exit(1);
}

void via_idle(struct shm_wait *w)
{
	if (unlikely(shm_idle(via.shm, w) == SHM_ABORTED))
		job_ends();
}
