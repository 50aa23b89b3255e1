// SPDX-License-Identifier: BSD-3-Clause
/* life.c - starts and stops the common part of the World Model and sessions.
 *
 *      MPI_Init ─────────┐                                               ┌── MPI_Finalize
 *                        ├──> life_up: boot, engines      life_down <────┤   when neither is left
 *      MPI_Session_init ─┘                                               └── MPI_Session_finalize
 *
 *      fork ──> the child is refused at the gate      exit without an end ──> mpiexec is told
 *
 * Starting sends nothing: a rank may send to one that has not called MPI_Init yet.  Engines are
 * opened once a process and stay open, so that a message for its next session finds them at any
 * time. */
#include "libmpi/life/life.h"

#include "libmpi/boot/boot.h"
#include "libmpi/boot/listen.h"
#include "libmpi/coll/coll_args.h"
#include "libmpi/coll/reduce_op.h"
#include "libmpi/comm/attributes.h"
#include "libmpi/comm/world.h"
#include "libmpi/core/crash.h"
#include "libmpi/core/err.h"
#include "libmpi/core/library_lock.h"
#include "libmpi/core/process_state.h"
#include "libmpi/core/setting.h"
#include "libmpi/core/objects.h"
#include "libmpi/core/valid.h"
#include "libmpi/debug/debug.h"
#include "libmpi/ft/ft.h"
#include "libmpi/life/leak.h"
#include "libmpi/life/progress_thread.h"
#include "libmpi/p2p/p2p.h"
#include "libmpi/prof/prof.h"
#include "libmpi/qmpi/qmpi.h"
#include "libmpi/rma/rma.h"
#include "libmpi/type/type.h"
#include "libmpi/via/shared_mem.h"
#include "libmpi/via/via.h"
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static struct boot *boot;
static bool engines;         /* open: from the first life_up to the end of the process */
static bool finalize_failed; /* the last MPI_Finalize returned an error */

/* --- the end of the process ----------------------------------------------------------------- */

static void life_abort_by_boot(int code, const char *text)
{
	boot_abort(code, text);
}

static void life_leave_by_boot(void)
{
	boot_close(boot);
}

/* At exit, before MPI has ended: tells mpiexec which end is missing. */
HAFT_START static void life_exit(void)
{
	if (haft_life.state != HAFT_RUNNING || haft_gate_has(HAFT_GATE_CHILD))
		return;
	if (finalize_failed)
		boot_exit_mark(BOOT_FINALIZE_FAILED);
	else if (haft_life.world != HAFT_RUNNING)
		boot_exit_mark(BOOT_SESSION_LEFT);
}

static void life_fork_child(void)
{
	haft_lock_child();
	haft_life_child();
}

/* Registers what happens at fork and at exit, once a process.  0 or MPI_ERR_NO_MEM. */
static int life_watch_process(void)
{
	static bool watched;

	if (watched)
		return 0;
	if (pthread_atfork(NULL, NULL, life_fork_child) != 0 || atexit(life_exit) != 0)
		return haft_err(MPI_ERR_NO_MEM, "no memory to watch the process");
	watched = true;
	return 0;
}

HAFT_START void life_finalize_returned(int err)
{
	finalize_failed = err != 0 && haft_life.world == HAFT_RUNNING;
}

/* The IP address of this host at which processes of other jobs reach it. */
static const char *listen_where(char *ip)
{
	return boot_listen_where(
		haft_setting_text(SETTING_IFACE), boot_host_name(boot->host), NULL, ip);
}

/* --- up ------------------------------------------------------------------------------------- */

static int transports_open(void)
{
	struct via_conf conf = {.seg = boot->seg,
		.me = boot->first + boot->rank,
		.first = boot->first,
		.universe = boot->cookie,
		.npeers = boot->size,
		.seats_are_numbers = boot->nhosts == 1 && boot->first == 0,
		.one_host = boot->nhosts == 1,
		.seat_of = boot_seat_of,
		.peer_first = boot_first_at,
		.addr = boot_addr,
		.key = boot_key(),
		.listen_fd = boot_listen_fd(),
		.listen_where = listen_where,
		.host_of = boot_host_of,
		.host_name = boot_host_name_of,
		.deliver = p2p_deliver,
		.peer_made = p2p_peer_made,
		.lost = p2p_peer_lost,
		.ended = p2p_peer_ended};

	return via_open(&conf);
}

