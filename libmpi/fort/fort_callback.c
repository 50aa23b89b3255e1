// SPDX-License-Identifier: BSD-3-Clause
/* fort_callback.c - procedures of the user's that MPI calls: operations, error handlers,
 * generalized requests, data representations.
 *
 *     operations, error handlers   the object remembers Fortran; its engine passes INTEGERs
 *     all others                   extra_state is a struct of ours: user procedures and state */
#include "libmpi/fort/by_hand.h"

#include <stdlib.h>

/* --- operations and error handlers ---------------------------------------------------------- */

#define FROM_FORTRAN(call)                     \
	do {                                   \
		haft_fort_lang(OBJ_LANG_FINT); \
		ret = call;                    \
		haft_fort_lang(OBJ_LANG_C);    \
	} while (0)

FORT_PROC(mpi_op_create, (fort_fn * fn, const MPI_Fint *commute, MPI_Fint *op, MPI_Fint *ierror))
{
	FORT_SITE;
	MPI_Op c_op = FORT_UNSET(MPI_Op);
	int ret;

	FROM_FORTRAN(PMPI_Op_create((MPI_User_function *)fn, *commute, &c_op));
	FORT_HANDLE_NEW(MPI_Op, op, op);
	FORT_RETURN(ret);
}

FORT_PROC_F08(mpi_op_create_c_f08,
	(fort_fn * fn, const MPI_Fint *commute, MPI_Fint *op, MPI_Fint *ierror))
{
	FORT_SITE;
	MPI_Op c_op = FORT_UNSET(MPI_Op);
	int ret;

	FROM_FORTRAN(PMPI_Op_create_c((MPI_User_function_c *)fn, *commute, &c_op));
	FORT_HANDLE_NEW(MPI_Op, op, op);
	FORT_RETURN(ret);
}

#define HANDLER(proc, name, Create, function)                                \
	proc(name, (fort_fn * fn, MPI_Fint * errhandler, MPI_Fint * ierror)) \
	{                                                                    \
		FORT_SITE;                                                   \
		MPI_Errhandler c_errhandler = FORT_UNSET(MPI_Errhandler);    \
		int ret;                                                     \
                                                                             \
		FROM_FORTRAN(Create((function *)fn, &c_errhandler));         \
		FORT_HANDLE_NEW(MPI_Errhandler, errh, errhandler);           \
		FORT_RETURN(ret);                                            \
	}

HANDLER(FORT_PROC, mpi_comm_create_errhandler, PMPI_Comm_create_errhandler,
	MPI_Comm_errhandler_function)
HANDLER(FORT_PROC, mpi_win_create_errhandler, PMPI_Win_create_errhandler,
	MPI_Win_errhandler_function)
HANDLER(FORT_PROC, mpi_file_create_errhandler, PMPI_File_create_errhandler,
	MPI_File_errhandler_function)
HANDLER(FORT_PROC, mpi_session_create_errhandler, PMPI_Session_create_errhandler,
	MPI_Session_errhandler_function)
HANDLER(FORT_PROC_OLD, mpi_errhandler_create, PMPI_Errhandler_create, MPI_Comm_errhandler_function)

/* --- generalized requests ------------------------------------------------------------------- */

struct fort_grequest {
	void (*query)(MPI_Aint *extra, MPI_Fint *status, MPI_Fint *err);
	void (*free)(MPI_Aint *extra, MPI_Fint *err);
	void (*cancel)(MPI_Aint *extra, MPI_Fint *complete, MPI_Fint *err);
	MPI_Aint extra;
};

static int grequest_query(void *extra, MPI_Status *status)
{
	struct fort_grequest *g = extra;
	MPI_Fint err = MPI_SUCCESS;

	g->query(&g->extra, (MPI_Fint *)status, &err);
	return err;
}

static int grequest_free(void *extra)
{
	struct fort_grequest *g = extra;
	MPI_Fint err = MPI_SUCCESS;

	g->free(&g->extra, &err);
	free(g);
	return err;
}

static int grequest_cancel(void *extra, int complete)
{
	struct fort_grequest *g = extra;
	MPI_Fint err = MPI_SUCCESS, done = complete != 0;

	g->cancel(&g->extra, &done, &err);
	return err;
}

