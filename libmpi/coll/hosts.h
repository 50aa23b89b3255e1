// SPDX-License-Identifier: BSD-3-Clause
/* hosts.h - what the collectives know of a communicator's hosts: see hosts.c. */
#ifndef HAFT_COLL_HOSTS_H
#define HAFT_COLL_HOSTS_H

#include "libmpi/coll/coll.h"

struct hosts;

/* Are there several hosts, and fewer of them than members; ordered: and are the members of each an
 * interval of ranks?  All members find the same, and say nothing. */
bool hosts_worth(struct comm *c, bool ordered);

/* NULL is nothing. */
void hosts_free(struct hosts *h);

#endif
