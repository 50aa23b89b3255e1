// SPDX-License-Identifier: BSD-3-Clause
/* engineless.c - functions that need no engine: address arithmetic, MPI_Pcontrol, the predefined
 * callbacks of attributes and data representations.
 *
 * The callbacks are constants in mpi.h; these functions serve programs that look up their names in
 * the dynamic linker. */
#include "libmpi/core/type_object.h"
#include "libmpi/prof/prof.h"

#include <engine.h>
#include <raw.h>
#include <string.h>

MPI_Aint bind_aint_add(MPI_Aint base, MPI_Aint disp)
{
	return (MPI_Aint)((uintptr_t)base + (uintptr_t)disp);
}

MPI_Aint bind_aint_diff(MPI_Aint addr1, MPI_Aint addr2)
{
	return (MPI_Aint)((uintptr_t)addr1 - (uintptr_t)addr2);
}

/* MPI_Address and its kin of MPI-1 have engines of their own where the parameters differ. */
int bind_get_address(const void *location, int64_t *address)
{
	*address = (int64_t)(uintptr_t)location;
	return MPI_SUCCESS;
}

int bind_type_extent(struct type *datatype, int64_t *extent)
{
	*extent = datatype->extent;
	return MPI_SUCCESS;
}

int bind_type_lb(struct type *datatype, int64_t *displacement)
{
	*displacement = datatype->lb;
	return MPI_SUCCESS;
}

int bind_type_ub(struct type *datatype, int64_t *displacement)
{
	*displacement = datatype->lb + datatype->extent;
	return MPI_SUCCESS;
}

/* Controls the profile of mpiexec -profile, if there is one (MPI-5.0 15.2.4).  Level 1000 has one
 * more argument, the name of a region. */
int bind_pcontrol(int level, va_list dots)
{
	if (level == PROF_PUSH && prof_state.table != NULL)
		prof_push(va_arg(dots, const char *));
	else
		prof_control(level);
	return MPI_SUCCESS;
}

#define CALLBACKS(object, type)                                                          \
	int bind_##object##_copy_none(                                                   \
		type from, int keyval, void *extra, void *in, void *out, int *flag)      \
	{                                                                                \
		(void)from, (void)keyval, (void)extra, (void)in, (void)out;              \
		*flag = 0;                                                               \
		return MPI_SUCCESS;                                                      \
	}                                                                                \
                                                                                         \
	int bind_##object##_copy_same(                                                   \
		type from, int keyval, void *extra, void *in, void *out, int *flag)      \
	{                                                                                \
		(void)from, (void)keyval, (void)extra;                                   \
		memcpy(out, &in, sizeof(in));                                            \
		*flag = 1;                                                               \
		return MPI_SUCCESS;                                                      \
	}                                                                                \
                                                                                         \
	int bind_##object##_delete_none(type from, int keyval, void *value, void *extra) \
	{                                                                                \
		(void)from, (void)keyval, (void)value, (void)extra;                      \
		return MPI_SUCCESS;                                                      \
	}

CALLBACKS(comm, MPI_Comm)
CALLBACKS(type, MPI_Datatype)
CALLBACKS(win, MPI_Win)

/* "No conversion": file and memory have one format. */
int bind_convert_none(void *userbuf, MPI_Datatype datatype, int count, void *filebuf,
	MPI_Offset position, void *extra_state)
{
	(void)userbuf, (void)datatype, (void)count, (void)filebuf, (void)position;
	(void)extra_state;
	return MPI_ERR_CONVERSION;
}

int bind_convert_none_c(void *userbuf, MPI_Datatype datatype, MPI_Count count, void *filebuf,
	MPI_Offset position, void *extra_state)
{
	(void)userbuf, (void)datatype, (void)count, (void)filebuf, (void)position;
	(void)extra_state;
	return MPI_ERR_CONVERSION;
}
