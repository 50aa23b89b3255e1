// SPDX-License-Identifier: BSD-3-Clause
/* external32.c - MPI_Pack_external and its kin: the representation "external32" (MPI-5.0 5.3,
 * 15.5.2).
 *
 *      type map      int      double           long         long double
 *      memory        4 LE     8 LE             8 LE         16: 80 bits of x87, or binary128
 *      external      4 BE     8 BE             4 BE         16: binary128 BE
 *
 * Big-endian, without gaps, in the sizes of the standard's tables.  These are this machine's
 * sizes but for long, wchar_t and long double.  The basic types of an element are visited one by
 * one (signature.h); a sequence of one type is one loop. */
#include "libmpi/type/type.h"

#include "engine.h"
#include "libmpi/core/err.h"
#include "libmpi/type/signature.h"
#include <float.h>
#include <string.h>

enum external_how { SWAP, SHORTER, TRUTH, X87 };

/* How one basic type is converted: `parts' numbers of `from' bytes in memory, of `to' bytes
 * outside. */
struct external_conv {
	uint8_t how, parts, from, to;
};

static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "memory is the other way round outside");
static_assert(LDBL_MANT_DIG == 64 || LDBL_MANT_DIG == 113, "long double is x87's or binary128");

static uint8_t long_double(void)
{
	return LDBL_MANT_DIG == 64 ? X87 : SWAP;
}

static struct external_conv external_conv(const struct type *t)
{
	uint8_t size = (uint8_t)t->size;

	if (t == type_predefined(MPI_LONG) || t == type_predefined(MPI_UNSIGNED_LONG))
		return (struct external_conv){SHORTER, 1, size, 4};
	if (t == type_predefined(MPI_WCHAR))
		return (struct external_conv){SHORTER, 1, size, 2};
	switch (t->basic) {
	case BASIC_BOOL: return (struct external_conv){TRUTH, 1, size, 1};
	case BASIC_LDOUBLE: return (struct external_conv){long_double(), 1, size, 16};
	case BASIC_CLDOUBLE: return (struct external_conv){long_double(), 2, size / 2, 16};
	case BASIC_CFLOAT16:
	case BASIC_CFLOAT:
	case BASIC_CDOUBLE:
	case BASIC_CFLOAT128: return (struct external_conv){SWAP, 2, size / 2, size / 2};
	default: return (struct external_conv){SWAP, 1, size, size};
	}
}

int64_t type_external(const struct type *basic)
{
	struct external_conv c = external_conv(basic);

	return c.parts * c.to;
}

/* --- numbers -------------------------------------------------------------------------------- */

/* Reverses n bytes. */
static void external_reverse(unsigned char *dst, const unsigned char *src, size_t n)
{
	for (size_t i = 0; i < n; i++)
		dst[i] = src[n - 1 - i];
}

/* Reverses the bytes of n numbers. */
static void external_swap(unsigned char *dst, const unsigned char *src, size_t size, int64_t n)
{
	if (size == 4) {
		for (int64_t i = 0; i < n; i++) {
			uint32_t v;

			memcpy(&v, src + 4 * i, 4);
			v = __builtin_bswap32(v);
			memcpy(dst + 4 * i, &v, 4);
		}
	} else if (size == 8) {
		for (int64_t i = 0; i < n; i++) {
			uint64_t v;

			memcpy(&v, src + 8 * i, 8);
			v = __builtin_bswap64(v);
			memcpy(dst + 8 * i, &v, 8);
		}
	} else if (size == 1) {
		memcpy(dst, src, (size_t)n);
	} else {
		for (int64_t i = 0; i < n; i++)
			external_reverse(dst + (size_t)i * size, src + (size_t)i * size, size);
	}
}

#define QUAD_EXP  0x7fffU            /* of infinities and NaNs; equal in both formats */
#define X87_ONE   (1ULL << 63)       /* the digit before the point, which binary128 leaves out */
#define QUAD_HIGH ((1ULL << 48) - 1) /* fraction bits in the high half of a binary128 */
#define QUAD_LOST 49                 /* fraction bits that x87 does not have */

