// SPDX-License-Identifier: BSD-3-Clause
/* reduce_op.c - operations as objects: predefined ones from a table, users' from MPI_Op_create. */
#include "libmpi/coll/reduce_op.h"
#include "libmpi/core/language.h"
#include "libmpi/core/err.h"
#include "libmpi/core/library_lock.h"
#include "libmpi/core/setting.h"
#include "libmpi/type/type.h"
#include "engine.h"
#include <limits.h>

/* The predefined operations: handle, loops, and an error's words for the types it takes. */
#define OP_TABLE(X)                                                       \
	X(MPI_MAX, coll_op_max, "integers and floating point")            \
	X(MPI_MIN, coll_op_min, "integers and floating point")            \
	X(MPI_SUM, coll_op_sum, "integers, floating point and complex")   \
	X(MPI_PROD, coll_op_prod, "integers, floating point and complex") \
	X(MPI_LAND, coll_op_land, "integers and logicals")                \
	X(MPI_LOR, coll_op_lor, "integers and logicals")                  \
	X(MPI_LXOR, coll_op_lxor, "integers and logicals")                \
	X(MPI_BAND, coll_op_band, "integers and MPI_BYTE")                \
	X(MPI_BOR, coll_op_bor, "integers and MPI_BYTE")                  \
	X(MPI_BXOR, coll_op_bxor, "integers and MPI_BYTE")                \
	X(MPI_MAXLOC, coll_op_maxloc, "pairs like MPI_DOUBLE_INT")        \
	X(MPI_MINLOC, coll_op_minloc, "pairs like MPI_DOUBLE_INT")        \
	X(MPI_REPLACE, coll_op_none, NULL)                                \
	X(MPI_NO_OP, coll_op_none, NULL)

#define COUNT_ONE(handle, loops, takes) +1
enum { OPS = 0 OP_TABLE(COUNT_ONE) };

#define ROW_OBJECT(handle, loops_, takes) {.commute = true, .short_name = #handle, .loops = loops_},
static struct op ops[OPS] = {OP_TABLE(ROW_OBJECT)};

#define ROW_NUMBER(handle, loops, takes) (uintptr_t)(handle),
static const uintptr_t numbers[OPS] = {OP_TABLE(ROW_NUMBER)};

#define ROW_TAKES(handle, loops, takes) takes,
static const char *const takes[OPS] = {OP_TABLE(ROW_TAKES)};

static bool opened;
static bool strict; /* HAFT_CHECK=strict */

HAFT_START int coll_op_open(void)
{
	strict = (haft_setting_get(SETTING_CHECK) & HAFT_CHECK_STRICT) != 0;
	if (opened)
		return 0;
	for (int i = 0; i < OPS; i++) {
		ops[i].id = (uint8_t)i;
		if (obj_permanent(&haft_op_class, (uint32_t)numbers[i], &ops[i], ops[i].short_name,
			    0) != 0)
			return haft_err(MPI_ERR_NO_MEM, "no memory for the operation %s",
				ops[i].short_name);
	}
	opened = true;
	return 0;
}

HAFT_START struct op *coll_op_predefined(MPI_Op handle)
{
	for (int i = 0; i < OPS; i++)
		if (numbers[i] == (uintptr_t)handle)
			return &ops[i];
	return NULL;
}

/* MPI_CHAR is for characters, not for numbers (MPI-5.0 6.9.2), but other MPIs take it. */
static int check_strict(const struct op *op, const struct type *type)
{
	if (op->loops == NULL || type != type_predefined(MPI_CHAR))
		return 0;
	return haft_err(MPI_ERR_OP,
		"%s does not take MPI_CHAR, but MPI_SIGNED_CHAR (HAFT_CHECK=strict says so)",
		op->short_name);
}

HAFT_HOT int coll_op_check(const struct op *op, const struct type *type)
{
	char name[MPI_MAX_OBJECT_NAME];

	if (op->loops == NULL || likely(op->loops[type->basic] != NULL))
		return unlikely(strict) ? check_strict(op, type) : 0;
	if (type->basic == BASIC_PAIR &&
		(op->loops == coll_op_maxloc || op->loops == coll_op_minloc))
		return 0;
	if (takes[op->id] == NULL)
		return haft_err(
			MPI_ERR_OP, "%s is for one-sided communication only", op->short_name);
	return haft_err(MPI_ERR_OP, "%s does not take %s, but %s", op->short_name,
		type_words(type, name), takes[op->id]);
}