static int engines_open(void)
{
	int err = type_open();

	haft_valid_add("haft_objects_valid", haft_objects_valid);
	haft_valid_add("haft_lock_valid", haft_lock_valid);
	if (err == 0)
		err = coll_op_open();
	if (err == 0)
		err = transports_open();
	if (err == 0)
		err = p2p_open();
	if (err == 0) {
		coll_open();
		rma_init();
		ft_open();
		err = comm_attr_open(boot->universe, boot->app, boot->nhosts == 1);
	}
	comm_open(boot->first + boot->rank, boot->rank, boot->size);
	engines = err == 0;
	return err;
}

/* Finds the job, and this process's place in it. */
static int life_join_job(void)
{
	if (boot_init(&boot) != 0)
		return haft_err(MPI_ERR_OTHER, "%s", boot_error_text());
	haft_life_hooks.abort = life_abort_by_boot;
	haft_life_hooks.end_code = boot_end_code;
	haft_life_hooks.leave = life_leave_by_boot;
	haft_life_hooks.peer_lost = boot_lost;
	haft_life.rank = boot->rank;
	haft_life.peer = boot->first + boot->rank;
	haft_life.spawn = boot->world;
	haft_life.size = boot->size;
	if (boot_agree(boot) != 0)
		return haft_err(MPI_ERR_OTHER, "%s", boot_error_text());
	debug_hold(boot_hold());
	return 0;
}

HAFT_START int life_up(int level)
{
	int err = haft_objects_open();

	if (err == 0 && haft_gate_has(HAFT_GATE_CHILD))
		err = haft_err(MPI_ERR_OTHER, "called in a forked child of an MPI process: it "
					      "must execute another program first");
	if (err == 0)
		err = life_watch_process();
	if (err == 0)
		err = life_join_job();
	if (err == 0 && !engines)
		err = engines_open();
	if (err != 0)
		return err;
	if (level == MPI_THREAD_MULTIPLE)
		haft_life.user_threads = true;
	if (level == MPI_THREAD_MULTIPLE && !haft_threads_enabled()) {
		haft_threads_enable();
		via_threads_start();
	}
	prof_open(boot);
	qmpi_warn(boot->seat == 0);
	if (prof_state.ring != NULL)
		p2p_messages_watch();
	haft_crash_watch(via_crash);
	err = life_progress_start();
	if (err == 0)
		haft_life_set_state(HAFT_RUNNING);
	return err;
}

/* --- down ----------------------------------------------------------------------------------- */

HAFT_START void life_invariants_check(const char *call)
{
	const char *broken = HAFT_DEBUG || HAFT_MEAN ? haft_valid_all() : NULL;
	char text[128];

	if (broken == NULL)
		return;
	snprintf(text, sizeof(text), "haft: %s: %s does not hold", call, broken);
	haft_abort_job(1, text);
}

HAFT_START void life_down(bool stopped)
{
	if (haft_life.world == HAFT_RUNNING || haft_life.sessions > 0)
		return;
	if (!stopped)
		life_invariants_check("MPI_Session_finalize");
	life_progress_stop();
	if (haft_life_hooks.uncommitted != NULL)
		haft_life_hooks.uncommitted(true);
	if (haft_life_hooks.threads_stop != NULL)
		haft_life_hooks.threads_stop();
	prof_close();
	type_fini(); /* before the report: the program cannot free what this frees */
	life_leak_report(stopped);
	haft_life_set_state(haft_life.world == HAFT_AFTER ? HAFT_AFTER : HAFT_BEFORE);
	coll_close();
	via_mem_close();
	boot_close(boot);
	haft_life_hooks.abort = NULL;
	haft_life_hooks.end_code = NULL;
	haft_life_hooks.leave = NULL;
	haft_life_hooks.peer_lost = NULL;
}

bool life_thread_level_valid(int level)
{
	return level == MPI_THREAD_SINGLE || level == MPI_THREAD_FUNNELED ||
	       level == MPI_THREAD_SERIALIZED || level == MPI_THREAD_MULTIPLE;
}
