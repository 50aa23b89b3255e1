/* SPDX-License-Identifier: BSD-3-Clause */
/* values.h - every predefined datatype as C knows it: a value for each rank and index, and
 * the result of each operation on two of them, computed in the simplest way.
 *
 * Values are small integers, so that sums and products are exact in every type. */
#ifndef TESTS_VALUES_H
#define TESTS_VALUES_H

#include <complex.h>
#include <mpi.h>
#include <stdint.h>
#include <string.h>
#include <wchar.h>

typedef float f128 __attribute__((mode(TF)));
__extension__ typedef __int128 i128;

enum {
	OP_MAX,
	OP_MIN,
	OP_SUM,
	OP_PROD,
	OP_LAND,
	OP_LOR,
	OP_LXOR,
	OP_BAND,
	OP_BOR,
	OP_BXOR,
	OP_MAXLOC,
	OP_MINLOC,
	OPS
};

/* Groups of types, by the operations that take them (MPI-5.0 6.9.2). */
enum {
	G_INT = 1,
	G_FLOAT = 2,
	G_COMPLEX = 4,
	G_LOGICAL = 8,
	G_BYTE = 16,
	G_PAIR = 32,
	G_NONE = 64
};

static const struct {
	MPI_Op op;
	const char *name;
	int groups;
} ops[OPS] = {
	{MPI_MAX, "MPI_MAX", G_INT | G_FLOAT},
	{MPI_MIN, "MPI_MIN", G_INT | G_FLOAT},
	{MPI_SUM, "MPI_SUM", G_INT | G_FLOAT | G_COMPLEX},
	{MPI_PROD, "MPI_PROD", G_INT | G_FLOAT | G_COMPLEX},
	{MPI_LAND, "MPI_LAND", G_INT | G_LOGICAL},
	{MPI_LOR, "MPI_LOR", G_INT | G_LOGICAL},
	{MPI_LXOR, "MPI_LXOR", G_INT | G_LOGICAL},
	{MPI_BAND, "MPI_BAND", G_INT | G_BYTE},
	{MPI_BOR, "MPI_BOR", G_INT | G_BYTE},
	{MPI_BXOR, "MPI_BXOR", G_INT | G_BYTE},
	{MPI_MAXLOC, "MPI_MAXLOC", G_PAIR},
	{MPI_MINLOC, "MPI_MINLOC", G_PAIR},
};

/* The value of a rank's element i in a test of op. */
static inline int typed_value(int op, int rank, int64_t i)
{
	int v = (int)((rank * 7 + i * 3) % 5);

	switch (op) {
	case OP_PROD: return 1 + (rank % 4 == 0 && i % 2 == 1);
	case OP_LAND: return (rank + i) % 9 != 0;
	case OP_LOR: return (rank + i) % 9 == 0;
	default: return v;
	}
}

#define DEF_INT(name, T)                                             \
	static void put_##name(void *p, int op, int rank, int64_t i) \
	{                                                            \
		*(T *)p = (T)typed_value(op, rank, i);               \
	}                                                            \
	static void op_##name(int op, void *acc, const void *x)      \
	{                                                            \
		T a = *(T *)acc, b = *(const T *)x;                  \
		switch (op) {                                        \
		case OP_MAX: a = a > b ? a : b; break;               \
		case OP_MIN: a = a < b ? a : b; break;               \
		case OP_SUM: a = (T)(a + b); break;                  \
		case OP_PROD: a = (T)(a * b); break;                 \
		case OP_LAND: a = a && b; break;                     \
		case OP_LOR: a = a || b; break;                      \
		case OP_LXOR: a = !a != !b; break;                   \
		case OP_BAND: a = (T)(a & b); break;                 \
		case OP_BOR: a = (T)(a | b); break;                  \
		case OP_BXOR: a = (T)(a ^ b); break;                 \
		}                                                    \
		*(T *)acc = a;                                       \
	}                                                            \
	static int same_##name(const void *a, const void *b)         \
	{                                                            \
		return *(const T *)a == *(const T *)b;               \
	}

