// SPDX-License-Identifier: BSD-3-Clause
/* move.c - executes plans: any range of bytes of the packed form, in both directions.
 *
 *      range    |..tail|======|======|======|head..|       of elements, of turns of a dim, of runs
 *                 part         whole          part          or of fields
 *
 *      part     goes one level down, to where the range begins or ends: at most once each a level
 *      whole    up to six loops with a stride in memory and one packed: merged where they continue
 *               each other, then the two innermost are one of kern.h's
 *
 * Both strides of a loop are free, so that a field of many records is one loop, too: elements of
 * FIELDS and of short RUNS are moved field by field for a batch of elements that the cache holds.
 */
#include "libmpi/type/kern.h"
#include "libmpi/type/plan.h"

#include "libobj/base.h"
#include <string.h>

#define BATCH 8192 /* bytes of memory that are walked over again for each field */
#define SHORT 8    /* inner loops of fewer turns are made outer ones */

struct loop {
	int64_t n, mem, packed; /* turns; bytes from turn to turn, on both sides */
};

/* A nest of loops under construction, the innermost first. */
struct loops {
	int n;
	struct loop at[PLAN_DIMS + 1];
};

/* An address, also of absolute types, where mem is NULL. */
static inline char *step(char *mem, int64_t off)
{
	return (char *)((uintptr_t)mem + (uintptr_t)off);
}

static void whole(const struct type_plan *p, enum plan_way way, char *mem, char *packed, int64_t n,
	int64_t mstep, int64_t pstep);
static void part(const struct type_plan *p, enum plan_way way, char *mem, int64_t at, char *packed,
	int64_t n);

static void move(enum plan_way way, char *mem, char *packed, int64_t n)
{
	if (way == PLAN_PACK)
		memcpy(packed, mem, (size_t)n);
	else
		memcpy(mem, packed, (size_t)n);
}

/* --- whole elements: loops --------------------------------------------------------------- */

static void loops_add(struct loops *l, int64_t n, int64_t mem, int64_t packed)
{
	struct loop *top = l->n > 0 ? &l->at[l->n - 1] : NULL;

	if (n == 1)
		return;
	if (top != NULL && top->n * top->mem == mem && top->n * top->packed == packed)
		top->n *= n;
	else
		l->at[l->n++] = (struct loop){n, mem, packed};
}

/* Elements of a batch: at least one. */
static int64_t batch(int64_t mstep)
{
	int64_t apart = mstep < 0 ? -mstep : mstep;

	return apart < BATCH ? BATCH / (apart + 1) + 1 : 1;
}

/* Two loops of which the inner one is short: batches of the outer one inside. */
static void swapped(const struct kern *k, const struct loop *in, const struct loop *out, char *mem,
	char *packed, int64_t block)
{
	int64_t many = batch(out->mem);

	for (int64_t i = 0, n; i < out->n; i += n) {
		n = many < out->n - i ? many : out->n - i;
		for (int64_t j = 0; j < in->n; j++)
			k->comb(step(mem, i * out->mem + j * in->mem),
				packed + i * out->packed + j * in->packed, n, out->mem, out->packed,
				(size_t)block);
	}
}

/* Blocks of memory in at most two loops. */
static void flat(
	const struct loop *l, int n, enum plan_way way, char *mem, char *packed, int64_t block)
{
	const struct kern *k = kern_of(way, block);
	const struct loop *in = &l[0], *out = &l[1];

	if (n == 0)
		move(way, mem, packed, block);
	else if (n == 2 && in->n < SHORT && in->n < out->n && block <= 64)
		swapped(k, in, out, mem, packed, block);
	else if (n == 2 && in->packed == block)
		k->grid(mem, packed, out->n, out->mem, out->packed, in->n, in->mem, (size_t)block);
	else if (n == 2)
		for (int64_t i = 0; i < out->n; i++)
			k->comb(step(mem, i * out->mem), packed + i * out->packed, in->n, in->mem,
				in->packed, (size_t)block);
	else if (in->packed == block)
		k->grid(mem, packed, 1, 0, 0, in->n, in->mem, (size_t)block);
	else
		k->comb(mem, packed, in->n, in->mem, in->packed, (size_t)block);
}

