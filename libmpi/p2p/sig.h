// SPDX-License-Identifier: BSD-3-Clause
/* sig.h - HAFT_CHECK=types: a message carries its type signature.
 *
 *      frame  | signature: hash of the basic types, words | the message, or struct rts |
 *             kind: FRAME_EAGER or FRAME_RTS, | FRAME_TYPED
 *
 *      p2p_deliver ── p2p_state.sig ──┬── matched: p2p_sig_check compares the types
 *                                     └── unexpected: kept until then
 *
 * When the check is off there are no such frames, and p2p_state.sig is NULL. */
#ifndef HAFT_P2P_SIG_H
#define HAFT_P2P_SIG_H

#include "libmpi/core/comm_object.h"
#include "libmpi/core/req.h"
#include "libmpi/core/type_object.h"
#include "libmpi/p2p/protocol.h"
#include <string.h>

struct p2p_sig {
	uint64_t hash;
	bool any; /* MPI_PACKED, or not known: matches everything */
	char words[55];
};

static_assert(sizeof(struct p2p_sig) == 64, "eager messages are shorter by it");

/* Copies a signature out of a frame.  Its words end, whatever the peer has sent. */
static inline void p2p_sig_read(struct p2p_sig *sig, const void *data)
{
	uint8_t any;

	memcpy(sig, data, sizeof(*sig));
	memcpy(&any, (const char *)data + offsetof(struct p2p_sig, any), 1);
	sig->any = any != 0;
	sig->words[sizeof(sig->words) - 1] = '\0';
}

/* Likewise, in place. */
static inline void p2p_sig_sanitize(struct p2p_sig *sig)
{
	char raw[sizeof(*sig)];

	memcpy(raw, sig, sizeof(raw));
	p2p_sig_read(sig, raw);
}

/* The signature of the first `bytes' bytes of data of a type. */
void p2p_sig_fill(struct p2p_sig *sig, struct type *type, int64_t bytes);

/* A malloc'ed signature for a request that sends a packed copy of r's message.  NULL if nothing is
 * checked, or without memory: then the message goes without a check. */
struct p2p_sig *p2p_sig_for_copy(const struct req *r);

/* A message with this signature has been matched with r: if the types differ, r fails. */
void p2p_sig_check(struct req *r, const struct p2p_sig *sig);

/* Is no signature set, as no message is being matched, do the words of those of unexpected messages
 * end, and are their matches compared?  (core/valid.h) */
bool p2p_sig_valid(void);

/* Does this send carry a signature?  Only users' messages do. */
static inline bool p2p_sig_wanted(const struct req *r, bool checks)
{
	return __builtin_expect(checks, 0) && r->ctx == r->comm->ctx;
}

#endif
