// SPDX-License-Identifier: BSD-3-Clause
/* life.c - from MPI_Init or the first session to MPI_Finalize, the last session, or MPI_Abort
 * (MPI-5.0 11.2).
 *
 *      MPI_Init ──┐                                              ┌── MPI_Finalize
 *                 ├──> up: boot, engines      down: at rest <────┤   when nobody is left
 *      a session ─┘                                              └── the last session
 *
 * Nothing is sent: a rank may send to one that has not called MPI_Init yet.  MPI_Finalize ends with
 * a barrier over MPI_COMM_WORLD, so that the last messages of everybody have been taken before
 * anybody goes.  Sessions have none: what is on its way lies in the segment, and engines stay open
 * while the process lives, so that a message for its next session finds them whenever it comes. */
#include "libmpi/life/life.h"

#include "libmpi/boot/boot.h"
#include "libmpi/coll/coll_args.h"
#include "libmpi/coll/reduce_op.h"
#include "libmpi/comm/attributes.h"
#include "libmpi/comm/world.h"
#include "libmpi/env/error_handler.h"
#include "libmpi/env/info.h"
#include "libmpi/core/err.h"
#include "libmpi/core/library_lock.h"
#include "libmpi/core/setting.h"
#include "libmpi/core/process_state.h"
#include "libmpi/life/progress_thread.h"
#include "libmpi/life/leak.h"
#include "libmpi/p2p/p2p.h"
#include "libmpi/rma/rma.h"
#include "libmpi/type/type.h"
#include "libmpi/via/shared_mem.h"
#include "libmpi/via/via.h"
#include <engine.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static struct boot *boot;
static bool engines; /* open: from the first start of MPI to the end of the process */
static pthread_t main_thread;

/* --- up and down ---------------------------------------------------------------------------- */

static void life_abort_by_boot(int code, const char *text)
{
	boot_abort(code, text);
}

static void leave_by_boot(void)
{
	boot_close_rest(boot);
}

static bool finalize_failed;

/* The process exits, and MPI was not ended: the job is told why, for mpiexec's words. */
static void exit_told(void)
{
	if (haft_life.state != HAFT_RUNNING || (haft_life.gate & HAFT_GATE_CHILD) != 0)
		return;
	if (finalize_failed)
		boot_leave(BOOT_FINALIZE_FAILED);
	else if (haft_life.world != HAFT_RUNNING)
		boot_leave(BOOT_SESSION_LEFT);
}

static void fork_child(void)
{
	haft_lock_child();
	haft_life_child();
}

/* Once a process. */
static int process_watch(void)
{
	static bool watched;

	if (watched)
		return 0;
	if (pthread_atfork(NULL, NULL, fork_child) != 0 || atexit(exit_told) != 0)
		return haft_err(MPI_ERR_NO_MEM, "no memory to watch the process");
	watched = true;
	return 0;
}

static const char *host_of_rank(int rank)
{
	return boot_host_name(boot_host_of(rank));
}

static int transports_open(void)
{
	struct via_conf conf = {.seg = boot->seg,
		.me = boot->rank,
		.npeers = boot->size,
		.slot_of = boot->nhosts > 1 ? boot_seat_of : NULL,
		.peer_at = boot_rank_of,
		.addr = boot_addr,
		.key = boot_key(),
		.listen_fd = boot_listen_fd(),
		.place = boot_host_of,
		.host = host_of_rank,
		.deliver = p2p_deliver,
		.peer_made = p2p_peer_made,
		.lost = p2p_peer_lost};

	return via_open(&conf);
}

static int engines_open(void)
{
	int err = type_open();

	if (err == 0)
		err = coll_op_open();
	if (err == 0)
		err = transports_open();
	if (err == 0)
		err = p2p_open();
	if (err == 0)
		err = coll_open();
	if (err == 0)
		rma_init();
	if (err == 0)
		err = comm_attr_open(boot->size, boot->app);
	comm_open(boot->rank, boot->size);
	engines = err == 0;
	return err;
}

