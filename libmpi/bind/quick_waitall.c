// SPDX-License-Identifier: BSD-3-Clause
/* quick_waitall.c - MPI_Waitall of pristine requests without statuses: three short loops. */
#include "libmpi/bind/quick.h"

/* Looks the requests up: 1: all are done; 0: not all; -1: some is unusual. */
static inline int quick_requests(int n, MPI_Request *const requests, struct req *room[])
{
	bool done = true;

	for (int i = 0; i < n; i++) {
		struct req *r = obj_get_token(&haft_req_class, (obj_h)requests[i]);

		if (bind_rare(r == NULL || !r->pristine))
			return -1;
		done &= r->done;
		room[i] = r;
	}
	return done;
}

/* The generated binding begins anew.  A frame that waits for room may have given this call the lock
 * (haft_help_need). */
static BIND_COLD bool quick_abandon(void)
{
	if (haft_locked)
		haft_leave_program();
	return false;
}

HAFT_HOT bool bind_quick_waitall(int n, MPI_Request requests[], uintptr_t site)
{
	struct req *room[BIND_SCRATCH];
	struct obj_batch batch;
	int done = quick_requests(n, requests, room), i = 0;

	if (bind_rare(done < 0))
		return false;
	obj_site_set(site);
	if (done == 0 && !p2p_quick_wait(n, room))
		return quick_abandon();
	p2p_quick_end_begin(&batch, site);
	for (; i < n && !p2p_req_ended(room[i]); i++) {
		p2p_quick_end(&batch, room[i]);
		requests[i] = MPI_REQUEST_NULL;
	}
	obj_batch_end(&batch);
	if (bind_rare(i < n)) /* it is there twice: its handle is wrong by now */
		return quick_abandon();
	BIND_LEAVE();
	return true;
}
