// SPDX-License-Identifier: BSD-3-Clause
/* sig.c - making and comparing the notes of HAFT_CHECK=types (sig.h). */
#include "libmpi/p2p/sig.h"

#include "libmpi/core/err.h"
#include "libmpi/p2p/p2p_state.h"
#include "libmpi/type/signature.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WORDS 160 /* of the receiver's types: not sent, so there is room */

void p2p_sig_fill(struct p2p_sig *note, struct type *type, int64_t bytes)
{
	struct type_signature sum;

	memset(note, 0, sizeof(*note));
	if (type_signature_bytes(type, bytes, &sum) != 0) {
		note->any = true;
		return;
	}
	note->hash = sum.hash;
	note->any = sum.packed;
	type_signature_words(type, bytes, note->words, sizeof(note->words));
}

struct p2p_sig *p2p_sig_for_copy(const struct req *r)
{
	struct p2p_sig *note = p2p_state.checks ? malloc(sizeof(*note)) : NULL;

	if (note != NULL && r->note != NULL)
		*note = *r->note;
	else if (note != NULL)
		p2p_sig_fill(note, r->type, r->bytes);
	return note;
}

void p2p_sig_check(struct req *r, const struct p2p_sig *note)
{
	char name[MPI_MAX_OBJECT_NAME] = "", words[WORDS];
	struct type_signature sum;
	int len;

	if (r->res.error != 0 || note->any || type_signature_bytes(r->type, r->total, &sum) != 0 ||
		sum.packed || sum.hash == note->hash)
		return;
	obj_name_get(r->comm, name, sizeof(name), OBJ_C, &len);
	p2p_req_set_error(
		r, haft_err(MPI_ERR_TYPE,
			   "rank %d of %s sent %s with tag %d, and rank %d receives it as %s",
			   r->res.source, len > 0 ? name : "a communicator", note->words,
			   r->res.tag, r->comm->rank,
			   type_signature_words(r->type, r->total, words, sizeof(words))));
}
