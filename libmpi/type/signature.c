// SPDX-License-Identifier: BSD-3-Clause
/* signature.c - sequences of basic types: visited with their memory, or as a hash (signature.h). */
#include "libmpi/type/signature.h"

#include "libmpi/core/err.h"
#include "libmpi/core/num.h"
#include "libmpi/type/shape.h"
#include "libmpi/type/type.h"
#include "libmpi/type/visit.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FACTOR 0x9e3779b97f4a7c15ULL /* odd, so that no factor ever makes a hash 0 */

static bool type_has_pair(const struct type *t)
{
	return t->shape == NULL && t->part[0].len != 0;
}

/* The types of value and index of a pair. */
static void signature_pair_parts(
	const struct type *t, const struct type **value, const struct type **index)
{
	static const struct {
		MPI_Datatype pair, value, index;
	} named[] = {{MPI_FLOAT_INT, MPI_FLOAT, MPI_INT}, {MPI_DOUBLE_INT, MPI_DOUBLE, MPI_INT},
		{MPI_LONG_INT, MPI_LONG, MPI_INT}, {MPI_2INT, MPI_INT, MPI_INT},
		{MPI_SHORT_INT, MPI_SHORT, MPI_INT},
		{MPI_LONG_DOUBLE_INT, MPI_LONG_DOUBLE, MPI_INT}, {MPI_2REAL, MPI_REAL, MPI_REAL},
		{MPI_2DOUBLE_PRECISION, MPI_DOUBLE_PRECISION, MPI_DOUBLE_PRECISION},
		{MPI_2INTEGER, MPI_INTEGER, MPI_INTEGER}};

	if (t->combiner == MPI_COMBINER_VALUE_INDEX) {
		type_pair_parts(t, value, index);
		return;
	}
	for (size_t i = 0; i < countof(named); i++) {
		if (type_predefined(named[i].pair) != t)
			continue;
		*value = type_predefined(named[i].value);
		*index = type_predefined(named[i].index);
	}
}

/* --- one by one ----------------------------------------------------------------------------- */

static inline char *signature_step(char *mem, int64_t off)
{
	return (char *)((uintptr_t)mem + (uintptr_t)off);
}

/* second: begins at the index of the first pair. */
static bool signature_each_pair(
	const struct type *t, char *mem, int64_t count, bool second, type_each_fn *fn, void *arg)
{
	const struct type *value = NULL, *index = NULL;

	signature_pair_parts(t, &value, &index);
	for (int64_t i = 0; i < count; i++, mem = signature_step(mem, t->extent)) {
		if (!(second && i == 0) && !fn(arg, value, signature_step(mem, t->part[0].off), 1))
			return false;
		if (!fn(arg, index, signature_step(mem, t->part[1].off), 1))
			return false;
	}
	return true;
}

/* Position in one level of types: `count' elements of t from mem on; of the first one, the blocks
 * from number `block' on. */
struct map_level {
	const struct type *t;
	char *mem;
	int64_t count, block;
};

#define LEVELS_FEW MEAN_OR(1, 8) /* deeper nesting takes memory from the heap */

struct sig_cursor {
	int64_t n, room;
	struct map_level *at; /* [room] the innermost is the last */
	struct map_level few[LEVELS_FEW];
};

/* Enters one more level. false: no memory. */
static bool cursor_enter(struct sig_cursor *w, struct map_level l)
{
	bool few = w->at == w->few;
	struct map_level *more;

	if (w->n == w->room) {
		more = realloc(few ? NULL : w->at, 2 * (size_t)w->room * sizeof(*more));
		if (more == NULL)
			return false;
		if (few)
			memcpy(more, w->few, sizeof(w->few));
		w->at = more;
		w->room *= 2;
	}
	w->at[w->n++] = l;
	return true;
}

/* The next block of the innermost level; leaves the level after its last block. count 0: no block
 * is left, or it has no data. */
static struct map_level cursor_next(struct sig_cursor *w)
{
	struct map_level *l = &w->at[w->n - 1], inner = {.count = 0};
	const struct type_shape *s = l->t->shape;
	int64_t n = s->kind == SHAPE_SAME ? 1 : s->n, i = l->block++;

	if (i < n) {
		bool one = s->kind == SHAPE_SAME || s->kind == SHAPE_STRIDE;
		int64_t off = one ? s->first + i * s->stride : s->displs[i];

		inner.t = s->kind == SHAPE_FIELDS ? s->children[i] : s->child;
		inner.mem = signature_step(l->mem, off);
		inner.count = inner.t->size == 0 ? 0 : s->lens != NULL ? s->lens[i] : s->len;
	}
	if (l->block < n)
		return inner;
	l->block = 0;
	l->mem = signature_step(l->mem, l->t->extent);
	if (--l->count == 0)
		w->n--;
	return inner;
}