#define DEF_FLOAT(name, T)                                           \
	static void put_##name(void *p, int op, int rank, int64_t i) \
	{                                                            \
		*(T *)p = (T)typed_value(op, rank, i);               \
	}                                                            \
	static void op_##name(int op, void *acc, const void *x)      \
	{                                                            \
		T a = *(T *)acc, b = *(const T *)x;                  \
		switch (op) {                                        \
		case OP_MAX: a = a > b ? a : b; break;               \
		case OP_MIN: a = a < b ? a : b; break;               \
		case OP_SUM: a = a + b; break;                       \
		case OP_PROD: a = a * b; break;                      \
		}                                                    \
		*(T *)acc = a;                                       \
	}                                                            \
	static int same_##name(const void *a, const void *b)         \
	{                                                            \
		return *(const T *)a == *(const T *)b;               \
	}

/* Real and imaginary part; a product of few of them stays small. */
#define DEF_COMPLEX(name, T)                                                   \
	static void put_##name(void *p, int op, int rank, int64_t i)           \
	{                                                                      \
		((T *)p)[0] = (T)typed_value(op, rank, i);                     \
		((T *)p)[1] = (T)(rank % 5 == 1);                              \
	}                                                                      \
	static void op_##name(int op, void *acc, const void *x)                \
	{                                                                      \
		T *a = acc;                                                    \
		const T *b = x;                                                \
		T re = op == OP_SUM ? a[0] + b[0] : a[0] * b[0] - a[1] * b[1]; \
		T im = op == OP_SUM ? a[1] + b[1] : a[0] * b[1] + a[1] * b[0]; \
		a[0] = re;                                                     \
		a[1] = im;                                                     \
	}                                                                      \
	static int same_##name(const void *a, const void *b)                   \
	{                                                                      \
		return ((const T *)a)[0] == ((const T *)b)[0] &&               \
		       ((const T *)a)[1] == ((const T *)b)[1];                 \
	}

