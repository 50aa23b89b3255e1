// SPDX-License-Identifier: BSD-3-Clause
/* predef.h - the table of the predefined datatypes: an X-macro, one row a type.
 *
 *     DENSE(handle, basic, C type)        one or two parts of one kind, no gap
 *     PAIR(handle, basic, C struct)       a value and an index in a C struct, maybe with gaps
 *
 * Sizes of Fortran types are those of mpif.h and the modules: INTEGER, REAL and LOGICAL have 4
 * bytes, DOUBLE PRECISION 8.  Synonyms (MPI_LONG_LONG, MPI_C_COMPLEX) share a number.  The table
 * has the name that the ABI's table gives first, or the more telling one. */
#ifndef HAFT_TYPE_PREDEF_H
#define HAFT_TYPE_PREDEF_H

#include <limits.h>

#include <complex.h>
#include <mpi.h>
#include <stddef.h>
#include <stdint.h>

/* Memory of types that C has no name for. */
struct type_16b {
	_Alignas(16) unsigned char b[16];
};
struct type_32b {
	_Alignas(16) unsigned char b[32];
};

/* The pairs of MINLOC and MAXLOC, in C and in Fortran. */
#define TYPE_PAIR(name, type) \
	struct name {         \
		type v;       \
		int i;        \
	}
TYPE_PAIR(type_float_int, float);
TYPE_PAIR(type_double_int, double);
TYPE_PAIR(type_long_int, long);
TYPE_PAIR(type_2int, int);
TYPE_PAIR(type_short_int, short);
TYPE_PAIR(type_ldouble_int, long double);
struct type_2real {
	float v, i;
};
struct type_2double {
	double v, i;
};
struct type_2integer {
	int32_t v, i;
};

/* C's plain char.  The standard excludes it from reductions, but programs and benchmarks reduce it:
 * it counts as the 8-bit integer that the compiler makes of it. */
#define BASIC_CHAR_NUMBER (CHAR_MIN < 0 ? BASIC_INT8 : BASIC_UINT8)

