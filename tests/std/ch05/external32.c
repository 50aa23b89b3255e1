// SPDX-License-Identifier: BSD-3-Clause
/* RUN np=1 */
/* MPI-5.0 5.3, 15.5.2: the external representation, byte by byte against vectors computed by
 * hand. */
#include "tests/check.h"

#include <complex.h>
#include <float.h>
#include <math.h>
#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <wchar.h>

enum { ROOM = 256 };

static int nibble(char c)
{
	return c <= '9' ? c - '0' : c - 'a' + 10;
}

/* Packs count elements and compares with hexadecimal digits; unpacks them again. */
static void vector(const void *value, int count, MPI_Datatype type, size_t bytes, const char *hex)
{
	unsigned char ext[ROOM], back[ROOM] = {0};
	char name[MPI_MAX_OBJECT_NAME];
	MPI_Aint at = 3, size = 0;
	int len, n = (int)strlen(hex) / 2;

	MPI_Type_get_name(type, name, &len);
	memset(ext, 0xee, sizeof(ext));
	expect_ok(MPI_Pack_external_size("external32", count, type, &size));
	if (!expect_eq(size, n))
		fprintf(stderr, "  size of %s\n", name);
	expect_ok(MPI_Pack_external("external32", value, count, type, ext, ROOM, &at));
	expect_eq(at, 3 + n);
	for (int i = 0; i < n; i++)
		if (!expect_eq(ext[3 + i], nibble(hex[2 * i]) * 16 + nibble(hex[2 * i + 1])))
			fprintf(stderr, "  byte %d of %s\n", i, name);
	expect(ext[2] == 0xee && ext[3 + n] == 0xee);
	at = 3;
	expect_ok(MPI_Unpack_external("external32", ext, ROOM, &at, back, count, type));
	expect_eq(at, 3 + n);
	if (!expect(memcmp(value, back, bytes) == 0))
		fprintf(stderr, "  %s does not come back\n", name);
}

#define ONE(ctype, x, type, hex)                           \
	do {                                               \
		ctype v = (x);                             \
		vector(&v, 1, type, sizeof(ctype), (hex)); \
	} while (0)

/* MPI-5.0 15.5.2: integers are big-endian, two's complement, in the sizes of table 13 */
static void integers(void)
{
	ONE(signed char, -2, MPI_SIGNED_CHAR, "fe");
	ONE(short, -2, MPI_SHORT, "fffe");
	ONE(unsigned short, 0x1234, MPI_UNSIGNED_SHORT, "1234");
	ONE(int, 0x01020304, MPI_INT, "01020304");
	ONE(int, -2, MPI_INT, "fffffffe");
	ONE(unsigned, 0xfedcba98u, MPI_UNSIGNED, "fedcba98");
	ONE(long, -3, MPI_LONG, "fffffffd");
	ONE(long, 0x01020304, MPI_LONG, "01020304");
	ONE(unsigned long, 0xfedcba98u, MPI_UNSIGNED_LONG, "fedcba98");
	ONE(long long, 0x0102030405060708, MPI_LONG_LONG, "0102030405060708");
	ONE(unsigned long long, 0xf102030405060708u, MPI_UNSIGNED_LONG_LONG, "f102030405060708");
	ONE(int8_t, 0x71, MPI_INT8_T, "71");
	ONE(uint16_t, 0x7123, MPI_UINT16_T, "7123");
	ONE(int32_t, 0x71234567, MPI_INT32_T, "71234567");
	ONE(uint64_t, 0x7123456789abcdef, MPI_UINT64_T, "7123456789abcdef");
	ONE(MPI_Aint, 0x7123456789abcdef, MPI_AINT, "7123456789abcdef");
	ONE(MPI_Count, -2, MPI_COUNT, "fffffffffffffffe");
	ONE(MPI_Offset, 258, MPI_OFFSET, "0000000000000102");
	ONE(int32_t, 258, MPI_INTEGER, "00000102");
	ONE(int8_t, -1, MPI_INTEGER1, "ff");
	ONE(int16_t, 258, MPI_INTEGER2, "0102");
	ONE(int64_t, 258, MPI_INTEGER8, "0000000000000102");
	vector("\1\2\3\4\5\6\7\10\11\12\13\14\15\16\17\20", 1, MPI_INTEGER16, 16,
		"100f0e0d0c0b0a090807060504030201");
}

