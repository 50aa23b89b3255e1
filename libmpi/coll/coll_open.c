// SPDX-License-Identifier: BSD-3-Clause
/* coll_open.c - the collectives open and close. */
#include "libmpi/coll/algorithms.h"
#include "libmpi/coll/coll_check.h"
#include "libmpi/coll/coll_shm.h"
#include "libmpi/coll/hierarchical.h"
#include "libmpi/coll/sched.h"
#include "libmpi/core/valid.h"

HAFT_START void coll_open(void)
{
	haft_comm_hooks.destroy = coll_state_free;
	p2p_hooks.long_wait = coll_calls_check;
	coll_other_call_hook = coll_calls_are_other;
	coll_algorithm_open();
	coll_check_open();
	haft_valid_add("coll_sched_valid", coll_sched_valid);
}

HAFT_START void coll_close(void)
{
	coll_state_free(&haft_self);
	coll_state_free(&haft_world);
	coll_sched_close();
}
