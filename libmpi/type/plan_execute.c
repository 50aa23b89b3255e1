// SPDX-License-Identifier: BSD-3-Clause
/* plan_execute.c - executes plans: any range of bytes of the packed form, in both directions.
 *
 *      range    |..tail|======|======|======|head..|       of elements, of rounds of a dim, of runs
 *                 part         whole          part          or of fields
 *
 *      part     goes one level down, to where the range begins or ends: at most once each per level
 *      whole    up to six loops with a stride in memory and one packed.  Loops that continue
 *               each other are merged; the two innermost are one loop of kernel.h
 *
 * Types nest deeper than the stack allows.  So the field with the most bytes is moved last, by a
 * jump. The other fields have at most half of the bytes, and that can happen 63 times.  Of a range
 * at most two parts remain; one of them is also last, by a jump.  Elements of plans deeper than
 * PLAN_DEEP are moved one at a time for that.
 *
 * Both strides of a loop are free, so a field of many records is one loop, too.  Elements of
 * FIELDS and of short RUNS are moved field by field, for a batch of elements that the cache
 * holds. */
#include "libmpi/type/kernel.h"
#include "libmpi/type/pack_plan.h"

#include "libobj/base.h"
#include <string.h>

#define BATCH 8192 /* bytes of memory that are visited once for each field */
#define SHORT 8    /* inner loops of fewer rounds become the outer ones */

struct loop {
	int64_t n, mem, packed; /* rounds; bytes from round to round, on both sides */
};

/* A nest of loops under construction, the innermost first. */
struct loops {
	int n;
	bool streaming; /* as in struct type_plan */
	struct loop at[PLAN_DIMS + 1];
};

/* An address, also of absolute types, where mem is NULL. */
static inline char *plan_step(char *mem, int64_t off)
{
	return (char *)((uintptr_t)mem + (uintptr_t)off);
}

static void plan_whole(const struct type_plan *p, enum plan_direction dir, char *mem, char *packed,
	int64_t n, int64_t mstep, int64_t pstep);

static void plan_memcpy(enum plan_direction dir, char *mem, char *packed, int64_t n)
{
	if (dir == PLAN_PACK)
		memcpy(packed, mem, (size_t)n);
	else
		memcpy(mem, packed, (size_t)n);
}

/* --- whole elements: loops ------------------------------------------------------------------ */

static void loops_add(struct loops *l, int64_t n, int64_t mem, int64_t packed)
{
	struct loop *top = l->n > 0 ? &l->at[l->n - 1] : NULL;

	if (n == 1)
		return;
	if (top != NULL && type_plan_advance(top->n, top->mem) == mem &&
		top->n * top->packed == packed)
		top->n *= n;
	else
		l->at[l->n++] = (struct loop){n, mem, packed};
}

/* Divides without the processor's long division where the numbers are short, as they usually are.
 * It takes as long as packing 200 bytes. */
static inline int64_t plan_divide(int64_t a, int64_t b)
{
	return ((uint64_t)a | (uint64_t)b) >> 32 == 0 ? (uint32_t)a / (uint32_t)b : a / b;
}

/* Elements of a batch: at least one. */
static int64_t plan_batch(int64_t mstep)
{
	int64_t apart = mstep < 0 ? -(mstep + 1) : mstep;

	return apart < BATCH ? (unsigned)BATCH / ((unsigned)apart + 1) + 1 : 1;
}

/* Two loops of which the inner one is short: batches of the outer one inside. */
static void loops_swapped(const struct type_kernel *k, const struct loop *in,
	const struct loop *out, char *mem, char *packed, int64_t block)
{
	int64_t many = plan_batch(out->mem);

	for (int64_t i = 0, n; i < out->n; i += n) {
		n = many < out->n - i ? many : out->n - i;
		for (int64_t j = 0; j < in->n; j++)
			k->comb(plan_step(mem, i * out->mem + j * in->mem),
				packed + i * out->packed + j * in->packed, n, out->mem, out->packed,
				(size_t)block);
	}
}

