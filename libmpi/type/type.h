// SPDX-License-Identifier: BSD-3-Clause
/* type.h - datatypes: the memory of an element, and its packed form.
 *
 *      element:   | d d d d d d d d | i i i i | . . . . |      MPI_DOUBLE_INT: size 12, extent 16
 *                   └──── part 0 ───┘└ part 1 ┘  gap
 *      packed:    | d d d d d d d d i i i i | d d d d d d d d i i i i | ...
 *                               └── [at, at + n) ──┘   any byte range of it can be moved
 *
 * The packed form of `count' elements is their bytes of data in the order of the type map, without
 * gaps: count * size bytes.  Messages consist of it and may be cut anywhere.
 *
 * Invariants
 *  - A dense type (size == extent, lb == 0) is its own packed form: packing is memcpy.
 *  - Predefined types are permanent objects on the ABI's numbers, always committed.  One that is
 *    not dense has its data in part[0] and part[1], in the order of the type map. */
#ifndef HAFT_TYPE_TYPE_H
#define HAFT_TYPE_TYPE_H

#include "libmpi/core/type_object.h"
#include "libobj/base.h"
#include <mpi.h>

/* type_open registers the predefined types with their class, which haft_objects_open has opened.
 * Later calls have no effect. 0 or MPI_ERR_NO_MEM.  One thread at a time. */
int type_open(void);

/* Applies one fact about the Fortran compiler, as MPI_Abi_set_fortran_info states it.  Ignores keys
 * that say nothing of types. apply false: only tests whether it is valid.  After type_open, before
 * the types are used. 0 or MPI_ERR_INFO_VALUE. */
int type_fortran_set(const char *key, const char *value, bool apply);

/* Is it a predefined type that the Fortran compiler does not have? */
static inline bool type_is_absent(const struct type *type)
{
	return type->shape == NULL && !type->committed;
}

/* type_fini frees the unnamed predefined types.  Called at the end of MPI, before leaks are
 * counted. */
void type_fini(void);

/* The types of value and index of a pair of BASIC_PAIR. */
void type_pair_parts(const struct type *pair, const struct type **value, const struct type **index);

/* A predefined type by its handle (MPI_INT ...), or NULL.  Works before type_open: static
 * memory. */
struct type *type_predefined(MPI_Datatype handle);

/* Predefined types cannot be freed and mean the same everywhere.  Those without a name (MPI-5.0
 * 19.1.9, 6.9.4) were made by a call, and so can be decoded. */
static inline bool type_is_predefined(const struct type *type)
{
	return type->shape == NULL;
}

/* type_pack_part copies bytes [at, at + n) of the packed form of elements at buf to dst;
 * type_unpack_part writes them back from src. 0 <= at, at + n <= count * size. buf is the user's
 * address; the type's lower bound is added here.  MPI_BOTTOM is address 0.  Memory areas do not
 * overlap.  Any thread. */
void type_pack_part(const struct type *type, const void *buf, int64_t at, void *dst, int64_t n);
void type_unpack_part(const struct type *type, void *buf, int64_t at, const void *src, int64_t n);

/* As type_pack_part and type_unpack_part, with memcpy inline for dense types. n == 0: no address is
 * used. */
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

/* Move all of `count' > 0 elements whose data is not contiguous (type_contiguous_at is NULL). */
void type_pack_whole(const struct type *type, const void *buf, int64_t count, void *dst);
void type_unpack_whole(const struct type *type, void *buf, int64_t count, const void *src);

/* The address of the data of `count' elements at buf, if it is contiguous in the order of the type
 * map: then it is its own packed form.  Else NULL. */
static inline char *type_contiguous_at(const struct type *type, const void *buf, int64_t count)
{
	if (likely(type->dense))
		return (char *)(uintptr_t)buf;
	return type->solid && count == 1 ? (char *)((uintptr_t)buf + (uintptr_t)type->true_lb)
					 : NULL;
}

/* type_copy copies scount elements of stype at src to rcount of rtype at dst, as if they were sent
 * to oneself.  The data may be shorter than the room at dst. 0; MPI_ERR_TRUNCATE (nothing is
 * copied); MPI_ERR_NO_MEM.  Areas do not overlap.  Any thread. */
int type_copy(const void *src, int64_t scount, const struct type *stype, void *dst, int64_t rcount,
	const struct type *rtype);

/* Copies the first n bytes of data, n > 0, which both sides have. */
void type_copy_bytes(
	const void *src, const struct type *stype, void *dst, const struct type *rtype, int64_t n);

/* Bytes from the first to the last byte of data of `count' elements, both included: the size of a
 * buffer for them.  *low: offset of the first byte from the buffer's address. 0 elements: 0. */
static inline int64_t type_span(const struct type *type, int64_t count, int64_t *low)
{
	int64_t reach;

	*low = type->true_lb;
	if (count <= 0)
		return 0;
	reach = type->extent * (count - 1);
	if (reach < 0) {
		*low += reach;
		reach = -reach;
	}
	return reach + type->true_extent;
}

/* type_move copies `count' elements to where they have an equal layout.  Gaps are not written: they
 * may hold other data.  Areas do not overlap. */
static inline void type_move(const struct type *type, const void *src, void *dst, int64_t count)
{
	int64_t n = count * type->size;

	if (likely(type->dense))
		__builtin_memcpy(dst, src, (size_t)n);
	else if (n > 0)
		type_copy_bytes(src, type, dst, type, n);
}

/* The error of a type_check that fails: MPI_ERR_COUNT or MPI_ERR_BUFFER with words; or 0 after
 * all. */
__attribute__((cold)) int type_refuse(
	const void *buf, int64_t count, int64_t blocks, const struct type *type, const char *which);

/* Is there memory for `blocks' times `count' elements at `buf', which errors call `which' ("the
 * send buffer")?  With words: MPI_ERR_COUNT if the number of bytes overflows, MPI_ERR_BUFFER if the
 * address is NULL or MPI_IN_PLACE (a derived type may be at MPI_BOTTOM). 0: the bytes can be
 * computed, and if there are any, the address can be used. */
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

/* Number of basic elements in `bytes' bytes of data of this type: the result of MPI_Get_elements.
 * -1: the bytes end inside a basic element. */
int64_t type_basic_count(const struct type *type, int64_t bytes);

/* Bytes of data of the first n basic elements. 0, or MPI_ERR_COUNT: the number overflows. */
int type_basic_bytes(const struct type *type, int64_t n, int64_t *bytes);

/* Do the invariants of a type hold?  Changes and prints nothing. */
bool type_valid(const struct type *type);

/* Likewise of all types that have a live handle.  (core/valid.h) */
bool type_all_valid(void);

/* Writes the name of a type for errors into buf (MPI_MAX_OBJECT_NAME bytes).  Returns buf. */
const char *type_words(const struct type *type, char *buf);

#endif