/* fn(a, out) with out = b.  A function that counts with int gets at most INT_MAX elements at a
 * time. */
static void op_apply_user(
	const struct op *op, const void *a, const void *b, void *out, int64_t n, struct type *type)
{
	MPI_Datatype handle = (MPI_Datatype)obj_handle(type);
	int number = obj_int(type);
	void *word = op->lang == OBJ_LANG_C ? (void *)&handle : (void *)&number;
	MPI_Count all = n;
	bool had;

	must(out != a);
	if (out != b)
		type_move(type, b, out, n);
	had = haft_user_begin();
	if (op->wide)
		op->fn_c((void *)(uintptr_t)a, out, &all, word);
	for (int64_t at = 0; !op->wide && at < n; at += INT_MAX) {
		int part = n - at < INT_MAX ? (int)(n - at) : INT_MAX;
		intptr_t off = (intptr_t)(at * type->extent);

		op->fn((char *)(uintptr_t)a + off, (char *)out + off, &part, word);
	}
	haft_user_end(had);
}

void coll_op_apply(
	const struct op *op, const void *a, const void *b, void *out, int64_t n, struct type *type)
{
	if (op->loops != NULL && unlikely(type->basic == BASIC_PAIR))
		coll_op_pair(a, b, out, n, type, op->loops == coll_op_maxloc);
	else if (likely(op->loops != NULL))
		op->loops[type->basic](a, b, out, n);
	else if (n > 0)
		op_apply_user(op, a, b, out, n, type);
}

/* --- engines -------------------------------------------------------------------------------- */

static int op_alloc(bool function, struct op **op, int commute)
{
	struct op *o;

	if (!function)
		return haft_err(MPI_ERR_ARG, "user_fn is NULL; an operation needs a function");
	o = obj_new(&haft_op_class, NULL);
	if (o == NULL)
		return haft_err(MPI_ERR_NO_MEM, "no memory for another operation");
	o->commute = commute != 0;
	o->lang = haft_lang_take();
	*op = o;
	return 0;
}

int coll_op_create(MPI_User_function *user_fn, int commute, struct op **op)
{
	int err = op_alloc(user_fn != NULL, op, commute);

	if (err == 0)
		(*op)->fn = user_fn;
	return err;
}

int coll_op_create_c(MPI_User_function_c *user_fn, int commute, struct op **op)
{
	int err = op_alloc(user_fn != NULL, op, commute);

	if (err != 0)
		return err;
	(*op)->fn_c = user_fn;
	(*op)->wide = true;
	return 0;
}

int coll_op_free(struct op **op)
{
	if (*op == NULL)
		return haft_err(MPI_ERR_OP, "MPI_OP_NULL cannot be freed");
	if ((*op)->loops != NULL)
		return haft_err(
			MPI_ERR_OP, "%s is predefined and cannot be freed", (*op)->short_name);
	if (obj_free_obj(*op) != 0)
		return haft_err(MPI_ERR_OP, "the operation is being freed already");
	*op = NULL;
	return 0;
}

int coll_op_commutative(struct op *op, int *commute)
{
	*commute = op->commute;
	return 0;
}

int coll_op_reduce_local(
	const void *inbuf, void *inoutbuf, int64_t count, struct type *type, struct op *op)
{
	int err = coll_op_check(op, type);

	if (inbuf == MPI_IN_PLACE || inoutbuf == MPI_IN_PLACE)
		return haft_err(MPI_ERR_BUFFER, "MPI_IN_PLACE has no meaning here");
	if (err == 0)
		err = type_check(inbuf, count, 1, type, "inbuf");
	if (err == 0)
		err = type_check(inoutbuf, count, 1, type, "inoutbuf");
	if (err == 0 && inbuf == inoutbuf && inbuf != MPI_BOTTOM && count * type->size > 0)
		return haft_err(MPI_ERR_BUFFER, "inbuf and inoutbuf are the same");
	if (err == 0)
		coll_op_apply(op, inbuf, inoutbuf, inoutbuf, count, type);
	return err;
}
