// SPDX-License-Identifier: BSD-3-Clause
/* op_object.h - struct op: a reduction operation, predefined or the user's. */
#ifndef HAFT_CORE_OP_OBJECT_H
#define HAFT_CORE_OP_OBJECT_H

#include "libmpi/core/type_object.h"
#include "libobj/obj.h"
#include <mpi.h>
#include <stdbool.h>

/* out[i] = a[i] op b[i] for `n' elements of one basic type; out may be a, or b, or apart. */
typedef void op_loop(const void *a, const void *b, void *out, int64_t n);

struct op {
	struct obj o;
	bool commute;
	bool wide;              /* user's function is an MPI_User_function_c */
	int lang;               /* enum obj_lang of the user's function: Fortran's get INTEGERs */
	uint8_t id;             /* predefined: libmpi/coll's row of loops */
	const char *short_name; /* predefined: "MPI_SUM" */
	op_loop *const *loops;  /* predefined: [BASIC_COUNT], NULL where not allowed; else NULL */
	MPI_User_function *fn;
	MPI_User_function_c *fn_c;
};

#endif
