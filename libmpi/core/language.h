// SPDX-License-Identifier: BSD-3-Clause
/* language.h - in which language the program speaks.
 *
 *     libmpi/fort: haft_fort_lang(FADDR); PMPI_Comm_set_attr(...); haft_fort_lang(C)
 *     engine:                                haft_lang_take() is FADDR, once
 *
 * Values of attributes and functions of the user remember the language they came from (MPI-5.0
 * 19.3.7, 19.3.8).  The calls that bring them are the same for all languages; Fortran's library
 * says who is asking, just before it calls. */
#ifndef HAFT_CORE_LANGUAGE_H
#define HAFT_CORE_LANGUAGE_H

#include <stdbool.h>
#include <stdint.h>

/* enum obj_lang of what this thread brings in its next call; returns what it was.  The
 * names haft_fort_ are all that libmpi_abi shows besides MPI's: for libmpifort_abi of the same
 * version only. */
__attribute__((visibility("default"))) int haft_fort_lang(int lang);

/* The place in the program where the procedure of Fortran was called that calls now; 0: the caller
 * is C.  Whoever notes it (bind's BIND_SITE), or fails, takes it away. */
extern __attribute__((visibility("default"))) __thread uintptr_t haft_fort_site;

/* haft_comm_class and the others, for libobj's own conversion of INTEGERs, inline. */
struct obj_class;
#define CLASS(id, type, label, object, null, error, words) \
	extern __attribute__((visibility("default"))) struct obj_class haft_fort_##object;
#include "libmpi/api/classes.def"
#undef CLASS

/* Hangs a copy on the request of this handle, which the caller has just got.  false: it is no
 * request, and the copy is the caller's still. */
struct req_copy;
__attribute__((visibility("default"))) bool haft_fort_copy(void *request, struct req_copy *copy);

/* The type that this new handle names was made by a call of MPI-1 whose displacements are INTEGERs:
 * decoding says so (MPI_COMBINER_HVECTOR_INTEGER and its kin).  Anything else stays as it is. */
__attribute__((visibility("default"))) void haft_fort_integers(void *datatype);

/* The language of what this call has brought; the next one is C's again. */
int haft_lang_take(void);

#endif
