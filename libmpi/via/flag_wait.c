// SPDX-License-Identifier: BSD-3-Clause
/* flag_wait.c - the slow half of via_flag_wait: see flag_wait.h. */
#include "libmpi/via/flag_wait.h"

struct flag_target {
	const struct shm_flag *f;
	uint32_t want, ahead;
	const struct via_flag_pass *pass;
};

static bool flag_reached(void *arg)
{
	const struct flag_target *r = arg;

	return *r->pass->stop || shm_flag_reached(shm_flag_get(r->f), r->want, r->ahead);
}

static int flag_pass(void *arg)
{
	const struct flag_target *r = arg;

	return *r->pass->stop ? -1 : r->pass->run();
}

void via_flag_wait_slow(struct shm_flag *f, uint32_t want, uint32_t ahead,
	const struct via_flag_pass *pass, const struct shm_describer *teller)
{
	struct flag_target r = {f, want, ahead, pass};
	struct shm_wait w;

	if (haft_threads_enabled()) {
		via_wait(&(struct via_condition){flag_reached, &r, flag_pass, f, teller});
		return;
	}
	if (likely(shm_flag_wait(via.shm, f, want, ahead, flag_pass, &r, teller) != SHM_ABORTED))
		return;
	shm_wait_begin(&w);
	for (;;)
		via_idle(&w); /* the job is being ended: this ends the process */
}