#define DEF_PAIR(name, T, I)                                                                 \
	struct pair_##name {                                                                 \
		T v;                                                                         \
		I i;                                                                         \
	};                                                                                   \
	static void put_##name(void *p, int op, int rank, int64_t i)                         \
	{                                                                                    \
		struct pair_##name x = {(T)typed_value(op, rank, i), (I)((rank + i) % 100)}; \
		memcpy(p, &x, sizeof(x));                                                    \
	}                                                                                    \
	static void op_##name(int op, void *acc, const void *x)                              \
	{                                                                                    \
		struct pair_##name a = *(struct pair_##name *)acc;                           \
		struct pair_##name b = *(const struct pair_##name *)x;                       \
		if (a.v == b.v ? b.i < a.i : op == OP_MAXLOC ? b.v > a.v : b.v < a.v)        \
			*(struct pair_##name *)acc = b;                                      \
	}                                                                                    \
	static int same_##name(const void *a, const void *b)                                 \
	{                                                                                    \
		const struct pair_##name *x = a, *y = b;                                     \
		return x->v == y->v && x->i == y->i;                                         \
	}

DEF_INT(i8, int8_t)
DEF_INT(i16, int16_t)
DEF_INT(i32, int32_t)
DEF_INT(i64, int64_t)
DEF_INT(i128, i128)
DEF_INT(u8, uint8_t)
DEF_INT(u16, uint16_t)
DEF_INT(u32, uint32_t)
DEF_INT(u64, uint64_t)
DEF_FLOAT(f, float)
DEF_FLOAT(d, double)
DEF_FLOAT(ld, long double)
DEF_FLOAT(f128, f128)
DEF_COMPLEX(cf, float)
DEF_COMPLEX(cd, double)
DEF_COMPLEX(cld, long double)
DEF_COMPLEX(cf128, f128)
DEF_PAIR(fi, float, int)
DEF_PAIR(di, double, int)
DEF_PAIR(li, long, int)
DEF_PAIR(ii, int, int)
DEF_PAIR(si, short, int)
DEF_PAIR(ldi, long double, int)
DEF_PAIR(ff, float, float)
DEF_PAIR(dd, double, double)

/* Half precision of integers -2048..2048, which it holds exactly. */
static inline uint16_t half_of(int v)
{
	int m = v < 0 ? -v : v, exp = 25;

	if (m == 0)
		return 0;
	while (m < 1024) {
		m *= 2;
		exp--;
	}
	if (m >= 2048) {
		m /= 2;
		exp++;
	}
	return (uint16_t)((v < 0) << 15 | exp << 10 | (m & 1023));
}

static inline int half_int(uint16_t h)
{
	int exp = (h >> 10 & 31) - 25, m = (h & 1023) | 1024;

	if ((h & 0x7fff) == 0)
		return 0;
	m = exp >= 0 ? m << exp : m >> -exp;
	return h & 0x8000 ? -m : m;
}

static void put_half(void *p, int op, int rank, int64_t i)
{
	*(uint16_t *)p = half_of(typed_value(op, rank, i));
}

static void op_half(int op, void *acc, const void *x)
{
	int32_t a = half_int(*(uint16_t *)acc), b = half_int(*(const uint16_t *)x);

	op_i32(op, &a, &b);
	*(uint16_t *)acc = half_of(a);
}

static void put_chalf(void *p, int op, int rank, int64_t i)
{
	((uint16_t *)p)[0] = half_of(typed_value(op, rank, i));
	((uint16_t *)p)[1] = half_of(rank % 5 == 1);
}

static void op_chalf(int op, void *acc, const void *x)
{
	uint16_t *h = acc;
	const uint16_t *y = x;
	double a[2] = {half_int(h[0]), half_int(h[1])}, b[2] = {half_int(y[0]), half_int(y[1])};

	op_cd(op, a, b);
	h[0] = half_of((int)a[0]);
	h[1] = half_of((int)a[1]);
}

#define same_half  same_u16
#define same_chalf same_u32

struct kind {
	MPI_Datatype type;
	const char *name;
	int size, extent;
	int groups;
	void (*put)(void *p, int op, int rank, int64_t i);
	void (*fold)(int op, void *acc, const void *x);
	int (*same)(const void *a, const void *b);
};

#define K(t, f, T, g)                                                     \
	{                                                                 \
		t, #t, sizeof(T), sizeof(T), g, put_##f, op_##f, same_##f \
	}
#define K2(t, f, T, n, g)                                         \
	{                                                         \
		t, #t, n, sizeof(T), g, put_##f, op_##f, same_##f \
	}
static const struct kind kinds[] = {
	K(MPI_INT, i32, int, G_INT),
	K(MPI_SHORT, i16, short, G_INT),
	K(MPI_LONG, i64, long, G_INT),
	K(MPI_LONG_LONG_INT, i64, long long, G_INT),
	K(MPI_UNSIGNED_SHORT, u16, unsigned short, G_INT),
	K(MPI_UNSIGNED, u32, unsigned, G_INT),
	K(MPI_UNSIGNED_LONG, u64, unsigned long, G_INT),
	K(MPI_UNSIGNED_LONG_LONG, u64, unsigned long long, G_INT),
	K(MPI_SIGNED_CHAR, i8, signed char, G_INT),
	K(MPI_UNSIGNED_CHAR, u8, unsigned char, G_INT),
	K(MPI_INT8_T, i8, int8_t, G_INT),
	K(MPI_INT16_T, i16, int16_t, G_INT),
	K(MPI_INT32_T, i32, int32_t, G_INT),
	K(MPI_INT64_T, i64, int64_t, G_INT),
	K(MPI_UINT8_T, u8, uint8_t, G_INT),
	K(MPI_UINT16_T, u16, uint16_t, G_INT),
	K(MPI_UINT32_T, u32, uint32_t, G_INT),
	K(MPI_UINT64_T, u64, uint64_t, G_INT),
	K(MPI_AINT, i64, MPI_Aint, G_INT),
	K(MPI_COUNT, i64, MPI_Count, G_INT),
	K(MPI_OFFSET, i64, MPI_Offset, G_INT),
	K(MPI_INTEGER, i32, int32_t, G_INT),
	K(MPI_INTEGER1, i8, int8_t, G_INT),
	K(MPI_INTEGER2, i16, int16_t, G_INT),
	K(MPI_INTEGER4, i32, int32_t, G_INT),
	K(MPI_INTEGER8, i64, int64_t, G_INT),
	K(MPI_INTEGER16, i128, i128, G_INT),
	K(MPI_FLOAT, f, float, G_FLOAT),
	K(MPI_DOUBLE, d, double, G_FLOAT),
	K(MPI_LONG_DOUBLE, ld, long double, G_FLOAT),
	K(MPI_REAL, f, float, G_FLOAT),
	K(MPI_DOUBLE_PRECISION, d, double, G_FLOAT),
	K(MPI_REAL2, half, uint16_t, G_FLOAT),
	K(MPI_REAL4, f, float, G_FLOAT),
	K(MPI_REAL8, d, double, G_FLOAT),
	K(MPI_REAL16, f128, f128, G_FLOAT),
	K(MPI_C_COMPLEX, cf, float _Complex, G_COMPLEX),
	K(MPI_C_DOUBLE_COMPLEX, cd, double _Complex, G_COMPLEX),
	K(MPI_C_LONG_DOUBLE_COMPLEX, cld, long double _Complex, G_COMPLEX),
	K(MPI_CXX_FLOAT_COMPLEX, cf, float _Complex, G_COMPLEX),
	K(MPI_CXX_DOUBLE_COMPLEX, cd, double _Complex, G_COMPLEX),
	K(MPI_CXX_LONG_DOUBLE_COMPLEX, cld, long double _Complex, G_COMPLEX),
	K(MPI_COMPLEX, cf, float _Complex, G_COMPLEX),
	K(MPI_DOUBLE_COMPLEX, cd, double _Complex, G_COMPLEX),
	K(MPI_COMPLEX4, chalf, uint32_t, G_COMPLEX),
	K(MPI_COMPLEX8, cf, float _Complex, G_COMPLEX),
	K(MPI_COMPLEX16, cd, double _Complex, G_COMPLEX),
	K(MPI_COMPLEX32, cf128, f128[2], G_COMPLEX),
	K(MPI_C_BOOL, u8, _Bool, G_LOGICAL),
	K(MPI_CXX_BOOL, u8, _Bool, G_LOGICAL),
	K(MPI_LOGICAL, i32, int32_t, G_LOGICAL),
	K(MPI_LOGICAL1, i8, int8_t, G_LOGICAL),
	K(MPI_LOGICAL2, i16, int16_t, G_LOGICAL),
	K(MPI_LOGICAL4, i32, int32_t, G_LOGICAL),
	K(MPI_LOGICAL8, i64, int64_t, G_LOGICAL),
	K(MPI_LOGICAL16, i128, i128, G_LOGICAL),
	K(MPI_BYTE, u8, uint8_t, G_BYTE),
	K(MPI_CHAR, i8, char, G_INT),
	K(MPI_WCHAR, i32, wchar_t, G_NONE),
	K(MPI_CHARACTER, i8, char, G_NONE),
	K(MPI_PACKED, i8, char, G_NONE),
	K2(MPI_FLOAT_INT, fi, struct pair_fi, 8, G_PAIR),
	K2(MPI_DOUBLE_INT, di, struct pair_di, 12, G_PAIR),
	K2(MPI_LONG_INT, li, struct pair_li, 12, G_PAIR),
	K2(MPI_2INT, ii, struct pair_ii, 8, G_PAIR),
	K2(MPI_SHORT_INT, si, struct pair_si, 6, G_PAIR),
	K2(MPI_LONG_DOUBLE_INT, ldi, struct pair_ldi, 20, G_PAIR),
	K2(MPI_2REAL, ff, struct pair_ff, 8, G_PAIR),
	K2(MPI_2DOUBLE_PRECISION, dd, struct pair_dd, 16, G_PAIR),
	K2(MPI_2INTEGER, ii, struct pair_ii, 8, G_PAIR),
};
#define KINDS ((int)(sizeof(kinds) / sizeof(kinds[0])))

#endif