FORT_PROC(mpi_grequest_start, (fort_fn * query, fort_fn *release, fort_fn *cancel,
				      const MPI_Aint *extra, MPI_Fint *request, MPI_Fint *ierror))
{
	FORT_SITE;
	MPI_Request c_request = FORT_UNSET(MPI_Request);
	struct fort_grequest *g = malloc(sizeof(*g));
	int ret;

	if (g == NULL) {
		FORT_RETURN(fort_no_memory());
		return;
	}
	*g = (struct fort_grequest){(void (*)(MPI_Aint *, MPI_Fint *, MPI_Fint *))query,
		(void (*)(MPI_Aint *, MPI_Fint *))release,
		(void (*)(MPI_Aint *, MPI_Fint *, MPI_Fint *))cancel, *extra};
	ret = FORT_C(MPI_Grequest_start)(
		grequest_query, grequest_free, grequest_cancel, g, &c_request);
	if (ret != MPI_SUCCESS)
		free(g);
	FORT_HANDLE_NEW(MPI_Request, req, request);
	FORT_RETURN(ret);
}

/* --- data representations ------------------------------------------------------------------- */

typedef void fort_extent(MPI_Fint *datatype, MPI_Aint *extent, MPI_Aint *extra, MPI_Fint *err);
typedef void fort_convert(void *user, MPI_Fint *datatype, void *count, void *file,
	MPI_Offset *position, MPI_Aint *extra, MPI_Fint *err);

/* Lives as long as the data representation: for ever. */
struct datarep {
	fort_convert *read, *write;
	fort_extent *extent;
	MPI_Aint extra;
};

static int datarep_extent(MPI_Datatype datatype, MPI_Aint *extent, void *extra)
{
	struct datarep *d = extra;
	MPI_Fint type = fort_type_int(datatype), err = MPI_SUCCESS;

	d->extent(&type, extent, &d->extra, &err);
	return err;
}

/* Four forms: reading or writing, int or MPI_Count. */
#define CONVERT(name, which, number)                                                 \
	static int name(void *user, MPI_Datatype datatype, number count, void *file, \
		MPI_Offset position, void *extra)                                    \
	{                                                                            \
		struct datarep *d = extra;                                           \
		MPI_Fint type = fort_type_int(datatype), err = MPI_SUCCESS;          \
                                                                                     \
		d->which(user, &type, &count, file, &position, &d->extra, &err);     \
		return err;                                                          \
	}

CONVERT(datarep_read, read, int)
CONVERT(datarep_write, write, int)
CONVERT(datarep_read_c, read, MPI_Count)
CONVERT(datarep_write_c, write, MPI_Count)

/* "No conversion": handed over, never called. */
#define NOT_CALLED(name)                                                                   \
	FORT_PROC_OLD(name, (void *user, MPI_Fint *datatype, void *count, void *file,      \
				    MPI_Offset *position, MPI_Aint *extra, MPI_Fint *err)) \
	{                                                                                  \
		(void)user, (void)datatype, (void)count, (void)file, (void)position;       \
		(void)extra;                                                               \
		*err = MPI_ERR_CONVERSION;                                                 \
	}

NOT_CALLED(mpi_conversion_fn_null)
NOT_CALLED(mpi_conversion_fn_null_c)

static bool converts(fort_fn *fn, bool large)
{
	fort_fn *none = large ? (fort_fn *)FORT_NAME(mpi_conversion_fn_null_c_)
			      : (fort_fn *)FORT_NAME(mpi_conversion_fn_null_);

	return fn != none;
}

#define REGISTER(proc, name, Register, large, read_fn, write_fn)                         \
	proc(name, (const char *datarep, fort_fn *read, fort_fn *write, fort_fn *extent, \
			   const MPI_Aint *extra, MPI_Fint *ierror, size_t l_datarep))   \
	{                                                                                \
		char s_datarep[FORT_TEXT], *c_datarep = NULL;                            \
		struct datarep *d = malloc(sizeof(*d));                                  \
		int ret = MPI_ERR_NO_MEM;                                                \
                                                                                         \
		if (d == NULL) {                                                         \
			fort_no_memory();                                                \
			goto done;                                                       \
		}                                                                        \
		FORT_TEXT_IN(datarep, false);                                            \
		*d = (struct datarep){(fort_convert *)read, (fort_convert *)write,       \
			(fort_extent *)extent, *extra};                                  \
		ret = Register(c_datarep, converts(read, large) ? read_fn : NULL,        \
			converts(write, large) ? write_fn : NULL, datarep_extent, d);    \
		if (ret != MPI_SUCCESS)                                                  \
			free(d);                                                         \
	done:                                                                            \
		fort_room_end(s_datarep, c_datarep);                                     \
		FORT_RETURN(ret);                                                        \
	}

REGISTER(FORT_PROC, mpi_register_datarep, FORT_C(MPI_Register_datarep), false, datarep_read,
	datarep_write)
REGISTER(FORT_PROC_F08, mpi_register_datarep_c_f08, FORT_C(MPI_Register_datarep_c), true,
	datarep_read_c, datarep_write_c)