/* The loops of l around a block of memory or a leaf. */
static void nested(const struct loops *l, enum plan_way way, char *mem, char *packed, int64_t block,
	const struct type_plan *leaf)
{
	int64_t turn[PLAN_DIMS + 1] = {0};
	int most = leaf != NULL ? 1 : 2, inner = l->n < most ? l->n : most, d;

	for (;;) {
		if (leaf == NULL)
			flat(l->at, inner, way, mem, packed, block);
		else if (inner == 0)
			whole(leaf, way, mem, packed, 1, 0, 0);
		else
			whole(leaf, way, mem, packed, l->at[0].n, l->at[0].mem, l->at[0].packed);
		for (d = inner; d < l->n; d++) {
			mem = step(mem, l->at[d].mem);
			packed += l->at[d].packed;
			if (++turn[d] < l->at[d].n)
				break;
			mem = step(mem, -l->at[d].n * l->at[d].mem);
			packed -= l->at[d].n * l->at[d].packed;
			turn[d] = 0;
		}
		if (d >= l->n)
			return;
	}
}

/* n times the innermost `dims' dims of a nest; mem is where its first block is. */
static void nest_whole(const struct type_plan *p, int dims, enum plan_way way, char *mem,
	char *packed, int64_t n, int64_t mstep, int64_t pstep)
{
	struct loops l;

	if (dims == 1 && n == 1 && p->leaf == NULL) {
		kern_of(way, p->block)
			->grid(mem, packed, 1, 0, 0, p->dim[0].n, p->dim[0].stride,
				(size_t)p->block);
		return;
	}
	l.n = 0;
	for (int d = 0; d < dims; d++)
		loops_add(&l, p->dim[d].n, p->dim[d].stride, p->dim[d].bytes);
	loops_add(&l, n, mstep, pstep);
	if (p->leaf != NULL || l.n > 2)
		nested(&l, way, mem, packed, p->block, p->leaf);
	else if (l.n == 1 && l.at[0].mem == p->block && l.at[0].packed == p->block)
		move(way, mem, packed, l.at[0].n * p->block);
	else
		flat(l.at, l.n, way, mem, packed, p->block);
}

/* --- whole elements: runs and fields ------------------------------------------------------- */

static inline int64_t run_off(const struct type_plan *p, int64_t i)
{
	return p->run32 != NULL ? p->run32[i] : p->run[i];
}

static inline int64_t run_at(const struct type_plan *p, int64_t i)
{
	return p->at != NULL ? p->at[i] : i * p->block;
}

/* Runs [i, j) of one element. */
static void runs_row(
	const struct type_plan *p, enum plan_way way, char *mem, int64_t i, int64_t j, char *packed)
{
	if (p->block != 0) {
		const struct kern *k = kern_of(way, p->block);

		if (p->run32 != NULL)
			k->list32(mem, packed, j - i, p->run32 + i, (size_t)p->block);
		else
			k->list(mem, packed, j - i, p->run + i, (size_t)p->block);
		return;
	}
	for (; i < j; i++) {
		int64_t len = p->at[i + 1] - p->at[i];

		move(way, step(mem, run_off(p, i)), packed, len);
		packed += len;
	}
}

static void runs_whole(const struct type_plan *p, enum plan_way way, char *mem, char *packed,
	int64_t n, int64_t mstep, int64_t pstep)
{
	int64_t many = batch(mstep), now;

	if (p->n > PLAN_RECORD || n == 1) {
		for (int64_t i = 0; i < n; i++)
			runs_row(p, way, step(mem, i * mstep), 0, p->n, packed + i * pstep);
		return;
	}
	for (; n > 0; n -= now) {
		now = many < n ? many : n;
		for (int64_t i = 0; i < p->n; i++) {
			int64_t at = run_at(p, i), len = run_at(p, i + 1) - at;

			kern_of(way, len)->comb(step(mem, run_off(p, i)), packed + at, now, mstep,
				pstep, (size_t)len);
		}
		mem = step(mem, now * mstep);
		packed += now * pstep;
	}
}

