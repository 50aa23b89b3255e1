// SPDX-License-Identifier: BSD-3-Clause
/* type_make.c - making a datatype: its memory, the arguments of the call, and the end.  See
 * type_make.h.
 *
 * One allocation holds everything, so a vector costs one malloc beside its object. */
#include "libmpi/type/type_make.h"

#include "libmpi/core/objects.h"
#include "libmpi/core/err.h"
#include "libmpi/type/pack_plan.h"
#include "libmpi/type/type.h"
#include <stdlib.h>
#include <string.h>

struct type_block *type_block_of(const struct type *t)
{
	return t->made == NULL ? NULL
			       : (struct type_block *)(void *)((char *)t->made -
							       offsetof(struct type_block, made));
}

static struct type_block *make_block_new(const struct type_room *r, int64_t ints, int64_t counts)
{
	int64_t longs = r->lens + r->displs + r->addrs + counts;
	int64_t pointers = r->types + r->inner;
	int64_t bytes = (int64_t)sizeof(struct type_block) + longs * (int64_t)sizeof(int64_t) +
			pointers * (int64_t)sizeof(struct type *) + ints * (int64_t)sizeof(int);
	struct type_block *p = malloc((size_t)bytes);
	int64_t *at;

	if (p == NULL)
		return NULL;
	/* two calls: for more bytes the compiler makes a loop that takes longer */
	memset(&p->shape, 0, sizeof(p->shape));
	memset(&p->made, 0, sizeof(p->made));
	p->users = 1;
	at = (int64_t *)(p + 1);
	p->shape.lens = r->lens > 0 ? at : NULL;
	p->shape.displs = r->displs > 0 ? at + r->lens : NULL;
	at += r->lens + r->displs;
	p->made.addrs = at;
	p->made.counts = at + r->addrs;
	p->made.types = (struct type **)(at + r->addrs + counts);
	p->made.inner = p->made.types + r->types;
	p->made.ints = (int *)(p->made.inner + r->inner);
	return p;
}

int type_new(int combiner, int large, const struct type_room *room, struct type **type)
{
	int64_t ints = room->ints + (large ? 0 : room->counts);
	int64_t counts = large ? room->counts + room->addrs : 0;
	struct type *t;
	struct type_block *p;

	t = obj_new(&haft_type_class, NULL);
	p = t != NULL ? make_block_new(room, ints, counts) : NULL;
	if (p == NULL) {
		if (t != NULL)
			obj_free_obj(t);
		return haft_err(MPI_ERR_NO_MEM, "no memory for a datatype");
	}
	p->made.large = large;
	t->combiner = (uint16_t)combiner;
	t->shape = &p->shape;
	t->made = &p->made;
	*type = t;
	return 0;
}

void type_put_type(struct type *t, struct type *old)
{
	obj_hold(old);
	t->made->types[t->made->nd++] = old;
}

struct inner_type {
	struct type type; /* first: made->inner frees the whole by its address */
	struct type_shape shape;
	int64_t lens[2], displs[2];
	struct type *children[2];
};

/* References to it are not counted: it is freed with the block, and has no handle. */
struct type *type_inner(struct type *t)
{
	struct inner_type *n = calloc(1, sizeof(*n));

	if (n == NULL)
		return NULL;
	n->type.o.refs = OBJ_REFS_SATURATED;
	n->type.shape = &n->shape;
	t->made->inner[t->made->ninner++] = &n->type;
	return &n->type;
}

void type_inner_two(
	struct type *inner, struct type *a, int64_t ad, struct type *b, int64_t bd, int64_t n)
{
	struct inner_type *in = (struct inner_type *)(void *)inner;

	*in->type.shape = (struct type_shape){.kind = SHAPE_FIELDS,
		.n = 2,
		.lens = in->lens,
		.displs = in->displs,
		.children = in->children};
	in->lens[0] = 1;
	in->lens[1] = n;
	in->displs[0] = ad;
	in->displs[1] = bd;
	in->children[0] = a;
	in->children[1] = b;
}

static int make_check_olds(const struct type *t)
{
	char name[MPI_MAX_OBJECT_NAME];

	for (int64_t i = 0; i < t->made->nd; i++)
		if (unlikely(type_is_absent(t->made->types[i])))
			return haft_err(MPI_ERR_TYPE, "%s is not a type of this Fortran compiler",
				type_words(t->made->types[i], name));
	return 0;
}

int type_close(struct type *t, int err, struct type **newtype)
{
	if (err == 0)
		err = make_check_olds(t);
	if (err != 0) {
		obj_free_obj(t);
		return err;
	}
	*newtype = t;
	return 0;
}

int type_clone(const struct type *t, struct type **clone)
{
	struct type *n = obj_new(&haft_type_class, NULL);
	struct obj o;

	if (n == NULL)
		return haft_err(MPI_ERR_NO_MEM, "no memory for a datatype");
	o = n->o;
	*n = *t;
	n->o = o;
	n->committed = false;
	n->plan = NULL;
	n->signature = NULL;
	n->order = NULL;
	type_block_of(n)->users++;
	*clone = n;
	return 0;
}

void type_gone(struct type *t)
{
	struct type_block *p = type_block_of(t);

	type_plan_free(t->plan);
	free(t->signature);
	free(t->order);
	if (p == NULL || --p->users > 0)
		return;
	for (int64_t i = 0; i < p->made.nd; i++)
		obj_drop(p->made.types[i]);
	for (int64_t i = 0; i < p->made.ninner; i++) {
		type_plan_free(p->made.inner[i]->plan);
		free(p->made.inner[i]->signature);
		free(p->made.inner[i]->order);
		free(p->made.inner[i]);
	}
	free(p);
}