/* Passes over entries, by whole elements and by whole blocks of one length.  Returns how many are
 * left to pass over inside. */
static int64_t level_skip(struct map_level *l, int64_t skip)
{
	const struct type_shape *s = l->t->shape;
	int64_t whole, block;

	whole = num_min(skip / l->t->basics, l->count);
	l->mem = signature_step(l->mem, whole * l->t->extent);
	l->count -= whole;
	skip -= whole * l->t->basics;
	if (l->count == 0 || s == NULL || (s->kind != SHAPE_STRIDE && s->kind != SHAPE_LIST) ||
		s->lens != NULL)
		return skip;
	block = s->len * s->child->basics;
	l->block = skip / block;
	return skip % block;
}

static int signature_each(const struct type *t, char *mem, int64_t count, int64_t skip, bool split,
	type_each_fn *fn, void *arg)
{
	struct sig_cursor w = {.room = LEVELS_FEW, .at = w.few};
	struct map_level l = {t, mem, t->size == 0 ? 0 : count, 0};
	bool more = true, memory = true;

	do {
		if (unlikely(skip != 0) && l.count > 0)
			skip = level_skip(&l, skip);
		if (l.count > 0 && l.t->shape != NULL)
			memory = cursor_enter(&w, l);
		else if (l.count > 0 && split && type_has_pair(l.t))
			more = signature_each_pair(l.t, l.mem, l.count, skip != 0, fn, arg);
		else if (l.count > 0)
			more = fn(arg, l.t, l.mem, l.count);
		if (unlikely(skip != 0) && l.count > 0 && l.t->shape == NULL)
			skip = 0; /* it was the index of a pair */
		if (w.n == 0 || !more || !memory)
			break;
		l = cursor_next(&w);
	} while (true);
	if (w.at != w.few)
		free(w.at);
	return memory ? 0 : haft_err(MPI_ERR_NO_MEM, "no memory to visit the parts of a datatype");
}

int type_each(const struct type *t, char *mem, int64_t count, type_each_fn *fn, void *arg)
{
	return signature_each(t, mem, count, 0, true, fn, arg);
}

int type_each_whole(const struct type *t, char *mem, int64_t count, type_each_fn *fn, void *arg)
{
	return signature_each(t, mem, count, 0, false, fn, arg);
}

int type_each_from(const struct type *t, char *mem, int64_t count, int64_t from, bool split,
	type_each_fn *fn, void *arg)
{
	return signature_each(t, mem, count, from, split, fn, arg);
}

/* --- summed up ------------------------------------------------------------------------------ */

static const struct type_signature signature_empty = {.factor = 1};

/* The signature of a followed by b. */
static struct type_signature signature_then(struct type_signature a, struct type_signature b)
{
	if (a.external == 0)
		return b;
	if (b.external == 0)
		return a;
	return (struct type_signature){
		.hash = a.hash * b.factor + b.hash,
		.factor = a.factor * b.factor,
		.external = a.external + b.external,
		.only = a.only == b.only ? a.only : NULL,
		.packed = a.packed || b.packed,
	};
}

/* The signature of n times a. */
static struct type_signature signature_times(struct type_signature a, int64_t n)
{
	struct type_signature all = signature_empty;

	for (; n > 0; n >>= 1) {
		if (n & 1)
			all = signature_then(all, a);
		if (n > 1) /* otherwise the number of bytes may overflow */
			a = signature_then(a, a);
	}
	return all;
}

/* Types with equal memory and arithmetic match: MPI_LONG and MPI_INT64_T are one.  Text is not a
 * number, and bytes are bytes (MPI-5.0 3.3.1). */
static struct type_signature signature_basic(const struct type *t)
{
	uint64_t kind = t->basic;

	if (t == type_predefined(MPI_CHAR) || t == type_predefined(MPI_SIGNED_CHAR))
		kind = BASIC_CHAR;
	return (struct type_signature){
		.hash = (kind * 64 + (uint64_t)t->size) * 0xbf58476d1ce4e5b9ULL >> 7,
		.factor = FACTOR,
		.external = type_external(t),
		.only = t,
		.packed = t == type_predefined(MPI_PACKED),
	};
}

static struct type_signature signature_pair(const struct type *t)
{
	const struct type *value = NULL, *index = NULL;

	signature_pair_parts(t, &value, &index);
	return signature_then(signature_basic(value), signature_basic(index));
}

/* The inner types have theirs. */
static struct type_signature signature_inner(const struct type *inner)
{
	return inner->signature != NULL ? *inner->signature : signature_empty;
}

static struct type_signature signature_shape(const struct type_shape *s)
{
	struct type_signature sum = signature_empty;

