// SPDX-License-Identifier: BSD-3-Clause
/* op_loops.c - the loops of the predefined operations: a line for each operation and kind of type.
 *
 *     which types      loop                                      table coll_op_sum
 *     UINTS(X, ...)──> LOOP(sum, UINT8, uint8_t, a + b) ... ──┬> [BASIC_UINT8] = sum_UINT8
 *                                                             └> [BASIC_INT8]  = sum_UINT8
 *
 * Signed sums, products and bits use the unsigned loops: equal bits, and overflow wraps round
 * instead of being undefined.  Each loop is plain C, which the compiler vectorizes: this file is
 * built with -O3, and "omp simd" says that elements are independent, although the result may be one
 * of the operands.
 *
 * Half precision is computed in float and rounded back.  Float has more than twice the bits plus
 * two, so sums and products are as if rounded once. */
#include "libmpi/coll/reduce_op.h"
#include "libmpi/type/predef.h"
#include "libobj/base.h"
#include <string.h>

__extension__ typedef __int128 int128;
__extension__ typedef unsigned __int128 uint128;

typedef float float128 __attribute__((mode(TF))); /* the name differs among compilers */

static_assert(sizeof(float128) == 16, "MPI_REAL16 is binary128");

/* --- which types: X(operation, basic, C type, expression) ----------------------------------- */
#define UINTS(X, op, e)            \
	X(op, UINT8, uint8_t, e)   \
	X(op, UINT16, uint16_t, e) \
	X(op, UINT32, uint32_t, e) \
	X(op, UINT64, uint64_t, e)
#define UINTS_ALL(X, op, e) \
	UINTS(X, op, e)     \
	X(op, UINT128, uint128, e)
#define SINTS(X, op, e)          \
	X(op, INT8, int8_t, e)   \
	X(op, INT16, int16_t, e) \
	X(op, INT32, int32_t, e) \
	X(op, INT64, int64_t, e) \
	X(op, INT128, int128, e)
#define FLOATS(X, op, e)               \
	X(op, FLOAT, float, e)         \
	X(op, DOUBLE, double, e)       \
	X(op, LDOUBLE, long double, e) \
	X(op, FLOAT128, float128, e)
#define LOGICALS(X, op, e)           \
	X(op, LOGICAL, uint32_t, e)  \
	X(op, LOGICAL1, uint8_t, e)  \
	X(op, LOGICAL2, uint16_t, e) \
	X(op, LOGICAL8, uint64_t, e) \
	X(op, LOGICAL16, uint128, e)
#define PAIRS(X, op, e)                                \
	X(op, FLOAT_INT, struct type_float_int, e)     \
	X(op, DOUBLE_INT, struct type_double_int, e)   \
	X(op, LONG_INT, struct type_long_int, e)       \
	X(op, 2INT, struct type_2int, e)               \
	X(op, SHORT_INT, struct type_short_int, e)     \
	X(op, LDOUBLE_INT, struct type_ldouble_int, e) \
	X(op, 2REAL, struct type_2real, e)             \
	X(op, 2DOUBLE, struct type_2double, e)

/* --- the loops: a is the lower ranks' operand, b the higher ranks' and the result ----------- */
#define LOOP(op, basic, T, e)                                                           \
	static void op##_##basic(const void *in, const void *in2, void *out, int64_t n) \
	{                                                                               \
		const T *x = in, *y = in2;                                              \
		T *z = out;                                                             \
                                                                                        \
		_Pragma("omp simd") for (int64_t i = 0; i < n; i++)                     \
		{                                                                       \
			const T a = x[i], b = y[i];                                     \
                                                                                        \
			z[i] = (T)(e);                                                  \
		}                                                                       \
	}

/* 1u, because small unsigned types are promoted to int, whose product may overflow */
UINTS_ALL(LOOP, sum, a + b)
FLOATS(LOOP, sum, a + b)
UINTS_ALL(LOOP, prod, 1u * a * b)
FLOATS(LOOP, prod, a *b)
UINTS(LOOP, max, a > b ? a : b)
SINTS(LOOP, max, a > b ? a : b)
FLOATS(LOOP, max, a > b ? a : b)
UINTS(LOOP, min, a < b ? a : b)
SINTS(LOOP, min, a < b ? a : b)
FLOATS(LOOP, min, a < b ? a : b)
UINTS_ALL(LOOP, land, a &&b)
UINTS_ALL(LOOP, lor, a || b)
UINTS_ALL(LOOP, lxor, !a != !b)
UINTS_ALL(LOOP, band, a &b)
UINTS_ALL(LOOP, bor, a | b)
UINTS_ALL(LOOP, bxor, a ^ b)

/* Fortran's .TRUE. and .FALSE., sign-extended; those of gfortran, until coll_op_logical_set. */
static uint128 logical_true = 1, logical_false;

void coll_op_logical_set(const void *yes, const void *no)
{
	memcpy(&logical_true, yes, sizeof(logical_true));
	memcpy(&logical_false, no, sizeof(logical_false));
}

