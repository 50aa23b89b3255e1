// SPDX-License-Identifier: BSD-3-Clause
/* wait_report.h - the wait report's view of a wait for requests (wait_report.c). */
#ifndef HAFT_P2P_WAIT_REPORT_H
#define HAFT_P2P_WAIT_REPORT_H

#include "libmpi/p2p/p2p_state.h"

/* The subject of a wait: one request, and all of the call (n 0: it is the only one). */
struct p2p_about {
	struct shm_describer describer; /* first; its function is p2p_wait_report_req */
	const struct req *req;          /* NULL: no request */
	struct req *const *reqs;
	int n;
	bool any; /* the end of one is enough */
};

/* shm_describer's function: writes the record of the first request that is not done.  Called when
 * the process has slept for SHM_DESCRIBE_MS. */
void p2p_wait_report_req(const struct shm_describer *t, void *description);

#endif
