// SPDX-License-Identifier: BSD-3-Clause
/* type.h - datatypes: what memory an element is made of, and its packed form.
 *
 *      element:   | d d d d d d d d | i i i i | . . . . |      MPI_DOUBLE_INT: size 12, extent 16
 *                   └──── piece 0 ──┘└ piece 1┘  gap
 *      packed:    | d d d d d d d d i i i i | d d d d d d d d i i i i | ...
 *                               └── [at, at + n) ──┘   any range of it can be asked for
 *
 * The packed form of `count' elements is their bytes of data in the order of the type map, without
 * gaps: count * size bytes.  Messages are made of it and may be cut anywhere.
 *
 * Invariants
 *  - A dense type (size == extent, lb == 0) is its own packed form: packing is memcpy.
 *  - Predefined types are permanent objects on the ABI's numbers, always committed; a type that is
 *    not dense has its data in piece[0] and piece[1], in the order of the type map. */
#ifndef HAFT_TYPE_TYPE_H
#define HAFT_TYPE_TYPE_H

#include "libmpi/core/type_object.h"
#include "libobj/base.h"
#include <mpi.h>

/* type_open registers the predefined types with their class; haft_objects_open has opened it.  The
 * second call and later ones do nothing.  0 or MPI_ERR_NO_MEM.  One thread at a time. */
int type_open(void);

/* One fact about the Fortran compiler, as MPI_Abi_set_fortran_info has it; keys that say nothing
 * of types are ignored.  apply false: only looks whether it could be.  After type_open; before
 * the types are used.  0 or MPI_ERR_INFO_VALUE. */
int type_fortran_set(const char *key, const char *value, bool apply);

/* A predefined type that the Fortran compiler does not have. */
static inline bool type_is_absent(const struct type *type)
{
	return type->shape == NULL && !type->committed;
}

/* type_fini lets the unnamed predefined types go: at the end of MPI, before leaks are counted. */
void type_fini(void);

/* The types that a pair of BASIC_PAIR is made of: its pieces. */
void type_pair_parts(const struct type *pair, const struct type **value, const struct type **index);

/* A predefined type by its handle (MPI_INT ...), or NULL.  Works before type_open: static memory.
 */
struct type *type_predefined(MPI_Datatype handle);

/* Predefined types cannot be freed and mean the same everywhere; those without a name (MPI-5.0
 * 19.1.9, 6.9.4) were made by a call, and so can be decoded. */
static inline bool type_is_predefined(const struct type *type)
{
	return type->shape == NULL;
}

/* type_pack copies bytes [at, at + n) of the packed form of `count' elements at buf to dst;
 * type_unpack writes them back from src.  0 <= at, at + n <= count * size.  buf is the user's
 * address (the type's lower bound is added here); MPI_BOTTOM, an absolute type's, is address 0.
 * Memory areas do not overlap.  Any thread. */
void type_pack_part(const struct type *type, const void *buf, int64_t at, void *dst, int64_t n);
void type_unpack_part(const struct type *type, void *buf, int64_t at, const void *src, int64_t n);

/* The same with its cheap case here: a dense type is memcpy.  That wants no NULL, even for 0
 * bytes. */
static inline void type_pack(
	const struct type *type, const void *buf, int64_t count, int64_t at, void *dst, int64_t n)
{
	must(at >= 0 && n >= 0 && at + n <= count * type->size);
	if (unlikely(n == 0))
		return;
	if (likely(type->dense))
		__builtin_memcpy(dst, (const char *)buf + at, (size_t)n);
	else
		type_pack_part(type, buf, at, dst, n);
}

static inline void type_unpack(
	const struct type *type, void *buf, int64_t count, int64_t at, const void *src, int64_t n)
{
	must(at >= 0 && n >= 0 && at + n <= count * type->size);
	if (unlikely(n == 0))
		return;
	if (likely(type->dense))
		__builtin_memcpy((char *)buf + at, src, (size_t)n);
	else
		type_unpack_part(type, buf, at, src, n);
}

/* The same for all of `count' > 0 elements whose data is not one piece (type_piece has said NULL).
 */
