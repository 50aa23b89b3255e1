/* SPDX-License-Identifier: BSD-3-Clause */
/* RUN np=3 */
/* MPI-5.0 6.9.4: pairs of any value and index for MPI_MAXLOC and MPI_MINLOC. */
#include "tests/check.h"

#include <mpi.h>
#include <stddef.h>
#include <stdint.h>

/* MPI-5.0 6.9.4: combinations that have a name give it */
static void loc_named(void)
{
	static const struct {
		MPI_Datatype value, index, pair;
	} names[] = {{MPI_FLOAT, MPI_INT, MPI_FLOAT_INT}, {MPI_DOUBLE, MPI_INT, MPI_DOUBLE_INT},
		{MPI_LONG, MPI_INT, MPI_LONG_INT}, {MPI_INT, MPI_INT, MPI_2INT},
		{MPI_SHORT, MPI_INT, MPI_SHORT_INT},
		{MPI_LONG_DOUBLE, MPI_INT, MPI_LONG_DOUBLE_INT}, {MPI_REAL, MPI_REAL, MPI_2REAL},
		{MPI_INTEGER, MPI_INTEGER, MPI_2INTEGER}};
	MPI_Datatype t;

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		expect_ok(MPI_Type_get_value_index(names[i].value, names[i].index, &t));
		expect(t == names[i].pair);
	}
}

/* MPI-5.0 6.9.4: combinations that are no pair give MPI_DATATYPE_NULL, and that is no error */
static void loc_none(void)
{
	MPI_Datatype t, derived;

	expect_ok(MPI_Type_get_value_index(MPI_C_FLOAT_COMPLEX, MPI_INT, &t));
	expect(t == MPI_DATATYPE_NULL);
	expect_ok(MPI_Type_get_value_index(MPI_DOUBLE, MPI_FLOAT, &t));
	expect(t == MPI_DATATYPE_NULL);
	expect_ok(MPI_Type_get_value_index(MPI_CHAR, MPI_INT, &t));
	expect(t == MPI_DATATYPE_NULL);
	expect_ok(MPI_Type_contiguous(1, MPI_INT, &derived));
	expect_ok(MPI_Type_get_value_index(MPI_DOUBLE, derived, &t));
	expect(t == MPI_DATATYPE_NULL);
	expect_ok(MPI_Type_free(&derived));
}

/* MPI-5.0 6.9.4: the others are as a C struct, made once, and not to be freed */
static void unnamed(void)
{
	struct pair {
		short value;
		int64_t index;
	};
	MPI_Datatype t, u;
	MPI_Aint lb, extent, true_lb, true_extent;
	int size, err;

	expect_ok(MPI_Type_get_value_index(MPI_SHORT, MPI_INT64_T, &t));
	expect_ok(MPI_Type_get_value_index(MPI_SHORT, MPI_INT64_T, &u));
	expect(t == u && t != MPI_DATATYPE_NULL);
	expect_ok(MPI_Type_size(t, &size));
	expect_ok(MPI_Type_get_extent(t, &lb, &extent));
	expect_ok(MPI_Type_get_true_extent(t, &true_lb, &true_extent));
	expect(size == 10 && lb == 0 && extent == sizeof(struct pair));
	expect(true_lb == 0 && true_extent == offsetof(struct pair, index) + 8);
	err = MPI_Type_free(&u);
	expect_eq(err, MPI_ERR_TYPE);
	expect(error_says(err, "cannot be freed"));
}

#define REDUCE(vtype, vhandle, itype, ihandle)                                             \
	static void reduce_##vtype##_##itype(int rank)                                     \
	{                                                                                  \
		struct {                                                                   \
			vtype v;                                                           \
			itype i;                                                           \
		} in[3], max[3], min[3];                                                   \
		MPI_Datatype t;                                                            \
                                                                                           \
		for (int k = 0; k < 3; k++) {                                              \
			in[k].v = (vtype)(k == 0 ? 7 : k == 1 ? rank : 2 - rank);          \
			in[k].i = (itype)(10 - rank);                                      \
		}                                                                          \
		expect_ok(MPI_Type_get_value_index(vhandle, ihandle, &t));                 \
		expect_ok(MPI_Allreduce(in, max, 3, t, MPI_MAXLOC, MPI_COMM_WORLD));       \
		expect_ok(MPI_Allreduce(in, min, 3, t, MPI_MINLOC, MPI_COMM_WORLD));       \
		expect(max[0].v == 7 && max[0].i == 8 && min[0].v == 7 && min[0].i == 8);  \
		expect(max[1].v == 2 && max[1].i == 8 && min[1].v == 0 && min[1].i == 10); \
		expect(max[2].v == 2 && max[2].i == 10 && min[2].v == 0 && min[2].i == 8); \
	}
REDUCE(double, MPI_DOUBLE, int64_t, MPI_INT64_T)
REDUCE(float, MPI_FLOAT, int32_t, MPI_INT32_T) /* as MPI_FLOAT_INT, under other names */
REDUCE(uint8_t, MPI_UINT8_T, uint64_t, MPI_UINT64_T)
REDUCE(int64_t, MPI_INT64_T, int64_t, MPI_COUNT)
REDUCE(int16_t, MPI_INTEGER2, int8_t, MPI_INT8_T)

/* MPI-5.0 6.9.4: of equal values the smallest index wins; other operations do not take pairs */
static void loc_reductions(int rank)
{
	MPI_Datatype t;
	int64_t in[2] = {1, 2}, out[2];

	reduce_double_int64_t(rank);
	reduce_float_int32_t(rank);
	reduce_uint8_t_uint64_t(rank);
	reduce_int64_t_int64_t(rank);
	reduce_int16_t_int8_t(rank);
	expect_ok(MPI_Type_get_value_index(MPI_INT64_T, MPI_INT64_T, &t));
	expect_eq(MPI_Allreduce(in, out, 1, t, MPI_SUM, MPI_COMM_WORLD), MPI_ERR_OP);
}

int main(int argc, char **argv)
{
	int rank;

	MPI_Init(&argc, &argv);
	MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	loc_named();
	loc_none();
	unnamed();
	loc_reductions(rank);
	MPI_Finalize();
	return check_end();
}
