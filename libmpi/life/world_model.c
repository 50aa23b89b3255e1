// SPDX-License-Identifier: BSD-3-Clause
/* world_model.c - MPI_Init, MPI_Finalize, MPI_Abort, and the questions about them (MPI-5.0 11.2).
 *
 *      HAFT_BEFORE ── MPI_Init ──> HAFT_RUNNING ── MPI_Finalize ──> HAFT_AFTER    (haft_life.world)
 *
 * MPI_Finalize is a transaction: when a delete callback of MPI_COMM_SELF or MPI_COMM_WORLD fails,
 * its error is returned and nothing has ended.  It waits until processes of other jobs have
 * received their messages.  It ends with a barrier over MPI_COMM_WORLD, so that every
 * process of the own job has received its last messages before one of them leaves.  A process that
 * is lost but lives is an error of it, unless an earlier call has failed for that reason: messages
 * that were sent to it may be lost, too.  That one has ended is mpiexec's to say. */
#include "libmpi/boot/boot.h"
#include "libmpi/boot/control.h"
#include "libmpi/coll/coll_args.h"
#include "libmpi/comm/comm_create.h"
#include "libmpi/comm/world.h"
#include "libmpi/core/clock.h"
#include "libmpi/core/err.h"
#include "libmpi/core/process_state.h"
#include "libmpi/env/error_handler.h"
#include "libmpi/env/info.h"
#include "libmpi/ft/ft.h"
#include "libmpi/life/life.h"
#include "libmpi/p2p/p2p.h"
#include "libmpi/via/via.h"
#include "libobj/base.h"
#include <engine.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static pthread_t main_thread; /* the one that has called MPI_Init */

/* --- start ---------------------------------------------------------------------------------- */

static int world_init(int required, int *provided)
{
	int err = life_up(required);

	if (err == 0)
		err = comm_world_open();
	if (err == 0)
		err = errh_open();
	if (err == 0)
		err = env_info_open();
	if (err != 0)
		return err;
	main_thread = pthread_self();
	haft_life.thread_level = required;
	/* Release: a thread that sees it running (MPI_Initialized) sees all that opened before. */
	atomic_store_explicit(&haft_life.world, HAFT_RUNNING, memory_order_release);
	if (provided != NULL)
		*provided = haft_life.thread_level;
	return 0;
}

HAFT_START static int world_init_once(int required, int *provided)
{
	if (haft_life.world == HAFT_RUNNING)
		return haft_err(MPI_ERR_OTHER, "MPI is initialized already");
	if (haft_life.world == HAFT_AFTER)
		return haft_err(MPI_ERR_OTHER, "MPI was finalized: it cannot be initialized again");
	return world_init(required, provided);
}

HAFT_START int life_init(int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
	return world_init_once(MPI_THREAD_SINGLE, NULL);
}

int life_init_thread(int *argc, char ***argv, int required, int *provided)
{
	(void)argc;
	(void)argv;
	if (!life_thread_level_valid(required))
		return haft_err(MPI_ERR_ARG, "%d is not a level of thread support", required);
	return world_init_once(required, provided);
}

/* --- end ------------------------------------------------------------------------------------ */

static bool time_has_come(void *arg)
{
	return clock_now_ns() >= *(const uint64_t *)arg;
}

/* Makes progress for so long: others may need it, and other threads the lock. */
static void world_nap(uint32_t nap_ns)
{
	uint64_t until = clock_now_ns() + nap_ns;

	p2p_progress_until(
		&(struct p2p_condition){.ready = time_has_come, .arg = &until, .nap_ns = &nap_ns});
}

/* Has the barrier of MPI_Finalize failed although the process that it lost lives?  mpiexec learns
 * of an end about as early as we do, so it is asked for about a second, ever more rarely.  If it
 * cannot be asked: true. */
static bool world_lost_lives(void)
{
	enum { LONGEST_MS = 512 };
	char *words = strdup(haft_err_text(MPI_ERR_PROC_ABORTED));
	struct boot_location where;
	int err = 0;

	for (uint32_t ms = 1; ms <= LONGEST_MS && err == 0; ms *= 2) {
		world_nap(ms * (uint32_t)NS_PER_MS);
		err = boot_where(haft_peer_lost_rank() - 1, &where);
	}
	if (err != MPI_ERR_PROC_ABORTED)
		haft_err(MPI_ERR_PROC_ABORTED, "%s", words != NULL ? words : "");
	free(words);
	return err != MPI_ERR_PROC_ABORTED;
}

static int world_finalize(void)
{
	static bool ending;                        /* delete callbacks of attributes are running */
	bool differs = haft_world.differs != NULL; /* an error has said so */
	bool is_said = haft_peer_lost_is_said();   /* likewise, of a process */
	int err;

	if (ending)
		return haft_err(MPI_ERR_OTHER, "called by a callback of MPI_Finalize");
	if (haft_life.world != HAFT_RUNNING)
		return haft_err(MPI_ERR_OTHER, haft_life.world == HAFT_AFTER
						       ? "MPI was finalized already"
						       : "called before MPI_Init");
	ending = true;
	err = comm_world_close();
	ending = false;
	if (err != 0)
		return err;
	p2p_complete_other_jobs(haft_life.peer - haft_life.rank, haft_life.size, boot_is_over);
	p2p_flush();
	if (!ft_is_on())
		life_profile_gather();
	if (!differs) /* also with failures: not all members may know that they are survived */
		err = comm_check(&haft_world, COLL_FINALIZE);
	if (err == 0) {
		via_tune_last_wait();
		err = coll_barrier_last(&haft_world);
		via_tune(); /* sessions may go on */
	}
	if (ft_is_on() || differs)
		err = ft_finalize(err);
	if (err != 0 && (err != MPI_ERR_PROC_ABORTED || (!is_said && world_lost_lives())))
		return err;
	life_invariants_check("MPI_Finalize");
	atomic_store_explicit(&haft_life.world, HAFT_AFTER, memory_order_release);
	life_down(true);
	comm_world_end();
	return 0;
}

HAFT_START int life_finalize(void)
{
	int err = world_finalize();

	life_finalize_returned(err);
	return err;
}

/* --- questions ------------------------------------------------------------------------------ */

int life_initialized(int *flag)
{
	*flag = atomic_load_explicit(&haft_life.world, memory_order_acquire) != HAFT_BEFORE;
	return 0;
}

int life_finalized(int *flag)
{
	*flag = atomic_load_explicit(&haft_life.world, memory_order_acquire) == HAFT_AFTER;
	return 0;
}

int life_query_thread(int *provided)
{
	*provided = haft_life.thread_level;
	return 0;
}

int life_is_thread_main(int *flag)
{
	*flag = pthread_equal(main_thread, pthread_self()) != 0;
	return 0;
}