int life_up(int level)
{
	int err = haft_objects_open();

	if (err == 0 && (haft_life.gate & HAFT_GATE_CHILD) != 0)
		err = haft_err(MPI_ERR_OTHER, "called in a forked child of an MPI process: it "
					      "must execute another program first");
	if (err == 0)
		err = process_watch();
	if (err != 0)
		return err;
	if (boot_init(&boot) != 0)
		return haft_err(MPI_ERR_OTHER, "%s", boot_error_text());
	haft_abort_hook = life_abort_by_boot;
	haft_leave_hook = leave_by_boot;
	haft_peer_lost_hook = boot_lost;
	haft_life.rank = boot->rank;
	haft_life.size = boot->size;
	if (boot_agree(boot) != 0)
		return haft_err(MPI_ERR_OTHER, "%s", boot_error_text());
	err = engines ? 0 : engines_open();
	if (err != 0)
		return err;
	if ((level == MPI_THREAD_MULTIPLE || haft_setting_get(SETTING_PROGRESS) != 0) &&
		!haft_threads_enabled()) {
		haft_threads_enable();
		via_threads_start();
	}
	err = life_progress_start();
	if (err == 0)
		haft_life_set_state(HAFT_RUNNING);
	return err;
}

void life_down(bool stopped)
{
	if (haft_life.world == HAFT_RUNNING || haft_life.sessions > 0)
		return;
	life_progress_stop();
	type_fini(); /* nobody can free those */
	life_leak_report(stopped);
	haft_life_set_state(haft_life.world == HAFT_AFTER ? HAFT_AFTER : HAFT_BEFORE);
	coll_close();
	via_mem_close();
	boot_close_rest(boot);
	haft_abort_hook = NULL;
	haft_leave_hook = NULL;
	haft_peer_lost_hook = NULL;
}

bool life_thread_level_valid(int level)
{
	return level == MPI_THREAD_SINGLE || level == MPI_THREAD_FUNNELED ||
	       level == MPI_THREAD_SERIALIZED || level == MPI_THREAD_MULTIPLE;
}

/* --- the World Model ------------------------------------------------------------------------ */

static int init_world(int required, int *provided)
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
	__atomic_store_n(&haft_life.world, HAFT_RUNNING, __ATOMIC_RELEASE);
	if (provided != NULL)
		*provided = haft_life.thread_level;
	return 0;
}

static int init_once(int required, int *provided)
{
	if (haft_life.world == HAFT_RUNNING)
		return haft_err(MPI_ERR_OTHER, "MPI is initialised already");
	if (haft_life.world == HAFT_AFTER)
		return haft_err(MPI_ERR_OTHER, "MPI was finalised: it cannot be initialised again");
	return init_world(required, provided);
}

int life_init(int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
	return init_once(MPI_THREAD_SINGLE, NULL);
}

int life_init_thread(int *argc, char ***argv, int required, int *provided)
{
	(void)argc;
	(void)argv;
	if (!life_thread_level_valid(required))
		return haft_err(MPI_ERR_ARG, "%d is not a level of thread support", required);
	return init_once(required, provided);
}

static int finalize_world(void)
{
	static bool ending; /* callbacks of attributes are under way */
	int err;

	if (ending)
		return haft_err(MPI_ERR_OTHER, "called by a callback of MPI_Finalize");
	if (haft_life.world != HAFT_RUNNING)
		return haft_err(MPI_ERR_OTHER, haft_life.world == HAFT_AFTER
						       ? "MPI was finalised already"
						       : "called before MPI_Init");
	ending = true;
	err = comm_world_close();
	ending = false;
	if (err != 0)
		return err;
	p2p_flush();
	err = coll_barrier(&haft_world);
	if (err != 0 && err != MPI_ERR_PROC_ABORTED) /* who is lost was said before */
		return err;
	__atomic_store_n(&haft_life.world, HAFT_AFTER, __ATOMIC_RELEASE);
	life_down(true);
	comm_world_end();
	return 0;
}

int life_finalize(void)
{
	int err = finalize_world();

	finalize_failed = err != 0 && haft_life.world == HAFT_RUNNING;
	return err;
}

int life_abort(struct comm *c, int code)
{
	char name[MPI_MAX_OBJECT_NAME] = "", text[MPI_MAX_OBJECT_NAME + 96];
	int len;

	obj_name_get(c, name, sizeof(name), OBJ_C, &len);
	snprintf(text, sizeof(text), "MPI_Abort: rank %d of %s gave up with code %d", c->rank,
		len > 0 ? name : "a communicator", code);
	haft_abort_job(code, text);
}

/* --- questions ------------------------------------------------------------------------------ */

int life_initialized(int *flag)
{
	*flag = __atomic_load_n(&haft_life.world, __ATOMIC_ACQUIRE) != HAFT_BEFORE;
	return 0;
}

int life_finalized(int *flag)
{
	*flag = __atomic_load_n(&haft_life.world, __ATOMIC_ACQUIRE) == HAFT_AFTER;
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

/* Nobody is started by MPI_Comm_spawn yet, so nobody has a parent. */
int life_get_parent(struct comm **parent)
{
	*parent = NULL;
	return 0;
}
