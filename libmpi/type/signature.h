// SPDX-License-Identifier: BSD-3-Clause
/* signature.h - the sequence of basic types in a datatype, however it was made.
 *
 *      struct{int, double[2]}    ──>  int double double       type_each: one by one, with memory
 *                                └──> struct type_signature   O(description), kept with the type
 *
 * The hash of a sequence can be composed: of two sequences one after the other, and of n times
 * one.  hash(ab) = hash(a) * factor(b) + hash(b), factor(ab) = factor(a) * factor(b), factor(basic)
 * is a constant, and arithmetic is modulo 2^64.  So n times a sequence costs O(log n). */
#ifndef HAFT_TYPE_SIGNATURE_H
#define HAFT_TYPE_SIGNATURE_H

#include "libmpi/core/type_object.h"

struct type_signature {
	uint64_t hash, factor;   /* of the sequence */
	int64_t external;        /* bytes in the external representation (external32) */
	const struct type *only; /* the basic type, if there is only one kind; else NULL */
	bool packed;             /* contains MPI_PACKED: matches everything (MPI-5.0 5.2) */
};

/* The signature of one element; NULL: no memory.  It lives as long as the type.  Under the
 * library's lock. */
const struct type_signature *type_signature_of(struct type *t);

/* The signature of the first `bytes' bytes of data of many elements. 0 or MPI_ERR_NO_MEM. */
int type_signature_bytes(struct type *t, int64_t bytes, struct type_signature *sum);

/* Calls fn for the basic types in `count' elements at mem, in the order of the type map: n of them
 * at a time, their extent apart.  Pairs come as their two parts.  Ends when fn returns false.  No
 * recursion. 0 or MPI_ERR_NO_MEM. */
typedef bool type_each_fn(void *arg, const struct type *basic, char *mem, int64_t n);
int type_each(const struct type *t, char *mem, int64_t count, type_each_fn *fn, void *arg);

/* As type_each, but a pair comes as the predefined type that it is (MPI_DOUBLE_INT), with its
 * gaps. */
int type_each_whole(const struct type *t, char *mem, int64_t count, type_each_fn *fn, void *arg);

/* As type_each (split) or type_each_whole, from entry `from' of the type map on; not from inside a
 * pair that comes as a whole.  The way there is O(description). */
int type_each_from(const struct type *t, char *mem, int64_t count, int64_t from, bool split,
	type_each_fn *fn, void *arg);

/* external32.c: bytes of a basic type in the external representation. */
int64_t type_external(const struct type *basic);

/* external32.c: converts up to n elements of a basic type between memory and the external
 * representation (out: to it), each next to the other, as many as its `room' bytes have.  Returns
 * how many; *each: the bytes of one there.  external NULL: only counts.  Any thread. */
int64_t type_external_elements(bool out, const struct type *basic, char *mem, int64_t n,
	char *external, int64_t room, int64_t *each);

/* Writes the signature of the first `bytes' bytes of data as text, cut off if it is long: "2
 * MPI_INT, 1 MPI_DOUBLE ...". Returns buf. */
const char *type_signature_words(const struct type *t, int64_t bytes, char *buf, size_t n);

#endif
