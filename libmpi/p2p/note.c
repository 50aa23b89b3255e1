// SPDX-License-Identifier: BSD-3-Clause
/* note.c - making and comparing the notes of HAFT_CHECK=types (note.h). */
#include "libmpi/p2p/note.h"

#include "libmpi/core/err.h"
#include "libmpi/p2p/inner.h"
#include "libmpi/type/sum.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WORDS 160 /* of the receiver's types: not sent, so there is room */

void note_fill(struct p2p_note *note, struct type *type, int64_t bytes)
{
	struct type_sum sum;

	memset(note, 0, sizeof(*note));
	if (type_sum_bytes(type, bytes, &sum) != 0) {
		note->any = true;
		return;
	}
	note->hash = sum.hash;
	note->any = sum.packed;
	type_sum_words(type, bytes, note->words, sizeof(note->words));
}

struct p2p_note *note_for_copy(const struct req *r)
{
	struct p2p_note *note = p2p.checks ? malloc(sizeof(*note)) : NULL;

	if (note != NULL && r->note != NULL)
		*note = *r->note;
	else if (note != NULL)
		note_fill(note, r->type, r->bytes);
	return note;
}

void note_check(struct req *r, const struct p2p_note *note)
{
	char name[MPI_MAX_OBJECT_NAME] = "", words[WORDS];
	struct type_sum sum;
	int len;

	if (r->res.error != 0 || note->any || type_sum_bytes(r->type, r->total, &sum) != 0 ||
		sum.packed || sum.hash == note->hash)
		return;
	obj_name_get(r->comm, name, sizeof(name), OBJ_C, &len);
	req_fail(r,
		haft_err(MPI_ERR_TYPE,
			"rank %d of %s sent %s with tag %d, and rank %d receives it as %s",
			r->res.source, len > 0 ? name : "a communicator", note->words, r->res.tag,
			r->comm->rank, type_sum_words(r->type, r->total, words, sizeof(words))));
}
