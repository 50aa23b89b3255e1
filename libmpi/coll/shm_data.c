// SPDX-License-Identifier: BSD-3-Clause
/* shm_data.c - barrier, bcast, gather, scatter, allgather and alltoall through shared memory.
 *
 *      a long bcast      root    | pack 0 | pack 1 | pack 2 |             one phase a chunk: slot 1
 *                        others           | unp. 0 | unp. 1 | unp. 2 |    is written while slot 0
 *                                                                         is read
 *
 * Data are packed; any range of the packed form can be made, so a call has any chunks. */
#include "libmpi/coll/coll_shm.h"
#include "libmpi/type/type.h"

/* Copies bytes [at, at + len) of the packed form of `count' elements into shared memory, or out of
 * it.  A member without data for the call copies nothing. */
static void shm_pack(struct coll *s, struct type *type, const void *buf, int64_t count, int64_t at,
	void *to, int64_t len)
{
	if (likely(s->failed == NULL))
		type_pack(type, buf, count, at, to, len);
}

static void shm_unpack(struct coll *s, struct type *type, void *buf, int64_t count, int64_t at,
	const void *from, int64_t len)
{
	if (likely(s->failed == NULL))
		type_unpack(type, buf, count, at, from, len);
}

HAFT_HOT int coll_shm_barrier(const struct coll_args *k)
{
	struct coll *s = k->comm->coll;

	coll_phase_barrier(s, coll_phase_begin(s));
	return 0;
}

/* --- bcast ---------------------------------------------------------------------------------- */

static void shm_bcast_line(const struct coll_args *k, struct coll *s, int64_t bytes)
{
	uint64_t e = coll_phase_begin(s);

	if (k->me == k->root) {
		shm_pack(s, k->rtype, k->rbuf, k->rcount, 0, coll_phase_out_line(s, e), bytes);
		coll_phase_arrive(s, e);
		coll_phase_release(s, e);
		return;
	}
	coll_phase_arrive(s, e);
	coll_phase_wait_release(s, e);
	shm_unpack(s, k->rtype, k->rbuf, k->rcount, 0, shm_block_out(s->block, e)->data, bytes);
}

int coll_shm_bcast(const struct coll_args *k)
{
	struct coll *s = k->comm->coll;
	int64_t bytes = k->rcount * k->rtype->size, chunk;

	coll_keep(s, coll_digest(k));
	if (bytes <= COLL_LINE_DATA) {
		shm_bcast_line(k, s, bytes);
		return 0;
	}
	if (coll_two_by_message(s, bytes) || !coll_shm_slots(s))
		return COLL_SHM_NONE;
	chunk = coll_shm_chunk(s, bytes);
	for (int64_t at = 0; at < bytes; at += chunk) {
		uint64_t e = coll_phase_begin(s);
		int64_t len = num_min(chunk, bytes - at);

		if (k->me == k->root) {
			shm_pack(s, k->rtype, k->rbuf, k->rcount, at,
				coll_phase_own_data(s, e, chunk), len);
			(void)coll_phase_out_line(s, e); /* waits until it may be written */
			coll_phase_arrive(s, e);
			coll_phase_release(s, e);
			continue;
		}
		coll_phase_arrive(s, e);
		coll_phase_wait_release(s, e);
		shm_unpack(s, k->rtype, k->rbuf, k->rcount, at,
			coll_phase_data(s, e, chunk, k->root), len);
	}
	return 0;
}

/* --- gather, scatter ------------------------------------------------------------------------ */

int coll_shm_gather(const struct coll_args *k)
{
	struct coll *s = k->comm->coll;
	bool root = k->me == k->root;
	int64_t block = root ? k->rcount * k->rtype->size : k->scount * k->stype->size;
	int64_t chunk = block;

	coll_keep(s, coll_digest(k));
	if (block > COLL_LINE_DATA) {
		if (block > COLL_BLOCK_LONG || coll_two_by_message(s, block) || !coll_shm_slots(s))
			return COLL_SHM_NONE;
		chunk = coll_shm_chunk(s, block);
	}
	for (int64_t at = 0; at < block; at += chunk) {
		uint64_t e = coll_phase_begin(s);
		int64_t len = num_min(chunk, block - at);

		if (!root)
			shm_pack(s, k->stype, k->sbuf, k->scount, at,
				coll_phase_own_data(s, e, chunk), len);
		coll_phase_arrive(s, e);
		for (int i = 0; i < k->n && root; i++) {
			if (i == k->me)
				continue;
			coll_phase_wait(s, e, i);
			shm_unpack(s, k->rtype, coll_element(k->rbuf, k->rtype, i * k->rcount),
				k->rcount, at, coll_phase_data(s, e, chunk, i), len);
		}
		if (root)
			s->safe = e;
	}
	if (!root || k->in_place || s->failed != NULL)
		return 0;
	return type_copy(k->sbuf, k->scount, k->stype,
		coll_element(k->rbuf, k->rtype, k->me * k->rcount), k->rcount, k->rtype);
}