#define LOGICAL_LOOP(op, basic, T, e)                                                   \
	static void op##_##basic(const void *in, const void *in2, void *out, int64_t n) \
	{                                                                               \
		const T *x = in, *y = in2;                                              \
		const T yes = (T)logical_true, no = (T)logical_false;                   \
		T *z = out;                                                             \
                                                                                        \
		for (int64_t i = 0; i < n; i++) {                                       \
			const bool a = x[i] != no, b = y[i] != no;                      \
                                                                                        \
			z[i] = (e) ? yes : no;                                          \
		}                                                                       \
	}
LOGICALS(LOGICAL_LOOP, land, a &&b)
LOGICALS(LOGICAL_LOOP, lor, a || b)
LOGICALS(LOGICAL_LOOP, lxor, a != b)

#define PAIR_LOOP(op, basic, T, before)                                                  \
	static void op##_##basic(const void *in, const void *in2, void *out, int64_t n)  \
	{                                                                                \
		const T *x = in, *y = in2;                                               \
		T *z = out;                                                              \
                                                                                         \
		for (int64_t i = 0; i < n; i++) {                                        \
			const T a = x[i], b = y[i];                                      \
			bool first = a.v before b.v || (!(b.v before a.v) && a.i < b.i); \
                                                                                         \
			z[i] = first ? a : b;                                            \
		}                                                                        \
	}
PAIRS(PAIR_LOOP, maxloc, >)
PAIRS(PAIR_LOOP, minloc, <)

/* Complex numbers are pairs of reals; a sum is a sum of twice as many reals. */
#define COMPLEX_LOOP(basic, part, T)                                                    \
	static void sum_##basic(const void *in, const void *in2, void *out, int64_t n)  \
	{                                                                               \
		sum_##part(in, in2, out, 2 * n);                                        \
	}                                                                               \
	static void prod_##basic(const void *in, const void *in2, void *out, int64_t n) \
	{                                                                               \
		const T *x = in, *y = in2;                                              \
		T *z = out;                                                             \
                                                                                        \
		for (int64_t i = 0; i < 2 * n; i += 2) {                                \
			const T ar = x[i], ai = x[i + 1], br = y[i], bi = y[i + 1];     \
                                                                                        \
			z[i] = ar * br - ai * bi;                                       \
			z[i + 1] = ar * bi + ai * br;                                   \
		}                                                                       \
	}
COMPLEX_LOOP(CFLOAT, FLOAT, float)
COMPLEX_LOOP(CDOUBLE, DOUBLE, double)
COMPLEX_LOOP(CLDOUBLE, LDOUBLE, long double)
COMPLEX_LOOP(CFLOAT128, FLOAT128, float128)

/* --- half precision ------------------------------------------------------------------------- */
static float half_open(uint16_t h)
{
	uint32_t sign = (uint32_t)(h & 0x8000) << 16, exp = (h >> 10) & 31, frac = h & 0x3ff, bits;
	float f;

	if (exp == 0) { /* zero or subnormal: frac * 2^-24 */
		f = (float)frac * 0x1p-24f;
		return sign ? -f : f;
	}
	bits = sign | (exp == 31 ? 255 : exp + 112) << 23 | frac << 13;
	memcpy(&f, &bits, sizeof(f));
	return f;
}

/* Rounds to nearest, ties to even. */
static uint16_t half_close(float f)
{
	uint32_t bits, sign, rest, h;
	int exp, cut = 13;

	memcpy(&bits, &f, sizeof(bits));
	sign = bits >> 16 & 0x8000;
	bits &= 0x7fffffff;
	if (bits > 0x7f800000)
		return (uint16_t)(sign | 0x7e00); /* not a number */
	exp = (int)(bits >> 23) - 112;
	if (exp >= 31)
		return (uint16_t)(sign | 0x7c00);
	if (exp < -10)
		return (uint16_t)sign;
	if (exp <= 0) { /* subnormal: the implicit bit becomes one of the fraction */
		bits = (bits & 0x7fffff) | 0x800000;
		cut += 1 - exp;
		exp = 0;
	} else {
		bits &= 0x7fffff;
	}
	h = (uint32_t)exp << 10 | bits >> cut;
	if (exp == 0)
		h = bits >> cut;
	rest = bits & ((1u << cut) - 1);
	if (rest > 1u << (cut - 1) || (rest == 1u << (cut - 1) && (h & 1)))
		h++; /* may carry into the exponent, up to infinity: that is right */
	return (uint16_t)(sign | h);
}

#define HALF_LOOP(op, e)                                                                \
	static void op##_FLOAT16(const void *in, const void *in2, void *out, int64_t n) \
	{                                                                               \
		const uint16_t *x = in, *y = in2;                                       \
		uint16_t *z = out;                                                      \
                                                                                        \
		for (int64_t i = 0; i < n; i++) {                                       \
			const float a = half_open(x[i]), b = half_open(y[i]);           \
                                                                                        \
			z[i] = half_close(e);                                           \
		}                                                                       \
	}
