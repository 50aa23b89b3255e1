// SPDX-License-Identifier: BSD-3-Clause
/* sig.c - making and comparing the type signatures of HAFT_CHECK=types (sig.h). */
#include "libmpi/p2p/sig.h"

#include "libmpi/core/err.h"
#include "libmpi/p2p/match.h"
#include "libmpi/p2p/p2p_state.h"
#include "libmpi/p2p/request.h"
#include "libmpi/type/signature.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WORDS 160 /* of the receiver's types: not sent, so there is room */

void p2p_sig_fill(struct p2p_sig *sig, struct type *type, int64_t bytes)
{
	struct type_signature sum;

	memset(sig, 0, sizeof(*sig));
	if (type_signature_bytes(type, bytes, &sum) != 0) {
		sig->any = true;
		return;
	}
	sig->hash = sum.hash;
	sig->any = sum.packed;
	type_signature_words(type, bytes, sig->words, sizeof(sig->words));
}

struct p2p_sig *p2p_sig_for_copy(const struct req *r)
{
	struct p2p_sig *sig = p2p_state.checks ? malloc(sizeof(*sig)) : NULL;

	if (sig != NULL && r->send.sig != NULL)
		*sig = *r->send.sig;
	else if (sig != NULL)
		p2p_sig_fill(sig, r->type, r->bytes);
	return sig;
}

void p2p_sig_check(struct req *r, const struct p2p_sig *sig)
{
	char name[MPI_MAX_OBJECT_NAME] = "", words[WORDS];
	struct type_signature sum;
	int len;

	if (r->res.error != 0 || sig->any ||
		type_signature_bytes(r->type, r->res.bytes, &sum) != 0 || sum.packed ||
		sum.hash == sig->hash)
		return;
	obj_name_get(r->comm, name, sizeof(name), OBJ_C, &len);
	p2p_req_fail(r, haft_err(MPI_ERR_TYPE,
				"rank %d of %s sent %s with tag %d, and rank %d receives it as %s",
				r->res.source, len > 0 ? name : "a communicator", sig->words,
				r->res.tag, r->comm->rank,
				type_signature_words(r->type, r->res.bytes, words, sizeof(words))));
}

static void sig_check_unexpected(void *arg, const struct unexpected *u)
{
	bool *valid = arg;

	if (u->sig != NULL &&
		(!p2p_state.watched || memchr(u->sig->words, '\0', sizeof(u->sig->words)) == NULL))
		*valid = false;
}

bool p2p_sig_valid(void)
{
	bool valid = p2p_state.sig == NULL;

	if (p2p_match.posted != NULL) /* it has opened */
		p2p_match_each(sig_check_unexpected, &valid);
	return valid;
}
