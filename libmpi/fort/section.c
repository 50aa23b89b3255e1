// SPDX-License-Identifier: BSD-3-Clause
/* section.c - sections of arrays: buffers with a descriptor that are not one piece of memory.
 *
 *     a(1:9:2, :)  count 7, MPI_REAL
 *         rows       hvector(5, stride 8)                      T1: one column
 *         columns    hvector(1, stride 40) of T1 at 0          5 elements
 *         the rest   hvector(2, stride 8) at 40                2 elements
 *         struct of these, sent once                           nothing is copied
 *
 * Count and datatype speak of the elements of the section, in the order of Fortran (MPI-5.0
 * 19.1.12).  A datatype describes them if the user's datatype has no gaps; its signature is the
 * user's.  Where no datatype can (types with gaps, blocks for each rank, operands of reductions),
 * the section is copied, and copied back after the call. */
#include "libmpi/core/reqcopy.h"
#include "libmpi/fort/glue.h"

#include <stdlib.h>
#include <string.h>

static int64_t section_elements(const struct fort_desc *d)
{
	int64_t n = 1;

	for (int i = 0; i < d->rank; i++)
		n *= d->dim[i].extent;
	return n;
}

/* --- as a datatype -------------------------------------------------------------------------- */

/* Pieces of a section: whole slices of each dimension, the highest first, and part of an
 * element. */
struct section_parts {
	int n;
	MPI_Count one[FORT_RANK_MAX + 2];
	MPI_Count at[FORT_RANK_MAX + 2];
	MPI_Datatype type[FORT_RANK_MAX + 2];
};

static int section_part_add(
	struct section_parts *s, MPI_Count n, MPI_Aint stride, MPI_Count at, MPI_Datatype of)
{
	int err = FORT_OWN(MPI_Type_create_hvector_c, n, 1, stride, of, &s->type[s->n]);

	if (err != MPI_SUCCESS)
		return err;
	s->one[s->n] = 1;
	s->at[s->n++] = at;
	return MPI_SUCCESS;
}

/* slice[i]: the type of one slice below dimension i; slice[0] is one element. */
static int slices_make(const struct fort_desc *d, MPI_Datatype *slice)
{
	int err = MPI_SUCCESS;

	for (int i = 1; i < d->rank && err == MPI_SUCCESS; i++)
		err = FORT_OWN(MPI_Type_create_hvector_c, d->dim[i - 1].extent, 1,
			d->dim[i - 1].stride, slice[i - 1], &slice[i]);
	return err;
}

/* The first n elements. */
static int section_parts_make(
	const struct fort_desc *d, int64_t n, const MPI_Datatype *slice, struct section_parts *s)
{
	int64_t below[FORT_RANK_MAX], at = 0;
	int err = MPI_SUCCESS;

	for (int i = 0; i < d->rank; i++)
		below[i] = i == 0 ? 1 : below[i - 1] * d->dim[i - 1].extent;
	for (int i = d->rank - 1; i >= 0 && err == MPI_SUCCESS; i--) {
		int64_t whole = n / below[i];

		if (whole == 0)
			continue;
		err = section_part_add(s, whole, d->dim[i].stride, at, slice[i]);
		at += whole * d->dim[i].stride;
		n -= whole * below[i];
	}
	s->at[s->n] = at; /* where the next element would be */
	return err;
}

static void types_free(MPI_Datatype *v, int n)
{
	for (int i = 0; i < n; i++)
		if (v[i] != MPI_DATATYPE_NULL)
			FORT_OWN(MPI_Type_free, &v[i]);
}

static int whole_make(struct section_parts *s, MPI_Datatype *whole)
{
	int err = FORT_OWN(MPI_Type_create_struct_c, s->n, s->one, s->at, s->type, whole);

	return err == MPI_SUCCESS ? FORT_OWN(MPI_Type_commit, whole) : err;
}

/* `count' elements of p->type, of `size' bytes each; size divides the bytes of an element.  The
 * site of the user's call is restored, for the object that the call itself makes. */
