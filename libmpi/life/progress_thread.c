// SPDX-License-Identifier: BSD-3-Clause
/* progress_thread.c - see progress_thread.h. */
#include "libmpi/life/progress_thread.h"

#include "libmpi/core/err.h"
#include "libmpi/core/library_lock.h"
#include "libmpi/core/setting.h"
#include "libmpi/p2p/p2p.h"
#include "libmpi/via/via.h"
#include "libmpi/core/thread_start.h"
#include <mpi.h>
#include <pthread.h>
#include <string.h>

static struct {
	pthread_t thread;
	bool runs, stop; /* under the library's lock */
} helper;

static bool progress_thread_stopped(void *arg)
{
	(void)arg;
	return helper.stop;
}

static int progress_thread_poll(void *arg)
{
	(void)arg;
	return p2p_progress();
}

static void *progress_thread_main(void *arg)
{
	(void)arg;
	haft_lock();
	via_wait(&(struct via_condition){
		.ready = progress_thread_stopped, .pass = progress_thread_poll});
	haft_unlock();
	return NULL;
}

int life_progress_start(void)
{
	int err;

	if (helper.runs || haft_setting_get(SETTING_PROGRESS) == 0)
		return 0;
	helper.stop = false;
	err = haft_thread_start(&helper.thread, NULL, progress_thread_main, NULL);
	if (err != 0)
		return haft_err(
			MPI_ERR_OTHER, "no thread for HAFT_PROGRESS=thread: %s", strerror(err));
	helper.runs = true;
	return 0;
}

void life_progress_stop(void)
{
	bool had;

	if (!helper.runs)
		return;
	helper.stop = true;
	had = haft_user_begin();
	pthread_join(helper.thread, NULL);
	haft_user_end(had);
	helper.runs = false;
}
