// SPDX-License-Identifier: BSD-3-Clause
/* sync.h - the part of a window's control block that synchronization uses: lock words and counters
 * of one member, which all members of its node can reach.
 *
 * Zero-filled is the first state. */
#ifndef HAFT_RMA_SYNC_H
#define HAFT_RMA_SYNC_H

#include "libobj/base.h"

#define RMA_SYNC_LEN 256 /* bytes: a few lines, so that locks and counters do not share one */

struct rma_sync {
	unsigned char room[RMA_SYNC_LEN];
};
static_assert(sizeof(struct rma_sync) == RMA_SYNC_LEN, "all members must agree");

#endif
