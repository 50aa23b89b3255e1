// SPDX-License-Identifier: BSD-3-Clause
/* layout.c - see layout.h. */
#include "libmpi/debug/layout.h"

#include "libmpi/core/comm_object.h"
#include "libmpi/core/objects.h"
#include "libmpi/core/req.h"
#include "libmpi/p2p/match.h"
#include "libmpi/p2p/p2p_state.h"
#include "libobj/obj_inner.h"
#include <stddef.h>

/* clang-format off */
#define AT(s, field) .s##_##field = offsetof(struct s, field)

extern const struct debug_layout MPIR_haft_layout;

__attribute__((visibility("default"), used)) const struct debug_layout MPIR_haft_layout = {
	.version = DEBUG_LAYOUT_VERSION,
	.bytes = sizeof(struct debug_layout),
	.world = &haft_world,
	.self = &haft_self,
	.comm_class = &haft_comm_class,
	.req_class = &haft_req_class,
	.match = &p2p_match,
	.messages = &p2p_messages,
	.state = &p2p_state,
	AT(obj, token), AT(obj, refs), AT(obj, ext),
	.class_base = offsetof(struct obj_class, base),
	.class_stride = offsetof(struct obj_class, stride),
	.class_in = offsetof(struct obj_class, in),
	.inside_hi = offsetof(struct obj_inside, hi),
	AT(ext, name), AT(ext, name_len),
	AT(comm, ctx), AT(comm, rank), AT(comm, size), AT(comm, group), AT(comm, remote),
	AT(group, size), AT(group, base), AT(group, stride), AT(group, map),
	AT(req, next), AT(req, ctx), AT(req, peer), AT(req, tag), AT(req, kind), AT(req, done),
	AT(req, persist), AT(req, active), AT(req, moved), AT(req, buf), AT(req, bytes),
	.req_order = offsetof(struct req, recv.order),
	.kind_send = REQ_SEND,
	.match_posted = offsetof(struct p2p_match, posted),
	.match_mask = offsetof(struct p2p_match, mask),
	.fifo_bytes = sizeof(struct posted_fifo),
	.messages_key = offsetof(struct p2p_messages, key),
	.messages_mask = offsetof(struct p2p_messages, mask),
	AT(unexpected, next), AT(unexpected, ctx), AT(unexpected, peer), AT(unexpected, tag),
	AT(unexpected, total), AT(unexpected, data), AT(unexpected, is_rts),
	AT(unexpected, sender),
	.state_worklist = offsetof(struct p2p_state, worklist),
	.state_ids_at = offsetof(struct p2p_state, ids.at),
	.state_ids_n = offsetof(struct p2p_state, ids.n),
	.peer_out = offsetof(struct p2p_peer, out),
	.peer_pipe_sends = offsetof(struct p2p_peer, pipe_sends),
	.peer_worklist_next = offsetof(struct p2p_peer, worklist_next),
};
/* clang-format on */

static_assert(sizeof(struct posted_fifo) == sizeof(struct unexpected_fifo) &&
		      offsetof(struct posted_fifo, head) == 0 &&
		      offsetof(struct unexpected_fifo, head) == 0,
	"one offset serves both");
