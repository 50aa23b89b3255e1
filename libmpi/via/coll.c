// SPDX-License-Identifier: BSD-3-Clause
/* coll.c - waiting for a flag of a block. */
#include "libmpi/via/coll.h"

struct reach {
	const struct shm_flag *f;
	uint32_t want;
};

static bool reached(void *arg)
{
	const struct reach *r = arg;

	return (int32_t)(shm_flag_get(r->f) - r->want) >= 0;
}

void via_reach_wait(
	struct shm_flag *f, uint32_t want, shm_pass_fn *pass, const struct shm_teller *teller)
{
	struct reach r = {f, want};
	struct shm_wait w;

	if (haft_threads()) {
		via_wait(&(struct via_want){reached, &r, pass, f, teller});
		return;
	}
	if (likely(shm_flag_wait(via.shm, f, want, pass, NULL, teller) == 0))
		return;
	shm_wait_begin(&w);
	for (;;)
		via_idle(&w); /* the alarm is on: this ends the process */
}