/* One field of n elements: the longer loop is the inner one. */
static void field_whole(const struct plan_field *f, enum plan_way way, char *mem, char *packed,
	int64_t n, int64_t mstep, int64_t pstep)
{
	if (f->sub == NULL) {
		kern_of(way, f->block)->comb(mem, packed, n, mstep, pstep, (size_t)f->block);
		return;
	}
	if (f->n < n) {
		for (int64_t i = 0; i < f->n; i++)
			whole(f->sub, way, step(mem, i * f->stride), packed + i * f->block, n,
				mstep, pstep);
		return;
	}
	for (int64_t i = 0; i < n; i++)
		whole(f->sub, way, step(mem, i * mstep), packed + i * pstep, f->n, f->stride,
			f->block);
}

static void fields_whole(const struct type_plan *p, enum plan_way way, char *mem, char *packed,
	int64_t n, int64_t mstep, int64_t pstep)
{
	int64_t many = batch(mstep), now;

	for (; n > 0; n -= now) {
		now = many < n ? many : n;
		for (int64_t i = 0; i < p->n; i++)
			field_whole(&p->field[i], way, step(mem, p->field[i].off),
				packed + p->field[i].at, now, mstep, pstep);
		mem = step(mem, now * mstep);
		packed += now * pstep;
	}
}

/* n whole elements. */
static void whole(const struct type_plan *p, enum plan_way way, char *mem, char *packed, int64_t n,
	int64_t mstep, int64_t pstep)
{
	if (p->kind == PLAN_NEST && p->dims == 0 && p->leaf != NULL)
		whole(p->leaf, way, step(mem, p->off), packed, n, mstep, pstep);
	else if (p->kind == PLAN_NEST)
		nest_whole(p, p->dims, way, step(mem, p->off), packed, n, mstep, pstep);
	else if (p->kind == PLAN_RUNS)
		runs_whole(p, way, mem, packed, n, mstep, pstep);
	else
		fields_whole(p, way, mem, packed, n, mstep, pstep);
}

/* --- parts of elements ----------------------------------------------------------------------- */

/* Bytes [at, at + n) of one turn of dim dims-1, or of a block where there is no dim. */
static void nest_part(const struct type_plan *p, int dims, enum plan_way way, char *mem, int64_t at,
	char *packed, int64_t n)
{
	for (; dims > 0 && n > 0; dims--) {
		const struct plan_dim *d = &p->dim[dims - 1];
		int64_t i = at / d->bytes, turns;

		at -= i * d->bytes;
		mem = step(mem, i * d->stride);
		if (at + n <= d->bytes)
			continue; /* inside one turn */
		if (at > 0) {
			nest_part(p, dims - 1, way, mem, at, packed, d->bytes - at);
			mem = step(mem, d->stride);
			packed += d->bytes - at;
			n -= d->bytes - at;
			at = 0;
		}
		turns = n / d->bytes;
		if (turns > 0)
			nest_whole(p, dims - 1, way, mem, packed, turns, d->stride, d->bytes);
		mem = step(mem, turns * d->stride);
		packed += turns * d->bytes;
		n -= turns * d->bytes;
	}
	if (n == 0)
		return;
	if (p->leaf == NULL)
		move(way, step(mem, at), packed, n);
	else
		part(p->leaf, way, mem, at, packed, n);
}

/* The last of n runs or fields that begins at or before byte `at'. */
#define FIND(i, n, begin, at)                                  \
	do {                                                   \
		int64_t above = (n);                           \
                                                               \
		for ((i) = 0; above - (i) > 1;) {              \
			int64_t mid = (i) + (above - (i)) / 2; \
                                                               \
			if ((begin) <= (at))                   \
				(i) = mid;                     \
			else                                   \
				above = mid;                   \
		}                                              \
	} while (0)