	if (s->kind == SHAPE_SAME)
		return signature_inner(s->child);
	if (s->kind == SHAPE_STRIDE)
		return signature_times(signature_inner(s->child), s->n * s->len);
	for (int64_t i = 0; i < s->n; i++) {
		struct type_signature inner =
			signature_inner(s->kind == SHAPE_FIELDS ? s->children[i] : s->child);

		sum = signature_then(
			sum, signature_times(inner, s->lens != NULL ? s->lens[i] : s->len));
	}
	return sum;
}

static bool signature_known(const struct type *t)
{
	return t->signature != NULL || t->size == 0;
}

static int signature_make(struct type *t)
{
	t->signature = malloc(sizeof(*t->signature));
	if (t->signature == NULL)
		return haft_err(MPI_ERR_NO_MEM, "no memory for the signature of a datatype");
	if (type_has_pair(t))
		*t->signature = signature_pair(t);
	else
		*t->signature = t->shape == NULL ? signature_basic(t) : signature_shape(t->shape);
	return 0;
}

const struct type_signature *type_signature_of(struct type *t)
{
	if (t->size == 0)
		return &signature_empty;
	if (t->signature == NULL && type_visit(t, signature_known, signature_make) != 0)
		return NULL;
	return t->signature;
}

/* --- the beginning of a message ------------------------------------------------------------- */

struct signature_front {
	int64_t left; /* bytes */
	struct type_signature signature;
};

/* Adds basic types until the bytes are used up.  A part of one matches no type. */
static bool front_add(void *arg, const struct type *basic, char *mem, int64_t n)
{
	struct signature_front *f = arg;
	int64_t whole = f->left / basic->size;

	(void)mem;
	whole = whole < n ? whole : n;
	f->signature = signature_then(f->signature, signature_times(signature_basic(basic), whole));
	f->left -= whole * basic->size;
	if (whole == n)
		return f->left > 0;
	if (f->left > 0)
		f->signature.hash += (uint64_t)f->left;
	f->left = 0;
	return false;
}

int type_signature_bytes(struct type *t, int64_t bytes, struct type_signature *sum)
{
	const struct type_signature *one = type_signature_of(t);
	struct signature_front f;
	int err;

	*sum = signature_empty;
	if (one == NULL)
		return MPI_ERR_NO_MEM;
	if (bytes == 0 || t->size == 0)
		return 0;
	*sum = signature_times(*one, bytes / t->size);
	f = (struct signature_front){bytes % t->size, *sum};
	if (f.left == 0)
		return 0;
	err = type_each(t, NULL, 1, front_add, &f);
	*sum = f.signature;
	return err;
}

/* --- words ---------------------------------------------------------------------------------- */

#define WORDS_RUNS 4 /* of one type each; more would not be read */

struct signature_text {
	char *buf;
	size_t n, at;
	int64_t left; /* bytes */
	const struct type *type;
	int64_t run; /* of this type */
	int runs;
};

static void signature_words_put(struct signature_text *w)
{
	char name[MPI_MAX_OBJECT_NAME];
	int len;

	if (w->run == 0 || w->at >= w->n)
		return;
	len = snprintf(w->buf + w->at, w->n - w->at, "%s%lld %s", w->at > 0 ? ", " : "",
		(long long)w->run, type_words(w->type, name));
	w->at += len > 0 ? (size_t)len : 0;
	w->run = 0;
}

static bool signature_words_add(void *arg, const struct type *basic, char *mem, int64_t n)
{
	struct signature_text *w = arg;
	int64_t whole = w->left / basic->size;

	(void)mem;
	if (basic != w->type) {
		signature_words_put(w);
		w->type = basic;
		if (w->runs++ == WORDS_RUNS)
			return false;
	}
	whole = whole < n ? whole : n;
	w->run += whole;
	w->left -= whole * basic->size;
	return whole == n && w->left > 0;
}

const char *type_signature_words(const struct type *t, int64_t bytes, char *buf, size_t n)
{
	struct signature_text w = {.buf = buf, .n = n, .left = bytes};

	buf[0] = '\0';
	if (t->signature != NULL && t->signature->only != NULL) {
		w.type = t->signature->only;
		w.run = bytes / w.type->size;
		w.left = bytes % w.type->size;
	} else if (bytes > 0 && t->size > 0) {
		type_each(t, NULL, bytes / t->size + 1, signature_words_add, &w);
	}
	if (w.runs <= WORDS_RUNS)
		signature_words_put(&w);
	if (w.left > 0 && w.at < n)
		snprintf(buf + w.at, n - w.at, w.runs > WORDS_RUNS ? ", ..." : " and %lld bytes",
			(long long)w.left);
	if (bytes == 0)
		snprintf(buf, n, "nothing");
	return buf;
}