/* Moves the blocks of memory of the innermost loop. */
static void loops_line(
	const struct type_kernel *k, const struct loops *l, char *mem, char *packed, int64_t block)
{
	const struct loop *in = &l->at[0];

	if (in->packed != block)
		k->comb(mem, packed, in->n, in->mem, in->packed, (size_t)block);
	else
		(l->streaming ? k->streaming : k->row)(mem, packed, in->n, in->mem, (size_t)block);
}

/* Moves the blocks of memory of the first n loops of l, at most two. */
static void loops_flat(const struct loops *l, int n, enum plan_direction dir, char *mem,
	char *packed, int64_t block)
{
	const struct type_kernel *k = type_kernel_of(dir, block);
	const struct loop *in = &l->at[0], *out = &l->at[1];

	if (n == 0)
		plan_memcpy(dir, mem, packed, block);
	else if (n == 2 && in->n < SHORT && in->n < out->n && block <= 64)
		loops_swapped(k, in, out, mem, packed, block);
	else if (n == 2 && in->packed == block && !l->streaming)
		k->grid(mem, packed, out->n, out->mem, out->packed, in->n, in->mem, (size_t)block);
	else if (n == 2)
		for (int64_t i = 0; i < out->n; i++)
			loops_line(k, l, plan_step(mem, i * out->mem), packed + i * out->packed,
				block);
	else
		loops_line(k, l, mem, packed, block);
}

/* Moves the body of the loops of l: a block of memory or a leaf. */
static void loops_nested(const struct loops *l, enum plan_direction dir, char *mem, char *packed,
	int64_t block, const struct type_plan *leaf)
{
	int64_t round[PLAN_DIMS + 1] = {0};
	int most = leaf != NULL ? 1 : 2, inner = l->n < most ? l->n : most, d;

	for (;;) {
		if (leaf == NULL)
			loops_flat(l, inner, dir, mem, packed, block);
		else if (inner == 0)
			plan_whole(leaf, dir, mem, packed, 1, 0, 0);
		else
			plan_whole(
				leaf, dir, mem, packed, l->at[0].n, l->at[0].mem, l->at[0].packed);
		for (d = inner; d < l->n; d++) {
			mem = plan_step(mem, l->at[d].mem);
			packed += l->at[d].packed;
			if (++round[d] < l->at[d].n)
				break;
			mem = plan_step(mem, type_plan_advance(-l->at[d].n, l->at[d].mem));
			packed -= l->at[d].n * l->at[d].packed;
			round[d] = 0;
		}
		if (d >= l->n)
			return;
	}
}

/* Moves n times the innermost `dims' dims of a nest; mem is where its first block is. */
static void nest_whole(const struct type_plan *p, int dims, enum plan_direction dir, char *mem,
	char *packed, int64_t n, int64_t mstep, int64_t pstep)
{
	struct loops l;

	if (dims == 1 && n == 1 && p->leaf == NULL) {
		type_kernel_move_row(p, dir, mem, packed);
		return;
	}
	l.n = 0;
	l.streaming = p->streaming;
	for (int d = 0; d < dims; d++)
		loops_add(&l, p->dim[d].n, p->dim[d].stride, p->dim[d].bytes);
	loops_add(&l, n, mstep, pstep);
	if (p->leaf != NULL || l.n > 2)
		loops_nested(&l, dir, mem, packed, p->block, p->leaf);
	else if (l.n == 1 && l.at[0].mem == p->block && l.at[0].packed == p->block)
		plan_memcpy(dir, mem, packed, l.at[0].n * p->block);
	else
		loops_flat(&l, l.n, dir, mem, packed, p->block);
}

/* --- whole elements: runs and fields -------------------------------------------------------- */

static inline int64_t run_off(const struct type_plan *p, int64_t i)
{
	return p->run32 != NULL ? p->run32[i] : p->run[i];
}

static inline int64_t run_at(const struct type_plan *p, int64_t i)
{
	return p->at != NULL ? p->at[i] : i * p->block;
}

