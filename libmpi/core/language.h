// SPDX-License-Identifier: BSD-3-Clause
/* language.h - what libmpi_abi shows to libmpifort_abi, of the same version: haft_fort_*.
 *
 *     libmpi/fort: haft_fort_lang(FADDR); PMPI_Comm_set_attr(...); haft_fort_lang(C)
 *     engine:                                haft_lang_take() is FADDR, once
 *
 * Values of attributes and user functions remember the language that they come from (MPI-5.0
 * 19.3.7, 19.3.8).  The C calls that bring them are the same for all languages, so the Fortran
 * library sets the language of the thread just before its call. */
#ifndef HAFT_CORE_LANGUAGE_H
#define HAFT_CORE_LANGUAGE_H

#include <stdbool.h>
#include <stdint.h>

#define HAFT_SHOWN __attribute__((visibility("default")))

/* Sets the language (enum obj_lang) of this thread's arguments in its next call; returns the former
 * one. */
HAFT_SHOWN int haft_fort_lang(int lang);

/* The address from which a Fortran procedure was called, while that procedure calls C; 0: the
 * caller is C.  BIND_SITE, and a call that fails, reset it to 0. */
extern HAFT_SHOWN __thread uintptr_t haft_fort_site;

/* haft_comm_class and the others, for libobj's inline conversion of INTEGERs. */
struct obj_class;
#define CLASS(id, type, label, object, null, error, words) \
	extern HAFT_SHOWN struct obj_class haft_fort_##object;
#include "libmpi/api/classes.def"
#undef CLASS

/* Attaches a copy (core/reqcopy.h) to the request of this handle.  true: the request owns it.
 * false: the handle is no request, and the copy stays the caller's. */
struct req_copy;
HAFT_SHOWN bool haft_fort_copy(void *request, struct req_copy *copy);

/* Marks the datatype of this new handle as made by a call of MPI-1, whose displacements are
 * INTEGERs: it decodes as MPI_COMBINER_HVECTOR_INTEGER and so on.  Does nothing to other types. */
HAFT_SHOWN void haft_fort_integers(void *datatype);

/* The language of this call's arguments.  Resets it to C. */
int haft_lang_take(void);

#endif
