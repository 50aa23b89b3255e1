// SPDX-License-Identifier: BSD-3-Clause
/* type_make.h - inside libmpi/type: how a derived datatype is made, and the stored call.
 *
 *      type_new                one block of memory: shape, made, and room for their arrays
 *         │ the constructor fills in: type_put, type_put_addr, type_put_type; shape
 *      type_compute_bounds     computes size, bounds, alignment
 *         │                                              any error: the type is freed
 *      type_close              the user's handle
 *
 *      [ type_block: shape │ made ][ int64: shape's lens, displs │ made's addrs, counts ]
 *                                  [ types ][ ints ]
 *
 * Decoding (5.1.13) copies the arrays of struct type_made: the arguments of the call, in its order.
 * Types that decoding returns share the block of the original (`users').
 *
 * Invariants
 *  - The block never changes after type_close.
 *  - made->types are held.  made->inner are types without a handle, owned by the block: steps of a
 *    subarray.  So everything that the shape points to lives as long as the type. */
#ifndef HAFT_TYPE_TYPE_MAKE_H
#define HAFT_TYPE_TYPE_MAKE_H

#include "libmpi/core/type_object.h"
#include "libmpi/type/shape.h"

/* More arguments than memory can hold.  Longer lists are refused before their lengths are added up,
 * so that no sum wraps. */
#define TYPE_ARGS_MAX (INT64_MAX >> 8)

struct type_made {
	bool large;                     /* the _c form was called: its counts are in `counts' */
	int64_t ni, na, nc, nd, ninner; /* how many there are */
	int *ints;
	int64_t *addrs;
	int64_t *counts;
	struct type **types; /* held */
	struct type **inner; /* owned */
};

struct type_block {
	struct type_shape shape;
	struct type_made made;
	int64_t users; /* number of types that share the block */
};

/* The block of a type; NULL: it is predefined and has a name. */
struct type_block *type_block_of(const struct type *t);

/* Room that a constructor needs for: the integers, addresses and types that decoding returns
 * (counts are listed as such, and stored by the form of the call), and the shape's own arrays. */
struct type_room {
	int64_t ints, counts, addrs, types; /* arguments of the call */
	int64_t lens, displs, inner;        /* of the shape */
};

/* type_new makes a type of this combiner with empty arrays: the numbers in made are 0 and grow with
 * each put.  No list in `room' exceeds a few times TYPE_ARGS_MAX. 0 or MPI_ERR_NO_MEM. */
int type_new(int combiner, int large, const struct type_room *room, struct type **type);

/* Each records one argument: an integer of both forms; a count; an address or displacement in
 * bytes; a type, which it holds. */
static inline void type_put_int(struct type *t, int value)
{
	t->made->ints[t->made->ni++] = value;
}

static inline void type_put(struct type *t, int64_t value)
{
	if (t->made->large)
		t->made->counts[t->made->nc++] = value;
	else
		type_put_int(t, (int)value);
}

static inline void type_put_addr(struct type *t, int64_t value)
{
	if (t->made->large)
		t->made->counts[t->made->nc++] = value;
	else
		t->made->addrs[t->made->na++] = value;
}

/* Adds a datatype to those of MPI_Type_get_contents, and holds it. */
void type_put_type(struct type *t, struct type *old);

/* type_inner makes a type for the inside of t: no handle, owned by t.  The caller sets its shape,
 * then calls type_compute_bounds.  NULL: no memory. */
struct type *type_inner(struct type *t);

/* Makes an inner type one `a' at displacement ad, followed by n of `b' at bd. */
void type_inner_two(
	struct type *inner, struct type *a, int64_t ad, struct type *b, int64_t bd, int64_t n);

/* type_close ends the making of t.  If err is 0, t becomes *newtype, else it is freed.  Returns
 * err. */
int type_close(struct type *t, int err, struct type **newtype);

/* type_clone makes another object of the same description: uncommitted, without name and
 * attributes. 0 or MPI_ERR_NO_MEM. */
int type_clone(const struct type *t, struct type **clone);

/* Frees a type's memory.  Installed as haft_type_destroy_hook. */
void type_gone(struct type *t);

/* type_compute_bounds computes from t->shape: size, basics, bounds, alignment, solid, dense. 0, or
 * MPI_ERR_ARG: a number does not fit into 64 bits. */
int type_compute_bounds(struct type *t);

/* Sets explicit bounds on top of those of type_compute_bounds. 0 or MPI_ERR_ARG. */
int type_set_bounds(struct type *t, int64_t lb, int64_t extent);

#endif