/* Moves the runs [i, j) of one element. */
static void runs_row(const struct type_plan *p, enum plan_direction dir, char *mem, int64_t i,
	int64_t j, char *packed)
{
	if (p->block != 0) {
		const struct type_kernel *k = type_kernel_of(dir, p->block);

		if (p->run32 != NULL)
			k->list32(mem, packed, j - i, p->run32 + i, (size_t)p->block);
		else
			k->list(mem, packed, j - i, p->run + i, (size_t)p->block);
		return;
	}
	for (; i < j; i++) {
		int64_t len = p->at[i + 1] - p->at[i];

		plan_memcpy(dir, plan_step(mem, run_off(p, i)), packed, len);
		packed += len;
	}
}

static void runs_whole(const struct type_plan *p, enum plan_direction dir, char *mem, char *packed,
	int64_t n, int64_t mstep, int64_t pstep)
{
	int64_t many = plan_batch(mstep), now;

	if (p->n > PLAN_RECORD || n == 1) {
		for (int64_t i = 0; i < n; i++)
			runs_row(p, dir, plan_step(mem, i * mstep), 0, p->n, packed + i * pstep);
		return;
	}
	for (; n > 0; n -= now) {
		now = many < n ? many : n;
		for (int64_t i = 0; i < p->n; i++) {
			int64_t at = run_at(p, i), len = run_at(p, i + 1) - at;

			type_kernel_of(dir, len)->comb(plan_step(mem, run_off(p, i)), packed + at,
				now, mstep, pstep, (size_t)len);
		}
		mem = plan_step(mem, type_plan_advance(now, mstep));
		packed += now * pstep;
	}
}

/* Moves one field of n elements: the longer loop is the inner one. */
static void field_whole(const struct plan_field *f, enum plan_direction dir, char *mem,
	char *packed, int64_t n, int64_t mstep, int64_t pstep)
{
	if (f->sub == NULL) {
		type_kernel_of(dir, f->block)->comb(mem, packed, n, mstep, pstep, (size_t)f->block);
		return;
	}
	if (f->n < n) {
		for (int64_t i = 0; i < f->n; i++)
			plan_whole(f->sub, dir, plan_step(mem, i * f->stride),
				packed + i * f->block, n, mstep, pstep);
		return;
	}
	for (int64_t i = 0; i < n; i++)
		plan_whole(f->sub, dir, plan_step(mem, i * mstep), packed + i * pstep, f->n,
			f->stride, f->block);
}

static void fields_whole(const struct type_plan *p, enum plan_direction dir, char *mem,
	char *packed, int64_t n, int64_t mstep, int64_t pstep)
{
	int64_t many = plan_batch(mstep), now;

	if (p->depth > PLAN_DEEP && n > 1) {
		for (int64_t i = 0; i < n; i++)
			plan_whole(p, dir, plan_step(mem, i * mstep), packed + i * pstep, 1, 0, 0);
		return;
	}
	for (; n > 0; n -= now) {
		now = many < n ? many : n;
		for (int64_t i = 0; i < p->n; i++)
			field_whole(&p->field[i], dir, plan_step(mem, p->field[i].off),
				packed + p->field[i].at, now, mstep, pstep);
		mem = plan_step(mem, type_plan_advance(now, mstep));
		packed += now * pstep;
	}
}

/* Moves all fields of one element but the heavy one. */
static void fields_light(
	const struct type_plan *p, enum plan_direction dir, char *mem, char *packed)
{
	for (const struct plan_field *f = p->field; f < p->field + p->n; f++)
		if (f != p->heavy)
			field_whole(f, dir, plan_step(mem, f->off), packed + f->at, 1, 0, 0);
}

