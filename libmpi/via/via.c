// SPDX-License-Identifier: BSD-3-Clause
/* via.c - attaching to the transports, and what happens to a waiting rank when its job ends. */
#include "libmpi/via/via.h"
#include "libmpi/via/far.h"

#include "libmpi/core/err.h"
#include "libmpi/core/set.h"
#include <mpi.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct via via;

/* The table of settings has the order of libshm's. */
static_assert(SHM_SLEEP_AUTO == 0 && SHM_SLEEP_NEVER == 1 && SHM_SLEEP_ALWAYS == 2,
	"HAFT_SLEEP=auto, never, always");

/* Between two spins or yields a process with far peers looks at its sockets, which takes as long as
 * several of these: where others wait for the CPU it sleeps the sooner. */
#define SPINS_FAR  50
#define YIELDS_FAR 10

void via_tune(void)
{
	struct shm_tune t = {
		.puts = (uint32_t)haft_set(HAFT_SET_RING),
		.spins = (uint32_t)haft_set(HAFT_SET_SPIN),
		.yields = (uint32_t)haft_set(HAFT_SET_YIELD),
		.sleep = (enum shm_sleep)haft_set(HAFT_SET_SLEEP),
	};

	if (via.net != NULL && via.contended) {
		t.spins = t.spins < SPINS_FAR ? t.spins : SPINS_FAR;
		t.yields = t.yields < YIELDS_FAR ? t.yields : YIELDS_FAR;
	}
	shm_tune_set(via.shm, &t);
}

/* Makes the table of slots, and the one that leads back. */
static int slots_make(const struct via_conf *conf, int nslots)
{
	int32_t *slots = malloc((size_t)conf->npeers * sizeof(*slots));
	int32_t *peers = malloc((size_t)nslots * sizeof(*peers));

	if (slots == NULL || peers == NULL) {
		free(slots);
		free(peers);
		return haft_err(MPI_ERR_NO_MEM, "no memory for a table of %d peers", conf->npeers);
	}
	memset(peers, -1, (size_t)nslots * sizeof(*peers));
	for (int i = 0; i < conf->npeers; i++) {
		slots[i] = conf->slot_of(i);
		if (slots[i] >= 0 && ALWAYS(slots[i] < nslots))
			peers[slots[i]] = i;
	}
	via.slots = slots;
	via.peers = peers;
	return 0;
}

static int (*place_of)(int peer);        /* the number of its host */
static const char *(*host_of)(int peer); /* the name */
static bool alone;                       /* everybody is to be alone */

int via_place_any(int peer)
{
	return alone ? peer : place_of(peer);
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
static int slot_alone(int peer)
{
	return peer == via.me ? via.slot : -1;
}

/* How peers are reached, as the user wants it: fills in slots, and opens what far peers need. */
static int ways_open(struct via_conf *conf, int nslots)
{
	int64_t set = haft_set(HAFT_SET_VIA);
	int err, far = -1;

	place_of = conf->place;
	host_of = conf->host;
	if (haft_via_apart(set) && conf->npeers > 1) {
		conf->slot_of = slot_alone;
		alone = true;
	}
	if (conf->slot_of == NULL)
		return 0;
	err = slots_make(conf, nslots);
	for (int i = 0; i < conf->npeers && err == 0; i++)
		far = via.slots[i] < 0 ? i : far;
	if (err != 0 || far < 0)
		return err;
	if (set == HAFT_VIA_SHM)
		return haft_err(MPI_ERR_OTHER,
			"HAFT_VIA=shm is for processes of one host, but rank %d is on host %s and "
			"rank %d on host %s: unset HAFT_VIA (or set it to auto), or start all on "
			"one host",
			conf->me, conf->host(conf->me), far, conf->host(far));
	return far_open(conf);
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
	err = ways_open(conf, shm_seg_nranks(conf->seg));
	via_tune();
	return err;
}

/* --- peers that are not slots --------------------------------------------------------------- */

int via_put_any(int peer, const struct shm_hdr *h, const void *buf, size_t len)
{
	if (via.slots[peer] < 0)
		return far_put(peer, h, buf, len);
	return shm_put(via.shm, via.slots[peer], h, buf, len);
}

int via_reserve_any(int peer, size_t len, void **room)
{
	if (via.slots[peer] < 0)
		return far_reserve(peer, len, room);
	return shm_reserve(via.shm, via.slots[peer], len, room);
}

void via_commit_any(int peer, const struct shm_hdr *h, size_t len)
{
	if (via.slots[peer] < 0)
		far_commit(peer, h, len);
	else
		shm_commit(via.shm, via.slots[peer], h, len);
}

/* A frame from a slot is one from a peer. */
static void deliver_near(void *arg, const struct shm_frame *f)
{
	struct shm_frame named = *f;

	named.src = via.peers[f->src];
	via.deliver(arg, &named);
}

/* A look at sockets is a system call, and one at memory is not.  While messages come through memory
 * only one pass of so many looks at the sockets. */
#define NEAR_LOOKS \
	64 /* passes without a message, about 3 us: then the next may come from anywhere */
#define FAR_SELDOM 16

int via_poll_any(void)
{
	static uint32_t hot, tick;
	int n = shm_poll(via.shm, deliver_near, NULL);

	if (via.net == NULL)
		return n;
	if (n > 0)
		hot = via.awaited < 0 ? NEAR_LOOKS : 0;
	else if (hot > 0)
		hot--;
	if (unlikely(atomic_load_explicit(&via.due, memory_order_relaxed))) {
		atomic_store_explicit(&via.due, false, memory_order_relaxed);
		return n + far_look(true);
	}
	if (hot == 0 || ++tick % FAR_SELDOM == 0)
		n += far_look(false);
	return n;
}

int via_poll_from_any(int peer)
{
	struct shm_frame f;

	if (!via_near(peer) || !shm_peek(via.shm, via.slots[peer], &f))
		return 0;
	deliver_near(NULL, &f);
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
	if (unlikely(shm_idle(via.shm, w) == SHM_ALARM))
		job_ends();
}
