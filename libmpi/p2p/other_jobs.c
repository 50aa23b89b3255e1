// SPDX-License-Identifier: BSD-3-Clause
/* other_jobs.c - MPI_Finalize waits for the receivers of other jobs (MPI-5.0 11.2.2).
 *
 *      sends in p2p_state.ids ──┬── to the own job:   the barrier of MPI_Finalize waits for them
 *                               └── to a spawned job, the parents, a client, ...:  waited for here
 *
 * Such a send has no request of the user's any more: it was freed, or the send was a buffered one.
 * The end of a remote peer fails the send, that of a local one rings no doorbell: the wait naps. */
#include "libmpi/boot/waitrec.h"
#include "libmpi/p2p/p2p_state.h"
#include "libmpi/p2p/request.h"
#include "libmpi/p2p/wait_report.h"
#include "libmpi/via/alias.h"

#define OTHER_JOBS_NAP_NS 20000000u

struct other_jobs {
	struct shm_describer describer; /* first */
	int first, n;                   /* the own job */
	bool (*over)(int peer);
	int peer; /* that is waited for; -1: none yet */
};

static bool other_jobs_awaits(const struct other_jobs *a, const struct req *r)
{
	if (r == NULL || r->kind != REQ_SEND)
		return false;
	if (r->peer >= a->first && r->peer < a->first + a->n)
		return false;
	return !p2p_peer_gone(r->peer) && (via_is_alias(r->peer) || !a->over(r->peer));
}

HAFT_START static bool other_jobs_nothing(void *arg)
{
	struct other_jobs *a = arg;

	for (uint32_t i = 0; i < p2p_state.ids.n; i++) {
		const struct req *r = id_table_get(&p2p_state.ids, i);

		if (!other_jobs_awaits(a, r))
			continue;
		a->peer = r->peer;
		return false;
	}
	return true;
}

static void other_jobs_describe(const struct shm_describer *t, void *description)
{
	struct boot_wait *what = description;

	p2p_wait_report(BOOT_WAIT_SEND, NULL, what);
	what->peer = what->rank = ((const struct other_jobs *)t)->peer;
}

HAFT_START void p2p_complete_other_jobs(int first, int n, bool (*over)(int peer))
{
	static const uint32_t nap_ns = OTHER_JOBS_NAP_NS;
	struct other_jobs a = {{other_jobs_describe}, first, n, over, -1};

	p2p_progress_until(&(struct p2p_condition){.ready = other_jobs_nothing,
		.arg = &a,
		.describer = &a.describer,
		.nap_ns = &nap_ns});
}
