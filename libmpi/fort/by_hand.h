// SPDX-License-Identifier: BSD-3-Clause
/* by_hand.h - for procedures that are written by hand, because they bring functions or values that
 * remember Fortran, or text with a shape of its own.
 *
 *     FORT_PROC(mpi_op_create, (arguments))     mpi_op_create_, with an alias for mpi_f08
 */
#ifndef HAFT_FORT_BY_HAND_H
#define HAFT_FORT_BY_HAND_H

#include "libmpi/fort/glue.h"

/* One procedure for mpif.h and the modules. */
#define FORT_PROC(name, args)                                          \
	FORT_API void FORT_NAME(name##_) args;                         \
	FORT_API void FORT_NAME(name##_f08_) args FORT_ALIAS(name##_); \
	FORT_API void FORT_NAME(name##_) args

/* One that mpi_f08 does not have. */
#define FORT_PROC_OLD(name, args)              \
	FORT_API void FORT_NAME(name##_) args; \
	FORT_API void FORT_NAME(name##_) args

/* One of mpi_f08's alone: its name is given in full. */
#define FORT_PROC_F08(name, args)              \
	FORT_API void FORT_NAME(name##_) args; \
	FORT_API void FORT_NAME(name##_) args

typedef void fort_fn(void); /* a procedure of the user's */

#endif