/* x87: sign and exponent 16 bits, 1 digit, 63 fraction bits. binary128: 16 bits, 112 of
 * fraction. */
static void x87_out(unsigned char *dst, const unsigned char *src)
{
	uint64_t mant, high, low;
	uint16_t top;

	memcpy(&mant, src, 8);
	memcpy(&top, src + 8, 2);
	if ((top & QUAD_EXP) == 0 && (mant & X87_ONE) != 0)
		top++; /* the least normal number, written as a denormal */
	mant &= ~X87_ONE;
	high = (uint64_t)top << 48 | mant >> 15;
	low = mant << QUAD_LOST;
	high = __builtin_bswap64(high);
	low = __builtin_bswap64(low);
	memcpy(dst, &high, 8);
	memcpy(dst + 8, &low, 8);
}

/* Rounds to nearest, ties to even. */
static void x87_in(unsigned char *dst, const unsigned char *src)
{
	uint64_t high, low, mant, lost;
	uint16_t top;

	memcpy(&high, src, 8);
	memcpy(&low, src + 8, 8);
	high = __builtin_bswap64(high);
	low = __builtin_bswap64(low);
	top = (uint16_t)(high >> 48);
	mant = (high & QUAD_HIGH) << 15 | low >> QUAD_LOST;
	lost = low << (64 - QUAD_LOST);
	if ((top & QUAD_EXP) == QUAD_EXP) {
		if (mant == 0 && lost != 0)
			mant = X87_ONE >> 1; /* a NaN remains one */
		mant |= X87_ONE;
	} else {
		mant |= (top & QUAD_EXP) != 0 ? X87_ONE : 0;
		if (lost > X87_ONE || (lost == X87_ONE && (mant & 1) != 0))
			mant++;
		if ((top & QUAD_EXP) != 0 && mant == 0) {
			mant = X87_ONE; /* rounded up to the next power of two */
			top++;
		} else if ((top & QUAD_EXP) == 0 && (mant & X87_ONE) != 0) {
			top++;
		}
	}
	memset(dst, 0, sizeof(long double));
	memcpy(dst, &mant, 8);
	memcpy(dst + 8, &top, 2);
}

/* --- elements of a basic type --------------------------------------------------------------- */

struct external_cursor {
	unsigned char *ext; /* the next byte of external data */
};

static inline void external_elements_out(
	struct external_conv c, const char *mem, int64_t n, unsigned char *ext)
{
	const unsigned char *src = (const unsigned char *)mem;

	n *= c.parts;
	if (c.how == SWAP || c.how == TRUTH) {
		external_swap(ext, src, c.to, n);
		return;
	}
	for (int64_t i = 0; i < n; i++, src += c.from, ext += c.to) {
		if (c.how == X87)
			x87_out(ext, src);
		else
			external_reverse(ext, src, c.to);
	}
}

static bool external_out(void *arg, const struct type *basic, char *mem, int64_t n)
{
	struct external_cursor *m = arg;
	struct external_conv c = external_conv(basic);

	external_elements_out(c, mem, n, m->ext);
	m->ext += n * c.parts * c.to;
	return true;
}

/* Converts to the longer number; is_signed: extends the sign. */
static void external_lengthen(
	unsigned char *dst, const unsigned char *src, struct external_conv c, bool is_signed)
{
	memset(dst, is_signed && (src[0] & 0x80) != 0 ? 0xff : 0, c.from);
	external_reverse(dst, src, c.to);
}

static inline void external_elements_in(struct external_conv c, const struct type *basic, char *mem,
	int64_t n, const unsigned char *ext)
{
	unsigned char *dst = (unsigned char *)mem;
	bool is_signed;

	n *= c.parts;
	if (c.how == SWAP) {
		external_swap(dst, ext, c.to, n);
		return;
	}
	is_signed = basic == type_predefined(MPI_LONG);
	for (int64_t i = 0; i < n; i++, dst += c.from, ext += c.to) {
		if (c.how == X87)
			x87_in(dst, ext);
		else if (c.how == TRUTH)
			*dst = *ext != 0;
		else
			external_lengthen(dst, ext, c, is_signed);
	}
}