/* MPI-5.0 15.5.2: characters are bytes, wide ones two; truth is not zero */
static void characters(void)
{
	bool yes = false;
	MPI_Aint at = 0;

	ONE(char, 'A', MPI_CHAR, "41");
	ONE(char, 'A', MPI_CHARACTER, "41");
	ONE(unsigned char, 0xc3, MPI_UNSIGNED_CHAR, "c3");
	ONE(unsigned char, 0x80, MPI_BYTE, "80");
	ONE(unsigned char, 0x81, MPI_PACKED, "81");
	ONE(wchar_t, 0x20ac, MPI_WCHAR, "20ac");
	ONE(bool, true, MPI_C_BOOL, "01");
	ONE(bool, false, MPI_CXX_BOOL, "00");
	ONE(int32_t, 1, MPI_LOGICAL, "00000001");
	ONE(int64_t, 1, MPI_LOGICAL8, "0000000000000001");
	expect_ok(MPI_Unpack_external("external32", "\x80", 1, &at, &yes, 1, MPI_C_BOOL));
	expect(yes);
}

/* MPI-5.0 15.5.2: IEEE formats, the longest with 15 bits of exponent and 112 of fraction */
static void floats(void)
{
	float complex fc = -2.5f + 1.0f * I;
	double complex dc = 1.0 + 0.5 * I;

	ONE(float, -2.5f, MPI_FLOAT, "c0200000");
	ONE(float, 1.0f, MPI_REAL, "3f800000");
	ONE(double, 1.0, MPI_DOUBLE, "3ff0000000000000");
	ONE(double, -0.1, MPI_DOUBLE_PRECISION, "bfb999999999999a");
	ONE(uint16_t, 0x3c00, MPI_REAL2, "3c00");
	ONE(float, 1.0f, MPI_REAL4, "3f800000");
	ONE(double, 1.0, MPI_REAL8, "3ff0000000000000");
	vector("\1\2\3\4\5\6\7\10\11\12\13\14\15\16\17\20", 1, MPI_REAL16, 16,
		"100f0e0d0c0b0a090807060504030201");
	vector(&fc, 1, MPI_C_COMPLEX, sizeof(fc), "c02000003f800000");
	vector(&fc, 1, MPI_COMPLEX, sizeof(fc), "c02000003f800000");
	vector(&fc, 1, MPI_COMPLEX8, sizeof(fc), "c02000003f800000");
	vector(&dc, 1, MPI_C_DOUBLE_COMPLEX, sizeof(dc), "3ff00000000000003fe0000000000000");
	vector(&dc, 1, MPI_DOUBLE_COMPLEX, sizeof(dc), "3ff00000000000003fe0000000000000");
	vector(&dc, 1, MPI_CXX_DOUBLE_COMPLEX, sizeof(dc), "3ff00000000000003fe0000000000000");
}

static long double external_read(unsigned char ext[16])
{
	long double x = 0;
	MPI_Aint at = 0;

	expect_ok(MPI_Unpack_external("external32", ext, 16, &at, &x, 1, MPI_LONG_DOUBLE));
	return x;
}

/* Values that x87 does not have are rounded. */
static void long_doubles_rounded(void)
{
	unsigned char ext[16] = {0x3f, 0xff};
	long double least = LDBL_MIN * LDBL_EPSILON; /* the least denormal of x87 */

	vector(&least, 1, MPI_LONG_DOUBLE, 10, "00000000000000000002000000000000");
	/* 1 + 2^-64: halfway, to the even neighbour; a bit more: up */
	ext[9] = 1;
	expect(external_read(ext) == 1.0L);
	ext[15] = 1;
	expect(external_read(ext) == 1.0L + LDBL_EPSILON);
	/* the largest binary128 is more than x87 can say */
	memset(ext, 0xff, 16);
	ext[0] = 0x7f;
	ext[1] = 0xfe;
	expect(isinf(external_read(ext)));
	ext[1] = 0xff;
	expect(isnan(external_read(ext)));
}

/* MPI-5.0 15.5.2: long double has 16 bytes outside, whatever it has in memory */
static void long_doubles(void)
{
	static const char *const third = LDBL_MANT_DIG == 64 ? "3ffd5555555555555556000000000000"
							     : "3ffd5555555555555555555555555555";
	static const struct {
		long double v;
		const char *hex;
	} row[] = {
		{1.0L, "3fff0000000000000000000000000000"},
		{-2.0L, "c0000000000000000000000000000000"},
		{1.5L, "3fff8000000000000000000000000000"},
		{0.0L, "00000000000000000000000000000000"},
		{-0.0L, "80000000000000000000000000000000"},
		{LDBL_MIN, "00010000000000000000000000000000"},
		{INFINITY, "7fff0000000000000000000000000000"},
	};
	long double x = 1.0L / 3.0L;
	long double complex c = 1.0L - 2.0L * I;

	for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++)
		vector(&row[i].v, 1, MPI_LONG_DOUBLE, 10, row[i].hex);
	vector(&x, 1, MPI_LONG_DOUBLE, 10, third);
	vector(&c, 1, MPI_C_LONG_DOUBLE_COMPLEX, 10,
		"3fff0000000000000000000000000000c0000000000000000000000000000000");
	if (LDBL_MANT_DIG == 64)
		long_doubles_rounded();
}

