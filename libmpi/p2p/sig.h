// SPDX-License-Identifier: BSD-3-Clause
/* sig.h - HAFT_CHECK=types: what a message is made of travels with it.
 *
 *      frame  | note: hash of the sender's basic types, words | the message, or struct ask |
 *               kind: FRAME_EAGER or FRAME_RTS, | FRAME_TYPED
 *
 *      p2p_deliver ── a noted frame ──> p2p_state.note ──┬── matched(): p2p_sig_check with its types
 *                                                  └── nobody yet: kept until then
 *
 * When the check is off there are no such frames, and matched() sees NULL. */
#ifndef HAFT_P2P_SIG_H
#define HAFT_P2P_SIG_H

#include "libmpi/core/comm_object.h"
#include "libmpi/core/req.h"
#include "libmpi/core/type_object.h"
#include <string.h>

#define FRAME_TYPED 0x20 /* added to a kind */

struct p2p_sig {
	uint64_t hash;
	bool any; /* MPI_PACKED, or not known: matches everything */
	char words[55];
};

static_assert(sizeof(struct p2p_sig) == 64, "what eager messages are shorter by");

/* Takes a note out of a frame: its words end, whoever has written them. */
static inline void p2p_sig_read(struct p2p_sig *note, const void *data)
{
	uint8_t any;

	memcpy(note, data, sizeof(*note));
	memcpy(&any, (const char *)data + offsetof(struct p2p_sig, any), 1);
	note->any = any != 0;
	note->words[sizeof(note->words) - 1] = '\0';
}

/* The same for one that lies where a peer's bytes have been put. */
static inline void p2p_sig_sanitize(struct p2p_sig *note)
{
	char raw[sizeof(*note)];

	memcpy(raw, note, sizeof(raw));
	p2p_sig_read(note, raw);
}

/* The note of the first `bytes' bytes of data of a type. */
void p2p_sig_fill(struct p2p_sig *note, struct type *type, int64_t bytes);

/* A malloc'ed note for a request that sends a packed copy of r's message; NULL if nothing is
 * checked, or there is no memory: then it goes without a check. */
struct p2p_sig *p2p_sig_for_copy(const struct req *r);

/* A message with this note has been matched with r: if the types differ, that is r's error. */
void p2p_sig_check(struct req *r, const struct p2p_sig *note);

/* Does this send carry a note?  Only users' messages do. */
static inline bool p2p_sig_wanted(const struct req *r, bool checks)
{
	return __builtin_expect(checks, 0) && r->ctx == r->comm->ctx;
}

#endif
