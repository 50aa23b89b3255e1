// SPDX-License-Identifier: BSD-3-Clause
/* signature.h - what is asked of the sequence of basic types in a datatype, whatever it was made by.
 *
 *      struct{int, double[2]}    ──>  int double double       type_each: one by one, with memory
 *                                └──> struct type_signature          O(description), kept with the type
 *
 * A sequence has a hash that can be put together: of two sequences in a row, of n times the same.
 * hash(ab) = hash(a) * turn(b) + hash(b), turn(ab) = turn(a) * turn(b), with turn(basic) a constant
 * and arithmetic modulo 2^64; so n times a sequence costs O(log n). */
#ifndef HAFT_TYPE_SIGNATURE_H
#define HAFT_TYPE_SIGNATURE_H

#include "libmpi/core/type_object.h"

struct type_signature {
	uint64_t hash, turn;     /* of the sequence */
	int64_t external;        /* bytes in the external representation (external32) */
	const struct type *only; /* the basic type that all are, or NULL */
	bool packed;             /* MPI_PACKED is in it: it matches everything (MPI-5.0 5.2) */
};

/* The sum of one element; NULL: no memory.  It lives as long as the type.  Under the library's
 * lock. */
const struct type_signature *type_signature_of(struct type *t);

/* The hash of the first `bytes' bytes of data of many elements.  0 or MPI_ERR_NO_MEM. */
int type_signature_bytes(struct type *t, int64_t bytes, struct type_signature *sum);

/* Calls fn for the basic types in `count' elements at mem in the order of the type map: n of them
 * in a row, their extent apart.  Pairs come as their two parts.  Ends when fn returns false.  Types
 * nest as deep as users like: no recursion.  0 or MPI_ERR_NO_MEM. */
typedef bool type_each_fn(void *arg, const struct type *basic, char *mem, int64_t n);
int type_each(const struct type *t, char *mem, int64_t count, type_each_fn *fn, void *arg);

/* The same, but pairs come as the predefined types that they are (MPI_DOUBLE_INT), gaps and all. */
int type_each_whole(const struct type *t, char *mem, int64_t count, type_each_fn *fn, void *arg);

/* external32.c: bytes of a basic type in the external representation. */
int64_t type_external(const struct type *basic);

/* The signature of the first `bytes' bytes of data as text, cut off if it is long: "2 MPI_INT, 1
 * MPI_DOUBLE ...".  Returns buf. */
const char *type_signature_words(const struct type *t, int64_t bytes, char *buf, size_t n);

#endif