/* Moves n whole elements. */
static void plan_whole(const struct type_plan *p, enum plan_direction dir, char *mem, char *packed,
	int64_t n, int64_t mstep, int64_t pstep)
{
	const struct plan_field *f;

	for (;;) {
		if (p->kind == PLAN_NEST && p->dims == 0 && p->leaf != NULL) {
			mem = plan_step(mem, p->off);
			p = p->leaf;
		} else if (p->kind == PLAN_FIELDS && p->heavy != NULL && n == 1) {
			fields_light(p, dir, mem, packed);
			f = p->heavy;
			mem = plan_step(mem, f->off);
			packed += f->at;
			n = f->n;
			mstep = f->stride;
			pstep = f->block;
			p = f->sub;
		} else {
			break;
		}
	}
	if (p->kind == PLAN_NEST)
		nest_whole(p, p->dims, dir, plan_step(mem, p->off), packed, n, mstep, pstep);
	else if (p->kind == PLAN_RUNS)
		runs_whole(p, dir, mem, packed, n, mstep, pstep);
	else
		fields_whole(p, dir, mem, packed, n, mstep, pstep);
}

/* --- parts of elements ---------------------------------------------------------------------- */

/* Bytes [at, at + n) of one element. */
struct range_part {
	const struct type_plan *p;
	char *mem, *packed;
	int64_t at, n;
};

/* Moves the whole elements in [at, at + n), which are `extent' apart.  Parts of elements
 * at the ends go to rest.  Returns how many parts. */
static int plan_elements(const struct type_plan *p, enum plan_direction dir, char *mem,
	int64_t extent, int64_t at, char *packed, int64_t n, struct range_part *rest)
{
	int64_t i = at == 0 ? 0 : plan_divide(at, p->size), now;
	int k = 0;

	at -= i * p->size;
	mem = plan_step(mem, i * extent);
	if (at > 0) {
		now = p->size - at < n ? p->size - at : n;
		rest[k++] = (struct range_part){p, mem, packed, at, now};
		mem = plan_step(mem, extent);
		packed += now;
		n -= now;
	}
	if (n >= p->size) {
		now = n == p->size ? 1 : plan_divide(n, p->size);
		plan_whole(p, dir, mem, packed, now, extent, p->size);
		mem = plan_step(mem, type_plan_advance(now, extent));
		packed += now * p->size;
		n -= now * p->size;
	}
	if (n > 0)
		rest[k++] = (struct range_part){p, mem, packed, 0, n};
	return k;
}

/* Moves bytes [at, at + n) of one round of dim dims-1, or of a block where there is no dim.  Parts
 * of leaves go to rest.  Returns how many. */
static int nest_part(const struct type_plan *p, int dims, enum plan_direction dir, char *mem,
	int64_t at, char *packed, int64_t n, struct range_part *rest)
{
	int k = 0;

	for (; dims > 0 && n > 0; dims--) {
		const struct plan_dim *d = &p->dim[dims - 1];
		int64_t i = plan_divide(at, d->bytes), rounds;

		at -= i * d->bytes;
		mem = plan_step(mem, i * d->stride);
		if (at + n <= d->bytes)
			continue; /* inside one round */
		if (at > 0) {
			k += nest_part(p, dims - 1, dir, mem, at, packed, d->bytes - at, rest);
			mem = plan_step(mem, d->stride);
			packed += d->bytes - at;
			n -= d->bytes - at;
			at = 0;
		}
		rounds = plan_divide(n, d->bytes);
		if (rounds > 0)
			nest_whole(p, dims - 1, dir, mem, packed, rounds, d->stride, d->bytes);
		mem = plan_step(mem, type_plan_advance(rounds, d->stride));
		packed += rounds * d->bytes;
		n -= rounds * d->bytes;
	}
	if (n == 0)
		return k;
	if (p->leaf == NULL)
		plan_memcpy(dir, plan_step(mem, at), packed, n);
	else
		rest[k++] = (struct range_part){p->leaf, mem, packed, at, n};
	return k;
}

/* Sets i to the last of n runs or fields that begins at or before byte `at'. */
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
		return plan_divide(at, p->block);
	FIND(i, p->n, p->at[mid], at);
	return i;
}

