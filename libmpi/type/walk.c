// SPDX-License-Identifier: BSD-3-Clause
/* walk.c - packs and unpacks any type by walking its shape: the plain way, block by block. */
#include "libmpi/type/walk.h"

#include "libmpi/type/make.h"
#include <string.h>

struct walk {
	char *packed; /* where the next byte goes, or comes from */
	int64_t skip; /* bytes of data before the range */
	int64_t left; /* bytes of the range */
	bool pack;
};

static void piece(struct walk *w, char *at, int64_t n)
{
	if (w->skip >= n) {
		w->skip -= n;
		return;
	}
	at += w->skip;
	n -= w->skip;
	n = n < w->left ? n : w->left;
	if (w->pack)
		memcpy(w->packed, at, (size_t)n);
	else
		memcpy(at, w->packed, (size_t)n);
	w->skip = 0;
	w->packed += n;
	w->left -= n;
}

static void element(struct walk *w, const struct type *t, char *at);

static void block(struct walk *w, const struct type *t, int64_t n, char *at)
{
	int64_t whole;

	if (t->size == 0 || n == 0)
		return;
	whole = w->skip / t->size;
	whole = whole < n ? whole : n;
	w->skip -= whole * t->size;
	for (int64_t i = whole; i < n && w->left > 0; i++)
		element(w, t, at + i * t->extent);
}

static void element(struct walk *w, const struct type *t, char *at)
{
	const struct type_shape *p = t->shape;

	if (t->solid) {
		piece(w, at + t->true_lb, t->size);
		return;
	}
	if (p == NULL) {
		piece(w, at + t->piece[0].off, t->piece[0].len);
		if (w->left > 0)
			piece(w, at + t->piece[1].off, t->piece[1].len);
		return;
	}
	if (p->kind == SHAPE_STRIDE || p->kind == SHAPE_SAME) {
		int64_t bytes = p->len * p->child->size, i = bytes > 0 ? w->skip / bytes : p->n;

		i = i < p->n ? i : p->n;
		w->skip -= i * bytes;
		for (; i < p->n && w->left > 0; i++)
			block(w, p->child, p->len, at + p->first + i * p->stride);
		return;
	}
	for (int64_t i = 0; i < p->n && w->left > 0; i++)
		block(w, p->kind == SHAPE_FIELDS ? p->kids[i] : p->child,
			p->lens != NULL ? p->lens[i] : p->len, at + p->displs[i]);
}

void walk_pack(const struct type *type, const void *buf, int64_t at, void *dst, int64_t n)
{
	struct walk w = {.packed = dst, .skip = at, .left = n, .pack = true};

	block(&w, type, INT64_MAX, (char *)(uintptr_t)buf);
}

void walk_unpack(const struct type *type, void *buf, int64_t at, const void *src, int64_t n)
{
	struct walk w = {.packed = (char *)(uintptr_t)src, .skip = at, .left = n};

	block(&w, type, INT64_MAX, buf);
}
