// SPDX-License-Identifier: BSD-3-Clause
/* unexpected.h - memory for messages that have come before their receives.
 *
 * A long message of a collective call that finds no memory becomes an error of its receive.  For
 * any other message from another process without memory the job ends with words: to drop it would
 * be silent loss. */
#ifndef HAFT_P2P_UNEXPECTED_H
#define HAFT_P2P_UNEXPECTED_H

#include "libmpi/p2p/match.h"
#include "libmpi/p2p/p2p_state.h"

/* A message with room for data_len bytes of data, and p2p_state.sig behind them; NULL: no
 * memory. */
struct unexpected *p2p_unexpected_try(
	uint64_t ctx, int peer, int tag, int64_t total, int64_t data_len);

/* As p2p_unexpected_try; never NULL: without memory the job ends with words. */
struct unexpected *p2p_unexpected_new(
	uint64_t ctx, int peer, int tag, int64_t total, int64_t data_len);

/* Stores an eager message, and charges its peer's credit.  Without memory see above. */
void p2p_unexpected_eager(const struct shm_frame *f);

/* An eager message from another process leaves the queue: gives its bytes back to its peer's
 * credit. */
void p2p_unexpected_uncharge(const struct unexpected *u);

#endif