void type_pack_whole(const struct type *type, const void *buf, int64_t count, void *dst);
void type_unpack_whole(const struct type *type, void *buf, int64_t count, const void *src);

/* Where the data of `count' elements at buf is if it is one piece of memory in the order of the
 * type map: it is its own packed form.  Else NULL. */
static inline char *type_contiguous_at(const struct type *type, const void *buf, int64_t count)
{
	if (likely(type->dense))
		return (char *)(uintptr_t)buf;
	return type->solid && count == 1 ? (char *)((uintptr_t)buf + (uintptr_t)type->true_lb)
					 : NULL;
}

/* type_copy copies scount elements of stype at src to rcount of rtype at dst, as if they were sent
 * to oneself: the data may be shorter than dst has room for.  0; MPI_ERR_TRUNCATE (nothing is
 * copied); MPI_ERR_NO_MEM.  Areas do not overlap.  Any thread. */
int type_copy(const void *src, int64_t scount, const struct type *stype, void *dst, int64_t rcount,
	const struct type *rtype);

/* The same for the first n bytes of data, n > 0, which both sides have. */
void type_copy_bytes(
	const void *src, const struct type *stype, void *dst, const struct type *rtype, int64_t n);

/* The distance in bytes from the first to the last byte of data of `count' elements, with the last
 * one included: what a buffer for them must have.  *low: offset of the first byte from the buffer's
 * address.  0 elements: 0. */
static inline int64_t type_span(const struct type *type, int64_t count, int64_t *low)
{
	int64_t walk;

	*low = type->true_lb;
	if (count <= 0)
		return 0;
	walk = type->extent * (count - 1);
	if (walk < 0) {
		*low += walk;
		walk = -walk;
	}
	return walk + type->true_extent;
}

/* type_move copies `count' elements to where they are laid out alike: their data, since the gaps
 * between may be somebody else's.  Areas do not overlap. */
static inline void type_move(const struct type *type, const void *src, void *dst, int64_t count)
{
	int64_t n = count * type->size;

	if (likely(type->dense))
		__builtin_memcpy(dst, src, (size_t)n);
	else if (n > 0)
		type_copy_bytes(src, type, dst, type, n);
}

/* The words for what type_check refuses: MPI_ERR_COUNT or MPI_ERR_BUFFER; or 0 after all. */
__attribute__((cold)) int type_refuse(
	const void *buf, int64_t count, int64_t blocks, const struct type *type, const char *which);

/* Is there memory for `blocks' times `count' elements at `buf', which is "the send buffer" or so?
 * MPI_ERR_COUNT if the bytes are no number, MPI_ERR_BUFFER if the address is NULL (a derived type
 * may be at MPI_BOTTOM) or MPI_IN_PLACE, with words.  0: their bytes can be computed, and if there
 * are any, the address can be used. */
static inline int type_check(
	const void *buf, int64_t count, int64_t blocks, const struct type *type, const char *which)
{
	int64_t all, bytes, reach;

	if (likely(type->dense && blocks == 1 &&
		    !__builtin_mul_overflow(count, type->size, &bytes) &&
		    (uintptr_t)buf > (uintptr_t)MPI_IN_PLACE))
		return 0; /* its extent is its size */
	if (likely(!__builtin_mul_overflow(count, blocks, &all) &&
		    !__builtin_mul_overflow(all, type->size, &bytes) &&
		    !__builtin_mul_overflow(all, type->extent, &reach) &&
		    ((uintptr_t)buf > (uintptr_t)MPI_IN_PLACE || bytes == 0)))
		return 0;
	return type_refuse(buf, count, blocks, type, which);
}

/* Elements of basic types in `bytes' bytes of data of this type: what MPI_Get_elements says.  -1:
 * the bytes end inside a basic element. */
int64_t type_basic_count(const struct type *type, int64_t bytes);

/* The other way round: bytes of data of the first n basic elements.  MPI_ERR_COUNT: no number. */
int type_basic_bytes(const struct type *type, int64_t n, int64_t *bytes);

/* The printed name of a type in `buf' (size MPI_MAX_OBJECT_NAME), for words of errors.  Returns
 * buf. */
const char *type_words(const struct type *type, char *buf);

#endif
