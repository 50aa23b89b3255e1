// SPDX-License-Identifier: BSD-3-Clause
/* layout.h - where debuggers find the queues of messages: addresses and offsets as data.
 *
 *     MPIR_haft_layout ──> world, comm_class ──> struct comm ──> group
 *      in libmpi_abi       match, messages   ──> posted receives, unexpected messages
 *                          state, req_class  ──> sends that are not done
 *
 * tools/mqs reads it from the memory of the process, so it works without debug information.  A
 * field is never moved; new ones come last, and `bytes' says how many there are. */
#ifndef HAFT_DEBUG_LAYOUT_H
#define HAFT_DEBUG_LAYOUT_H

#include <stdint.h>

#define DEBUG_LAYOUT_VERSION 1

struct debug_layout {
	uint32_t version, bytes;
	/* addresses */
	const void *world, *self;           /* struct comm */
	const void *comm_class, *req_class; /* struct obj_class */
	const void *match;                  /* struct p2p_match */
	const void *messages;               /* struct p2p_messages */
	const void *state;                  /* struct p2p_state */
	/* offsets, bytes; of libobj */
	uint32_t obj_token, obj_refs, obj_ext, class_base, class_stride, class_in, inside_hi;
	uint32_t ext_name, ext_name_len;
	/* of core */
	uint32_t comm_ctx, comm_rank, comm_size, comm_group, comm_remote;
	uint32_t group_size, group_base, group_stride, group_map;
	uint32_t req_next, req_ctx, req_peer, req_tag, req_kind, req_done, req_persist, req_active;
	uint32_t req_moved, req_buf, req_bytes, req_order;
	uint32_t kind_send; /* a value of req_kind */
	/* of p2p */
	uint32_t match_posted, match_mask, fifo_bytes; /* the head of a fifo is its first field */
	uint32_t messages_key, messages_mask;
	uint32_t unexpected_next, unexpected_ctx, unexpected_peer, unexpected_tag, unexpected_total;
	uint32_t unexpected_data, unexpected_is_rts, unexpected_sender;
	uint32_t state_worklist, state_ids_at, state_ids_n;
	uint32_t peer_out, peer_pipe_sends, peer_worklist_next;
};

#endif
