// SPDX-License-Identifier: BSD-3-Clause
/* status_convert.c - statuses of C, mpif.h and mpi_f08 (MPI-5.0 19.3.5), and their public fields.
 *
 * All three forms are eight integers in one order, so a conversion is a copy. */
#include "libmpi/bind/raise.h"
#include "libmpi/core/err.h"
#include "libmpi/core/objects.h"

#include <engine.h>
#include <names.h>
#include <raw.h>
#include <stdbool.h>
#include <string.h>

_Static_assert(sizeof(MPI_Status) == 8 * sizeof(MPI_Fint), "a status is 8 Fortran INTEGERs");
_Static_assert(sizeof(MPI_F08_status) == sizeof(MPI_Status), "and so is one of mpi_f08");

/* Unique addresses, until the Fortran library sets its own MPI_STATUS_IGNORE.  The mpi and mpi_f08
 * forms share them. */
static MPI_F08_status ignore[2];
MPI_Fint *MPI_F_STATUS_IGNORE = &ignore[0].MPI_SOURCE;
MPI_Fint *MPI_F_STATUSES_IGNORE = &ignore[1].MPI_SOURCE;
MPI_F08_status *MPI_F08_STATUS_IGNORE = &ignore[0];
MPI_F08_status *MPI_F08_STATUSES_IGNORE = &ignore[1];

static int status_copy(void *to, const void *from, int fn)
{
	bool ignored = from == MPI_F_STATUS_IGNORE || from == MPI_F_STATUSES_IGNORE;

	if (to == NULL || from == NULL || ignored)
		return bind_raise(
			haft_err(MPI_ERR_ARG,
				"a status that is NULL or to be ignored cannot be converted"),
			NULL, fn);
	memcpy(to, from, sizeof(MPI_Status));
	return MPI_SUCCESS;
}

#define CONVERT(name, from_type, to_type)                             \
	int bind_status_##name(const from_type *from, to_type *to)    \
	{                                                             \
		return status_copy(to, from, HAFT_MPI_Status_##name); \
	}

CONVERT(c2f, MPI_Status, MPI_Fint)
CONVERT(f2c, MPI_Fint, MPI_Status)
CONVERT(c2f08, MPI_Status, MPI_F08_status)
CONVERT(f082c, MPI_F08_status, MPI_Status)
CONVERT(f082f, MPI_F08_status, MPI_Fint)
CONVERT(f2f08, MPI_Fint, MPI_F08_status)

#define FIELD(name, field)                                               \
	int bind_status_get_##name(const MPI_Status *status, int *value) \
	{                                                                \
		*value = status->field;                                  \
		return MPI_SUCCESS;                                      \
	}                                                                \
                                                                         \
	int bind_status_set_##name(MPI_Status *status, int value)        \
	{                                                                \
		status->field = value;                                   \
		return MPI_SUCCESS;                                      \
	}

FIELD(source, MPI_SOURCE)
FIELD(tag, MPI_TAG)
FIELD(error, MPI_ERROR)