/* MPI-5.0 5.3: derived types are their basic types in order, without gaps */
static void external_derived(void)
{
	struct {
		int i;
		double d;
		char c[3];
		long l;
	} mem[2] = {{1, 1.0, "ab", -1}, {2, -2.0, "cd", 5}}, back[2] = {0};
	struct {
		double d;
		int i;
	} pair = {1.0, 7};
	MPI_Aint at[4] = {(char *)&mem[0].i - (char *)mem, (char *)&mem[0].d - (char *)mem,
		(char *)mem[0].c - (char *)mem, (char *)&mem[0].l - (char *)mem};
	MPI_Datatype parts[4] = {MPI_INT, MPI_DOUBLE, MPI_CHAR, MPI_LONG}, raw, t, v;
	static const char expect[] = "\0\0\0\1\x3f\xf0\0\0\0\0\0\0ab\0\xff\xff\xff\xff"
				     "\0\0\0\2\xc0\0\0\0\0\0\0\0cd\0\0\0\0\5";
	char ext[64];
	MPI_Count pos = 0, size = 0;
	short s[6] = {1, -1, 2, -1, 3, -1};

	expect_ok(MPI_Type_create_struct(4, (int[]){1, 1, 3, 1}, at, parts, &raw));
	expect_ok(MPI_Type_create_resized(raw, 0, sizeof(mem[0]), &t));
	expect_ok(MPI_Type_commit(&t));
	expect_ok(MPI_Pack_external_size_c("external32", 2, t, &size));
	expect_eq(size, 38);
	expect_ok(MPI_Pack_external_c("external32", mem, 2, t, ext, sizeof(ext), &pos));
	expect_eq(pos, 38);
	expect(memcmp(ext, expect, 38) == 0);
	pos = 0;
	expect_ok(MPI_Unpack_external_c("external32", ext, 38, &pos, back, 2, t));
	for (int i = 0; i < 2; i++)
		expect(back[i].i == mem[i].i && back[i].d == mem[i].d && back[i].l == mem[i].l &&
			memcmp(back[i].c, mem[i].c, 3) == 0);
	expect_ok(MPI_Type_free(&raw));
	expect_ok(MPI_Type_free(&t));
	vector(&pair, 1, MPI_DOUBLE_INT, 12, "3ff000000000000000000007");
	expect_ok(MPI_Type_vector(3, 1, 2, MPI_SHORT, &v));
	expect_ok(MPI_Type_commit(&v));
	pos = 0;
	expect_ok(MPI_Pack_external_c("external32", s, 1, v, ext, 6, &pos));
	expect(memcmp(ext, "\0\1\0\2\0\3", 6) == 0);
	expect_ok(MPI_Type_free(&v));
}

/* MPI-5.0 5.3: impossible conversions are errors, and nothing happens */
static void external_errors(void)
{
	char ext[8];
	int i = 1;
	MPI_Aint at = 6, size;
	int class;

	expect(MPI_Pack_external("external32", &i, 1, MPI_INT, ext, 8, &at) != 0);
	expect_eq(at, 6);
	expect(MPI_Unpack_external("external32", ext, 8, &at, &i, 1, MPI_INT) != 0);
	expect(MPI_Pack_external_size("native", 1, MPI_INT, &size) != 0);
	MPI_Error_class(MPI_Pack_external("internal", &i, 1, MPI_INT, ext, 8, &at), &class);
	expect_eq(class, MPI_ERR_ARG);
	expect(MPI_Pack_external("external32", &i, 1, MPI_DATATYPE_NULL, ext, 8, &at) != 0);
	expect(MPI_Pack_external("external32", &i, -1, MPI_INT, ext, 8, &at) != 0);
}

int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
	MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
	integers();
	characters();
	floats();
	long_doubles();
	external_derived();
	external_errors();
	MPI_Finalize();
	return check_end();
}
