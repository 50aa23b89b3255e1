// SPDX-License-Identifier: BSD-3-Clause
/* coll.c - waiting for a flag of a block. */
#include "libmpi/via/coll.h"

void via_reach_wait(
	struct shm_flag *f, uint32_t want, shm_pass_fn *pass, const struct shm_what *what)
{
	struct shm_wait w;

	if (likely(shm_flag_wait(via.shm, f, want, pass, NULL, what) == 0))
		return;
	shm_wait_begin(&w);
	for (;;)
		via_idle(&w); /* the alarm is on: this ends the process */
}