HALF_LOOP(sum, a + b)
HALF_LOOP(prod, a *b)
HALF_LOOP(max, a > b ? a : b)
HALF_LOOP(min, a < b ? a : b)

static void sum_CFLOAT16(const void *in, const void *in2, void *out, int64_t n)
{
	sum_FLOAT16(in, in2, out, 2 * n);
}

static void prod_CFLOAT16(const void *in, const void *in2, void *out, int64_t n)
{
	const uint16_t *x = in, *y = in2;
	uint16_t *z = out;

	for (int64_t i = 0; i < 2 * n; i += 2) {
		float ar = half_open(x[i]), ai = half_open(x[i + 1]);
		float br = half_open(y[i]), bi = half_open(y[i + 1]);

		z[i] = half_close(ar * br - ai * bi);
		z[i + 1] = half_close(ar * bi + ai * br);
	}
}

/* --- tables --------------------------------------------------------------------------------- */
#define ROW(op, basic) [BASIC_##basic] = op##_##basic,
#define ROWS_UINT(op)                                                                        \
	ROW(op, UINT8)                                                                       \
	ROW(op, UINT16)                                                                      \
	ROW(op, UINT32)                                                                      \
	ROW(op, UINT64) /* equal bits */                                                     \
	[BASIC_INT8] = op##_UINT8, [BASIC_INT16] = op##_UINT16, [BASIC_INT32] = op##_UINT32, \
	[BASIC_INT64] = op##_UINT64, [BASIC_INT128] = op##_UINT128,
#define ROWS_SINT(op)   \
	ROW(op, UINT8)  \
	ROW(op, UINT16) \
	ROW(op, UINT32) \
	ROW(op, UINT64) ROW(op, INT8) ROW(op, INT16) ROW(op, INT32) ROW(op, INT64) ROW(op, INT128)
#define ROWS_FLOAT(op) \
	ROW(op, FLOAT) ROW(op, DOUBLE) ROW(op, LDOUBLE) ROW(op, FLOAT16) ROW(op, FLOAT128)
#define ROWS_COMPLEX(op) \
	ROW(op, CFLOAT) ROW(op, CDOUBLE) ROW(op, CLDOUBLE) ROW(op, CFLOAT16) ROW(op, CFLOAT128)
/* MPI_C_BOOL is an integer that is 0 or not */
#define ROWS_LOGICAL(op)  \
	ROW(op, LOGICAL)  \
	ROW(op, LOGICAL1) \
	ROW(op, LOGICAL2) ROW(op, LOGICAL8) ROW(op, LOGICAL16)[BASIC_BOOL] = op##_UINT8,
#define ROWS_PAIR(op)       \
	ROW(op, FLOAT_INT)  \
	ROW(op, DOUBLE_INT) \
	ROW(op, LONG_INT)   \
	ROW(op, 2INT)       \
	ROW(op, SHORT_INT)  \
	ROW(op, LDOUBLE_INT) ROW(op, 2REAL) ROW(op, 2DOUBLE)[BASIC_2INTEGER] = op##_2INT,

op_loop *const coll_op_max[BASIC_COUNT] = {ROWS_SINT(max) ROWS_FLOAT(max)};
op_loop *const coll_op_min[BASIC_COUNT] = {ROWS_SINT(min) ROWS_FLOAT(min)};
op_loop *const coll_op_sum[BASIC_COUNT] = {ROWS_UINT(sum) ROWS_FLOAT(sum) ROWS_COMPLEX(sum)};
op_loop *const coll_op_prod[BASIC_COUNT] = {ROWS_UINT(prod) ROWS_FLOAT(prod) ROWS_COMPLEX(prod)};
op_loop *const coll_op_land[BASIC_COUNT] = {ROWS_UINT(land) ROWS_LOGICAL(land)};
op_loop *const coll_op_lor[BASIC_COUNT] = {ROWS_UINT(lor) ROWS_LOGICAL(lor)};
op_loop *const coll_op_lxor[BASIC_COUNT] = {ROWS_UINT(lxor) ROWS_LOGICAL(lxor)};
op_loop *const coll_op_band[BASIC_COUNT] = {ROWS_UINT(band)[BASIC_BYTE] = band_UINT8};
op_loop *const coll_op_bor[BASIC_COUNT] = {ROWS_UINT(bor)[BASIC_BYTE] = bor_UINT8};
op_loop *const coll_op_bxor[BASIC_COUNT] = {ROWS_UINT(bxor)[BASIC_BYTE] = bxor_UINT8};
op_loop *const coll_op_maxloc[BASIC_COUNT] = {ROWS_PAIR(maxloc)};
op_loop *const coll_op_minloc[BASIC_COUNT] = {ROWS_PAIR(minloc)};
op_loop *const coll_op_none[BASIC_COUNT] = {NULL};
