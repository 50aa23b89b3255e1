// SPDX-License-Identifier: BSD-3-Clause
/* am_types.c - element types and operations as numbers in active messages.
 *
 *      predefined type        ──> the ABI's number of a permanent type that looks alike
 *      pair of value, index   ──> two such numbers, the index in the upper half
 *      operation              ──> the ABI's number; 0: compare and swap */
#include "libmpi/rma/am.h"

#include "libmpi/coll/reduce_op.h"
#include <engine.h>

uint32_t rma_am_type_number(const struct type *basic)
{
	if (basic->basic == BASIC_PAIR) {
		const struct type *value = NULL, *index = NULL;

		type_pair_parts(basic, &value, &index);
		return (uint32_t)obj_int(value) | (uint32_t)obj_int(index) << 16;
	}
	if (obj_int(basic) < OBJ_PERMANENT_MAX)
		return (uint32_t)obj_int(basic);
	for (uint32_t i = 1; i < OBJ_PERMANENT_MAX; i++) {
		const struct type *t = type_predefined((MPI_Datatype)(uintptr_t)i);

		if (t != NULL && t->basic == basic->basic && t->extent == basic->extent)
			return i;
	}
	return 0;
}

struct type *rma_am_type_of(uint32_t number)
{
	struct type *value = type_predefined((MPI_Datatype)(uintptr_t)(number & 0xffff)), *pair;
	struct type *index = type_predefined((MPI_Datatype)(uintptr_t)(number >> 16));

	if (number >> 16 == 0)
		return value;
	if (value == NULL || index == NULL)
		return NULL;
	return type_get_value_index(value, index, &pair) == 0 ? pair : NULL;
}

const struct op *rma_am_op_of(uint8_t number)
{
	return number != 0 ? coll_op_predefined((MPI_Op)(uintptr_t)number) : NULL;
}
