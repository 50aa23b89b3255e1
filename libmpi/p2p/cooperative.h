// SPDX-License-Identifier: BSD-3-Clause
/* cooperative.h - large messages of private memory, which receiver and sender copy together: cooperative.c. */
#ifndef HAFT_P2P_COOPERATIVE_H
#define HAFT_P2P_COOPERATIVE_H

#include "libmpi/p2p/p2p_state.h"

enum coop_result {
	COOP_DONE,  /* all is here */
	COOP_OPEN,  /* the sender is at it: p2p_coop_end will tell */
	COOP_FAILED /* it could not be copied */
};

/* The first n bytes of the message that peer asks about, into `to', for receive r, which has taken
 * its lease; r->mate is the sender's id.  Does not return before our part is read. */
enum coop_result p2p_coop_read(struct req *r, int peer, char *to, const struct rts *rts, int64_t n);

/* A frame JOIN, to the sender: copies what is left. */
void p2p_coop_help(const struct shm_frame *f);

/* A frame WROTE, to the receiver: its request, all of whose pieces have been copied, or, if *bad,
 * not all of them. */
struct req *p2p_coop_end(const struct shm_frame *f, bool *bad);

#endif