static void runs_part(const struct type_plan *p, enum plan_direction dir, char *mem, int64_t at,
	char *packed, int64_t n)
{
	int64_t end = at + n, first = run_find(p, at), last;

	if (at > run_at(p, first)) {
		int64_t rest = run_at(p, first + 1) - at;

		rest = rest < n ? rest : n;
		plan_memcpy(dir, plan_step(mem, run_off(p, first) + at - run_at(p, first)), packed,
			rest);
		packed += rest;
		at += rest;
		first++;
	}
	if (at == end)
		return;
	last = end == p->size ? p->n : run_find(p, end);
	runs_row(p, dir, mem, first, last, packed);
	packed += run_at(p, last) - at;
	if (end > run_at(p, last))
		plan_memcpy(dir, plan_step(mem, run_off(p, last)), packed, end - run_at(p, last));
}

/* As runs_part, for fields.  A range that begins or ends with the element leaves one part only. */
static int fields_part(const struct range_part *r, enum plan_direction dir, struct range_part *rest)
{
	const struct type_plan *p = r->p;
	int64_t i, at = r->at, n = r->n, now;
	char *packed = r->packed;
	int k = 0;

	FIND(i, p->n, p->field[mid].at, at);
	for (at -= p->field[i].at; n > 0; i++, at = 0) {
		const struct plan_field *f = &p->field[i];
		char *mem = plan_step(r->mem, f->off);

		now = f->n * f->block - at < n ? f->n * f->block - at : n;
		if (f->sub == NULL)
			plan_memcpy(dir, plan_step(mem, at), packed, now);
		else
			k += plan_elements(f->sub, dir, mem, f->stride, at, packed, now, rest + k);
		packed += now;
		n -= now;
	}
	return k;
}

static void plan_part(struct range_part r, enum plan_direction dir)
{
	struct range_part rest[2] = {{0}};
	int k;

	for (;;) {
		if (r.p->kind == PLAN_RUNS) {
			runs_part(r.p, dir, r.mem, r.at, r.packed, r.n);
			return;
		}
		if (r.p->kind == PLAN_NEST)
			k = nest_part(r.p, r.p->dims, dir, plan_step(r.mem, r.p->off), r.at,
				r.packed, r.n, rest);
		else
			k = fields_part(&r, dir, rest);
		if (k == 0)
			return;
		if (k == 2) /* at most once: then one end is that of an element */
			plan_part(rest[1], dir);
		r = rest[0];
	}
}

void type_plan_move(const struct type_plan *p, enum plan_direction dir, char *mem, int64_t extent,
	int64_t at, char *packed, int64_t n)
{
	struct range_part rest[2];
	int k = plan_elements(p, dir, mem, extent, at, packed, n, rest);
	for (int i = 0; i < k; i++)
		plan_part(rest[i], dir);
}

void type_plan_move_whole(const struct type_plan *p, enum plan_direction dir, char *mem,
	int64_t extent, int64_t n, char *packed)
{
	plan_whole(p, dir, mem, packed, n, extent, p->size);
}

bool type_plan_copy(const struct type_plan *from, const char *src, int64_t sextent,
	const struct type_plan *to, char *dst, int64_t rextent, int64_t count)
{
	struct loops l = {.n = 0, .streaming = false};

	if (from->kind != PLAN_NEST || to->kind != PLAN_NEST || from->leaf != NULL ||
		to->leaf != NULL || from->dims != to->dims || from->block != to->block)
		return false;
	for (int d = 0; d < from->dims; d++)
		if (from->dim[d].n != to->dim[d].n)
			return false;
	for (int d = 0; d < from->dims; d++)
		loops_add(&l, from->dim[d].n, from->dim[d].stride, to->dim[d].stride);
	loops_add(&l, count, sextent, rextent);
	loops_nested(&l, PLAN_PACK, plan_step((char *)(uintptr_t)src, from->off),
		plan_step(dst, to->off), from->block, NULL);
	return true;
}
