// SPDX-License-Identifier: BSD-3-Clause
/* cells.c - from the cells of a ring to records; linked into mpiexec. */
#include "libmpi/prof/ring.h"

/* The lowest bits of *word, which are shifted out. */
static uint64_t bits_take(uint64_t *word, int bits)
{
	uint64_t low = *word & ((UINT64_C(1) << bits) - 1);

	*word >>= bits;
	return low;
}

/* The last moment until then with these low bits. */
static uint64_t at_read(uint64_t head, uint64_t until)
{
	uint64_t mask = (UINT64_C(1) << PROF_AT_BITS) - 1;

	return until - ((until - head) & mask);
}

static void message_read(uint64_t body, enum prof_record_kind kind, struct prof_record *r)
{
	r->kind = (uint8_t)kind;
	r->what = bits_take(&body, PROF_CONTEXT_BITS);
	r->peer = (int32_t)bits_take(&body, PROF_PEER_BITS);
	r->tag = (int32_t)bits_take(&body, PROF_TAG_BITS);
	r->bytes = body;
}

static void call_read(uint64_t body, struct prof_record *r)
{
	r->kind = PROF_RECORD_CALL;
	r->what = bits_take(&body, PROF_SITE_BITS);
	r->ticks = bits_take(&body, PROF_TICKS_BITS);
	r->bytes = body;
}

static bool long_read(
	const struct prof_cell *cell, uint64_t n, enum prof_record_kind kind, struct prof_record *r)
{
	if (n < 2 || cell[1].head >> 60 != PROF_RECORD_MORE)
		return false;
	r->kind = (uint8_t)kind;
	r->ticks = cell[0].body;
	r->what = (uint32_t)cell[1].head;
	r->fn = (uint16_t)(cell[1].head >> 32);
	r->bytes = cell[1].body;
	return true;
}

uint64_t prof_cells_read(
	const struct prof_cell *cell, uint64_t n, uint64_t until, struct prof_record *r)
{
	enum prof_record_kind kind = (enum prof_record_kind)(cell->head >> 60);

	*r = (struct prof_record){
		.at = at_read(cell->head, until), .thread = (uint8_t)(cell->head >> PROF_AT_BITS)};
	switch (kind) {
	case PROF_SHORT_CALL: call_read(cell->body, r); break;
	case PROF_SHORT_SENT: message_read(cell->body, PROF_RECORD_SENT, r); break;
	case PROF_SHORT_MATCHED: message_read(cell->body, PROF_RECORD_MATCHED, r); break;
	case PROF_RECORD_CALL:
	case PROF_RECORD_WAIT:
	case PROF_RECORD_REGION:
	case PROF_RECORD_SENT:
	case PROF_RECORD_MATCHED: return long_read(cell, n, kind, r) ? 2 : 1;
	case PROF_RECORD_NONE:
	case PROF_RECORD_MORE: break;
	}
	return 1;
}