/* The root's blocks lie one behind the other, in the out line or in the root's slot. */
int coll_shm_scatter(const struct coll_args *k)
{
	struct coll *s = k->comm->coll;
	bool root = k->me == k->root;
	int64_t block = root ? k->scount * k->stype->size : k->rcount * k->rtype->size;
	int64_t all = block * k->n;
	char *mem;
	uint64_t e;

	coll_keep(s, coll_digest(k));
	if (all > COLL_LINE_DATA &&
		(coll_two_by_message(s, block) || !coll_shm_slots(s) || all > s->slot_bytes))
		return COLL_SHM_NONE;
	e = coll_phase_begin(s);
	if (!root) {
		coll_phase_arrive(s, e);
		coll_phase_wait_release(s, e);
		mem = all <= COLL_LINE_DATA ? (char *)shm_block_out(s->block, e)->data
					    : coll_phase_data(s, e, all, k->root);
		shm_unpack(s, k->rtype, k->rbuf, k->rcount, 0, mem + k->me * block, block);
		return 0;
	}
	mem = coll_phase_out_line(s, e);
	if (all > COLL_LINE_DATA)
		mem = coll_phase_own_data(s, e, all);
	for (int i = 0; i < k->n; i++)
		if (i != k->me)
			shm_pack(s, k->stype, coll_element(k->sbuf, k->stype, i * k->scount),
				k->scount, 0, mem + i * block, block);
	coll_phase_arrive(s, e);
	coll_phase_release(s, e);
	if (k->in_place || s->failed != NULL)
		return 0;
	return type_copy(coll_element(k->sbuf, k->stype, k->me * k->scount), k->scount, k->stype,
		k->rbuf, k->rcount, k->rtype);
}

/* --- allgather, alltoall -------------------------------------------------------------------- */

int coll_shm_allgather(const struct coll_args *k)
{
	struct coll *s = k->comm->coll;
	int64_t block = k->rcount * k->rtype->size, chunk = block;
	void *mine = coll_element(k->rbuf, k->rtype, k->me * k->rcount);

	if (block > COLL_LINE_DATA) {
		if (coll_two_by_message(s, block) || !coll_shm_slots(s))
			return COLL_SHM_NONE;
		chunk = coll_shm_chunk(s, block);
	}
	for (int64_t at = 0; at < block; at += chunk) {
		uint64_t e = coll_phase_begin(s);
		int64_t len = num_min(chunk, block - at);
		void *out = coll_phase_own_data(s, e, chunk);

		if (k->in_place)
			shm_pack(s, k->rtype, mine, k->rcount, at, out, len);
		else
			shm_pack(s, k->stype, k->sbuf, k->scount, at, out, len);
		coll_phase_barrier_begin(s, e);
		if (!k->in_place)
			shm_unpack(s, k->rtype, mine, k->rcount, at, out, len);
		coll_phase_barrier_end(s, e);
		for (int i = 0; i < k->n; i++)
			if (i != k->me)
				shm_unpack(s, k->rtype,
					coll_element(k->rbuf, k->rtype, i * k->rcount), k->rcount,
					at, coll_phase_data(s, e, chunk, i), len);
	}
	return 0;
}

/* One phase: each member gives `part' bytes to each other one. */
static void shm_alltoall_part(
	const struct coll_args *k, struct coll *s, int64_t part, int64_t at, int64_t len)
{
	uint64_t e = coll_phase_begin(s);
	char *out = coll_phase_own_data(s, e, part * k->n);
	int i;

	for (i = 0; i < k->n; i++) {
		if (k->in_place)
			shm_pack(s, k->rtype, coll_element(k->rbuf, k->rtype, i * k->rcount),
				k->rcount, at, out + i * part, len);
		else
			shm_pack(s, k->stype, coll_element(k->sbuf, k->stype, i * k->scount),
				k->scount, at, out + i * part, len);
	}
	coll_phase_barrier_begin(s, e);
	shm_unpack(s, k->rtype, coll_element(k->rbuf, k->rtype, k->me * k->rcount), k->rcount, at,
		out + k->me * part, len);
	coll_phase_barrier_end(s, e);
	/* members begin at different slots */
	i = k->me;
	for (int j = 1; j < k->n; j++) {
		char *got;

		i = i + 1 < k->n ? i + 1 : 0;
		got = coll_phase_data(s, e, part * k->n, i);
		shm_unpack(s, k->rtype, coll_element(k->rbuf, k->rtype, i * k->rcount), k->rcount,
			at, got + k->me * part, len);
	}
}

int coll_shm_alltoall(const struct coll_args *k)
{
	struct coll *s = k->comm->coll;
	int64_t block = k->rcount * k->rtype->size, part = block;

	if (block * k->n > COLL_LINE_DATA) {
		if (block > COLL_BLOCK_LONG || coll_two_by_message(s, block) || !coll_shm_slots(s))
			return COLL_SHM_NONE;
		part = num_min(block, s->slot_bytes / k->n);
		if (part == 0 || block > COLL_CHUNKS * part)
			return COLL_SHM_NONE;
	}
	for (int64_t at = 0; at < block; at += part)
		shm_alltoall_part(k, s, part, at, num_min(part, block - at));
	return 0;
}
