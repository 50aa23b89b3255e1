// SPDX-License-Identifier: BSD-3-Clause
/* part.c - sections of arrays: buffers with a descriptor that are not one piece of memory. */
#include "libmpi/fort/glue.h"

bool fort_dense(const struct fort_desc *d)
{
	ptrdiff_t next = (ptrdiff_t)d->len;

	for (int i = 0; i < d->rank; i++) {
		if (d->dim[i].extent == 0 || (i == d->rank - 1 && d->dim[i].extent < 0))
			return true;
		if (d->dim[i].extent > 1 && d->dim[i].stride != next)
			return false;
		next *= d->dim[i].extent;
	}
	return true;
}

int fort_part_make(struct fort_part *p, bool later)
{
	(void)p, (void)later;
	return fort_raise(MPI_ERR_UNSUPPORTED_OPERATION);
}

int fort_copy_make(struct fort_part *p, bool later)
{
	(void)p, (void)later;
	return fort_raise(MPI_ERR_UNSUPPORTED_OPERATION);
}

void fort_part_free(struct fort_part *p)
{
	(void)p;
}

void fort_part_back(struct fort_part *p)
{
	(void)p;
}
