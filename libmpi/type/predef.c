// SPDX-License-Identifier: BSD-3-Clause
/* predef.c - the predefined types: static objects made from the table of predef.h.
 *
 * They exist before main() runs.  type_open only registers their numbers with libobj, so that a
 * handle like MPI_INT (the number 521) finds its object. */
#include "libmpi/type/type.h"
#include "libmpi/core/objects.h"
#include "libmpi/core/err.h"
#include "libmpi/core/valid.h"
#include "libmpi/type/type_make.h"
#include "libmpi/type/pack_plan.h"
#include "libmpi/type/predef.h"

#define TYPE_FIRST 512 /* the ABI's numbers of datatypes are in 512..767 */
#define TYPE_LAST  767

struct predef_row {
	uintptr_t number;
	const char *name;
	struct type type;
};

/* MPI's size of a pair does not count the gaps that C inserts. */
#define PAIR_SIZE(ctype) (sizeof(((ctype *)NULL)->v) + sizeof(((ctype *)NULL)->i))
#define PAIR_END(ctype)  (offsetof(ctype, i) + sizeof(((ctype *)NULL)->i))

#define DENSE(handle, basic_, ctype)                  \
	{(uintptr_t)(handle), #handle,                \
		{.size = sizeof(ctype),               \
			.extent = sizeof(ctype),      \
			.true_extent = sizeof(ctype), \
			.basics = 1,                  \
			.dense = true,                \
			.solid = true,                \
			.align = _Alignof(ctype),     \
			.committed = true,            \
			.basic = (basic_),            \
			.combiner = MPI_COMBINER_NAMED}},
#define PAIR(handle, basic_, ctype)                                   \
	{(uintptr_t)(handle), #handle,                                \
		{.size = PAIR_SIZE(ctype),                            \
			.extent = sizeof(ctype),                      \
			.true_extent = PAIR_END(ctype),               \
			.basics = 2,                                  \
			.dense = PAIR_SIZE(ctype) == sizeof(ctype),   \
			.solid = PAIR_SIZE(ctype) == PAIR_END(ctype), \
			.align = _Alignof(ctype),                     \
			.committed = true,                            \
			.basic = (basic_),                            \
			.combiner = MPI_COMBINER_NAMED,               \
			.part = {{0, sizeof(((ctype *)NULL)->v)},     \
				{offsetof(ctype, i), sizeof(((ctype *)NULL)->i)}}}},

static struct predef_row rows[] = {TYPE_TABLE(DENSE, PAIR)};

/* Row of a number, plus one; 0: no type has it.  Set by the first run of type_open. */
static uint8_t row_of[TYPE_LAST - TYPE_FIRST + 1];
static bool opened;

static_assert(countof(rows) < UINT8_MAX, "row_of is an array of bytes");

HAFT_START int type_open(void)
{
	if (opened)
		return 0;
	for (size_t i = 0; i < countof(rows); i++) {
		struct predef_row *r = &rows[i];

		if (obj_permanent(&haft_type_class, (uint32_t)r->number, &r->type, r->name, 0) != 0)
			return haft_err(MPI_ERR_NO_MEM, "no memory for the datatype %s", r->name);
		if (type_plan_new(&r->type) != 0)
			return MPI_ERR_NO_MEM;
		row_of[r->number - TYPE_FIRST] = (uint8_t)(i + 1);
	}
	haft_type_destroy_hook = type_gone;
	haft_valid_add("type_all_valid", type_all_valid);
	opened = true;
	return 0;
}

HAFT_START struct type *type_predefined(MPI_Datatype handle)
{
	uintptr_t n = (uintptr_t)handle;

	if (n < TYPE_FIRST || n > TYPE_LAST || row_of[n - TYPE_FIRST] == 0)
		return NULL;
	return &rows[row_of[n - TYPE_FIRST] - 1].type;
}
