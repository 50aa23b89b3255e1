// SPDX-License-Identifier: BSD-3-Clause
/* fort_attr.c - attributes from Fortran (MPI-5.0 7.7, 16.1, 19.3.7).
 *
 *     MPI-1 form   MPI_KEYVAL_CREATE, MPI_ATTR_PUT, MPI_ATTR_GET       values are INTEGERs
 *     MPI-2 form   MPI_x_CREATE_KEYVAL, MPI_x_SET_ATTR, MPI_x_GET_ATTR  values of MPI_ADDRESS_KIND
 *
 * libobj keeps a value with its language, converts it for its reader, and calls callbacks in their
 * language; each call here only sets the language. */
#include "libmpi/fort/by_hand.h"

/* --- predefined callbacks ------------------------------------------------------------------- */

/* Three callbacks for each class of objects and width of values. */
#define CALLBACKS(dup, null_copy, null_delete, value)                                             \
	FORT_PROC_OLD(dup, (const MPI_Fint *object, const MPI_Fint *key, const value *extra,      \
				   const value *in, value *out, MPI_Fint *flag, MPI_Fint *err))   \
	{                                                                                         \
		(void)object, (void)key, (void)extra;                                             \
		*out = *in;                                                                       \
		*flag = 1;                                                                        \
		*err = MPI_SUCCESS;                                                               \
	}                                                                                         \
                                                                                                  \
	FORT_PROC_OLD(                                                                            \
		null_copy, (const MPI_Fint *object, const MPI_Fint *key, const value *extra,      \
				   const value *in, value *out, MPI_Fint *flag, MPI_Fint *err))   \
	{                                                                                         \
		(void)object, (void)key, (void)extra, (void)in, (void)out;                        \
		*flag = 0;                                                                        \
		*err = MPI_SUCCESS;                                                               \
	}                                                                                         \
                                                                                                  \
	FORT_PROC_OLD(null_delete, (const MPI_Fint *object, const MPI_Fint *key, const value *in, \
					   const value *extra, MPI_Fint *err))                    \
	{                                                                                         \
		(void)object, (void)key, (void)in, (void)extra;                                   \
		*err = MPI_SUCCESS;                                                               \
	}

CALLBACKS(mpi_dup_fn, mpi_null_copy_fn, mpi_null_delete_fn, MPI_Fint)
CALLBACKS(mpi_comm_dup_fn, mpi_comm_null_copy_fn, mpi_comm_null_delete_fn, MPI_Aint)
CALLBACKS(mpi_type_dup_fn, mpi_type_null_copy_fn, mpi_type_null_delete_fn, MPI_Aint)
CALLBACKS(mpi_win_dup_fn, mpi_win_null_copy_fn, mpi_win_null_delete_fn, MPI_Aint)

/* --- procedures ----------------------------------------------------------------------------- */

/* A tool between here and libmpi_abi might make calls of its own, so it is PMPI's that is told the
 * language. */
#define IN_LANG(which, call)                \
	do {                                \
		haft_fort_lang(which);      \
		ret = call;                 \
		haft_fort_lang(OBJ_LANG_C); \
	} while (0)

#define PROCEDURES(                                                                              \
	proc, make, put, get, Make, Put, Get, Handle, from, lang, value, copy_fn, del_fn)        \
	proc(make, (fort_fn * copy, fort_fn * del, MPI_Fint * keyval, const value *extra,        \
			   MPI_Fint *ierror))                                                    \
	{                                                                                        \
		FORT_SITE;                                                                       \
		int ret;                                                                         \
                                                                                                 \
		IN_LANG(lang,                                                                    \
			Make((copy_fn *)copy, (del_fn *)del, keyval, (void *)(intptr_t)*extra)); \
		FORT_RETURN(ret);                                                                \
	}                                                                                        \
                                                                                                 \
	proc(put, (const MPI_Fint *object, const MPI_Fint *keyval, const value *val,             \
			  MPI_Fint *ierror))                                                     \
	{                                                                                        \
		Handle h = from(*object);                                                        \
		int ret;                                                                         \
                                                                                                 \
		IN_LANG(lang, Put(h, *keyval, (void *)(intptr_t)*val));                          \
		FORT_RETURN(ret);                                                                \
	}                                                                                        \
                                                                                                 \
	proc(get, (const MPI_Fint *object, const MPI_Fint *keyval, value *val, MPI_Fint *flag,   \
			  MPI_Fint *ierror))                                                     \
	{                                                                                        \
		Handle h = from(*object);                                                        \
		intptr_t v = 0;                                                                  \
		int ret;                                                                         \
                                                                                                 \
		IN_LANG(lang, Get(h, *keyval, &v, flag));                                        \
		if (ret == MPI_SUCCESS && *flag)                                                 \
			*val = (value)v;                                                         \
		FORT_RETURN(ret);                                                                \
	}

PROCEDURES(FORT_PROC, mpi_keyval_create, mpi_attr_put, mpi_attr_get, PMPI_Keyval_create,
	PMPI_Attr_put, PMPI_Attr_get, MPI_Comm, fort_comm, OBJ_LANG_FINT, MPI_Fint,
	MPI_Copy_function, MPI_Delete_function)
PROCEDURES(FORT_PROC, mpi_comm_create_keyval, mpi_comm_set_attr, mpi_comm_get_attr,
	PMPI_Comm_create_keyval, PMPI_Comm_set_attr, PMPI_Comm_get_attr, MPI_Comm, fort_comm,
	OBJ_LANG_FADDR, MPI_Aint, MPI_Comm_copy_attr_function, MPI_Comm_delete_attr_function)
PROCEDURES(FORT_PROC, mpi_type_create_keyval, mpi_type_set_attr, mpi_type_get_attr,
	PMPI_Type_create_keyval, PMPI_Type_set_attr, PMPI_Type_get_attr, MPI_Datatype, fort_type,
	OBJ_LANG_FADDR, MPI_Aint, MPI_Type_copy_attr_function, MPI_Type_delete_attr_function)
PROCEDURES(FORT_PROC, mpi_win_create_keyval, mpi_win_set_attr, mpi_win_get_attr,
	PMPI_Win_create_keyval, PMPI_Win_set_attr, PMPI_Win_get_attr, MPI_Win, fort_win,
	OBJ_LANG_FADDR, MPI_Aint, MPI_Win_copy_attr_function, MPI_Win_delete_attr_function)