static int64_t run_find(const struct type_plan *p, int64_t at)
{
	int64_t i;

	if (p->at == NULL)
		return at / p->block;
	FIND(i, p->n, p->at[mid], at);
	return i;
}

static void runs_part(const struct type_plan *p, enum plan_way way, char *mem, int64_t at,
	char *packed, int64_t n)
{
	int64_t end = at + n, first = run_find(p, at), last;

	if (at > run_at(p, first)) {
		int64_t rest = run_at(p, first + 1) - at;

		rest = rest < n ? rest : n;
		move(way, step(mem, run_off(p, first) + at - run_at(p, first)), packed, rest);
		packed += rest;
		at += rest;
		first++;
	}
	if (at == end)
		return;
	last = end == p->size ? p->n : run_find(p, end);
	runs_row(p, way, mem, first, last, packed);
	packed += run_at(p, last) - at;
	if (end > run_at(p, last))
		move(way, step(mem, run_off(p, last)), packed, end - run_at(p, last));
}

/* Bytes [at, at + n) of a field, as far as it goes; how many. */
static int64_t field_part(const struct plan_field *f, enum plan_way way, char *mem, int64_t at,
	char *packed, int64_t n)
{
	if (n > f->n * f->block - at)
		n = f->n * f->block - at;
	if (f->sub == NULL)
		move(way, step(mem, at), packed, n);
	else
		plan_move(f->sub, way, mem, f->stride, at, packed, n);
	return n;
}

static void fields_part(const struct type_plan *p, enum plan_way way, char *mem, int64_t at,
	char *packed, int64_t n)
{
	int64_t i;

	FIND(i, p->n, p->field[mid].at, at);
	for (at -= p->field[i].at; n > 0; i++, at = 0) {
		int64_t now =
			field_part(&p->field[i], way, step(mem, p->field[i].off), at, packed, n);

		packed += now;
		n -= now;
	}
}

/* Bytes [at, at + n) of one element. */
static void part(const struct type_plan *p, enum plan_way way, char *mem, int64_t at, char *packed,
	int64_t n)
{
	if (p->kind == PLAN_NEST)
		nest_part(p, p->dims, way, step(mem, p->off), at, packed, n);
	else if (p->kind == PLAN_RUNS)
		runs_part(p, way, mem, at, packed, n);
	else
		fields_part(p, way, mem, at, packed, n);
}

void plan_move(const struct type_plan *p, enum plan_way way, char *mem, int64_t extent, int64_t at,
	char *packed, int64_t n)
{
	int64_t i = at == 0 ? 0 : at / p->size, elems;

	at -= i * p->size;
	mem = step(mem, i * extent);
	if (at > 0) {
		int64_t now = p->size - at < n ? p->size - at : n;

		part(p, way, mem, at, packed, now);
		mem = step(mem, extent);
		packed += now;
		n -= now;
	}
	if (n >= p->size) {
		elems = n == p->size ? 1 : n / p->size;
		whole(p, way, mem, packed, elems, extent, p->size);
		mem = step(mem, elems * extent);
		packed += elems * p->size;
		n -= elems * p->size;
	}
	if (n > 0)
		part(p, way, mem, 0, packed, n);
}

bool plan_copy(const struct type_plan *from, const char *src, int64_t sextent,
	const struct type_plan *to, char *dst, int64_t rextent, int64_t count)
{
	struct loops l = {.n = 0};

	if (from->kind != PLAN_NEST || to->kind != PLAN_NEST || from->leaf != NULL ||
		to->leaf != NULL || from->dims != to->dims || from->block != to->block)
		return false;
	for (int d = 0; d < from->dims; d++)
		if (from->dim[d].n != to->dim[d].n)
			return false;
	for (int d = 0; d < from->dims; d++)
		loops_add(&l, from->dim[d].n, from->dim[d].stride, to->dim[d].stride);
	loops_add(&l, count, sextent, rextent);
	nested(&l, PLAN_PACK, step((char *)(uintptr_t)src, from->off), step(dst, to->off),
		from->block, NULL);
	return true;
}