static int section_type_make(struct fort_part *p, MPI_Count size)
{
	const struct fort_desc *d = p->desc;
	MPI_Count each = (MPI_Count)d->len / size, rest = p->count % each;
	MPI_Datatype slice[FORT_RANK_MAX], whole = MPI_DATATYPE_NULL;
	struct section_parts s = {.n = 0};
	uintptr_t site = haft_fort_site;
	int err;

	for (int i = 0; i < FORT_RANK_MAX; i++)
		slice[i] = MPI_DATATYPE_NULL;
	err = FORT_OWN(MPI_Type_contiguous_c, each, p->type, &slice[0]);
	if (err == MPI_SUCCESS)
		err = slices_make(d, slice);
	if (err == MPI_SUCCESS)
		err = section_parts_make(d, p->count / each, slice, &s);
	if (err == MPI_SUCCESS && rest > 0)
		err = section_part_add(&s, rest, (MPI_Aint)size, s.at[s.n], p->type);
	if (err == MPI_SUCCESS)
		err = whole_make(&s, &whole);
	types_free(s.type, s.n);
	types_free(slice, FORT_RANK_MAX);
	haft_fort_site = site;
	if (err != MPI_SUCCESS)
		return err;
	p->type = whole;
	p->count = 1;
	p->made = true;
	return MPI_SUCCESS;
}

/* Bytes of an element of the type, if it has no gaps; else 0. */
static MPI_Count section_dense_size(MPI_Datatype type)
{
	MPI_Count size, lb, extent;

	if (FORT_OWN(MPI_Type_size_c, type, &size) != MPI_SUCCESS ||
		FORT_OWN(MPI_Type_get_extent_c, type, &lb, &extent) != MPI_SUCCESS)
		return 0;
	return size == extent && lb == 0 ? size : 0;
}

int fort_part_make(struct fort_part *p)
{
	MPI_Count size;

	if (p->count <= 0 || p->type == MPI_DATATYPE_NULL)
		return MPI_SUCCESS; /* nothing to describe, or for the call to refuse */
	if (section_elements(p->desc) <= 0 || p->desc->len == 0)
		return fort_raise(MPI_ERR_BUFFER); /* a section of nothing has no element to send */
	size = section_dense_size(p->type);
	if (size > 0 && (MPI_Count)p->desc->len % size == 0)
		return section_type_make(p, size);
	return fort_copy_make(p);
}

static void section_free(struct fort_part *p)
{
	if (p->made)
		FORT_OWN(MPI_Type_free, &p->type);
	free(p->copy);
	p->made = false;
	p->copy = NULL;
}

/* --- as a copy ------------------------------------------------------------------------------ */

/* Moves all elements between the section and `flat', which is dense. */
static void section_move(const struct fort_desc *d, char *flat, bool out)
{
	ptrdiff_t at[FORT_RANK_MAX] = {0};
	int64_t n = section_elements(d);
	char *p = d->base;

	for (int64_t i = 0; i < n; i++, flat += d->len) {
		memcpy(out ? p : flat, out ? flat : p, d->len);
		for (int k = 0; k < d->rank; k++) {
			p += d->dim[k].stride;
			if (++at[k] < d->dim[k].extent)
				break;
			p -= d->dim[k].stride * d->dim[k].extent;
			at[k] = 0;
		}
	}
}

/* A copy, which may stay with a request: one malloc'ed block, the elements behind the
 * descriptor. */
struct kept {
	struct req_copy c;
	char *flat;
	bool written;
	struct fort_desc desc; /* its dimensions follow */
};

static void kept_take(struct req_copy *c)
{
	struct kept *k = (struct kept *)c;

	section_move(&k->desc, k->flat, false);
}

static void kept_give(struct req_copy *c)
{
	struct kept *k = (struct kept *)c;

	if (k->written)
		section_move(&k->desc, k->flat, true);
}

static void kept_gone(struct req_copy *c)
{
	free(c);
}

int fort_copy_make(struct fort_part *p)
{
	size_t head = sizeof(*p->desc) + (size_t)p->desc->rank * sizeof(p->desc->dim[0]);
	size_t at = (offsetof(struct kept, desc) + head + 63) / 64 * 64;
	struct kept *k = malloc(at + (size_t)section_elements(p->desc) * p->desc->len);

	if (k == NULL)
		return fort_no_memory();
	k->c = (struct req_copy){NULL, false, kept_take, kept_give, kept_gone};
	k->flat = (char *)k + at;
	k->written = true;
	memcpy(&k->desc, p->desc, head);
	section_move(&k->desc, k->flat, false);
	p->copy = k;
	p->addr = k->flat;
	return MPI_SUCCESS;
}

void fort_part_end(struct fort_part *p, bool written)
{
	if (written && p->copy != NULL)
		kept_give(p->copy);
	section_free(p);
}

void fort_copy_keep(struct fort_part *p, bool written, MPI_Request request)
{
	struct kept *k = p->copy;

	if (k != NULL) {
		k->written = written;
		if (haft_fort_copy(request, &k->c))
			p->copy = NULL; /* else the call has failed */
	}
	section_free(p);
}