/* clang-format off */
#define TYPE_TABLE(DENSE, PAIR)                                                                    \
	DENSE(MPI_AINT, BASIC_INT64, MPI_Aint)                                                     \
	DENSE(MPI_COUNT, BASIC_INT64, MPI_Count)                                                   \
	DENSE(MPI_OFFSET, BASIC_INT64, MPI_Offset)                                                 \
	DENSE(MPI_PACKED, BASIC_NONE, unsigned char)                                               \
	DENSE(MPI_SHORT, BASIC_INT16, short)                                                       \
	DENSE(MPI_INT, BASIC_INT32, int)                                                           \
	DENSE(MPI_LONG, BASIC_INT64, long)                                                         \
	DENSE(MPI_LONG_LONG_INT, BASIC_INT64, long long)                                           \
	DENSE(MPI_UNSIGNED_SHORT, BASIC_UINT16, unsigned short)                                    \
	DENSE(MPI_UNSIGNED, BASIC_UINT32, unsigned)                                                \
	DENSE(MPI_UNSIGNED_LONG, BASIC_UINT64, unsigned long)                                      \
	DENSE(MPI_UNSIGNED_LONG_LONG, BASIC_UINT64, unsigned long long)                            \
	DENSE(MPI_FLOAT, BASIC_FLOAT, float)                                                       \
	DENSE(MPI_C_COMPLEX, BASIC_CFLOAT, float _Complex)                                         \
	DENSE(MPI_CXX_FLOAT_COMPLEX, BASIC_CFLOAT, float _Complex)                                 \
	DENSE(MPI_DOUBLE, BASIC_DOUBLE, double)                                                    \
	DENSE(MPI_C_DOUBLE_COMPLEX, BASIC_CDOUBLE, double _Complex)                                \
	DENSE(MPI_CXX_DOUBLE_COMPLEX, BASIC_CDOUBLE, double _Complex)                              \
	DENSE(MPI_LOGICAL, BASIC_LOGICAL, int32_t)                                                 \
	DENSE(MPI_INTEGER, BASIC_INT32, int32_t)                                                   \
	DENSE(MPI_REAL, BASIC_FLOAT, float)                                                        \
	DENSE(MPI_COMPLEX, BASIC_CFLOAT, float _Complex)                                           \
	DENSE(MPI_DOUBLE_PRECISION, BASIC_DOUBLE, double)                                          \
	DENSE(MPI_DOUBLE_COMPLEX, BASIC_CDOUBLE, double _Complex)                                  \
	DENSE(MPI_CHARACTER, BASIC_CHAR, char)                                                     \
	DENSE(MPI_LONG_DOUBLE, BASIC_LDOUBLE, long double)                                         \
	DENSE(MPI_C_LONG_DOUBLE_COMPLEX, BASIC_CLDOUBLE, long double _Complex)                     \
	DENSE(MPI_CXX_LONG_DOUBLE_COMPLEX, BASIC_CLDOUBLE, long double _Complex)                   \
	PAIR(MPI_FLOAT_INT, BASIC_FLOAT_INT, struct type_float_int)                                \
	PAIR(MPI_DOUBLE_INT, BASIC_DOUBLE_INT, struct type_double_int)                             \
	PAIR(MPI_LONG_INT, BASIC_LONG_INT, struct type_long_int)                                   \
	PAIR(MPI_2INT, BASIC_2INT, struct type_2int)                                               \
	PAIR(MPI_SHORT_INT, BASIC_SHORT_INT, struct type_short_int)                                \
	PAIR(MPI_LONG_DOUBLE_INT, BASIC_LDOUBLE_INT, struct type_ldouble_int)                      \
	PAIR(MPI_2REAL, BASIC_2REAL, struct type_2real)                                            \
	PAIR(MPI_2DOUBLE_PRECISION, BASIC_2DOUBLE, struct type_2double)                            \
	PAIR(MPI_2INTEGER, BASIC_2INTEGER, struct type_2integer)                                   \
	DENSE(MPI_C_BOOL, BASIC_BOOL, _Bool)                                                       \
	DENSE(MPI_CXX_BOOL, BASIC_BOOL, _Bool)                                                     \
	DENSE(MPI_WCHAR, BASIC_CHAR, wchar_t)                                                      \
	DENSE(MPI_INT8_T, BASIC_INT8, int8_t)                                                      \
	DENSE(MPI_UINT8_T, BASIC_UINT8, uint8_t)                                                   \
	DENSE(MPI_CHAR, BASIC_CHAR_NUMBER, char)                                                   \
	DENSE(MPI_SIGNED_CHAR, BASIC_INT8, signed char)                                            \
	DENSE(MPI_UNSIGNED_CHAR, BASIC_UINT8, unsigned char)                                       \
	DENSE(MPI_BYTE, BASIC_BYTE, unsigned char)                                                 \
	DENSE(MPI_INT16_T, BASIC_INT16, int16_t)                                                   \
	DENSE(MPI_UINT16_T, BASIC_UINT16, uint16_t)                                                \
	DENSE(MPI_INT32_T, BASIC_INT32, int32_t)                                                   \
	DENSE(MPI_UINT32_T, BASIC_UINT32, uint32_t)                                                \
	DENSE(MPI_INT64_T, BASIC_INT64, int64_t)                                                   \
	DENSE(MPI_UINT64_T, BASIC_UINT64, uint64_t)                                                \
	DENSE(MPI_LOGICAL1, BASIC_LOGICAL1, int8_t)                                                \
	DENSE(MPI_LOGICAL2, BASIC_LOGICAL2, int16_t)                                               \
	DENSE(MPI_LOGICAL4, BASIC_LOGICAL, int32_t)                                                \
	DENSE(MPI_LOGICAL8, BASIC_LOGICAL8, int64_t)                                               \
	DENSE(MPI_LOGICAL16, BASIC_LOGICAL16, struct type_16b)                                     \
	DENSE(MPI_INTEGER1, BASIC_INT8, int8_t)                                                    \
	DENSE(MPI_INTEGER2, BASIC_INT16, int16_t)                                                  \
	DENSE(MPI_INTEGER4, BASIC_INT32, int32_t)                                                  \
	DENSE(MPI_INTEGER8, BASIC_INT64, int64_t)                                                  \
	DENSE(MPI_INTEGER16, BASIC_INT128, struct type_16b)                                        \
	DENSE(MPI_REAL2, BASIC_FLOAT16, uint16_t)                                                  \
	DENSE(MPI_REAL4, BASIC_FLOAT, float)                                                       \
	DENSE(MPI_REAL8, BASIC_DOUBLE, double)                                                     \
	DENSE(MPI_REAL16, BASIC_FLOAT128, struct type_16b)                                         \
	DENSE(MPI_COMPLEX4, BASIC_CFLOAT16, uint32_t)                                              \
	DENSE(MPI_COMPLEX8, BASIC_CFLOAT, float _Complex)                                          \
	DENSE(MPI_COMPLEX16, BASIC_CDOUBLE, double _Complex)                                       \
	DENSE(MPI_COMPLEX32, BASIC_CFLOAT128, struct type_32b)
/* clang-format on */

#endif