static bool external_in(void *arg, const struct type *basic, char *mem, int64_t n)
{
	struct external_cursor *m = arg;
	struct external_conv c = external_conv(basic);

	external_elements_in(c, basic, mem, n, m->ext);
	m->ext += n * c.parts * c.to;
	return true;
}

int64_t type_external_elements(bool out, const struct type *basic, char *mem, int64_t n,
	char *external, int64_t room, int64_t *each)
{
	struct external_conv c = external_conv(basic);

	*each = c.parts * c.to;
	if (n * *each > room)
		n = room / *each;
	if (external == NULL || n == 0)
		return n;
	if (out)
		external_elements_out(c, mem, n, (unsigned char *)external);
	else
		external_elements_in(c, basic, mem, n, (unsigned char *)external);
	return n;
}

/* --- the engines ---------------------------------------------------------------------------- */

static int datarep_check(const char *datarep)
{
	if (datarep == NULL || strcmp(datarep, "external32") != 0)
		return haft_err(MPI_ERR_ARG, "the data representation is \"%s\", not external32",
			datarep == NULL ? "NULL" : datarep);
	return 0;
}

int type_pack_external_size(const char *datarep, int64_t incount, struct type *type, int64_t *size)
{
	const struct type_signature *sum;
	int64_t bytes;
	int err = datarep_check(datarep);

	if (err != 0)
		return err;
	sum = type_signature_of(type);
	if (sum == NULL)
		return MPI_ERR_NO_MEM;
	*size = MPI_UNDEFINED;
	if (__builtin_mul_overflow(incount, sum->external, &bytes))
		return haft_err(MPI_ERR_COUNT, "%lld elements of %lld bytes are too many",
			(long long)incount, (long long)sum->external);
	*size = bytes;
	return 0;
}

/* Is there room at `position'?  Sets *bytes to the need. 0, or MPI_ERR_ARG, _TRUNCATE,
 * _BUFFER with words. */
static int external_room(const char *datarep, const void *buf, int64_t count, struct type *type,
	const void *ext, int64_t size, int64_t position, int64_t *bytes)
{
	int err = type_pack_external_size(datarep, count, type, bytes);

	if (err == 0)
		err = type_check(buf, count, 1, type, "the buffer of elements");
	if (err != 0)
		return err;
	if (position < 0 || position > size)
		return haft_err(MPI_ERR_ARG, "position %lld is not in the buffer of %lld bytes",
			(long long)position, (long long)size);
	if (*bytes > size - position)
		return haft_err(MPI_ERR_TRUNCATE,
			"%lld bytes at position %lld do not fit a buffer of %lld bytes",
			(long long)*bytes, (long long)position, (long long)size);
	if (ext == NULL && *bytes > 0)
		return haft_err(MPI_ERR_BUFFER, "the packed buffer is NULL");
	return 0;
}

int type_pack_external(const char *datarep, const void *inbuf, int64_t incount, struct type *type,
	void *outbuf, int64_t outsize, int64_t *position)
{
	int64_t bytes;
	int err = external_room(datarep, inbuf, incount, type, outbuf, outsize, *position, &bytes);
	struct external_cursor m;

	if (err != 0 || bytes == 0)
		return err;
	m.ext = (unsigned char *)outbuf + *position;
	err = type_each(type, (char *)(uintptr_t)inbuf, incount, external_out, &m);
	*position += err == 0 ? bytes : 0;
	return err;
}

int type_unpack_external(const char *datarep, const void *inbuf, int64_t insize, int64_t *position,
	void *outbuf, int64_t outcount, struct type *type)
{
	int64_t bytes;
	int err = external_room(datarep, outbuf, outcount, type, inbuf, insize, *position, &bytes);
	struct external_cursor m;

	if (err != 0 || bytes == 0)
		return err;
	m.ext = (unsigned char *)(uintptr_t)inbuf + *position;
	err = type_each(type, outbuf, outcount, external_in, &m);
	*position += err == 0 ? bytes : 0;
	return err;
}
