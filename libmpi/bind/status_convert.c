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
		return bind_raise(haft_err(MPI_ERR_ARG, "a status that is NULL or to be ignored "
							"cannot be converted"),
			NULL, fn);
	memcpy(to, from, sizeof(MPI_Status));
	return MPI_SUCCESS;
}

int bind_status_c2f(const MPI_Status *c_status, MPI_Fint *f_status)
{
	return status_copy(f_status, c_status, HAFT_MPI_Status_c2f);
}

int bind_status_f2c(const MPI_Fint *f_status, MPI_Status *c_status)
{
	return status_copy(c_status, f_status, HAFT_MPI_Status_f2c);
}

int bind_status_c2f08(const MPI_Status *c_status, MPI_F08_status *f08_status)
{
	return status_copy(f08_status, c_status, HAFT_MPI_Status_c2f08);
}

int bind_status_f082c(const MPI_F08_status *f08_status, MPI_Status *c_status)
{
	return status_copy(c_status, f08_status, HAFT_MPI_Status_f082c);
}

int bind_status_f082f(const MPI_F08_status *f08_status, MPI_Fint *f_status)
{
	return status_copy(f_status, f08_status, HAFT_MPI_Status_f082f);
}

int bind_status_f2f08(const MPI_Fint *f_status, MPI_F08_status *f08_status)
{
	return status_copy(f08_status, f_status, HAFT_MPI_Status_f2f08);
}

int bind_status_get_source(const MPI_Status *status, int *source)
{
	*source = status->MPI_SOURCE;
	return MPI_SUCCESS;
}

int bind_status_get_tag(const MPI_Status *status, int *tag)
{
	*tag = status->MPI_TAG;
	return MPI_SUCCESS;
}

int bind_status_get_error(const MPI_Status *status, int *err)
{
	*err = status->MPI_ERROR;
	return MPI_SUCCESS;
}

int bind_status_set_source(MPI_Status *status, int source)
{
	status->MPI_SOURCE = source;
	return MPI_SUCCESS;
}

int bind_status_set_tag(MPI_Status *status, int tag)
{
	status->MPI_TAG = tag;
	return MPI_SUCCESS;
}

int bind_status_set_error(MPI_Status *status, int err)
{
	status->MPI_ERROR = err;
	return MPI_SUCCESS;
}
