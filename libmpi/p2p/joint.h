// SPDX-License-Identifier: BSD-3-Clause
/* joint.h - large messages of private memory, which receiver and sender copy together: joint.c. */
#ifndef HAFT_P2P_JOINT_H
#define HAFT_P2P_JOINT_H

#include "libmpi/p2p/inner.h"

enum joint {
	JOINT_DONE, /* all is here */
	JOINT_OPEN, /* the sender is at it: joint_over will tell */
	JOINT_BAD   /* it could not be copied */
};

/* The first n bytes of the message that peer asks about, into `to', for receive r, which has taken
 * its lease; r->mate is the sender's id.  Does not return before our part is read. */
enum joint joint_read(struct req *r, int peer, char *to, const struct ask *ask, int64_t n);

/* A frame JOIN, to the sender: copies what is left. */
void joint_join(const struct shm_frame *f);

/* A frame WROTE, to the receiver: its request, all of whose pieces have been copied, or, if *bad,
 * not all of them. */
struct req *joint_over(const struct shm_frame *f, bool *bad);

#endif
