// SPDX-License-Identifier: BSD-3-Clause
/* genfort.h - questions about a function that the writers of Fortran answer alike: genfort.c
 * (procedures), genmod.c (modules), genmpif.c (mpif.h). */
#ifndef HAFT_API_GENFORT_H
#define HAFT_API_GENFORT_H

#include "libmpi/api/gen.h"

bool fort_by_hand(const struct func *f);  /* its procedures are in libmpi/fort */
bool fort_callback(const struct func *f); /* it is handed to others, not called */
bool fort_choice(const struct func *f);   /* it has a choice buffer */
bool fort_ierror(const struct func *f);   /* its last argument is IERROR */
bool fort_later(const struct func *f);    /* memory may be used after it */
bool fort_shown(const struct param *p);   /* Fortran has this parameter */

/* Writes the Fortran lines of a synopsis: mpi_f08, mpi_f08 with large counts, mpi. */
void fort_synopsis(FILE *out, const struct func *f);

/* Does Fortran have the constant? */
bool fort_constant_shown(const struct constant *c);

/* Constants as statements that fixed and free form take (genmpif.c). */
int fort_constant_value(const struct constant *c);
void fort_kinds(FILE *out);
void fort_constants(FILE *out);
extern const char fort_commons[];

#endif
