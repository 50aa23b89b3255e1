// SPDX-License-Identifier: BSD-3-Clause
/* visit.c - visits the types inside a type, inner ones first, with a stack of its own.
 *
 *      struct visit  ──up──>  struct visit  ──up──> ...  t
 *        type, next inner type to look at
 *
 * A type whose inner types are all done needs no stack: the usual case. */
#include "libmpi/type/visit.h"

#include "libmpi/core/err.h"
#include "libmpi/type/shape.h"
#include "libobj/base.h"
#include <mpi.h>
#include <stdlib.h>

struct visit {
	struct visit *up;
	struct type *type;
	int64_t next;
};

/* The next inner type of t, from number *i on, that is not done; NULL: all are. */
HAFT_START static struct type *visit_undone(const struct type *t, int64_t *i, type_done_fn *done)
{
	const struct type_shape *s = t->shape;

	if (s == NULL || s->kind == SHAPE_BASIC)
		return NULL;
	if (s->kind != SHAPE_FIELDS)
		return done(s->child) ? NULL : s->child;
	for (; *i < s->n; ++*i)
		if (!done(s->children[*i]))
			return s->children[*i];
	return NULL;
}

static bool visit_push(struct visit **top, struct type *t)
{
	struct visit *v = malloc(sizeof(*v));

	if (v == NULL)
		return false;
	*v = (struct visit){*top, t, 0};
	*top = v;
	return true;
}

static struct type *visit_pop(struct visit **top)
{
	struct visit *v = *top;
	struct type *t = v->type;

	*top = v->up;
	free(v);
	return t;
}

HAFT_START int type_visit(struct type *t, type_done_fn *done, type_make_fn *make)
{
	struct visit *top = NULL;
	int64_t i = 0;
	int err = 0;

	if (visit_undone(t, &i, done) == NULL)
		return make(t);
	while (err == 0 && (t != NULL || top != NULL)) {
		if (t != NULL && !visit_push(&top, t))
			err = haft_err(MPI_ERR_NO_MEM, "no memory to look into a datatype");
		if (err != 0)
			break;
		t = visit_undone(top->type, &top->next, done);
		if (t == NULL)
			err = make(visit_pop(&top));
	}
	while (top != NULL)
		visit_pop(&top);
	return err;
}
