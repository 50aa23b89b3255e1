// SPDX-License-Identifier: BSD-3-Clause
/* type_object.h - struct type: the size, the bounds and the layout of a datatype. */
#ifndef HAFT_CORE_TYPE_OBJECT_H
#define HAFT_CORE_TYPE_OBJECT_H

#include "libobj/obj.h"
#include <stdbool.h>
#include <stdint.h>

/* Bytes [off, off + len) of an element that hold data: a predefined pair type has two such
 * pieces. */
struct type_part {
	int32_t off, len;
};

enum type_basic { /* operand types of reductions */
	BASIC_NONE,
	BASIC_INT8,
	BASIC_INT16,
	BASIC_INT32,
	BASIC_INT64,
	BASIC_UINT8,
	BASIC_UINT16,
	BASIC_UINT32,
	BASIC_UINT64,
	BASIC_FLOAT,
	BASIC_DOUBLE,
	BASIC_LDOUBLE,
	BASIC_FLOAT16,
	BASIC_FLOAT128,
	BASIC_CFLOAT,
	BASIC_CDOUBLE,
	BASIC_CLDOUBLE,
	BASIC_BOOL,
	BASIC_LOGICAL,
	BASIC_BYTE,
	BASIC_CHAR,
	BASIC_FLOAT_INT,
	BASIC_DOUBLE_INT,
	BASIC_LONG_INT,
	BASIC_2INT,
	BASIC_SHORT_INT,
	BASIC_LDOUBLE_INT,
	BASIC_2REAL,
	BASIC_2DOUBLE,
	BASIC_2INTEGER,
	BASIC_INT128,
	BASIC_CFLOAT16,
	BASIC_CFLOAT128,
	BASIC_LOGICAL1, /* BASIC_LOGICAL has 4 bytes */
	BASIC_LOGICAL2,
	BASIC_LOGICAL8,
	BASIC_LOGICAL16,
	BASIC_PAIR, /* of MPI_Type_get_value_index, unlike any of the named ones */
	BASIC_COUNT
};

struct type {
	struct obj o;
	int64_t size;   /* bytes of data in one element */
	int64_t extent; /* bytes from one element to the next */
	int64_t lb;     /* lower bound, bytes */
	int64_t true_lb;
	int64_t true_extent;
	int64_t basics; /* elements of basic types in one element: MPI_Get_elements */
	bool dense;     /* solid, size == extent, lb 0: `count' elements are one piece */
	bool solid;     /* an element is one piece, in order: size bytes from true_lb */
	bool bounded;   /* its bounds were set: types made of it keep them (5.1.6) */
	uint8_t align;  /* of its strictest basic type in C; 0: there is none */
	bool committed;
	uint8_t basic; /* enum type_basic; BASIC_NONE for derived ones */
	uint16_t combiner;
	struct type_part part[2]; /* of a predefined type that is not dense */
	struct type_shape *shape; /* owned; NULL: predefined.  libmpi/type/shape.h */
	struct type_made *made;   /* owned; the call that made it, for decoding; NULL: predefined */
	struct type_plan *plan;   /* owned; how to pack it, made by the commit.  NULL: dense */
	/* owned; of its basic types, made when first needed: type/signature.h */
	struct type_signature *signature;
	/* owned; of its displacements, made when first needed: type/map_order.h */
	struct type_order *order;
};

/* Set by libmpi/type: frees a datatype's memory, when its last reference is dropped. */
extern void (*haft_type_destroy_hook)(struct type *t);

#endif
