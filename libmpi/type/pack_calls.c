// SPDX-License-Identifier: BSD-3-Clause
/* pack_calls.c - MPI_Pack and MPI_Unpack: the packed form in the user's buffer.
 *
 *      buffer  | ...... packed so far ...... | next elements | room ...... |
 *                                            ^ *position     ^ afterwards  ^ size
 *
 * The packed form has no header.  So packed data can be sent as MPI_PACKED and received as its
 * types, and the other way round (MPI-5.0 5.2). */
#include "libmpi/type/type.h"
#include "libmpi/core/comm_object.h"
#include "engine.h"
#include "libmpi/core/err.h"

/* The error if count elements do not fit at `position'. */
static __attribute__((cold, noinline)) int pack_no_room(
	const struct type *type, int64_t count, int64_t position, int64_t size)
{
	int64_t bytes;

	if (__builtin_mul_overflow(count, type->size, &bytes))
		return haft_err(MPI_ERR_COUNT, "%lld elements of %lld bytes are too many",
			(long long)count, (long long)type->size);
	if (position < 0 || position > size)
		return haft_err(MPI_ERR_ARG, "position %lld is not in the buffer of %lld bytes",
			(long long)position, (long long)size);
	return haft_err(MPI_ERR_TRUNCATE,
		"%lld bytes at position %lld do not fit a buffer of %lld bytes", (long long)bytes,
		(long long)position, (long long)size);
}

/* Is there room for count elements at `position'?  Sets *bytes. */
static inline int pack_room(
	const struct type *type, int64_t count, int64_t position, int64_t size, int64_t *bytes)
{
	if (likely(!__builtin_mul_overflow(count, type->size, bytes) && position >= 0 &&
		    position <= size && *bytes <= size - position))
		return 0;
	return pack_no_room(type, count, position, size);
}

int type_pack_at(const void *inbuf, int64_t incount, struct type *type, void *outbuf,
	int64_t outsize, int64_t *position, struct comm *comm)
{
	int64_t bytes;
	int err = pack_room(type, incount, *position, outsize, &bytes);

	(void)comm; /* all ranks of all communicators have one representation */
	if (err == 0)
		err = type_check(inbuf, incount, 1, type, "inbuf");
	if (err == 0 && outbuf == NULL && bytes > 0)
		err = haft_err(MPI_ERR_BUFFER, "outbuf is NULL");
	if (err != 0)
		return err;
	if (bytes > 0)
		type_pack(type, inbuf, incount, 0, (char *)outbuf + *position, bytes);
	*position += bytes;
	return 0;
}

int type_unpack_at(const void *inbuf, int64_t insize, int64_t *position, void *outbuf,
	int64_t outcount, struct type *type, struct comm *comm)
{
	int64_t bytes;
	int err = pack_room(type, outcount, *position, insize, &bytes);

	(void)comm;
	if (err == 0)
		err = type_check(outbuf, outcount, 1, type, "outbuf");
	if (err == 0 && inbuf == NULL && bytes > 0)
		err = haft_err(MPI_ERR_BUFFER, "inbuf is NULL");
	if (err != 0)
		return err;
	if (bytes > 0)
		type_unpack(type, outbuf, outcount, 0, (const char *)inbuf + *position, bytes);
	*position += bytes;
	return 0;
}

int type_pack_size(int64_t incount, struct type *type, struct comm *comm, int64_t *size)
{
	int64_t bytes;

	(void)comm;
	*size = MPI_UNDEFINED;
	if (__builtin_mul_overflow(incount, type->size, &bytes))
		return haft_err(MPI_ERR_COUNT, "%lld elements of %lld bytes are too many",
			(long long)incount, (long long)type->size);
	*size = bytes;
	return 0;
}
